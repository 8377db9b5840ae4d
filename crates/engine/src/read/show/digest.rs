//! Digests opened and explained: what one says, and what it stands on.

use crate::{Agent, EngineError, Result};
use cairn_domain::{DigestId, Invalid, Ref};
use cairn_store::{DigestRecord, MemoryRecord, MessageRecord, View};
use std::collections::HashMap;

/// A digest with all it stands on.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyDigest {
    /// Its newest version.
    pub record: DigestRecord,
    /// The records it cites, in its order.
    pub cites: Vec<Cited>,
}

/// Something that a digest cites.
#[derive(Debug, Clone, PartialEq)]
pub enum Cited {
    /// A memory.
    Memory(MemoryRecord),
    /// A message.
    Message(MessageRecord),
    /// Another digest, in its newest version.
    Digest(DigestRecord),
    /// Nothing that is there: what the ref was.
    Gone(String),
}

impl Agent {
    /// A digest in its newest version.
    pub async fn digest(&self, id: DigestId) -> Result<DigestRecord> {
        let newest = self.store.read(|view| view.newest_digest(id)).await?;
        newest.ok_or_else(|| EngineError::NotFound(id.to_string()))
    }

    /// A digest with the records it stands on.
    pub async fn why_digest(&self, id: DigestId) -> Result<WhyDigest> {
        let read = self.store.read(|view| {
            let Some(record) = view.newest_digest(id)? else { return Ok(None) };
            let cites = cited_records(view, &record.digest.sources)?;
            Ok(Some(WhyDigest { record, cites }))
        });
        read.await?.ok_or_else(|| EngineError::NotFound(id.to_string()))
    }
}

/// The records behind refs, each once.
fn cited_records(view: &mut View<'_>, sources: &[String]) -> cairn_store::Result<Vec<Cited>> {
    let (mut memories, mut messages) = (Vec::new(), Vec::new());
    for source in sources {
        match source.parse() {
            Ok(Ref::Memory(id)) => memories.push(id),
            Ok(Ref::Message(id)) => messages.push(id),
            Ok(Ref::Exchange(_) | Ref::Belief(_) | Ref::Digest(_) | Ref::Attachment(_)) | Err(_) => {}
        }
    }
    let mut found: HashMap<String, Cited> = HashMap::new();
    for record in view.memories_named(&memories)? {
        found.insert(record.memory.id.to_string(), Cited::Memory(record));
    }
    for record in view.messages_named(&messages)? {
        found.insert(record.message.id.to_string(), Cited::Message(record));
    }
    let mut cites = Vec::with_capacity(sources.len());
    for source in sources {
        let known = match (found.remove(source), source.parse::<DigestId>()) {
            (None, Ok(id)) => view.newest_digest(id)?.map(Cited::Digest),
            (known, _) => known,
        };
        cites.push(known.unwrap_or_else(|| Cited::Gone(source.clone())));
    }
    Ok(cites)
}

/// The refusal to do to a digest what only messages and memories allow.
pub(crate) fn generated(id: DigestId) -> Invalid {
    Invalid::new(
        format!("{id} is a digest: its text was generated over other records"),
        format!("`cairn why {id}` lists its sources: choose one of those"),
    )
}

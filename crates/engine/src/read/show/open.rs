//! Open: records in full.

use super::digest::generated;
use crate::{Agent, EngineError, Result};
use cairn_domain::{Invalid, MemoryId, Ref, ShortRef};
use cairn_store::MessageRecord;

impl Agent {
    /// The ref that somebody has written: whole, or as much of its beginning as a brief shows.
    pub async fn resolve(&self, written: &str) -> Result<Ref> {
        let unknown = match written.parse() {
            Ok(reference) => return Ok(reference),
            Err(error) => error,
        };
        let Ok(short) = written.split('#').next().unwrap_or_default().parse::<ShortRef>() else {
            return Err(unknown.into());
        };
        match &self.store.read(|view| view.refs_between(short)).await?[..] {
            [] => Err(EngineError::NotFound(written.trim().to_owned())),
            [one] => Ok(*one),
            several => {
                let whole: Vec<String> = several.iter().map(Ref::to_string).collect();
                let problem = format!("`{}` is the beginning of several refs", written.trim());
                Err(Invalid::new(problem, format!("write more of it: {}", whole.join(", "))).into())
            }
        }
    }

    /// The memory that a ref names, whole or by its beginning.
    pub async fn resolve_memory(&self, written: &str) -> Result<MemoryId> {
        match self.resolve(written).await? {
            Ref::Memory(id) => Ok(id),
            other => {
                let hint = "use a ref such as mem_…, from `cairn memories list`";
                Err(Invalid::new(format!("{other} is not a memory"), hint).into())
            }
        }
    }

    /// The messages behind a ref: one for a message, those of its turn for an exchange.
    pub async fn messages_behind(&self, reference: Ref) -> Result<Vec<MessageRecord>> {
        if let Ref::Digest(id) = reference {
            return Err(generated(id).into());
        }
        let messages = self
            .store
            .read(move |view| match reference {
                Ref::Message(id) => Ok(view.message(id)?.into_iter().collect()),
                Ref::Exchange(id) => view.exchange(id),
                Ref::Memory(_) | Ref::Belief(_) | Ref::Digest(_) | Ref::Attachment(_) => Ok(Vec::new()),
            })
            .await?;
        if messages.is_empty() { Err(EngineError::NotFound(reference.to_string())) } else { Ok(messages) }
    }
}

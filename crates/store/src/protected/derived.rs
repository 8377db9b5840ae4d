//! Records that rhythms made of memories that go: digests, themes, patterns, summaries, lessons and reflections. They cite only some of
//! what they quote, so that whatever shows the ref or the words of something that goes, goes with it.

use crate::{Result, database::values, record::MEMORY, transaction::Tx};
use cairn_domain::{DigestId, MemoryId, MessageId};
use std::collections::{BTreeMap, BTreeSet};

/// A quotation may be cut behind so many characters: a text is known again by its beginning.
const TRACE_CHARS: usize = 40;

/// Words of a message that are shorter than this stand in other texts by chance.
const LEAST_TRACE_CHARS: usize = 12;

/// By what something that goes is known in what was made of it.
#[derive(Default)]
pub(super) struct Traces {
    refs: BTreeSet<String>,
    /// How the texts of memories that go begin.
    beginnings: BTreeSet<String>,
    /// Memories that stand for one that goes.
    standing_for: BTreeSet<i64>,
}

impl Traces {
    pub(super) fn of_messages(ids: &BTreeSet<MessageId>) -> Self {
        let refs = ids.iter().map(ToString::to_string).collect();
        Self { refs, ..Self::default() }
    }

    /// Adds a memory that goes; its id, none if there is no such memory.
    pub(super) fn add_memory(&mut self, tx: &mut Tx<'_>, number: i64) -> Result<Option<MemoryId>> {
        let sql = "SELECT memory_id, superseded_by FROM memory WHERE agent_id = ?1 AND number = ?2";
        let found = tx.first(sql, values![tx.agent_id, number], |row| {
            Ok((MemoryId::from_bytes(row.byte_array(0, "memory.memory_id")?), row.maybe_int(1)?))
        })?;
        let Some((id, superseded_by)) = found else { return Ok(None) };
        self.refs.insert(id.to_string());
        self.standing_for.extend(superseded_by);
        let sql = "SELECT text FROM memory_revision WHERE agent_id = ?1 AND number = ?2";
        let texts = tx.query(sql, values![tx.agent_id, number], |row| row.text(0))?;
        let beginnings = texts.iter().map(|text| text.trim().chars().take(TRACE_CHARS).collect::<String>());
        self.beginnings.extend(beginnings.filter(|text| !text.is_empty()));
        Ok(Some(id))
    }

    pub(super) fn add_digest(&mut self, id: DigestId) {
        self.refs.insert(id.to_string());
    }

    /// Adds a record that goes.
    pub(super) fn add_ref(&mut self, reference: String) {
        self.refs.insert(reference);
    }

    /// Adds words that go; they are known again by their beginning.
    pub(super) fn add_words(&mut self, words: &str) {
        let beginning: String = words.trim().chars().take(TRACE_CHARS).collect();
        if beginning.chars().count() >= LEAST_TRACE_CHARS {
            self.beginnings.insert(beginning);
        }
    }

    pub(super) fn are_in(&self, text: &str) -> bool {
        self.refs.iter().chain(&self.beginnings).any(|trace| text.contains(trace.as_str()))
    }
}

/// A text that was made of memories, and the refs that it cites.
struct DerivedText<T> {
    of: T,
    text: String,
    cites: Vec<String>,
}

impl<T> DerivedText<T> {
    fn shows(&self, traces: &Traces) -> bool {
        self.cites.iter().any(|cited| traces.refs.contains(cited)) || traces.are_in(&self.text)
    }
}

/// Everything that was made of memories.
pub(super) struct DerivedTexts {
    digests: Vec<DerivedText<(i64, DigestId)>>,
    memories: Vec<DerivedText<i64>>,
    /// Memories that rest on another record than a message, and on which.
    resting: Vec<(i64, String)>,
}

impl DerivedTexts {
    pub(super) fn read(tx: &mut Tx<'_>) -> Result<Self> {
        let sql = "SELECT number, source FROM digest_source WHERE agent_id = ?1";
        let mut cited: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        for (number, source) in tx.query(sql, values![tx.agent_id], |row| Ok((row.int(0)?, row.text(1)?)))? {
            cited.entry(number).or_default().push(source);
        }
        let sql = "SELECT number, digest_id, text FROM digest WHERE agent_id = ?1";
        let digests = tx.query(sql, values![tx.agent_id], |row| {
            let id = DigestId::from_bytes(row.byte_array(1, "digest.digest_id")?);
            let sources = cited.get(&row.int(0)?).cloned().unwrap_or_default();
            Ok(DerivedText { of: (row.int(0)?, id), text: row.text(2)?, cites: sources })
        })?;
        let sql = "SELECT r.number, r.text, r.reason FROM memory_revision AS r JOIN memory AS m ON m.agent_id = r.agent_id
                   AND m.number = r.number WHERE r.agent_id = ?1 AND m.agent_id = ?1 AND m.write_source = 'dream'";
        let memories = tx.query(sql, values![tx.agent_id], |row| {
            let text = format!("{}\n{}", row.text(1)?, row.text(2)?);
            Ok(DerivedText { of: row.int(0)?, text, cites: Vec::new() })
        })?;
        let sql = "SELECT owner, source FROM evidence WHERE agent_id = ?1 AND owner_kind = ?2 AND message_id IS NULL";
        let resting = tx.query(sql, values![tx.agent_id, MEMORY], |row| Ok((row.int(0)?, row.text(1)?)))?;
        Ok(Self { digests, memories, resting })
    }

    /// Digests that show a trace, besides those that are known to.
    pub(super) fn digests_that_show(
        &self,
        traces: &Traces,
        known: &BTreeMap<i64, DigestId>,
    ) -> Vec<(i64, DigestId)> {
        let others = self.digests.iter().filter(|digest| !known.contains_key(&digest.of.0));
        others.filter(|digest| digest.shows(traces)).map(|digest| digest.of).collect()
    }

    /// Memories that show a trace, besides those that are known to.
    pub(super) fn memories_that_show(
        &self,
        traces: &Traces,
        known: &BTreeMap<i64, MemoryId>,
    ) -> BTreeSet<i64> {
        let others = self.memories.iter().filter(|memory| !known.contains_key(&memory.of));
        let shown = others.filter(|memory| traces.standing_for.contains(&memory.of) || memory.shows(traces));
        let resting = self.resting.iter().filter(|(owner, _)| !known.contains_key(owner));
        let resting = resting.filter(|(_, source)| traces.refs.contains(source));
        shown.map(|memory| memory.of).chain(resting.map(|(owner, _)| *owner)).collect()
    }
}

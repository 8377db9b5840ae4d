//! The reach of an erasure: some words, and everything that was made of them. A memory goes with any of its words, for its
//! text cannot be told apart by who said which part of it; what else it rested on is formed again.

use super::{
    derived::{DerivedTexts, Traces},
    mark::words_of,
};
use crate::{
    Result, StoreError,
    database::{Row, Value, values},
    record::{
        ArchivePlace, DerivedRecord, ErasedTurns, MEMORY, all_attachments, attachments_left_without_turns,
        part_numbers,
    },
    transaction::Tx,
};
use cairn_domain::{
    AttachmentId, BeliefId, DigestId, ExchangeId, MemoryId, MessageId, ReceiptDetail, SOME_KEY, Time,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Which words are to go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// Of these messages.
    pub messages: Vec<MessageId>,
    /// Of every message of these exchanges.
    pub exchanges: Vec<ExchangeId>,
    /// That these memories rest on.
    pub memories: Vec<MemoryId>,
    /// That these beliefs rest on.
    pub beliefs: Vec<BeliefId>,
    /// Of these attachments.
    pub attachments: Vec<AttachmentId>,
    /// Said before this moment.
    pub before: Option<Time>,
    /// Said in this session.
    pub session: Option<String>,
    /// Said in this thread.
    pub thread: Option<String>,
    /// All of them.
    pub everything: bool,
}

/// Everything that an erasure deletes, or has deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Erasure {
    /// The words.
    pub messages: Vec<MessageId>,
    /// The memories formed from them.
    pub memories: Vec<MemoryId>,
    /// The beliefs that rested on them.
    pub beliefs: Vec<BeliefId>,
    /// The attachments that were named, or appeared only where everything goes.
    pub attachments: Vec<AttachmentId>,
    /// Digests, every version counted, that tell of them.
    pub digests: u64,
    /// Names that nothing else mentions.
    pub entities: u64,
    /// Vectors.
    pub vectors: u64,
    /// Receipts whose words go; the receipts themselves stay.
    pub receipts: u64,
    /// Messages that stay and are looked at again, because a memory that goes rested on them as well.
    pub formed_again: Vec<MessageId>,
    /// The receipt of the erasure, once it is done.
    pub receipt: Option<u64>,
}

impl Erasure {
    /// Whether nothing goes.
    pub(super) fn is_nothing(&self) -> bool {
        self.messages.is_empty()
            && self.memories.is_empty()
            && self.beliefs.is_empty()
            && self.attachments.is_empty()
    }
}

/// A message that goes.
pub(super) struct Gone {
    pub(super) id: MessageId,
    pub(super) seq: i64,
    pub(super) session_id: i64,
    pub(super) place: ArchivePlace,
}

/// Everything that goes, by its number.
#[derive(Default)]
pub(super) struct Reach {
    pub(super) messages: Vec<Gone>,
    pub(super) memories: BTreeMap<i64, MemoryId>,
    pub(super) revisions: Vec<i64>,
    pub(super) beliefs: BTreeMap<i64, BeliefId>,
    pub(super) attachments: BTreeSet<AttachmentId>,
    /// Parts of those attachments.
    pub(super) parts: Vec<i64>,
    /// Beliefs that were superseded by one that goes.
    pub(super) orphans: Vec<i64>,
    pub(super) digests: BTreeMap<i64, DigestId>,
    pub(super) entities: Vec<i64>,
    pub(super) receipts: Vec<i64>,
    /// Memories that stay and were compared with one that goes.
    pub(super) related: BTreeSet<i64>,
    /// Memories that stay and spoke for a belief that goes.
    pub(super) to_reconsider: BTreeSet<i64>,
    pub(super) formed_again: BTreeSet<MessageId>,
    pub(super) vectors: u64,
}

impl Reach {
    pub(super) fn of(tx: &mut Tx<'_>, words: &Words) -> Result<Self> {
        let mut reach = Reaching { tx };
        reach.find(words)
    }

    /// The beliefs, digests and parts of attachments whose vectors go: kind and number.
    pub(super) fn derived_vectors(&self) -> impl Iterator<Item = (&'static str, i64)> {
        let beliefs = self.beliefs.keys().map(|number| (DerivedRecord::Belief.as_str(), *number));
        let digests = self.digests.keys().map(|number| (DerivedRecord::Digest.as_str(), *number));
        let parts = self.parts.iter().map(|number| (DerivedRecord::AttachmentPart.as_str(), *number));
        beliefs.chain(digests).chain(parts)
    }

    pub(super) fn told(&self) -> Erasure {
        Erasure {
            messages: self.messages.iter().map(|gone| gone.id).collect(),
            memories: self.memories.values().copied().collect(),
            beliefs: self.beliefs.values().copied().collect(),
            attachments: self.attachments.iter().copied().collect(),
            digests: self.digests.len() as u64,
            entities: self.entities.len() as u64,
            vectors: self.vectors,
            receipts: self.receipts.len() as u64,
            formed_again: self.formed_again.iter().copied().collect(),
            receipt: None,
        }
    }
}

struct Reaching<'t, 'c> {
    tx: &'t mut Tx<'c>,
}

impl Reaching<'_, '_> {
    fn find(&mut self, words: &Words) -> Result<Reach> {
        let mut reach = Reach::default();
        let mut wanted = self.memories_named(words)?;
        let mut ids = self.messages_named(words)?;
        for number in &wanted {
            ids.extend(self.messages_of(*number)?);
        }
        self.echoes(&mut ids)?;
        for id in &ids {
            wanted.extend(self.owners(*id)?);
        }
        reach.messages = self.gone(&ids)?;
        self.close(&mut reach, &ids, wanted)?;
        for number in reach.memories.keys() {
            // The memories that a theme was made of stay or go by themselves.
            if !self.is_derived(*number)? {
                let said = self.messages_of(*number)?;
                reach.formed_again.extend(said.into_iter().filter(|id| !ids.contains(id)));
            }
            let sql = "SELECT revision FROM memory_revision WHERE agent_id = ?1 AND number = ?2";
            reach.revisions.extend(self.numbers(sql, *number)?);
        }
        self.attachments(&mut reach, words)?;
        self.beliefs(&mut reach, words)?;
        self.entities(&mut reach)?;
        for number in reach.memories.keys() {
            let sql = "SELECT to_number FROM relation WHERE agent_id = ?1 AND from_number = ?2
                       UNION SELECT from_number FROM relation WHERE agent_id = ?1 AND to_number = ?2";
            let beside = self.numbers(sql, *number)?;
            reach.related.extend(beside.into_iter().filter(|other| !reach.memories.contains_key(other)));
        }
        reach.vectors = self.vectors(&reach)?;
        Ok(reach)
    }

    fn numbers(&mut self, sql: &str, of: i64) -> Result<Vec<i64>> {
        self.tx.query(sql, values![self.tx.agent_id, of], |row| row.int(0))
    }

    fn messages_named(&mut self, words: &Words) -> Result<BTreeSet<MessageId>> {
        let mut ids = BTreeSet::new();
        for id in &words.messages {
            let sql = "SELECT message_id FROM message WHERE agent_id = ?1 AND message_id = ?2";
            let found = self.ids(sql, Value::Bytes(id.bytes()))?;
            ids.extend(some(found, &id.to_string())?);
        }
        for id in &words.exchanges {
            let sql = "SELECT m.message_id FROM message AS m WHERE m.agent_id = ?1 AND m.exchange_seq =
                       (SELECT o.seq FROM message AS o WHERE o.agent_id = ?1 AND o.message_id = ?2 AND o.seq = o.exchange_seq)";
            let found = self.ids(sql, Value::Bytes(id.bytes()))?;
            ids.extend(some(found, &id.to_string())?);
        }
        if let Some(before) = words.before {
            let sql = "SELECT message_id FROM message WHERE agent_id = ?1 AND said_at < ?2";
            ids.extend(self.ids(sql, Value::Int(before.millis()))?);
        }
        if let Some(session) = &words.session {
            let sql = "SELECT m.message_id FROM message AS m WHERE m.agent_id = ?1 AND m.session_id =
                       (SELECT s.session_id FROM session AS s WHERE s.agent_id = ?1 AND s.name = ?2)";
            let found = self.ids(sql, Value::Text(session))?;
            ids.extend(some(found, &format!("session {session}"))?);
        }
        if let Some(thread) = &words.thread {
            let sql = "SELECT m.message_id FROM message AS m WHERE m.agent_id = ?1 AND m.thread_id =
                       (SELECT t.thread_id FROM thread AS t WHERE t.agent_id = ?1 AND t.name = ?2)";
            let found = self.ids(sql, Value::Text(thread))?;
            ids.extend(some(found, &format!("thread {thread}"))?);
        }
        if words.everything {
            let sql = "SELECT message_id FROM message WHERE agent_id = ?1 AND seq >= ?2";
            ids.extend(self.ids(sql, Value::Int(0))?);
        }
        Ok(ids)
    }

    fn ids(&mut self, sql: &str, value: Value<'_>) -> Result<Vec<MessageId>> {
        self.tx.query(sql, &[Value::Int(self.tx.agent_id), value], |row| {
            Ok(MessageId::from_bytes(row.byte_array(0, "message.message_id")?))
        })
    }

    fn memories_named(&mut self, words: &Words) -> Result<BTreeSet<i64>> {
        let mut numbers = BTreeSet::new();
        for memory in &words.memories {
            let sql = "SELECT number FROM memory WHERE agent_id = ?1 AND memory_id = ?2";
            let values = values![self.tx.agent_id, memory.bytes().as_slice()];
            let found = self.tx.query(sql, values, |row| row.int(0))?;
            numbers.extend(some(found, &memory.to_string())?);
        }
        for belief in &words.beliefs {
            let sql = "SELECT l.memory FROM belief_evidence AS l WHERE l.agent_id = ?1 AND l.memory IS NOT NULL AND l.belief =
                       (SELECT b.number FROM belief AS b WHERE b.agent_id = ?1 AND b.belief_id = ?2)
                       AND l.stance = 'support'";
            let values = values![self.tx.agent_id, belief.bytes().as_slice()];
            let found = self.tx.query(sql, values, |row| row.int(0))?;
            numbers.extend(some(found, &belief.to_string())?);
        }
        if words.everything {
            let sql = "SELECT number FROM memory WHERE agent_id = ?1 AND number >= ?2";
            numbers.extend(self.numbers(sql, 0)?);
        }
        Ok(numbers)
    }

    /// The messages that a memory rests on.
    fn messages_of(&mut self, number: i64) -> Result<Vec<MessageId>> {
        let sql =
            "SELECT DISTINCT message_id FROM evidence WHERE agent_id = ?1 AND owner_kind = ?3 AND owner = ?2
                   AND message_id IS NOT NULL";
        let values = values![self.tx.agent_id, number, MEMORY];
        self.tx.query(sql, values, |row| Ok(MessageId::from_bytes(row.byte_array(0, "message.message_id")?)))
    }

    /// Whether a rhythm made a memory of other memories.
    fn is_derived(&mut self, number: i64) -> Result<bool> {
        let sql = "SELECT 1 FROM memory WHERE agent_id = ?1 AND number = ?2 AND write_source = 'dream'";
        Ok(self.tx.first(sql, values![self.tx.agent_id, number], |_| Ok(()))?.is_some())
    }

    /// The memories that rest on a message.
    fn owners(&mut self, message: MessageId) -> Result<Vec<i64>> {
        let sql =
            "SELECT DISTINCT owner FROM evidence WHERE agent_id = ?1 AND message_id = ?2 AND owner_kind = ?3";
        let values = values![self.tx.agent_id, message.bytes().as_slice(), MEMORY];
        self.tx.query(sql, values, |row| row.int(0))
    }

    /// The same words, wherever else they stand: case and spaces do not count.
    fn echoes(&mut self, ids: &mut BTreeSet<MessageId>) -> Result<()> {
        let all = "SELECT message_id, text FROM message WHERE agent_id = ?1 AND seq >= ?2 ORDER BY seq";
        let all = self.tx.query(all, values![self.tx.agent_id, 0_i64], |row| {
            let (words, is_telling) = words_of(row.str(1)?);
            let id = MessageId::from_bytes(row.byte_array(0, "message.message_id")?);
            Ok((id, is_telling.then(|| blake3::hash(words.as_bytes()))))
        })?;
        let said: HashSet<blake3::Hash> =
            all.iter().filter(|(id, _)| ids.contains(id)).filter_map(|(_, words)| *words).collect();
        let echoes = all.iter().filter(|(_, words)| words.is_some_and(|words| said.contains(&words)));
        ids.extend(echoes.map(|(id, _)| *id));
        Ok(())
    }

    fn gone(&mut self, ids: &BTreeSet<MessageId>) -> Result<Vec<Gone>> {
        let sql =
            "SELECT seq, session_id, archive_day, archive_offset, archive_bytes, archive_line FROM message
                   WHERE agent_id = ?1 AND message_id = ?2";
        let mut gone = Vec::with_capacity(ids.len());
        for id in ids {
            let values = values![self.tx.agent_id, id.bytes().as_slice()];
            gone.extend(self.tx.first(sql, values, |row| {
                let (offset, bytes, line) = (row.int(3)? as u64, row.int(4)? as u64, row.int(5)? as u64);
                let place = ArchivePlace { day: row.int(2)?, offset, bytes, line };
                Ok(Gone { id: *id, seq: row.int(0)?, session_id: row.int(1)?, place })
            })?);
        }
        gone.sort_unstable_by_key(|gone| gone.seq);
        Ok(gone)
    }

    /// Takes along what was made of memories that go, and what was made of that, until nothing is added.
    fn close(&mut self, reach: &mut Reach, ids: &BTreeSet<MessageId>, mut open: BTreeSet<i64>) -> Result<()> {
        let made = DerivedTexts::read(self.tx)?;
        let mut traces = Traces::of_messages(ids);
        loop {
            for number in std::mem::take(&mut open) {
                if let Some(id) = traces.add_memory(self.tx, number)? {
                    reach.memories.insert(number, id);
                }
            }
            let digests = made.digests_that_show(&traces, &reach.digests);
            open.extend(made.memories_that_show(&traces, &reach.memories));
            if open.is_empty() && digests.is_empty() {
                return Ok(());
            }
            // All texts were searched for these; from here on only what is new can be found.
            traces = Traces::default();
            for (number, id) in digests {
                reach.digests.insert(number, id);
                traces.add_digest(id);
            }
        }
    }

    fn attachments(&mut self, reach: &mut Reach, words: &Words) -> Result<()> {
        for id in &words.attachments {
            let found = self.tx.attachment(*id)?.map(|known| known.id);
            reach.attachments.extend(some(found.into_iter().collect(), &id.to_string())?);
        }
        let messages: Vec<MessageId> = reach.messages.iter().map(|gone| gone.id).collect();
        let (session, thread) = (words.session.as_deref(), words.thread.as_deref());
        let before = words.before.map(Time::millis);
        let turns = ErasedTurns { messages: &messages, session, thread, before };
        reach.attachments.extend(if words.everything {
            all_attachments(self.tx)?
        } else {
            attachments_left_without_turns(self.tx, &turns)?
        });
        for id in &reach.attachments {
            reach.parts.extend(part_numbers(self.tx, *id)?);
        }
        Ok(())
    }

    fn beliefs(&mut self, reach: &mut Reach, words: &Words) -> Result<()> {
        let citing = "SELECT DISTINCT b.number, b.belief_id, b.canonical_key FROM belief_evidence AS l JOIN belief AS b
                      ON b.agent_id = l.agent_id AND b.number = l.belief
                      WHERE l.agent_id = ?1 AND b.agent_id = ?1 AND l.memory = ?2";
        let named =
            "SELECT number, belief_id, canonical_key FROM belief WHERE agent_id = ?1 AND belief_id = ?2";
        let read = |row: &Row<'_>| {
            Ok((row.int(0)?, BeliefId::from_bytes(row.byte_array(1, "belief.belief_id")?), row.text(2)?))
        };
        let mut found = Vec::new();
        for number in reach.memories.keys() {
            found.extend(self.tx.query(citing, values![self.tx.agent_id, *number], read)?);
        }
        for belief in &words.beliefs {
            found.extend(self.tx.query(named, values![self.tx.agent_id, belief.bytes().as_slice()], read)?);
        }
        let mut keys = BTreeSet::new();
        for (number, belief, key) in found {
            reach.beliefs.insert(number, belief);
            keys.insert(key);
        }
        let mut receipts = BTreeSet::new();
        for key in &keys {
            let all = "SELECT number, belief_id, canonical_key FROM belief WHERE agent_id = ?1 AND canonical_key = ?2";
            let under = self.tx.query(all, values![self.tx.agent_id, key.as_str()], read)?;
            let subjects = under.iter().map(|(_, belief, _)| belief.to_string()).chain([key.clone()]);
            for subject in subjects {
                let sql = "SELECT r.number FROM receipt AS r JOIN receipt_detail AS d ON d.agent_id = r.agent_id
                           AND d.number = r.number WHERE r.agent_id = ?1 AND d.agent_id = ?1 AND r.subject = ?2";
                let values = values![self.tx.agent_id, subject.as_str()];
                receipts.extend(self.tx.query(sql, values, |row| row.int(0))?);
            }
        }
        receipts.extend(self.notes(&reach.beliefs, &keys)?);
        receipts.extend(self.governed()?);
        reach.receipts = receipts.into_iter().collect();
        for number in reach.beliefs.keys() {
            let before = "SELECT b.number FROM belief AS b WHERE b.agent_id = ?1 AND b.status = 'superseded' AND b.number =
                          (SELECT o.supersedes FROM belief AS o WHERE o.agent_id = ?1 AND o.number = ?2)";
            let orphans = self.numbers(before, *number)?;
            reach.orphans.extend(orphans.into_iter().filter(|orphan| !reach.beliefs.contains_key(orphan)));
            let others = "SELECT DISTINCT memory FROM belief_evidence WHERE agent_id = ?1 AND belief = ?2
                          AND memory IS NOT NULL";
            let others = self.numbers(others, *number)?;
            reach
                .to_reconsider
                .extend(others.into_iter().filter(|other| !reach.memories.contains_key(other)));
        }
        Ok(())
    }

    /// Receipts that tell of a key of a belief that goes, or of one under which nothing is left: nobody can say then whose words
    /// it was made of.
    fn notes(&mut self, beliefs: &BTreeMap<i64, BeliefId>, keys: &BTreeSet<String>) -> Result<Vec<i64>> {
        let sql =
            "SELECT r.number, d.detail FROM receipt AS r JOIN receipt_detail AS d ON d.agent_id = r.agent_id
                   AND d.number = r.number WHERE r.agent_id = ?1 AND d.agent_id = ?1 AND r.subject = ?2";
        let values = values![self.tx.agent_id, SOME_KEY];
        let notes = self.tx.query(sql, values, |row| Ok((row.int(0)?, row.text(1)?)))?;
        let under = "SELECT number FROM belief WHERE agent_id = ?1 AND canonical_key = ?2";
        let mut stays: HashMap<String, bool> = HashMap::new();
        let mut gone = Vec::new();
        for (number, detail) in notes {
            let told: ReceiptDetail = serde_json::from_str(&detail)
                .map_err(|error| StoreError::damaged(error, "receipt_detail.detail"))?;
            if !keys.contains(&told.was) && !stays.contains_key(&told.was) {
                let values = values![self.tx.agent_id, told.was.as_str()];
                let numbers = self.tx.query(under, values, |row| row.int(0))?;
                let held = numbers.iter().any(|number| !beliefs.contains_key(number));
                stays.insert(told.was.clone(), held);
            }
            if !stays.get(&told.was).copied().unwrap_or(false) {
                gone.push(number);
            }
        }
        Ok(gone)
    }

    /// Receipts of the governor's decisions and of outcomes: they quote commands and what tools said, and nobody can say whose
    /// words those were made of.
    fn governed(&mut self) -> Result<Vec<i64>> {
        let sql = "SELECT r.number FROM receipt AS r JOIN receipt_detail AS d ON d.agent_id = r.agent_id
                   AND d.number = r.number WHERE r.agent_id = ?1 AND d.agent_id = ?1 AND r.action IN ('decide', 'outcome')";
        self.tx.query(sql, values![self.tx.agent_id], |row| row.int(0))
    }

    /// Names that nothing else mentions and nothing that stays is about.
    fn entities(&mut self, reach: &mut Reach) -> Result<()> {
        let mut named = BTreeSet::new();
        for number in reach.memories.keys() {
            let sql = "SELECT entity_id FROM mention WHERE agent_id = ?1 AND number = ?2";
            named.extend(self.numbers(sql, *number)?);
        }
        for entity in named {
            let held = "SELECT number FROM mention WHERE agent_id = ?1 AND entity_id = ?2";
            let held = self.numbers(held, entity)?.iter().any(|number| !reach.memories.contains_key(number));
            let about = "SELECT belief FROM belief_evidence WHERE agent_id = ?1 AND entity_id = ?2";
            let about = self.numbers(about, entity)?.iter().any(|number| !reach.beliefs.contains_key(number));
            if !held && !about {
                reach.entities.push(entity);
            }
        }
        Ok(())
    }

    fn vectors(&mut self, reach: &Reach) -> Result<u64> {
        let sql = "SELECT COUNT(*) FROM embedding AS e WHERE e.agent_id = ?1 AND e.embedder_id IN
                   (SELECT m.embedder_id FROM embedder AS m WHERE m.agent_id = ?1) AND e.kind = ?2 AND e.item = ?3";
        let seqs = reach.messages.iter().map(|gone| ("message", gone.seq));
        let revisions = reach.revisions.iter().map(|revision| (MEMORY, *revision));
        let rows: Vec<Vec<Value<'_>>> = seqs
            .chain(revisions)
            .chain(reach.derived_vectors())
            .map(|(kind, item)| values![self.tx.agent_id, kind, item].to_vec())
            .collect();
        let counts = self.tx.first_of_each(sql, &rows, |row| row.int(0))?;
        Ok(counts.into_iter().flatten().sum::<i64>() as u64)
    }
}

/// An error if nothing was found, so that a typo does not pass for an erasure.
fn some<T>(found: Vec<T>, name: &str) -> Result<Vec<T>> {
    if found.is_empty() {
        return Err(StoreError::Refused {
            problem: format!("there are no words of {name} here"),
            hint: "check the letters and the agent; what was erased before is gone already".into(),
        });
    }
    Ok(found)
}

//! Memories and their revisions.

use super::{belief::reconsider, in_order, message::stored, pair};
use crate::{
    Result, StoreError, View,
    database::{Connection, Row, Value, values, wide},
    words::insert_terms,
};
use cairn_cognition::keywords::Terms;
use cairn_domain::{Memory, MemoryId, Tier, Time, Verdict};

/// A memory and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRecord {
    /// Its place in the order of recording.
    pub number: u32,
    /// The revision that holds its text.
    pub revision: u32,
    /// The memory.
    pub memory: Memory,
    /// The memory that replaced it.
    pub superseded_by: Option<u32>,
    /// How many terms its text has.
    pub length: u32,
}

/// What a memory said, and why it came to say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRecord {
    /// Its place among all revisions.
    pub revision: u32,
    /// The text.
    pub text: String,
    /// What the gate had decided.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// When.
    pub written_at: Time,
}

/// Which memories are listed.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemoryFilter<'a> {
    /// Only those of this session.
    pub session: Option<&'a str>,
    /// Superseded and dormant ones, too.
    pub all: bool,
}

/// The numbers that are free, and a count of all changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryState {
    pub(crate) version: i64,
    pub(crate) next_number: i64,
    pub(crate) next_revision: i64,
    pub(crate) next_entity: i64,
}

pub(crate) fn memory_state(connection: &mut Connection, agent_id: i64) -> Result<MemoryState> {
    let sql = "SELECT version, next_number, next_revision, next_entity FROM memory_state WHERE agent_id = ?1";
    let state = connection.first(sql, values![agent_id], |row| {
        Ok(MemoryState {
            version: row.int(0)?,
            next_number: row.int(1)?,
            next_revision: row.int(2)?,
            next_entity: row.int(3)?,
        })
    })?;
    Ok(state.unwrap_or(MemoryState { version: 0, next_number: 0, next_revision: 0, next_entity: 0 }))
}

/// Writes the state back, one version on.
pub(crate) fn move_on(connection: &mut Connection, agent_id: i64, state: &MemoryState) -> Result<()> {
    let sql = "INSERT INTO memory_state (agent_id, version, next_number, next_revision, next_entity)
               VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (agent_id) DO UPDATE SET version = ?2, next_number = ?3,
               next_revision = ?4, next_entity = ?5";
    let MemoryState { version, next_number, next_revision, next_entity } = *state;
    connection.later(sql, values![agent_id, version + 1, next_number, next_revision, next_entity])
}

/// Writes a new memory and its first revision.
pub(crate) fn insert_memory(
    connection: &mut Connection,
    agent_id: i64,
    state: &mut MemoryState,
    memory: &Memory,
    terms: &Terms,
    (verdict, reason, reasons): (Verdict, &str, &str),
) -> Result<u32> {
    let number = state.next_number;
    let sql = "INSERT INTO memory (agent_id, number, memory_id, revision, form, category, status, tier, layer, session,
               thread, mode, temporal_type, valid_from, valid_until, recorded_at, write_source, data_source,
               source_confidence, source_hash, privacy, pinned, immutable, flashbulb, importance, utility, utility_at,
               storage, stability, accesses, accessed_at, surfaced, valence, arousal, emotion, length, reasons)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
               ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37)";
    let m = memory;
    let values = values![
        agent_id,
        number,
        m.id.bytes().as_slice(),
        state.next_revision,
        m.form.as_str(),
        m.category.as_str(),
        m.status.as_str(),
        m.tier.as_str(),
        m.layer.as_str(),
        m.session.as_deref(),
        m.thread.as_deref(),
        m.mode.as_str(),
        m.temporal_type.as_str(),
        m.valid_from.millis(),
        m.valid_until.map(Time::millis),
        m.recorded_at.millis(),
        m.write_source.as_str(),
        m.data_source.as_str(),
        m.source_confidence,
        m.source_hash.as_deref(),
        m.privacy.as_str(),
        i64::from(m.pinned),
        i64::from(m.immutable),
        i64::from(m.flashbulb),
        m.importance,
        m.utility,
        m.utility_at.millis(),
        m.storage,
        m.stability,
        i64::from(m.accesses),
        m.accessed_at.millis(),
        i64::from(m.surfaced),
        m.valence,
        m.arousal,
        m.emotion.map(|emotion| emotion.as_str()),
        i64::from(terms.length),
        reasons,
    ];
    connection.later(sql, values)?;
    state.next_number += 1;
    insert_terms(connection, agent_id, (number, state.next_revision), terms)?;
    insert_revision(connection, agent_id, state, number, &m.text, (verdict, reason), m.recorded_at)?;
    Ok(number as u32)
}

/// Lets a memory say something else from now on. What it said stays.
pub(crate) fn revise(
    connection: &mut Connection,
    agent_id: i64,
    state: &mut MemoryState,
    number: u32,
    text: &str,
    terms: &Terms,
    (reason, now): (&str, Time),
) -> Result<()> {
    reconsider(connection, agent_id, number)?;
    let number = i64::from(number);
    let sql = "UPDATE memory SET revision = ?3, length = ?4 WHERE agent_id = ?1 AND number = ?2";
    connection.later(sql, values![agent_id, number, state.next_revision, i64::from(terms.length)])?;
    insert_terms(connection, agent_id, (number, state.next_revision), terms)?;
    insert_revision(connection, agent_id, state, number, text, (Verdict::Update, reason), now)
}

fn insert_revision(
    connection: &mut Connection,
    agent_id: i64,
    state: &mut MemoryState,
    number: i64,
    text: &str,
    (verdict, reason): (Verdict, &str),
    now: Time,
) -> Result<()> {
    let sql = "INSERT INTO memory_revision (agent_id, revision, number, text, verdict, reason, written_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let values = values![agent_id, state.next_revision, number, text, verdict.as_str(), reason, now.millis()];
    connection.later(sql, values)?;
    state.next_revision += 1;
    Ok(())
}

/// Writes down how strong and how useful a memory is now.
pub(crate) fn strengthen(
    connection: &mut Connection,
    agent_id: i64,
    number: u32,
    memory: &Memory,
) -> Result<()> {
    let sql = "UPDATE memory SET importance = ?3, utility = ?4, utility_at = ?5, storage = ?6, stability = ?7, accesses = ?8,
               accessed_at = ?9, surfaced = ?10, pinned = ?11, flashbulb = ?12 WHERE agent_id = ?1 AND number = ?2";
    let m = memory;
    let values = values![
        agent_id,
        i64::from(number),
        m.importance,
        m.utility,
        m.utility_at.millis(),
        m.storage,
        m.stability,
        i64::from(m.accesses),
        m.accessed_at.millis(),
        i64::from(m.surfaced),
        i64::from(m.pinned),
        i64::from(m.flashbulb),
    ];
    connection.later(sql, values)
}

pub(crate) fn set_pinned(
    connection: &mut Connection,
    agent_id: i64,
    number: u32,
    pinned: bool,
) -> Result<()> {
    let sql = "UPDATE memory SET pinned = ?3 WHERE agent_id = ?1 AND number = ?2";
    connection.execute(sql, values![agent_id, i64::from(number), i64::from(pinned)])?;
    touch(connection, agent_id)
}

pub(crate) fn set_tier(connection: &mut Connection, agent_id: i64, number: u32, tier: Tier) -> Result<()> {
    let sql = "UPDATE memory SET tier = ?3 WHERE agent_id = ?1 AND number = ?2";
    connection.execute(sql, values![agent_id, i64::from(number), tier.as_str()])?;
    touch(connection, agent_id)
}

/// Lets everybody who decided on the state before decide again.
fn touch(connection: &mut Connection, agent_id: i64) -> Result<()> {
    let state = memory_state(connection, agent_id)?;
    move_on(connection, agent_id, &state)
}

/// Closes a memory: from `until` on another holds, or none.
pub(crate) fn supersede(
    connection: &mut Connection,
    agent_id: i64,
    number: u32,
    by: Option<u32>,
    until: Time,
) -> Result<()> {
    let sql = "UPDATE memory SET status = 'superseded', superseded_by = ?3, valid_until = ?4
               WHERE agent_id = ?1 AND number = ?2";
    connection.later(sql, values![agent_id, i64::from(number), by.map(i64::from), until.millis()])?;
    reconsider(connection, agent_id, number)
}

macro_rules! select_memory {
    ($rest:literal) => {
        concat!(
            "SELECT m.number, m.revision, m.memory_id, r.text, m.form, m.category, m.status, m.tier, m.layer, m.session,
             m.thread, m.mode, m.temporal_type, m.valid_from, m.valid_until, m.recorded_at, m.write_source, m.data_source,
             m.source_confidence, m.source_hash, m.privacy, m.pinned, m.immutable, m.flashbulb, m.importance, m.utility,
             m.utility_at, m.storage, m.stability, m.accesses, m.accessed_at, m.surfaced, m.valence, m.arousal, m.emotion,
             m.superseded_by, m.length
             FROM memory AS m JOIN memory_revision AS r ON r.agent_id = m.agent_id AND r.revision = m.revision
             WHERE m.agent_id = ?1 ",
            $rest
        )
    };
}
pub(super) use select_memory;

pub(crate) fn memories_at(
    connection: &mut Connection,
    agent_id: i64,
    numbers: &[u32],
) -> Result<Vec<MemoryRecord>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let sql = select_memory!("AND m.number = ANY(?2)");
    let mut found = connection.query(sql, values![agent_id, wide(numbers).as_slice()], read_memory)?;
    in_order(&mut found, numbers, |record| record.number);
    Ok(found)
}

impl View<'_> {
    /// Moves whenever anything about memories does.
    pub fn memory_version(&mut self) -> Result<i64> {
        Ok(memory_state(self.connection, self.agent_id)?.version)
    }

    /// The memories with these ids, those that are there.
    pub fn memories_named(&mut self, ids: &[MemoryId]) -> Result<Vec<MemoryRecord>> {
        let sql = select_memory!("AND m.memory_id = ?2");
        let rows: Vec<Vec<Value<'_>>> =
            ids.iter().map(|id| values![self.agent_id, id.bytes().as_slice()].to_vec()).collect();
        let found = self.connection.first_of_each(sql, &rows, read_memory)?;
        Ok(found.into_iter().flatten().collect())
    }

    /// One memory.
    pub fn memory(&mut self, id: MemoryId) -> Result<Option<MemoryRecord>> {
        let sql = select_memory!("AND m.memory_id = ?2");
        self.connection.first(sql, values![self.agent_id, id.bytes().as_slice()], read_memory)
    }

    /// Every step that led to a memory, as JSON.
    pub fn reasons(&mut self, number: u32) -> Result<Option<String>> {
        let sql = "SELECT reasons FROM memory WHERE agent_id = ?1 AND number = ?2";
        self.connection.first(sql, values![self.agent_id, i64::from(number)], |row| row.text(0))
    }

    /// The memories with these numbers, in their order; those that are not there are left out.
    pub fn memories_at(&mut self, numbers: &[u32]) -> Result<Vec<MemoryRecord>> {
        memories_at(self.connection, self.agent_id, numbers)
    }

    /// The newest memories before number `before`, the newest first.
    pub fn memories(
        &mut self,
        filter: MemoryFilter<'_>,
        before: u32,
        limit: u32,
    ) -> Result<Vec<MemoryRecord>> {
        // Two texts, so that each finds its index.
        let of_all = select_memory!(
            "AND m.number < ?2 AND (?3 = 1 OR (m.status <> 'superseded' AND m.tier <> 'dormant'))
             ORDER BY m.number DESC LIMIT ?4"
        );
        let of_session = select_memory!(
            "AND m.number < ?2 AND (?3 = 1 OR (m.status <> 'superseded' AND m.tier <> 'dormant'))
             AND m.session = ?5 ORDER BY m.number DESC LIMIT ?4"
        );
        let (before, all, limit) = (i64::from(before), i64::from(filter.all), i64::from(limit));
        match filter.session {
            None => self.connection.query(of_all, values![self.agent_id, before, all, limit], read_memory),
            Some(session) => {
                let values = values![self.agent_id, before, all, limit, session];
                self.connection.query(of_session, values, read_memory)
            }
        }
    }

    /// The memories that hold and were read from this source, whatever it said then.
    pub fn memories_from(&mut self, root: &str) -> Result<Vec<MemoryRecord>> {
        let sql = select_memory!(
            "AND m.status <> 'superseded' AND m.number IN (SELECT e.owner FROM evidence AS e WHERE e.agent_id = ?1
             AND e.owner_kind = 'memory' AND e.root = ?2) ORDER BY m.number"
        );
        self.connection.query(sql, values![self.agent_id, root], read_memory)
    }

    /// The sources whose name begins so and that memories which hold were read from.
    pub fn sources_below(&mut self, beginning: &str) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT e.root FROM evidence AS e JOIN memory AS m
                   ON m.agent_id = e.agent_id AND m.number = e.owner
                   WHERE e.agent_id = ?1 AND e.owner_kind = 'memory' AND m.source_hash IS NOT NULL
                   AND m.status <> 'superseded' AND SUBSTR(e.root, 1, ?3) = ?2 ORDER BY e.root";
        let length = beginning.chars().count() as i64;
        self.connection.query(sql, values![self.agent_id, beginning, length], |row| row.text(0))
    }

    /// Everything a memory has said, the oldest first.
    pub fn revisions(&mut self, number: u32) -> Result<Vec<RevisionRecord>> {
        let sql = "SELECT revision, text, verdict, reason, written_at FROM memory_revision
                   WHERE agent_id = ?1 AND number = ?2 ORDER BY revision";
        self.connection.query(sql, values![self.agent_id, i64::from(number)], |row| {
            Ok(RevisionRecord {
                revision: row.int(0)? as u32,
                text: row.text(1)?,
                verdict: stored(row.str(2)?)?,
                reason: row.text(3)?,
                written_at: Time::from_millis(row.int(4)?),
            })
        })
    }

    /// At most `limit` revisions from `from` on, for an embedder: number and text.
    pub fn revisions_from(&mut self, from: u32, limit: u32) -> Result<Vec<(u32, String)>> {
        let sql = "SELECT revision, text FROM memory_revision WHERE agent_id = ?1 AND revision >= ?2
                   ORDER BY revision LIMIT ?3";
        let values = values![self.agent_id, i64::from(from), i64::from(limit)];
        self.connection.query(sql, values, |row| Ok((row.int(0)? as u32, row.text(1)?)))
    }

    /// The memories whose text now is one of these revisions, each with it.
    pub(crate) fn memories_saying(&mut self, revisions: &[u32]) -> Result<Vec<(u32, MemoryRecord)>> {
        let sql = select_memory!("AND m.revision = ANY(?2)");
        let wanted = wide(revisions);
        let found = self.connection.query(sql, values![self.agent_id, wanted.as_slice()], read_memory)?;
        Ok(found.into_iter().map(|record| (record.revision, record)).collect())
    }

    /// The memories whose text now is one of these revisions: revision and number.
    pub(crate) fn numbers_of(&mut self, revisions: &[u32]) -> Result<Vec<(u32, u32)>> {
        let sql = "SELECT revision, number FROM memory WHERE agent_id = ?1 AND revision = ANY(?2)";
        let wanted = wide(revisions);
        self.connection.query(sql, values![self.agent_id, wanted.as_slice()], pair)
    }
}

pub(super) fn read_memory(row: &Row<'_>) -> Result<MemoryRecord> {
    let time = |column| row.int(column).map(Time::from_millis);
    let memory = Memory {
        id: MemoryId::from_bytes(row.bytes(2)?.try_into().map_err(|_| StoreError::Closed)?),
        text: row.text(3)?,
        form: stored(row.str(4)?)?,
        category: stored(row.str(5)?)?,
        status: stored(row.str(6)?)?,
        tier: stored(row.str(7)?)?,
        layer: row.text(8)?,
        session: row.maybe_text(9)?,
        thread: row.maybe_text(10)?,
        mode: stored(row.str(11)?)?,
        temporal_type: stored(row.str(12)?)?,
        valid_from: time(13)?,
        valid_until: row.maybe_int(14)?.map(Time::from_millis),
        recorded_at: time(15)?,
        write_source: stored(row.str(16)?)?,
        data_source: stored(row.str(17)?)?,
        source_confidence: row.float(18)?,
        source_hash: row.maybe_text(19)?,
        privacy: stored(row.str(20)?)?,
        pinned: row.int(21)? == 1,
        immutable: row.int(22)? == 1,
        flashbulb: row.int(23)? == 1,
        importance: row.float(24)?,
        utility: row.float(25)?,
        utility_at: time(26)?,
        storage: row.float(27)?,
        stability: row.float(28)?,
        accesses: row.int(29)? as u32,
        accessed_at: time(30)?,
        surfaced: row.int(31)? as u32,
        valence: row.float(32)?,
        arousal: row.float(33)?,
        emotion: row.maybe_text(34)?.map(|emotion| stored(&emotion)).transpose()?,
    };
    Ok(MemoryRecord {
        number: row.int(0)? as u32,
        revision: row.int(1)? as u32,
        memory,
        superseded_by: row.maybe_int(35)?.map(|number| number as u32),
        length: row.int(36)? as u32,
    })
}

//! Memories and their revisions.

use super::{
    belief::reconsider,
    columns::{ColumnReader, StoredRecord, columns, read_record},
    in_order,
    memory_writer::{bump_memory_version, memory_state},
    pair,
};
use crate::{
    Result,
    database::{Row, Value, values, wide},
    transaction::Tx,
};
use cairn_domain::{Category, Form, Memory, MemoryId, Tier, Time, Verdict};

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

/// One text of a memory, and why it came to say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionRecord {
    /// Its place among all revisions.
    pub revision: u32,
    /// The text.
    pub text: String,
    /// The gate's decision.
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
    /// Only those of this thread.
    pub thread: Option<&'a str>,
    /// Only those that say this kind of thing.
    pub category: Option<Category>,
    /// Only those that came to be this way.
    pub form: Option<Form>,
    /// Only those kept this way.
    pub tier: Option<Tier>,
    /// Whether superseded and dormant ones are listed, too.
    pub scope: MemoryScope,
    /// Only what held or had been said by then; what was replaced later holds.
    pub as_of: Option<Time>,
    /// Only those that name the entity with this address or alias.
    pub entity: Option<&'a str>,
}

/// Whether a list goes beyond the memories that hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemoryScope {
    /// Neither superseded nor dormant ones.
    #[default]
    Active,
    /// Superseded and dormant ones, too.
    All,
}

/// Writes down how strong and how useful a memory is now.
pub(crate) fn strengthen(tx: &mut Tx<'_>, number: u32, memory: &Memory) -> Result<()> {
    let sql = "UPDATE memory SET importance = ?3, utility = ?4, utility_at = ?5, storage = ?6, stability = ?7, accesses = ?8,
               accessed_at = ?9, surfaced = ?10, pinned = ?11, flashbulb = ?12 WHERE agent_id = ?1 AND number = ?2";
    let m = memory;
    let values = values![
        tx.agent_id,
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
    tx.later(sql, values)
}

pub(crate) fn pin_memory(tx: &mut Tx<'_>, number: u32) -> Result<()> {
    let sql = "UPDATE memory SET pinned = 1 WHERE agent_id = ?1 AND number = ?2";
    tx.execute(sql, values![tx.agent_id, i64::from(number)])?;
    touch(tx)
}

pub(crate) fn unpin_memory(tx: &mut Tx<'_>, number: u32) -> Result<()> {
    let sql = "UPDATE memory SET pinned = 0 WHERE agent_id = ?1 AND number = ?2";
    tx.execute(sql, values![tx.agent_id, i64::from(number)])?;
    touch(tx)
}

pub(crate) fn move_memory(tx: &mut Tx<'_>, number: u32, layer: &str, tier: Tier) -> Result<()> {
    let sql = "UPDATE memory SET layer = ?3, tier = ?4 WHERE agent_id = ?1 AND number = ?2";
    tx.execute(sql, values![tx.agent_id, i64::from(number), layer, tier.as_str()])?;
    touch(tx)
}

/// Lets everybody who decided on the state before decide again.
fn touch(tx: &mut Tx<'_>) -> Result<()> {
    let state = memory_state(tx)?;
    bump_memory_version(tx, &state)
}

/// Closes a memory: from `until` on another holds, or none.
pub(crate) fn close_memory(tx: &mut Tx<'_>, number: u32, by: Option<u32>, until: Time) -> Result<()> {
    let sql = "UPDATE memory SET status = 'superseded', superseded_by = ?3, valid_until = ?4
               WHERE agent_id = ?1 AND number = ?2";
    tx.later(sql, values![tx.agent_id, i64::from(number), by.map(i64::from), until.millis()])?;
    reconsider(tx, number)
}

/// Opens a memory that was closed: it holds again, and nothing stands for it.
pub(crate) fn reopen_memory(tx: &mut Tx<'_>, number: u32, tier: Tier) -> Result<()> {
    let sql = "UPDATE memory SET status = 'current', superseded_by = NULL, valid_until = NULL, tier = ?3
               WHERE agent_id = ?1 AND number = ?2";
    tx.later(sql, values![tx.agent_id, i64::from(number), tier.as_str()])?;
    reconsider(tx, number)
}

columns! {
    memory_columns: Memory, "memory" as "m" {
        id: id "memory_id",
        form: word "form",
        category: word "category",
        status: word "status",
        tier: word "tier",
        layer: text "layer",
        session: maybe_text "session",
        thread: maybe_text "thread",
        mode: word "mode",
        temporal_type: word "temporal_type",
        valid_from: time "valid_from",
        valid_until: maybe_time "valid_until",
        recorded_at: time "recorded_at",
        write_source: word "write_source",
        data_source: word "data_source",
        source_confidence: float "source_confidence",
        source_hash: maybe_text "source_hash",
        privacy: word "privacy",
        pinned: flag "pinned",
        immutable: flag "immutable",
        flashbulb: flag "flashbulb",
        importance: float "importance",
        utility: float "utility",
        utility_at: time "utility_at",
        storage: float "storage",
        stability: float "stability",
        accesses: number "accesses",
        accessed_at: time "accessed_at",
        surfaced: number "surfaced",
        valence: float "valence",
        arousal: float "arousal",
        emotion: maybe_word "emotion",
    } besides { text: String::new(), }
}
#[expect(clippy::single_component_path_imports, reason = "gives a macro of this file a path")]
pub(super) use memory_columns;

macro_rules! select_memory {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            memory_columns!(),
            ", r.text, m.number, m.revision, m.superseded_by, m.length
             FROM memory AS m JOIN memory_revision AS r ON r.agent_id = m.agent_id AND r.revision = m.revision
             WHERE m.agent_id = ?1 ",
            $rest
        )
    };
}
pub(super) use select_memory;

columns! {
    revision_columns: RevisionRecord, "memory_revision" as "memory_revision" {
        revision: number "revision",
        text: text "text",
        verdict: word "verdict",
        reason: text "reason",
        written_at: time "written_at",
    }
}

pub(crate) fn memories_at(tx: &mut Tx<'_>, numbers: &[u32]) -> Result<Vec<MemoryRecord>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let sql = select_memory!("AND m.number = ANY(?2)");
    let mut found = tx.query(sql, values![tx.agent_id, wide(numbers).as_slice()], read_memory)?;
    in_order(&mut found, numbers, |record| record.number);
    Ok(found)
}

impl Tx<'_> {
    /// Moves whenever anything about memories does.
    pub fn memory_version(&mut self) -> Result<i64> {
        Ok(memory_state(self)?.version)
    }

    /// The memories with these ids, those that are there.
    pub fn memories_named(&mut self, ids: &[MemoryId]) -> Result<Vec<MemoryRecord>> {
        let sql = select_memory!("AND m.memory_id = ?2");
        let rows: Vec<Vec<Value<'_>>> =
            ids.iter().map(|id| values![self.agent_id, id.bytes().as_slice()].to_vec()).collect();
        let found = self.first_of_each(sql, &rows, read_memory)?;
        Ok(found.into_iter().flatten().collect())
    }

    /// One memory.
    pub fn memory(&mut self, id: MemoryId) -> Result<Option<MemoryRecord>> {
        let sql = select_memory!("AND m.memory_id = ?2");
        self.first(sql, values![self.agent_id, id.bytes().as_slice()], read_memory)
    }

    /// Every step that led to a memory, as JSON.
    pub fn reasons(&mut self, number: u32) -> Result<Option<String>> {
        let sql = "SELECT reasons FROM memory WHERE agent_id = ?1 AND number = ?2";
        self.first(sql, values![self.agent_id, i64::from(number)], |row| row.text(0))
    }

    /// The memories with these numbers, in their order; those that are not there are left out.
    pub fn memories_at(&mut self, numbers: &[u32]) -> Result<Vec<MemoryRecord>> {
        memories_at(self, numbers)
    }

    /// The newest memories before number `before`, the newest first.
    pub fn memories(
        &mut self,
        filter: MemoryFilter<'_>,
        before: u32,
        limit: u32,
    ) -> Result<Vec<MemoryRecord>> {
        // A text each, so that each finds its index.
        let of_all = select_memory!(
            "AND m.number < ?2 AND m.valid_from <= ?4 AND (m.write_source <> 'dream' OR m.recorded_at <= ?4)
             AND (?5 = '' OR m.thread = ?5)
             AND (?6 = '' OR m.category = ?6) AND (?7 = '' OR m.form = ?7) AND (?8 = '' OR m.tier = ?8)
             AND (?3 = 1 OR ((m.status <> 'superseded' OR m.valid_until > ?4) AND m.tier <> 'dormant'))
             ORDER BY m.number DESC LIMIT ?9"
        );
        let of_session = select_memory!(
            "AND m.number < ?2 AND m.valid_from <= ?4 AND (m.write_source <> 'dream' OR m.recorded_at <= ?4)
             AND (?5 = '' OR m.thread = ?5)
             AND (?6 = '' OR m.category = ?6) AND (?7 = '' OR m.form = ?7) AND (?8 = '' OR m.tier = ?8)
             AND (?3 = 1 OR ((m.status <> 'superseded' OR m.valid_until > ?4) AND m.tier <> 'dormant'))
             AND m.session = ?10 ORDER BY m.number DESC LIMIT ?9"
        );
        let of_entity = select_memory!(
            "AND m.number < ?2 AND m.valid_from <= ?4 AND (m.write_source <> 'dream' OR m.recorded_at <= ?4)
             AND (?5 = '' OR m.thread = ?5)
             AND (?6 = '' OR m.category = ?6) AND (?7 = '' OR m.form = ?7) AND (?8 = '' OR m.tier = ?8)
             AND (?3 = 1 OR ((m.status <> 'superseded' OR m.valid_until > ?4) AND m.tier <> 'dormant'))
             AND (?10 = '' OR m.session = ?10)
             AND m.number IN (SELECT x.number FROM mention AS x WHERE x.agent_id = ?1 AND x.entity_id IN (
             SELECT e.entity_id FROM entity AS e WHERE e.agent_id = ?1 AND e.slug = ?11
             UNION SELECT a.entity_id FROM entity_alias AS a WHERE a.agent_id = ?1 AND a.alias = ?11))
             ORDER BY m.number DESC LIMIT ?9"
        );
        let scope = i64::from(filter.scope == MemoryScope::All);
        let as_of = filter.as_of.map_or(i64::MAX, Time::millis);
        let category = filter.category.map_or("", Category::as_str);
        let (form, tier) = (filter.form.map_or("", Form::as_str), filter.tier.map_or("", Tier::as_str));
        let (before, limit) = (i64::from(before), i64::from(limit));
        let thread = filter.thread.unwrap_or_default();
        let mut values =
            values![self.agent_id, before, scope, as_of, thread, category, form, tier, limit].to_vec();
        match (filter.session, filter.entity) {
            (None, None) => self.query(of_all, &values, read_memory),
            (Some(session), None) => {
                values.push(Value::from(session));
                self.query(of_session, &values, read_memory)
            }
            (session, Some(entity)) => {
                values.extend([Value::from(session.unwrap_or_default()), Value::from(entity)]);
                self.query(of_entity, &values, read_memory)
            }
        }
    }

    /// The memories that hold and were read from this source, whatever it said then.
    pub fn memories_from(&mut self, root: &str) -> Result<Vec<MemoryRecord>> {
        let sql = select_memory!(
            "AND m.status <> 'superseded' AND m.number IN (SELECT e.owner FROM evidence AS e WHERE e.agent_id = ?1
             AND e.owner_kind = 'memory' AND e.root = ?2) ORDER BY m.number"
        );
        self.query(sql, values![self.agent_id, root], read_memory)
    }

    /// The sources whose name begins so and that memories which hold were read from.
    pub fn sources_below(&mut self, beginning: &str) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT e.root FROM evidence AS e JOIN memory AS m
                   ON m.agent_id = e.agent_id AND m.number = e.owner
                   WHERE e.agent_id = ?1 AND e.owner_kind = 'memory' AND m.source_hash IS NOT NULL
                   AND m.status <> 'superseded' AND SUBSTR(e.root, 1, LENGTH(?2)) = ?2 ORDER BY e.root";
        self.query(sql, values![self.agent_id, beginning], |row| row.text(0))
    }

    /// Everything a memory has said, the oldest first.
    pub fn revisions(&mut self, number: u32) -> Result<Vec<RevisionRecord>> {
        let sql = concat!(
            "SELECT ",
            revision_columns!(),
            " FROM memory_revision WHERE agent_id = ?1 AND number = ?2 ORDER BY revision"
        );
        self.query(sql, values![self.agent_id, i64::from(number)], read_record)
    }

    /// At most `limit` revisions from `from` on, for an embedder: number and text.
    pub fn revisions_from(&mut self, from: u32, limit: u32) -> Result<Vec<(u32, String)>> {
        let sql = "SELECT revision, text FROM memory_revision WHERE agent_id = ?1 AND revision >= ?2
                   ORDER BY revision LIMIT ?3";
        let values = values![self.agent_id, i64::from(from), i64::from(limit)];
        self.query(sql, values, |row| Ok((row.int(0)? as u32, row.text(1)?)))
    }

    /// The memories whose text now is one of these revisions, each with it.
    pub(crate) fn memories_saying(&mut self, revisions: &[u32]) -> Result<Vec<(u32, MemoryRecord)>> {
        let sql = select_memory!("AND m.revision = ANY(?2)");
        let wanted = wide(revisions);
        let found = self.query(sql, values![self.agent_id, wanted.as_slice()], read_memory)?;
        Ok(found.into_iter().map(|record| (record.revision, record)).collect())
    }

    /// The memories whose text now is one of these revisions: revision and number.
    pub(crate) fn numbers_of(&mut self, revisions: &[u32]) -> Result<Vec<(u32, u32)>> {
        let sql = "SELECT revision, number FROM memory WHERE agent_id = ?1 AND revision = ANY(?2)";
        let wanted = wide(revisions);
        self.query(sql, values![self.agent_id, wanted.as_slice()], pair)
    }
}

pub(super) fn read_memory(row: &Row<'_>) -> Result<MemoryRecord> {
    let columns = &mut ColumnReader::new(row);
    let mut memory = Memory::read_columns(columns)?;
    memory.text = columns.text()?;
    Ok(MemoryRecord {
        number: columns.number()?,
        revision: columns.number()?,
        memory,
        superseded_by: columns.maybe_number()?,
        length: columns.number()?,
    })
}

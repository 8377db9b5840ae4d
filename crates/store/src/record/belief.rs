//! Beliefs and what they rest on.

use super::columns::{ColumnReader, StoredRecord, columns, insert_statement, parse_word};
use crate::{
    Result, StoreError,
    database::{Row, values},
    transaction::Tx,
};
use cairn_domain::{
    Belief, BeliefId, BeliefKind, BeliefStatus, ConfidenceParts, Evidence, MemoryId, Stance, SubjectType,
    Time,
};
use std::sync::LazyLock;

/// A belief and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefRecord {
    /// Its place in the order in which beliefs were made.
    pub number: u32,
    /// The belief.
    pub belief: Belief,
    /// The belief of the same key that stood before it.
    pub supersedes: Option<u32>,
    /// When anything about it last changed.
    pub updated_at: Time,
}

/// One piece of a belief's evidence: a memory, or the entity it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefLink {
    /// Which.
    pub to: LinkEnd,
    /// Its stance and weight; `source` is its ref.
    pub evidence: Evidence,
    /// When the words were said.
    pub said_at: Time,
}

/// The record that a piece of evidence points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkEnd {
    /// A memory, by its number.
    Memory(u32),
    /// An entity, by its number.
    Entity(u32),
}

/// Which beliefs are listed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeliefFilter {
    /// Only of this kind.
    pub kind: Option<BeliefKind>,
    /// Only about this: the type of a subject, its id, or both (`project:atlas`).
    pub subject: Option<String>,
    /// Only of this status; without one those that stand.
    pub status: Option<BeliefStatus>,
    /// Only those that are to be looked at again by then.
    pub due_by: Option<Time>,
    /// Those that no longer stand, too.
    pub all: bool,
}

pub(crate) fn next_belief(tx: &mut Tx<'_>) -> Result<i64> {
    let sql = "SELECT MAX(number) FROM belief WHERE agent_id = ?1";
    let last = tx.first(sql, values![tx.agent_id], |row| row.maybe_int(0))?;
    Ok(last.flatten().map_or(0, |last| last + 1))
}

/// Writes a new belief.
pub(crate) fn insert_belief(
    tx: &mut Tx<'_>,
    number: i64,
    belief: &Belief,
    supersedes: Option<u32>,
    now: Time,
) -> Result<()> {
    let (tags, parts) = (belief.tags.join(" "), parts_json(belief)?);
    let (supersedes, now) = (supersedes.map(i64::from), now.millis());
    let mut values = values![tx.agent_id, number, tags.as_str(), parts.as_str(), supersedes, now].to_vec();
    values.extend(belief.column_values());
    tx.execute(&INSERT_BELIEF, &values).map(drop)
}

static INSERT_BELIEF: LazyLock<String> = LazyLock::new(|| {
    let own = ["number", "tags", "confidence_parts", "supersedes", "updated_at"];
    insert_statement("belief", &own, Belief::COLUMNS)
});

/// Writes down how a belief stands now. What it says never changes, and neither does its lane, nor who may be given it, here.
pub(crate) fn move_belief(tx: &mut Tx<'_>, number: u32, belief: &Belief, now: Time) -> Result<()> {
    let sql = "UPDATE belief SET status = ?3, confidence = ?4, confidence_parts = ?5, freshness = ?6, last_supported_at = ?7,
               last_contradicted_at = ?8, revalidation_due_at = ?9, privacy = ?10, updated_at = ?11
               WHERE agent_id = ?1 AND number = ?2";
    let parts = parts_json(belief)?;
    let values = values![
        tx.agent_id,
        i64::from(number),
        belief.status.as_str(),
        belief.confidence,
        parts.as_str(),
        belief.freshness,
        belief.last_supported_at.millis(),
        belief.last_contradicted_at.map(Time::millis),
        belief.due_at.millis(),
        belief.privacy.as_str(),
        now.millis(),
    ];
    tx.execute(sql, values).map(drop)
}

/// Links what speaks for and against a belief, after what is linked already.
pub(crate) fn link_belief(tx: &mut Tx<'_>, belief: i64, links: &[BeliefLink]) -> Result<()> {
    if links.is_empty() {
        return Ok(());
    }
    let sql = "SELECT COUNT(*) FROM belief_evidence WHERE agent_id = ?1 AND belief = ?2";
    let first = tx.first(sql, values![tx.agent_id, belief], |row| row.int(0))?.unwrap_or(0);
    let sql =
        "INSERT INTO belief_evidence (agent_id, belief, place, memory, entity_id, stance, weight, role, excerpt, quote_hash,
               root, said_at, recorded_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    for (place, BeliefLink { to, evidence, said_at }) in (first..).zip(links) {
        let (memory, entity) = match *to {
            LinkEnd::Memory(number) => (Some(i64::from(number)), None),
            LinkEnd::Entity(number) => (None, Some(i64::from(number))),
        };
        let hash = evidence.quote_hash();
        let values = values![
            tx.agent_id,
            belief,
            place,
            memory,
            entity,
            evidence.stance.as_str(),
            evidence.weight,
            evidence.role.as_str(),
            evidence.excerpt.as_str(),
            hash.as_str(),
            evidence.root.as_str(),
            said_at.millis(),
            evidence.recorded_at.millis(),
        ];
        tx.execute(sql, values)?;
    }
    Ok(())
}

/// A memory has changed: what rests on it is looked at again.
pub(crate) fn reconsider(tx: &mut Tx<'_>, number: u32) -> Result<()> {
    let sql = "INSERT INTO belief_queue (agent_id, number) VALUES (?1, ?2) ON CONFLICT (agent_id, number) DO NOTHING";
    tx.later(sql, values![tx.agent_id, i64::from(number)])
}

/// Memories were looked at.
pub(crate) fn considered(tx: &mut Tx<'_>, numbers: &[u32]) -> Result<()> {
    let sql = "DELETE FROM belief_queue WHERE agent_id = ?1 AND number = ?2";
    let rows: Vec<Vec<_>> =
        numbers.iter().map(|number| values![tx.agent_id, i64::from(*number)].to_vec()).collect();
    tx.execute_each(sql, &rows)
}

columns! {
    belief_columns: Belief, "belief" as "b" {
        id: id "belief_id",
        kind: word "kind",
        subject_type: word "subject_type",
        subject_id: text "subject_id",
        key: text "canonical_key",
        value: text "value",
        summary: text "summary",
        detail: text "detail",
        lane: word "lane",
        status: word "status",
        confidence: float "confidence",
        freshness: float "freshness",
        last_supported_at: time "last_supported_at",
        last_contradicted_at: maybe_time "last_contradicted_at",
        due_at: time "revalidation_due_at",
        privacy: word "privacy",
        created_at: time "created_at",
    } besides { tags: Vec::new(), parts: ConfidenceParts::default(), allowed_consumers: Vec::new(), }
}
#[expect(clippy::single_component_path_imports, reason = "gives a macro of this file a path")]
pub(super) use belief_columns;

macro_rules! select_belief {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            belief_columns!(),
            ", b.tags, b.confidence_parts, b.allowed_consumers, b.number, b.supersedes, b.updated_at
             FROM belief AS b WHERE b.agent_id = ?1 ",
            $rest
        )
    };
}
pub(super) use select_belief;

impl Tx<'_> {
    /// One belief.
    pub fn belief(&mut self, id: BeliefId) -> Result<Option<BeliefRecord>> {
        let sql = select_belief!("AND b.belief_id = ?2");
        self.first(sql, values![self.agent_id, id.bytes().as_slice()], read_belief)
    }

    /// The belief with this number.
    pub fn belief_at(&mut self, number: u32) -> Result<Option<BeliefRecord>> {
        let sql = select_belief!("AND b.number = ?2");
        self.first(sql, values![self.agent_id, i64::from(number)], read_belief)
    }

    /// The newest belief under a key, whether it stands or not: one that stands is always the newest.
    pub fn newest_belief(&mut self, key: &str) -> Result<Option<BeliefRecord>> {
        let sql = select_belief!("AND b.canonical_key = ?2 ORDER BY b.number DESC LIMIT 1");
        self.first(sql, values![self.agent_id, key], read_belief)
    }

    /// The beliefs under a key that an operator rejected or took back, without those that stand again since that was undone.
    pub fn taken_back(&mut self, key: &str) -> Result<Vec<BeliefRecord>> {
        let sql = select_belief!(
            "AND b.canonical_key = ?2 AND b.status = 'retracted' AND NOT EXISTS (SELECT 1 FROM belief AS n
             WHERE n.agent_id = ?1 AND n.canonical_key = ?2 AND n.number > b.number AND n.value = b.value)
             ORDER BY b.number"
        );
        self.query(sql, values![self.agent_id, key], read_belief)
    }

    /// The belief that took the place of another.
    pub fn successor(&mut self, number: u32) -> Result<Option<BeliefRecord>> {
        let sql = select_belief!("AND b.supersedes = ?2");
        self.first(sql, values![self.agent_id, i64::from(number)], read_belief)
    }

    /// Beliefs, the best supported first.
    pub fn beliefs(&mut self, filter: &BeliefFilter, limit: u32) -> Result<Vec<BeliefRecord>> {
        let sql = select_belief!(
            "AND (CAST(?2 AS TEXT) IS NULL OR b.kind = ?2) AND (CAST(?3 AS TEXT) IS NULL OR b.subject_type = ?3)
             AND (CAST(?4 AS TEXT) IS NULL OR b.subject_id = ?4)
             AND (b.status = ?5 OR (CAST(?5 AS TEXT) IS NULL AND (?6 = 1 OR b.status IN ('active', 'stale'))))
             AND (CAST(?7 AS BIGINT) IS NULL OR b.revalidation_due_at <= ?7)
             ORDER BY b.confidence DESC, b.freshness DESC, b.number LIMIT ?8"
        );
        let (subject_type, subject_id) = filter.subject.as_deref().map_or((None, None), subject);
        let values = values![
            self.agent_id,
            filter.kind.map(BeliefKind::as_str),
            subject_type.map(SubjectType::as_str),
            subject_id,
            filter.status.map(BeliefStatus::as_str),
            i64::from(filter.all),
            filter.due_by.map(Time::millis),
            i64::from(limit),
        ];
        self.query(sql, values, read_belief)
    }

    /// Active beliefs that an operator has verified, the best supported first, and how many are active that nobody has.
    pub fn verified_beliefs(&mut self, limit: u32) -> Result<(Vec<BeliefRecord>, usize)> {
        let sql = select_belief!(
            "AND b.status = 'active' AND b.lane = 'verified' ORDER BY b.confidence DESC, b.freshness DESC, b.number LIMIT ?2"
        );
        let verified = self.query(sql, values![self.agent_id, i64::from(limit)], read_belief)?;
        let sql =
            "SELECT COUNT(*) FROM belief WHERE agent_id = ?1 AND status = 'active' AND lane = 'candidate'";
        let candidates = self.first(sql, values![self.agent_id], |row| row.int(0))?;
        Ok((verified, candidates.unwrap_or(0) as usize))
    }

    /// The evidence of a belief, in the order in which it was linked.
    pub fn links_of(&mut self, belief: u32) -> Result<Vec<BeliefLink>> {
        let sql = "SELECT l.memory, l.entity_id, l.stance, l.weight, l.role, l.excerpt, l.root, l.said_at, l.recorded_at,
                   m.memory_id, e.kind, e.slug FROM belief_evidence AS l
                   LEFT JOIN memory AS m ON m.agent_id = l.agent_id AND m.agent_id = ?1 AND m.number = l.memory
                   LEFT JOIN entity AS e ON e.agent_id = l.agent_id AND e.agent_id = ?1 AND e.entity_id = l.entity_id
                   WHERE l.agent_id = ?1 AND l.belief = ?2 ORDER BY l.place";
        self.query(sql, values![self.agent_id, i64::from(belief)], read_link)
    }

    /// The beliefs that stand and rest on a memory: their keys.
    pub fn keys_resting_on(&mut self, memory: u32) -> Result<Vec<String>> {
        let sql = "SELECT DISTINCT b.canonical_key FROM belief_evidence AS l JOIN belief AS b ON b.agent_id = l.agent_id
                   AND b.number = l.belief WHERE l.agent_id = ?1 AND b.agent_id = ?1 AND l.memory = ?2
                   AND b.status IN ('active', 'stale') ORDER BY 1";
        self.query(sql, values![self.agent_id, i64::from(memory)], |row| row.text(0))
    }

    /// The next memories that have changed since they were looked at for beliefs.
    pub fn to_reconsider(&mut self, limit: u32) -> Result<Vec<u32>> {
        let sql = "SELECT number FROM belief_queue WHERE agent_id = ?1 ORDER BY number LIMIT ?2";
        self.query(sql, values![self.agent_id, i64::from(limit)], |row| Ok(row.int(0)? as u32))
    }

    /// The active beliefs that were to be looked at again by `now`, from `number` on.
    pub fn due_beliefs(&mut self, now: Time, number: u32, limit: u32) -> Result<Vec<BeliefRecord>> {
        let sql = select_belief!(
            "AND b.status = 'active' AND b.revalidation_due_at <= ?2 AND b.number >= ?3 ORDER BY b.number LIMIT ?4"
        );
        let values = values![self.agent_id, now.millis(), i64::from(number), i64::from(limit)];
        self.query(sql, values, read_belief)
    }

    /// The next beliefs from `number` on, whatever their status.
    pub fn beliefs_onward(&mut self, number: u32, limit: u32) -> Result<Vec<BeliefRecord>> {
        let sql = select_belief!("AND b.number >= ?2 ORDER BY b.number LIMIT ?3");
        let values = values![self.agent_id, i64::from(number), i64::from(limit)];
        self.query(sql, values, read_belief)
    }
}

/// The parts of a subject filter: `project`, `atlas`, `project:atlas`.
fn subject(text: &str) -> (Option<SubjectType>, Option<&str>) {
    match text.split_once(':') {
        Some((kind, id)) => (kind.parse().ok(), Some(id)),
        None => match text.parse() {
            Ok(kind) => (Some(kind), None),
            Err(_) => (None, Some(text)),
        },
    }
}

fn parts_json(belief: &Belief) -> Result<String> {
    serde_json::to_string(&belief.parts).map_err(|error| {
        StoreError::damaged(format!("{} cannot be written: {error}", belief.id), "belief.confidence_parts")
    })
}

pub(super) fn read_belief(row: &Row<'_>) -> Result<BeliefRecord> {
    let columns = &mut ColumnReader::new(row);
    let mut belief = Belief::read_columns(columns)?;
    belief.tags = columns.str()?.split_whitespace().map(str::to_owned).collect();
    belief.parts = serde_json::from_str(columns.str()?)
        .map_err(|error| StoreError::damaged(error, "belief.confidence_parts"))?;
    belief.allowed_consumers = columns.str()?.split(' ').map(parse_word).collect::<Result<_>>()?;
    Ok(BeliefRecord {
        number: columns.number()?,
        belief,
        supersedes: columns.maybe_number()?,
        updated_at: columns.time()?,
    })
}

fn read_link(row: &Row<'_>) -> Result<BeliefLink> {
    let id = row.maybe_bytes(9)?.and_then(|id| <[u8; 16]>::try_from(id).ok()).map(MemoryId::from_bytes);
    let (to, source) = match (row.maybe_int(0)?, row.maybe_int(1)?, id) {
        (Some(memory), _, Some(id)) => (LinkEnd::Memory(memory as u32), id.to_string()),
        (None, Some(entity), _) => {
            let kind = row.maybe_text(10)?.unwrap_or_default();
            let slug = row.maybe_text(11)?.unwrap_or_default();
            (LinkEnd::Entity(entity as u32), format!("entity://{kind}/{slug}"))
        }
        _ => {
            return Err(StoreError::Damaged {
                problem: "a piece of evidence names a memory that is not there".to_owned(),
                hint: "run `cairn verify`".to_owned(),
            });
        }
    };
    let evidence = Evidence {
        source,
        stance: parse_word::<Stance>(row.str(2)?)?,
        weight: row.float(3)?,
        role: row.text(4)?,
        excerpt: row.text(5)?,
        root: row.text(6)?,
        recorded_at: Time::from_millis(row.int(8)?),
    };
    Ok(BeliefLink { to, evidence, said_at: Time::from_millis(row.int(7)?) })
}

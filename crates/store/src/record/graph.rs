//! The subjects of memories and their ties: statements, entities, relations.

use super::{
    After,
    columns::{ColumnReader, StoredRecord, columns, insert_statement, parse_word, read_record},
    memory_writer::{MemoryWriter, TargetMemory},
};
use crate::{
    Result,
    database::{Row, Value, values, wide},
    transaction::Tx,
};
use cairn_cognition::relation::prunable_relations;
use cairn_domain::{EntityKind, MessageId, RelationKind, Time};
use std::sync::LazyLock;

/// Who has which value of what, as a memory says it.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementRecord {
    /// The memory that says so.
    pub number: u32,
    /// Whom or what it is about.
    pub subject: String,
    /// The attribute.
    pub attribute: String,
    /// Its value.
    pub value: String,
    /// Whether that is what it is not.
    pub negated: bool,
    /// Whether there is one such value at a time.
    pub single: bool,
    /// How sure that reading is.
    pub confidence: f64,
    /// Whether it is still to be made sure of.
    pub pending: bool,
}

/// A name that a memory holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMention {
    /// The kind of thing it is.
    pub kind: EntityKind,
    /// Its canonical name.
    pub name: String,
    /// The name as an address.
    pub slug: String,
    /// The address of the name as it was written, if that is another.
    pub alias: Option<String>,
}

/// A canonical name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityRecord {
    /// Its number.
    pub id: u32,
    /// The kind of thing it is.
    pub kind: EntityKind,
    /// The name as an address.
    pub slug: String,
    /// Its canonical name.
    pub name: String,
    /// When it was first seen.
    pub first_seen: Time,
    /// How many memories hold it.
    pub mentions: u32,
}

/// An edge between two memories.
#[derive(Debug, Clone, PartialEq)]
pub struct RelationRecord {
    /// From this memory …
    pub from: u32,
    /// … to this one.
    pub to: u32,
    /// The kind of relation.
    pub kind: RelationKind,
    /// How sure it is.
    pub confidence: f64,
    /// Why it was made.
    pub reason: String,
}

columns! {
    statement_columns: StatementRecord, "statement" as "statement" {
        subject: text "subject",
        attribute: text "attribute",
        value: text "value",
        negated: flag "negated",
        single: flag "single",
        confidence: float "confidence",
        pending: flag "pending",
    } besides { number: 0, }
}

columns! {
    entity_columns: EntityRecord, "entity" as "e" {
        id: number "entity_id",
        kind: word "kind",
        slug: text "slug",
        name: text "name",
        first_seen: time "first_seen",
        mentions: number "mentions",
    }
}

columns! {
    relation_columns: RelationRecord, "relation" as "r" {
        from: number "from_number",
        to: number "to_number",
        kind: word "kind",
        confidence: float "confidence",
        reason: text "reason",
    }
}
#[expect(clippy::single_component_path_imports, reason = "gives a macro of this file a path")]
pub(super) use relation_columns;

/// The relation of one kind from one memory to another; there is one at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RelationKey {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) kind: RelationKind,
}

/// Who found a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelationOrigin {
    Gate,
    Heuristic,
    Model,
    Rhythm,
}

impl RelationOrigin {
    fn as_str(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Heuristic => "heuristic",
            Self::Model => "model",
            Self::Rhythm => "rhythm",
        }
    }
}

/// Appends statements to those of a memory.
pub(crate) fn insert_statements(
    tx: &mut Tx<'_>,
    target: TargetMemory,
    statements: &[StatementRecord],
    message: Option<MessageId>,
) -> Result<()> {
    if statements.is_empty() {
        return Ok(());
    }
    let number = i64::from(target.number());
    let mut first = 0;
    if !target.is_new() {
        let last = "SELECT COUNT(*) FROM statement WHERE agent_id = ?1 AND number = ?2";
        first = tx.first(last, values![tx.agent_id, number], |row| row.int(0))?.unwrap_or(0);
    }
    let message = message.map(|id| *id.bytes());
    for (place, statement) in (first..).zip(statements) {
        let message = message.as_ref().map(<[u8; 16]>::as_slice);
        let mut values = values![tx.agent_id, number, place, message].to_vec();
        values.extend(statement.column_values());
        tx.later(&INSERT_STATEMENT, &values)?;
    }
    Ok(())
}

static INSERT_STATEMENT: LazyLock<String> = LazyLock::new(|| {
    insert_statement("statement", &["number", "place", "message_id"], StatementRecord::COLUMNS)
});

/// Notes the names that a memory holds: new ones are registered, and those that stand together are counted.
pub(crate) fn insert_mentions(
    tx: &mut MemoryWriter<'_, '_>,
    target: TargetMemory,
    mentions: &[NewMention],
) -> Result<()> {
    let agent_id = tx.agent_id;
    let mut ids: Vec<i64> = Vec::with_capacity(mentions.len());
    let mut registered: Vec<(&str, i64)> = Vec::new();
    let known = known_entities(tx, mentions)?;
    for (mention, known) in mentions.iter().zip(known) {
        let NewMention { kind, slug, alias, .. } = mention;
        let just_now = registered.iter().find(|(known, _)| known == slug).map(|(_, id)| *id);
        let id = match (known, just_now) {
            (Some((id, was)), _) => {
                // What was only a concept becomes what it is found to be.
                if was == EntityKind::Concept.as_str() && *kind != EntityKind::Concept && !ids.contains(&id) {
                    let sql = "UPDATE entity SET kind = ?3 WHERE agent_id = ?1 AND entity_id = ?2";
                    tx.later(sql, values![agent_id, id, kind.as_str()])?;
                }
                id
            }
            (None, Some(id)) => id,
            (None, None) => insert_entity(tx, mention)?,
        };
        registered.push((slug, id));
        if let Some(alias) = alias {
            let sql = "INSERT INTO entity_alias (agent_id, alias, entity_id) VALUES (?1, ?2, ?3)
                       ON CONFLICT (agent_id, alias) DO NOTHING";
            tx.later(sql, values![agent_id, alias.as_str(), id])?;
            registered.push((alias, id));
        }
        if !ids.contains(&id) && mention_once(tx, target, id)? {
            ids.push(id);
        }
    }
    ids.sort_unstable();
    let together = "INSERT INTO cooccurrence (agent_id, one, other, times) VALUES (?1, ?2, ?3, 1)
                    ON CONFLICT (agent_id, one, other) DO UPDATE SET times = cooccurrence.times + 1";
    for (at, one) in ids.iter().enumerate() {
        for other in &ids[at + 1..] {
            tx.later(together, values![agent_id, *one, *other])?;
        }
    }
    Ok(())
}

/// Registers an entity; its number.
fn insert_entity(tx: &mut MemoryWriter<'_, '_>, mention: &NewMention) -> Result<i64> {
    let (agent_id, id, now) = (tx.agent_id, tx.state.next_entity, tx.now);
    let sql = "INSERT INTO entity (agent_id, entity_id, kind, slug, name, first_seen, mentions)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)";
    let (kind, slug, name) = (mention.kind.as_str(), mention.slug.as_str(), mention.name.as_str());
    tx.later(sql, values![agent_id, id, kind, slug, name, now.millis()])?;
    tx.state.next_entity += 1;
    Ok(id)
}

/// The number and the kind of each entity that is registered, by its address or by an alias.
fn known_entities(tx: &mut Tx<'_>, mentions: &[NewMention]) -> Result<Vec<Option<(i64, String)>>> {
    let known = "SELECT e.entity_id, e.kind FROM entity AS e WHERE e.agent_id = ?1 AND e.slug = ?2
                 UNION ALL SELECT e.entity_id, e.kind FROM entity_alias AS a JOIN entity AS e
                 ON e.agent_id = a.agent_id AND e.entity_id = a.entity_id WHERE a.agent_id = ?1 AND a.alias = ?2 LIMIT 1";
    let slugs = mentions.iter().map(|mention| mention.slug.as_str());
    let rows: Vec<Vec<Value<'_>>> = slugs.map(|slug| values![tx.agent_id, slug].to_vec()).collect();
    tx.first_of_each(known, &rows, |row| Ok((row.int(0)?, row.text(1)?)))
}

/// Notes that a memory holds a name and counts it; false if that is known already. A new memory holds none yet.
fn mention_once(tx: &mut Tx<'_>, target: TargetMemory, id: i64) -> Result<bool> {
    let sql = "INSERT INTO mention (agent_id, entity_id, number) VALUES (?1, ?2, ?3)
               ON CONFLICT (agent_id, entity_id, number) DO NOTHING";
    let values = values![tx.agent_id, id, i64::from(target.number())];
    if target.is_new() {
        tx.later(sql, values)?;
    } else if tx.execute(sql, values)? == 0 {
        return Ok(false);
    }
    // It was seen when it was first said, not when that was taken in.
    let count = "UPDATE entity SET mentions = mentions + 1, first_seen = CASE WHEN first_seen >
                 (SELECT m.valid_from FROM memory AS m WHERE m.agent_id = ?1 AND m.number = ?3)
                 THEN (SELECT m.valid_from FROM memory AS m WHERE m.agent_id = ?1 AND m.number = ?3)
                 ELSE first_seen END WHERE agent_id = ?1 AND entity_id = ?2";
    tx.later(count, values![tx.agent_id, id, i64::from(target.number())])?;
    Ok(true)
}

/// Writes a relation, unless it is there already.
pub(crate) fn insert_relation(
    tx: &mut MemoryWriter<'_, '_>,
    relation: &RelationRecord,
    made_by: RelationOrigin,
) -> Result<()> {
    let mut values = values![tx.agent_id, made_by.as_str(), tx.now.millis()].to_vec();
    values.extend(relation.column_values());
    tx.later(&INSERT_RELATION, &values)
}

static INSERT_RELATION: LazyLock<String> = LazyLock::new(|| {
    let insert = insert_statement("relation", &["made_by", "made_at"], RelationRecord::COLUMNS);
    format!("{insert} ON CONFLICT (agent_id, from_number, to_number, kind) DO NOTHING")
});

/// From how many relations on the least of them are let go, and how many are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelationPruning {
    /// Relations from which on there are too many.
    pub from: usize,
    /// Relations that are left.
    pub to: usize,
}

/// Lets the least relations go if there are too many.
pub(crate) fn prune_relations(tx: &mut Tx<'_>, pruning: RelationPruning) -> Result<()> {
    let count = "SELECT COUNT(*) FROM relation WHERE agent_id = ?1";
    let there = tx.first(count, values![tx.agent_id], |row| row.int(0))?.unwrap_or(0);
    if there < pruning.from as i64 {
        return Ok(());
    }
    let sql = "SELECT from_number, to_number, kind, confidence FROM relation WHERE agent_id = ?1
               ORDER BY made_at, from_number, to_number, kind";
    let relations = tx.query(sql, values![tx.agent_id], |row| {
        Ok(((row.int(0)?, row.int(1)?), (parse_word::<RelationKind>(row.str(2)?)?, row.float(3)?)))
    })?;
    let weighed: Vec<(RelationKind, f64)> = relations.iter().map(|(_, weight)| *weight).collect();
    let sql =
        "DELETE FROM relation WHERE agent_id = ?1 AND from_number = ?2 AND to_number = ?3 AND kind = ?4";
    let row = |place: usize| {
        let ((from, to), (kind, _)) = relations[place];
        values![tx.agent_id, from, to, kind.as_str()].to_vec()
    };
    let rows: Vec<Vec<Value<'_>>> =
        prunable_relations(&weighed, pruning.from, pruning.to).into_iter().map(row).collect();
    tx.execute_each(sql, &rows)
}

/// A path through the graph that was followed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedPattern {
    /// The kinds of relation along the path: `causes>causes`.
    pub pattern: String,
    /// `static` if the pattern was known before, `discovered` if not.
    pub origin: &'static str,
    /// Whether it led to a memory.
    pub yielded: bool,
}

/// Counts that paths through the graph were followed, and whether each led somewhere.
pub(crate) fn count_patterns(tx: &mut Tx<'_>, patterns: &[FollowedPattern]) -> Result<()> {
    let sql =
        "INSERT INTO traversal_pattern (agent_id, pattern, origin, tried, yielded) VALUES (?1, ?2, ?3, 1, ?4)
               ON CONFLICT (agent_id, pattern) DO UPDATE SET tried = traversal_pattern.tried + 1,
               yielded = traversal_pattern.yielded + ?4";
    for FollowedPattern { pattern, origin, yielded } in patterns {
        tx.execute(sql, values![tx.agent_id, pattern.as_str(), *origin, i64::from(*yielded)])?;
    }
    Ok(())
}

impl Tx<'_> {
    /// The statements of a memory.
    pub fn statements(&mut self, number: u32) -> Result<Vec<StatementRecord>> {
        let sql = concat!(
            "SELECT ",
            statement_columns!(),
            ", number FROM statement WHERE agent_id = ?1 AND number = ?2 ORDER BY place"
        );
        self.query(sql, values![self.agent_id, i64::from(number)], read_statement)
    }

    /// The newest statements of memories that hold, those about what somebody is not left out.
    pub fn held_statements(&mut self, limit: u32) -> Result<Vec<StatementRecord>> {
        let sql = concat!(
            "SELECT ",
            statement_columns!(),
            ", number FROM statement WHERE agent_id = ?1 AND negated = 0 AND number IN (SELECT m.number FROM memory AS m
             WHERE m.agent_id = ?1 AND m.status <> 'superseded') ORDER BY number DESC, place LIMIT ?2"
        );
        self.query(sql, values![self.agent_id, i64::from(limit)], read_statement)
    }

    /// The memories that make the newest statements about one attribute of one subject, and hold.
    pub fn numbers_about(&mut self, subject: &str, attribute: &str, limit: u32) -> Result<Vec<u32>> {
        let sql = "SELECT s.number FROM statement AS s JOIN memory AS m ON m.agent_id = s.agent_id AND m.number = s.number
                   WHERE s.agent_id = ?1 AND s.subject = ?2 AND s.attribute = ?3 AND m.status <> 'superseded'
                   ORDER BY s.number DESC LIMIT ?4";
        let values = values![self.agent_id, subject, attribute, i64::from(limit)];
        self.query(sql, values, |row| Ok(row.int(0)? as u32))
    }

    /// The addresses of the entities that each of these memories names, sorted.
    pub fn slugs_of_each(&mut self, numbers: &[u32]) -> Result<Vec<Vec<String>>> {
        let sql = "SELECT x.number, e.slug FROM mention AS x JOIN entity AS e ON e.agent_id = x.agent_id
                   AND e.entity_id = x.entity_id WHERE x.agent_id = ?1 AND x.number = ANY(?2)";
        let wanted = wide(numbers);
        let values = values![self.agent_id, wanted.as_slice()];
        let mut found = self.query(sql, values, |row| Ok((row.int(0)? as u32, row.text(1)?)))?;
        found.sort_unstable();
        let slugs = |number: &u32| {
            let from = found.partition_point(|(of, _)| of < number);
            found[from..].iter().take_while(|(of, _)| of == number).map(|(_, slug)| slug.clone()).collect()
        };
        Ok(numbers.iter().map(slugs).collect())
    }

    /// The entities a memory names, by their address.
    pub fn entities_of(&mut self, number: u32) -> Result<Vec<EntityRecord>> {
        let sql = concat!(
            "SELECT ",
            entity_columns!(),
            " FROM mention AS x JOIN entity AS e ON e.agent_id = x.agent_id AND e.entity_id = x.entity_id
             WHERE x.agent_id = ?1 AND x.number = ?2 ORDER BY e.slug"
        );
        self.query(sql, values![self.agent_id, i64::from(number)], read_record)
    }

    /// The entities with the most mentions, after `after`.
    pub fn entities(&mut self, after: Option<&After>, limit: u32) -> Result<Vec<EntityRecord>> {
        let sql = concat!(
            "SELECT ",
            entity_columns!(),
            " FROM entity AS e WHERE e.agent_id = ?1
             AND (e.mentions < ?3 OR (e.mentions = ?3 AND e.slug > ?4)) ORDER BY e.mentions DESC, e.slug LIMIT ?2"
        );
        let (number, name) = After::or_first(after);
        self.query(sql, values![self.agent_id, i64::from(limit), number, name], read_record)
    }

    /// The entity with this address or alias.
    pub fn entity(&mut self, slug: &str) -> Result<Option<EntityRecord>> {
        let sql = concat!(
            "SELECT ",
            entity_columns!(),
            " FROM entity AS e WHERE e.agent_id = ?1 AND (e.slug = ?2 OR e.entity_id IN (
             SELECT a.entity_id FROM entity_alias AS a WHERE a.agent_id = ?1 AND a.alias = ?2))
             ORDER BY e.entity_id LIMIT 1"
        );
        self.first(sql, values![self.agent_id, slug], read_record)
    }

    /// The other names of an entity.
    pub fn aliases(&mut self, entity: u32) -> Result<Vec<String>> {
        let sql = "SELECT alias FROM entity_alias WHERE agent_id = ?1 AND entity_id = ?2 ORDER BY alias";
        self.query(sql, values![self.agent_id, i64::from(entity)], |row| row.text(0))
    }

    /// The entities that stand in memories together with one, the most frequent first, with how often.
    pub fn together_with(&mut self, entity: u32, limit: u32) -> Result<Vec<(EntityRecord, u32)>> {
        let sql = concat!(
            "SELECT ",
            entity_columns!(),
            ", c.times FROM (SELECT other AS entity_id, times FROM cooccurrence WHERE agent_id = ?1 AND one = ?2
             UNION ALL SELECT one, times FROM cooccurrence WHERE agent_id = ?1 AND other = ?2) AS c
             JOIN entity AS e ON e.agent_id = ?1 AND e.entity_id = c.entity_id
             ORDER BY c.times DESC, e.slug LIMIT ?3"
        );
        let values = values![self.agent_id, i64::from(entity), i64::from(limit)];
        self.query(sql, values, |row| {
            let columns = &mut ColumnReader::new(row);
            Ok((EntityRecord::read_columns(columns)?, columns.number()?))
        })
    }

    /// The memories that name both of two entities, the newest first.
    pub fn naming_both(&mut self, one: u32, other: u32, limit: u32) -> Result<Vec<u32>> {
        let sql = "SELECT x.number FROM mention AS x WHERE x.agent_id = ?1 AND x.entity_id = ?2 AND EXISTS (
                   SELECT 1 FROM mention AS y WHERE y.agent_id = ?1 AND y.number = x.number AND y.entity_id = ?3)
                   ORDER BY x.number DESC LIMIT ?4";
        let values = values![self.agent_id, i64::from(one), i64::from(other), i64::from(limit)];
        self.query(sql, values, |row| Ok(row.int(0)? as u32))
    }

    /// Ways through the graph: the kinds of relation on the way, how often it was gone, how often it led somewhere.
    pub fn traversal_patterns(&mut self) -> Result<Vec<(String, u32, u32)>> {
        let sql =
            "SELECT pattern, tried, yielded FROM traversal_pattern WHERE agent_id = ?1 ORDER BY pattern";
        self.query(sql, values![self.agent_id], |row| {
            Ok((row.text(0)?, row.int(1)? as u32, row.int(2)? as u32))
        })
    }

    /// Every memory that names an entity (its address or an alias), the newest first.
    pub fn hub(&mut self, slug: &str, limit: u32) -> Result<Vec<u32>> {
        let sql = "SELECT x.number FROM mention AS x WHERE x.agent_id = ?1 AND x.entity_id IN (
                   SELECT e.entity_id FROM entity AS e WHERE e.agent_id = ?1 AND e.slug = ?2
                   UNION SELECT a.entity_id FROM entity_alias AS a WHERE a.agent_id = ?1 AND a.alias = ?2)
                   ORDER BY x.number DESC LIMIT ?3";
        self.query(sql, values![self.agent_id, slug, i64::from(limit)], |row| Ok(row.int(0)? as u32))
    }

    /// Relations that mark these memories as doubtful without replacing them.
    pub fn marks_on(&mut self, numbers: &[u32]) -> Result<Vec<RelationRecord>> {
        let sql = concat!(
            "SELECT ",
            relation_columns!(),
            " FROM relation AS r WHERE r.agent_id = ?1 AND r.to_number = ANY(?2) AND r.kind = ?3 ORDER BY 1, 2"
        );
        let wanted = wide(numbers);
        let values = values![self.agent_id, wanted.as_slice(), RelationKind::Contradicts.as_str()];
        self.query(sql, values, read_record)
    }

    /// The relations from and to a memory.
    pub fn relations(&mut self, number: u32) -> Result<Vec<RelationRecord>> {
        let sql = concat!(
            "SELECT ",
            relation_columns!(),
            " FROM relation AS r WHERE r.agent_id = ?1 AND r.from_number = ?2 UNION ALL SELECT ",
            relation_columns!(),
            " FROM relation AS r WHERE r.agent_id = ?1 AND r.to_number = ?2 ORDER BY 1, 2, 3"
        );
        self.query(sql, values![self.agent_id, i64::from(number)], read_record)
    }
}

fn read_statement(row: &Row<'_>) -> Result<StatementRecord> {
    let columns = &mut ColumnReader::new(row);
    let statement = StatementRecord::read_columns(columns)?;
    Ok(StatementRecord { number: columns.number()?, ..statement })
}

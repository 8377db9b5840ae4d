//! What memories are about and how they belong together: statements, entities, relations.

use super::{After, memory::MemoryState, message::stored};
use crate::{
    Result, View,
    database::{Connection, Value, values, wide},
};
use cairn_cognition::relation::prune;
use cairn_domain::{EntityKind, MessageId, RelationKind, Time};

/// Who has which value of what, as a memory says it.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementRecord {
    /// The memory that says so.
    pub number: u32,
    /// Whom or what it is about.
    pub subject: String,
    /// What of it.
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
    /// What it is.
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
    /// What it is.
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
    /// What it says.
    pub kind: RelationKind,
    /// How sure it is.
    pub confidence: f64,
    /// Why it was made.
    pub reason: String,
}

/// Notes what a memory says of whom, after what it says already: nothing, if it is new.
pub(crate) fn insert_statements(
    connection: &mut Connection,
    agent_id: i64,
    (number, new): (u32, bool),
    statements: &[StatementRecord],
    message: Option<MessageId>,
) -> Result<()> {
    if statements.is_empty() {
        return Ok(());
    }
    let number = i64::from(number);
    let mut first = 0;
    if !new {
        let last = "SELECT COUNT(*) FROM statement WHERE agent_id = ?1 AND number = ?2";
        first = connection.first(last, values![agent_id, number], |row| row.int(0))?.unwrap_or(0);
    }
    let sql = "INSERT INTO statement (agent_id, number, place, subject, attribute, value, negated, single, confidence,
               pending, message_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let message = message.map(|id| *id.bytes());
    for (place, statement) in (first..).zip(statements) {
        let values = values![
            agent_id,
            number,
            place,
            statement.subject.as_str(),
            statement.attribute.as_str(),
            statement.value.as_str(),
            i64::from(statement.negated),
            i64::from(statement.single),
            statement.confidence,
            i64::from(statement.pending),
            message.as_ref().map(<[u8; 16]>::as_slice),
        ];
        connection.later(sql, values)?;
    }
    Ok(())
}

/// Notes the names that a memory holds: new ones are registered, and those that stand together are counted.
pub(crate) fn insert_mentions(
    connection: &mut Connection,
    agent_id: i64,
    state: &mut MemoryState,
    (number, new): (u32, bool),
    mentions: &[NewMention],
    now: Time,
) -> Result<()> {
    let mut ids: Vec<i64> = Vec::with_capacity(mentions.len());
    let mut registered: Vec<(&str, i64)> = Vec::new();
    let known = known_entities(connection, agent_id, mentions)?;
    for (mention, known) in mentions.iter().zip(known) {
        let NewMention { kind, slug, alias, .. } = mention;
        let just_now = registered.iter().find(|(known, _)| known == slug).map(|(_, id)| *id);
        let id = match (known, just_now) {
            (Some((id, was)), _) => {
                // What was only a concept becomes what it is found to be.
                if was == EntityKind::Concept.as_str() && *kind != EntityKind::Concept && !ids.contains(&id) {
                    let sql = "UPDATE entity SET kind = ?3 WHERE agent_id = ?1 AND entity_id = ?2";
                    connection.later(sql, values![agent_id, id, kind.as_str()])?;
                }
                id
            }
            (None, Some(id)) => id,
            (None, None) => register(connection, agent_id, state, mention, now)?,
        };
        registered.push((slug, id));
        if let Some(alias) = alias {
            let sql = "INSERT INTO entity_alias (agent_id, alias, entity_id) VALUES (?1, ?2, ?3)
                       ON CONFLICT (agent_id, alias) DO NOTHING";
            connection.later(sql, values![agent_id, alias.as_str(), id])?;
            registered.push((alias, id));
        }
        if !ids.contains(&id) && mention_once(connection, agent_id, (number, new), id)? {
            ids.push(id);
        }
    }
    ids.sort_unstable();
    let together = "INSERT INTO cooccurrence (agent_id, one, other, times) VALUES (?1, ?2, ?3, 1)
                    ON CONFLICT (agent_id, one, other) DO UPDATE SET times = cooccurrence.times + 1";
    for (at, one) in ids.iter().enumerate() {
        for other in &ids[at + 1..] {
            connection.later(together, values![agent_id, *one, *other])?;
        }
    }
    Ok(())
}

/// Registers an entity: its number.
fn register(
    connection: &mut Connection,
    agent_id: i64,
    state: &mut MemoryState,
    mention: &NewMention,
    now: Time,
) -> Result<i64> {
    let id = state.next_entity;
    let sql = "INSERT INTO entity (agent_id, entity_id, kind, slug, name, first_seen, mentions)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)";
    let (kind, slug, name) = (mention.kind.as_str(), mention.slug.as_str(), mention.name.as_str());
    connection.later(sql, values![agent_id, id, kind, slug, name, now.millis()])?;
    state.next_entity += 1;
    Ok(id)
}

/// The number and the kind of each entity that is registered, by its address or by an alias.
fn known_entities(
    connection: &mut Connection,
    agent_id: i64,
    mentions: &[NewMention],
) -> Result<Vec<Option<(i64, String)>>> {
    let known = "SELECT e.entity_id, e.kind FROM entity AS e WHERE e.agent_id = ?1 AND e.slug = ?2
                 UNION ALL SELECT e.entity_id, e.kind FROM entity_alias AS a JOIN entity AS e
                 ON e.agent_id = a.agent_id AND e.entity_id = a.entity_id WHERE a.agent_id = ?1 AND a.alias = ?2 LIMIT 1";
    let slugs = mentions.iter().map(|mention| mention.slug.as_str());
    let rows: Vec<Vec<Value<'_>>> = slugs.map(|slug| values![agent_id, slug].to_vec()).collect();
    connection.first_of_each(known, &rows, |row| Ok((row.int(0)?, row.text(1)?)))
}

/// Notes that a memory holds a name and counts it; false if that is known already. A new memory holds none yet.
fn mention_once(
    connection: &mut Connection,
    agent_id: i64,
    (number, new): (u32, bool),
    id: i64,
) -> Result<bool> {
    let sql = "INSERT INTO mention (agent_id, entity_id, number) VALUES (?1, ?2, ?3)
               ON CONFLICT (agent_id, entity_id, number) DO NOTHING";
    let values = values![agent_id, id, i64::from(number)];
    if new {
        connection.later(sql, values)?;
    } else if connection.execute(sql, values)? == 0 {
        return Ok(false);
    }
    let count = "UPDATE entity SET mentions = mentions + 1 WHERE agent_id = ?1 AND entity_id = ?2";
    connection.later(count, values![agent_id, id])?;
    Ok(true)
}

/// Writes a relation, unless it is there already.
pub(crate) fn insert_relation(
    connection: &mut Connection,
    agent_id: i64,
    relation: &RelationRecord,
    made_by: &str,
    now: Time,
) -> Result<()> {
    let sql =
        "INSERT INTO relation (agent_id, from_number, to_number, kind, confidence, made_by, reason, made_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
               ON CONFLICT (agent_id, from_number, to_number, kind) DO NOTHING";
    let RelationRecord { from, to, kind, confidence, reason } = relation;
    let values = values![
        agent_id,
        i64::from(*from),
        i64::from(*to),
        kind.as_str(),
        *confidence,
        made_by,
        reason.as_str(),
        now.millis()
    ];
    connection.later(sql, values)
}

/// Once there are `trigger` relations, lets the least of them go until `target` are left.
pub(crate) fn prune_relations(
    connection: &mut Connection,
    agent_id: i64,
    trigger: usize,
    target: usize,
) -> Result<()> {
    let count = "SELECT COUNT(*) FROM relation WHERE agent_id = ?1";
    let there = connection.first(count, values![agent_id], |row| row.int(0))?.unwrap_or(0);
    if there < trigger as i64 {
        return Ok(());
    }
    let sql = "SELECT from_number, to_number, kind, confidence FROM relation WHERE agent_id = ?1
               ORDER BY made_at, from_number, to_number, kind";
    let relations = connection.query(sql, values![agent_id], |row| {
        Ok(((row.int(0)?, row.int(1)?), (stored::<RelationKind>(row.str(2)?)?, row.float(3)?)))
    })?;
    let weighed: Vec<(RelationKind, f64)> = relations.iter().map(|(_, weight)| *weight).collect();
    let sql =
        "DELETE FROM relation WHERE agent_id = ?1 AND from_number = ?2 AND to_number = ?3 AND kind = ?4";
    let row = |place: usize| {
        let ((from, to), (kind, _)) = relations[place];
        values![agent_id, from, to, kind.as_str()].to_vec()
    };
    let rows: Vec<Vec<Value<'_>>> = prune(&weighed, trigger, target).into_iter().map(row).collect();
    connection.execute_each(sql, &rows)
}

/// Counts that ways through the graph were gone, and whether each led somewhere.
pub(crate) fn count_patterns(
    connection: &mut Connection,
    agent_id: i64,
    patterns: &[(String, &'static str, bool)],
) -> Result<()> {
    let sql =
        "INSERT INTO traversal_pattern (agent_id, pattern, origin, tried, yielded) VALUES (?1, ?2, ?3, 1, ?4)
               ON CONFLICT (agent_id, pattern) DO UPDATE SET tried = traversal_pattern.tried + 1,
               yielded = traversal_pattern.yielded + ?4";
    for (pattern, origin, yielded) in patterns {
        connection.execute(sql, values![agent_id, pattern.as_str(), *origin, i64::from(*yielded)])?;
    }
    Ok(())
}

impl View<'_> {
    /// The statements of a memory.
    pub fn statements(&mut self, number: u32) -> Result<Vec<StatementRecord>> {
        let sql =
            "SELECT number, subject, attribute, value, negated, single, confidence, pending FROM statement
                   WHERE agent_id = ?1 AND number = ?2 ORDER BY place";
        self.connection.query(sql, values![self.agent_id, i64::from(number)], read_statement)
    }

    /// The memories that make the newest statements about one attribute of one subject, and hold.
    pub fn numbers_about(&mut self, subject: &str, attribute: &str, limit: u32) -> Result<Vec<u32>> {
        let sql = "SELECT s.number FROM statement AS s JOIN memory AS m ON m.agent_id = s.agent_id AND m.number = s.number
                   WHERE s.agent_id = ?1 AND s.subject = ?2 AND s.attribute = ?3 AND m.status <> 'superseded'
                   ORDER BY s.number DESC LIMIT ?4";
        let values = values![self.agent_id, subject, attribute, i64::from(limit)];
        self.connection.query(sql, values, |row| Ok(row.int(0)? as u32))
    }

    /// The addresses of the entities that each of these memories names, sorted.
    pub fn slugs_of_each(&mut self, numbers: &[u32]) -> Result<Vec<Vec<String>>> {
        let sql = "SELECT x.number, e.slug FROM mention AS x JOIN entity AS e ON e.agent_id = x.agent_id
                   AND e.entity_id = x.entity_id WHERE x.agent_id = ?1 AND x.number = ANY(?2)";
        let wanted = wide(numbers);
        let values = values![self.agent_id, wanted.as_slice()];
        let mut found = self.connection.query(sql, values, |row| Ok((row.int(0)? as u32, row.text(1)?)))?;
        found.sort_unstable();
        let slugs = |number: &u32| {
            let from = found.partition_point(|(of, _)| of < number);
            found[from..].iter().take_while(|(of, _)| of == number).map(|(_, slug)| slug.clone()).collect()
        };
        Ok(numbers.iter().map(slugs).collect())
    }

    /// The entities a memory names, by their address.
    pub fn entities_of(&mut self, number: u32) -> Result<Vec<EntityRecord>> {
        let sql = "SELECT e.entity_id, e.kind, e.slug, e.name, e.first_seen, e.mentions FROM mention AS x
                   JOIN entity AS e ON e.agent_id = x.agent_id AND e.entity_id = x.entity_id
                   WHERE x.agent_id = ?1 AND x.number = ?2 ORDER BY e.slug";
        self.connection.query(sql, values![self.agent_id, i64::from(number)], read_entity)
    }

    /// The entities with the most mentions, after `after`.
    pub fn entities(&mut self, after: Option<&After>, limit: u32) -> Result<Vec<EntityRecord>> {
        let sql = "SELECT entity_id, kind, slug, name, first_seen, mentions FROM entity WHERE agent_id = ?1
                   AND (mentions < ?3 OR (mentions = ?3 AND slug > ?4)) ORDER BY mentions DESC, slug LIMIT ?2";
        let (number, name) = After::or_first(after);
        self.connection.query(sql, values![self.agent_id, i64::from(limit), number, name], read_entity)
    }

    /// The entity with this address or alias.
    pub fn entity(&mut self, slug: &str) -> Result<Option<EntityRecord>> {
        let sql = "SELECT e.entity_id, e.kind, e.slug, e.name, e.first_seen, e.mentions FROM entity AS e
                   WHERE e.agent_id = ?1 AND (e.slug = ?2 OR e.entity_id IN (
                   SELECT a.entity_id FROM entity_alias AS a WHERE a.agent_id = ?1 AND a.alias = ?2))
                   ORDER BY e.entity_id LIMIT 1";
        self.connection.first(sql, values![self.agent_id, slug], read_entity)
    }

    /// The other names of an entity.
    pub fn aliases(&mut self, entity: u32) -> Result<Vec<String>> {
        let sql = "SELECT alias FROM entity_alias WHERE agent_id = ?1 AND entity_id = ?2 ORDER BY alias";
        self.connection.query(sql, values![self.agent_id, i64::from(entity)], |row| row.text(0))
    }

    /// The entities that stand in memories together with one, the most frequent first, with how often.
    pub fn together_with(&mut self, entity: u32, limit: u32) -> Result<Vec<(EntityRecord, u32)>> {
        let sql = "SELECT e.entity_id, e.kind, e.slug, e.name, e.first_seen, e.mentions, c.times FROM (
                   SELECT other AS entity_id, times FROM cooccurrence WHERE agent_id = ?1 AND one = ?2
                   UNION ALL SELECT one, times FROM cooccurrence WHERE agent_id = ?1 AND other = ?2) AS c
                   JOIN entity AS e ON e.agent_id = ?1 AND e.entity_id = c.entity_id
                   ORDER BY c.times DESC, e.slug LIMIT ?3";
        let values = values![self.agent_id, i64::from(entity), i64::from(limit)];
        self.connection.query(sql, values, |row| Ok((read_entity(row)?, row.int(6)? as u32)))
    }

    /// Ways through the graph: the kinds of relation on the way, how often it was gone, how often it led somewhere.
    pub fn traversal_patterns(&mut self) -> Result<Vec<(String, u32, u32)>> {
        let sql =
            "SELECT pattern, tried, yielded FROM traversal_pattern WHERE agent_id = ?1 ORDER BY pattern";
        self.connection.query(sql, values![self.agent_id], |row| {
            Ok((row.text(0)?, row.int(1)? as u32, row.int(2)? as u32))
        })
    }

    /// Every memory that names an entity (its address or an alias), the newest first.
    pub fn hub(&mut self, slug: &str, limit: u32) -> Result<Vec<u32>> {
        let sql = "SELECT x.number FROM mention AS x WHERE x.agent_id = ?1 AND x.entity_id IN (
                   SELECT e.entity_id FROM entity AS e WHERE e.agent_id = ?1 AND e.slug = ?2
                   UNION SELECT a.entity_id FROM entity_alias AS a WHERE a.agent_id = ?1 AND a.alias = ?2)
                   ORDER BY x.number DESC LIMIT ?3";
        self.connection
            .query(sql, values![self.agent_id, slug, i64::from(limit)], |row| Ok(row.int(0)? as u32))
    }

    /// The relations from and to a memory.
    pub fn relations(&mut self, number: u32) -> Result<Vec<RelationRecord>> {
        let sql = "SELECT from_number, to_number, kind, confidence, reason FROM relation
                   WHERE agent_id = ?1 AND from_number = ?2
                   UNION ALL SELECT from_number, to_number, kind, confidence, reason FROM relation
                   WHERE agent_id = ?1 AND to_number = ?2 ORDER BY 1, 2, 3";
        self.connection.query(sql, values![self.agent_id, i64::from(number)], |row| {
            Ok(RelationRecord {
                from: row.int(0)? as u32,
                to: row.int(1)? as u32,
                kind: stored(row.str(2)?)?,
                confidence: row.float(3)?,
                reason: row.text(4)?,
            })
        })
    }
}

fn read_statement(row: &crate::database::Row<'_>) -> Result<StatementRecord> {
    Ok(StatementRecord {
        number: row.int(0)? as u32,
        subject: row.text(1)?,
        attribute: row.text(2)?,
        value: row.text(3)?,
        negated: row.int(4)? == 1,
        single: row.int(5)? == 1,
        confidence: row.float(6)?,
        pending: row.int(7)? == 1,
    })
}

fn read_entity(row: &crate::database::Row<'_>) -> Result<EntityRecord> {
    Ok(EntityRecord {
        id: row.int(0)? as u32,
        kind: stored(row.str(1)?)?,
        slug: row.text(2)?,
        name: row.text(3)?,
        first_seen: Time::from_millis(row.int(4)?),
        mentions: row.int(5)? as u32,
    })
}

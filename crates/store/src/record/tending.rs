//! Pages of memories for rhythms to read, and the few columns they write. Whether something is written, and what,
//! was decided elsewhere.

use super::{
    columns::{StoredRecord, columns, insert_statement, read_record},
    graph::{RelationKey, relation_columns},
    memory::{memory_columns, read_memory, select_memory},
    pair,
};
use crate::{EntityRecord, MemoryRecord, RelationRecord, Result, database::values, transaction::Tx};
use cairn_domain::{MemoryId, RelationKind, Time};
use std::sync::LazyLock;

/// How a memory stood when it was last reviewed in its layer.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewRecord {
    /// The memory.
    pub number: u32,
    /// The layer it was reviewed in.
    pub layer: String,
    /// When.
    pub evaluated_at: Time,
    /// When it is due again.
    pub next_review_at: Time,
    /// Reviews in a row that left it as it was.
    pub unchanged: u32,
    /// How it scored.
    pub score: f64,
    /// Why it was promoted, demoted or left as it was.
    pub motivation: String,
}

/// One of the memories that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterRecord {
    /// The place of its cluster among all.
    pub place: u32,
    /// Name of the bond that holds the cluster together.
    pub name: String,
    /// The memory.
    pub number: u32,
}

/// A column of a memory that holds a number and that rhythms write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberColumn {
    Stability,
    Utility,
}

/// A column of a memory that holds a word and that rhythms write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordColumn {
    Tier,
    Status,
    Layer,
}

pub(crate) fn set_memory_numbers(
    tx: &mut Tx<'_>,
    column: NumberColumn,
    numbers: &[(u32, f64)],
) -> Result<()> {
    let sql = match column {
        NumberColumn::Utility => "UPDATE memory SET utility = ?3 WHERE agent_id = ?1 AND number = ?2",
        NumberColumn::Stability => "UPDATE memory SET stability = ?3 WHERE agent_id = ?1 AND number = ?2",
    };
    let row = |(number, value): &(u32, f64)| values![tx.agent_id, i64::from(*number), *value].to_vec();
    let rows: Vec<Vec<_>> = numbers.iter().map(row).collect();
    tx.execute_each(sql, &rows)
}

pub(crate) fn set_memory_word(tx: &mut Tx<'_>, column: WordColumn, number: u32, word: &str) -> Result<()> {
    let sql = match column {
        WordColumn::Tier => "UPDATE memory SET tier = ?3 WHERE agent_id = ?1 AND number = ?2",
        WordColumn::Layer => "UPDATE memory SET layer = ?3 WHERE agent_id = ?1 AND number = ?2",
        WordColumn::Status => "UPDATE memory SET status = ?3 WHERE agent_id = ?1 AND number = ?2",
    };
    tx.execute(sql, values![tx.agent_id, i64::from(number), word]).map(drop)
}

pub(crate) fn insert_rehearsal(tx: &mut Tx<'_>, number: u32, at: Time) -> Result<()> {
    let sql = "INSERT INTO rehearsal (agent_id, number, rehearsed_at, times) VALUES (?1, ?2, ?3, 1)
               ON CONFLICT (agent_id, number) DO UPDATE SET rehearsed_at = ?3, times = rehearsal.times + 1";
    tx.execute(sql, values![tx.agent_id, i64::from(number), at.millis()]).map(drop)
}

pub(crate) fn set_confidence(tx: &mut Tx<'_>, relation: RelationKey, confidence: f64) -> Result<()> {
    let RelationKey { from, to, kind } = relation;
    let sql = "UPDATE relation SET confidence = ?5 WHERE agent_id = ?1 AND from_number = ?2 AND to_number = ?3 AND kind = ?4";
    let values = values![tx.agent_id, i64::from(from), i64::from(to), kind.as_str(), confidence];
    tx.execute(sql, values).map(drop)
}

pub(crate) fn delete_relation(tx: &mut Tx<'_>, relation: RelationKey) -> Result<()> {
    let RelationKey { from, to, kind } = relation;
    let sql =
        "DELETE FROM relation WHERE agent_id = ?1 AND from_number = ?2 AND to_number = ?3 AND kind = ?4";
    tx.execute(sql, values![tx.agent_id, i64::from(from), i64::from(to), kind.as_str()]).map(drop)
}

pub(crate) fn delete_tag(tx: &mut Tx<'_>, number: u32) -> Result<()> {
    let sql = "DELETE FROM synaptic_tag WHERE agent_id = ?1 AND number = ?2";
    tx.execute(sql, values![tx.agent_id, i64::from(number)]).map(drop)
}

/// The name of a memory.
pub(crate) fn memory_id(tx: &mut Tx<'_>, number: u32) -> Result<Option<MemoryId>> {
    let sql = "SELECT memory_id FROM memory WHERE agent_id = ?1 AND number = ?2";
    tx.first(sql, values![tx.agent_id, i64::from(number)], |row| {
        row.byte_array(0, "memory.memory_id").map(MemoryId::from_bytes)
    })
}

/// Replaces what belongs together.
pub(crate) fn set_clusters(tx: &mut Tx<'_>, clusters: &[ClusterRecord]) -> Result<()> {
    tx.execute("DELETE FROM cluster WHERE agent_id = ?1", values![tx.agent_id])?;
    let sql = "INSERT INTO cluster (agent_id, place, number, name) VALUES (?1, ?2, ?3, ?4)";
    let mut rows = Vec::with_capacity(clusters.len());
    for ClusterRecord { place, name, number } in clusters {
        rows.push(values![tx.agent_id, i64::from(*place), i64::from(*number), name.as_str()].to_vec());
    }
    tx.execute_each(sql, &rows)
}

pub(crate) fn set_review(tx: &mut Tx<'_>, review: &ReviewRecord) -> Result<()> {
    let mut values = values![tx.agent_id].to_vec();
    values.extend(review.column_values());
    tx.execute(&SET_REVIEW, &values).map(drop)
}

static SET_REVIEW: LazyLock<String> = LazyLock::new(|| {
    let insert = insert_statement("review", &[], ReviewRecord::COLUMNS);
    format!(
        "{insert} ON CONFLICT (agent_id, number) DO UPDATE SET layer = excluded.layer,
         evaluated_at = excluded.evaluated_at, next_review_at = excluded.next_review_at,
         unchanged = excluded.unchanged, score = excluded.score, motivation = excluded.motivation"
    )
});

columns! {
    review_columns: ReviewRecord, "review" as "review" {
        number: number "number",
        layer: text "layer",
        evaluated_at: time "evaluated_at",
        next_review_at: time "next_review_at",
        unchanged: number "unchanged",
        score: float "score",
        motivation: text "motivation",
    }
}

impl Tx<'_> {
    /// The next memories from `number` on that are neither replaced, deprecated nor dormant.
    pub fn active(&mut self, number: u32, limit: u32) -> Result<Vec<MemoryRecord>> {
        let sql = select_memory!(
            "AND m.number >= ?2 AND m.status IN ('new', 'current') AND m.tier <> 'dormant' ORDER BY m.number LIMIT ?3"
        );
        let values = values![self.agent_id, i64::from(number), i64::from(limit)];
        self.query(sql, values, read_memory)
    }

    /// The next memories from `number` on, whatever their state.
    pub fn memories_onward(&mut self, number: u32, limit: u32) -> Result<Vec<MemoryRecord>> {
        let sql = select_memory!("AND m.number >= ?2 ORDER BY m.number LIMIT ?3");
        let values = values![self.agent_id, i64::from(number), i64::from(limit)];
        self.query(sql, values, read_memory)
    }

    /// How many memories are active, and how often they were used on average.
    pub fn active_memories(&mut self) -> Result<(u64, f64)> {
        let sql = "SELECT COUNT(*), CAST(COALESCE(SUM(accesses), 0) AS DOUBLE PRECISION) FROM memory
                   WHERE agent_id = ?1 AND status IN ('new', 'current') AND tier <> 'dormant'";
        let found = self.first(sql, values![self.agent_id], |row| Ok((row.int(0)?, row.float(1)?)))?;
        let (count, accesses) = found.unwrap_or((0, 0.0));
        Ok((count as u64, if count > 0 { accesses / count as f64 } else { 0.0 }))
    }

    /// Active memories whose time is over, from `number` on.
    pub fn run_out(&mut self, now: Time, number: u32, limit: u32) -> Result<Vec<MemoryRecord>> {
        let sql = select_memory!(
            "AND m.number >= ?2 AND m.temporal_type = 'time_bounded' AND m.valid_until <= ?3
             AND m.status IN ('new', 'current', 'deprecated') ORDER BY m.number LIMIT ?4"
        );
        let values = values![self.agent_id, i64::from(number), now.millis(), i64::from(limit)];
        self.query(sql, values, read_memory)
    }

    /// The next relations of this kind between two active memories, from those of memory `number` on.
    pub fn relations_of_kind(
        &mut self,
        kind: RelationKind,
        number: u32,
        limit: u32,
    ) -> Result<Vec<(RelationRecord, MemoryRecord, MemoryRecord)>> {
        let sql = concat!(
            "SELECT ",
            relation_columns!(),
            " FROM relation AS r
                   JOIN memory AS a ON a.agent_id = r.agent_id AND a.number = r.from_number
                   JOIN memory AS b ON b.agent_id = r.agent_id AND b.number = r.to_number
                   WHERE r.agent_id = ?1 AND r.from_number >= ?2 AND r.kind = ?3
                   AND a.status IN ('new', 'current') AND a.tier <> 'dormant'
                   AND b.status IN ('new', 'current') AND b.tier <> 'dormant'
                   ORDER BY r.from_number, r.to_number LIMIT ?4"
        );
        let values = values![self.agent_id, i64::from(number), kind.as_str(), i64::from(limit)];
        let found = self.query(sql, values, read_record)?;
        self.with_ends(found)
    }

    /// Pairs of active memories that are related so, at most `limit`.
    pub fn related_pairs(&mut self, kind: RelationKind, limit: u32) -> Result<Vec<(u32, u32)>> {
        let sql = "SELECT r.from_number, r.to_number FROM relation AS r
                   JOIN memory AS a ON a.agent_id = r.agent_id AND a.number = r.from_number
                   JOIN memory AS b ON b.agent_id = r.agent_id AND b.number = r.to_number
                   WHERE r.agent_id = ?1 AND r.kind = ?2 AND a.status IN ('new', 'current') AND a.tier <> 'dormant'
                   AND b.status IN ('new', 'current') AND b.tier <> 'dormant'
                   ORDER BY r.from_number, r.to_number LIMIT ?3";
        let values = values![self.agent_id, kind.as_str(), i64::from(limit)];
        self.query(sql, values, pair)
    }

    /// Relations between two memories that were both used after `since`, at most `limit`.
    pub fn relations_used_since(
        &mut self,
        since: Time,
        limit: u32,
    ) -> Result<Vec<(RelationRecord, MemoryRecord, MemoryRecord)>> {
        let sql = concat!(
            "SELECT ",
            relation_columns!(),
            " FROM memory AS a
                   JOIN relation AS r ON r.agent_id = a.agent_id AND r.from_number = a.number
                   JOIN memory AS b ON b.agent_id = r.agent_id AND b.number = r.to_number
                   WHERE a.agent_id = ?1 AND a.accessed_at > ?2 AND b.accessed_at > ?2 AND a.accesses > 0
                   AND b.accesses > 0 AND a.status IN ('new', 'current') AND b.status IN ('new', 'current')
                   AND a.tier <> 'dormant' AND b.tier <> 'dormant' ORDER BY a.accessed_at DESC, r.from_number, r.to_number
                   LIMIT ?3"
        );
        let values = values![self.agent_id, since.millis(), i64::from(limit)];
        let found = self.query(sql, values, read_record)?;
        self.with_ends(found)
    }

    /// Active memories that belong to one that was used after `since`: related to it, or naming an entity that it names and
    /// that is named at most `most_mentions` times in all. The weightiest first.
    pub fn neighbours_of_used(
        &mut self,
        since: Time,
        most_mentions: u32,
        limit: u32,
    ) -> Result<Vec<MemoryRecord>> {
        let sql = "SELECT m.number FROM (
                   SELECT r.to_number AS number FROM memory AS a
                   JOIN relation AS r ON r.agent_id = a.agent_id AND r.from_number = a.number
                   WHERE a.agent_id = ?1 AND a.accessed_at > ?2 AND a.accesses > 0
                   AND r.kind NOT IN ('supersedes', 'contradicts')
                   UNION SELECT r.from_number FROM memory AS a
                   JOIN relation AS r ON r.agent_id = a.agent_id AND r.to_number = a.number
                   WHERE a.agent_id = ?1 AND a.accessed_at > ?2 AND a.accesses > 0
                   AND r.kind NOT IN ('supersedes', 'contradicts')
                   UNION SELECT y.number FROM memory AS a
                   JOIN mention AS x ON x.agent_id = a.agent_id AND x.number = a.number
                   JOIN entity AS e ON e.agent_id = x.agent_id AND e.entity_id = x.entity_id AND e.mentions <= ?3
                   JOIN mention AS y ON y.agent_id = e.agent_id AND y.entity_id = e.entity_id AND y.number <> a.number
                   WHERE a.agent_id = ?1 AND a.accessed_at > ?2 AND a.accesses > 0) AS near
                   JOIN memory AS m ON m.agent_id = ?1 AND m.number = near.number
                   WHERE m.status IN ('new', 'current') AND m.tier <> 'dormant'
                   ORDER BY m.importance DESC, m.number LIMIT ?4";
        let values = values![self.agent_id, since.millis(), i64::from(most_mentions), i64::from(limit)];
        let numbers = self.query(sql, values, |row| Ok(row.int(0)? as u32))?;
        self.memories_at(&numbers)
    }

    fn with_ends(
        &mut self,
        relations: Vec<RelationRecord>,
    ) -> Result<Vec<(RelationRecord, MemoryRecord, MemoryRecord)>> {
        let mut all = Vec::with_capacity(relations.len());
        for relation in relations {
            let mut ends = self.memories_at(&[relation.from, relation.to])?.into_iter();
            if let (Some(from), Some(to)) = (ends.next(), ends.next()) {
                all.push((relation, from, to));
            }
        }
        Ok(all)
    }

    /// Memories with more than `most` relations, from `number` on, with how many.
    pub fn crowded(&mut self, most: u32, number: u32, limit: u32) -> Result<Vec<(u32, u32)>> {
        let sql = "SELECT from_number, COUNT(*) FROM relation WHERE agent_id = ?1 AND from_number >= ?2
                   GROUP BY from_number HAVING COUNT(*) > ?3 ORDER BY from_number LIMIT ?4";
        let values = values![self.agent_id, i64::from(number), i64::from(most), i64::from(limit)];
        self.query(sql, values, pair)
    }

    /// Tags that were captured or whose time is over at `now`: their memories.
    pub fn spent_tags(&mut self, now: Time, limit: u32) -> Result<Vec<u32>> {
        let sql = "SELECT number FROM synaptic_tag WHERE agent_id = ?1 AND (captured = 1 OR tagged_at + ttl_ms < ?2)
                   ORDER BY number LIMIT ?3";
        let values = values![self.agent_id, now.millis(), i64::from(limit)];
        self.query(sql, values, |row| Ok(row.int(0)? as u32))
    }

    /// When each memory that was rehearsed after `since` was.
    pub fn rehearsals_since(&mut self, since: Time) -> Result<Vec<(u32, Time)>> {
        let sql = "SELECT number, rehearsed_at FROM rehearsal WHERE agent_id = ?1 AND rehearsed_at > ?2 ORDER BY number";
        self.query(sql, values![self.agent_id, since.millis()], |row| {
            Ok((row.int(0)? as u32, Time::from_millis(row.int(1)?)))
        })
    }

    /// The entities that at least `least` active memories name which were used at least once.
    pub fn shared_entities(&mut self, least: u32) -> Result<Vec<u32>> {
        let sql = "SELECT x.entity_id FROM mention AS x JOIN memory AS m ON m.agent_id = x.agent_id AND m.number = x.number
                   WHERE x.agent_id = ?1 AND m.status IN ('new', 'current') AND m.tier <> 'dormant'
                   AND m.accesses >= 1 GROUP BY x.entity_id HAVING COUNT(*) >= ?2 ORDER BY x.entity_id";
        self.query(sql, values![self.agent_id, i64::from(least)], |row| Ok(row.int(0)? as u32))
    }

    /// The entities of the memories `from ..= to`: memory and entity.
    pub fn mentions_between(&mut self, from: u32, to: u32) -> Result<Vec<(u32, u32)>> {
        let sql =
            "SELECT number, entity_id FROM mention WHERE agent_id = ?1 AND number >= ?2 AND number <= ?3
                   ORDER BY number, entity_id";
        let values = values![self.agent_id, i64::from(from), i64::from(to)];
        self.query(sql, values, pair)
    }

    /// The entity with this number.
    pub fn entity_at(&mut self, entity: u32) -> Result<Option<EntityRecord>> {
        let sql = "SELECT slug FROM entity WHERE agent_id = ?1 AND entity_id = ?2";
        let slug = self.first(sql, values![self.agent_id, i64::from(entity)], |row| row.text(0))?;
        slug.map_or(Ok(None), |slug| self.entity(&slug))
    }

    /// The clusters that the last dream found, from cluster `place` on and at most `limit` memories.
    pub fn clusters(&mut self, place: u32, limit: u32) -> Result<Vec<ClusterRecord>> {
        let sql = "SELECT place, name, number FROM cluster WHERE agent_id = ?1 AND place >= ?2 ORDER BY place, number LIMIT ?3";
        let values = values![self.agent_id, i64::from(place), i64::from(limit)];
        self.query(sql, values, |row| {
            Ok(ClusterRecord { place: row.int(0)? as u32, name: row.text(1)?, number: row.int(2)? as u32 })
        })
    }

    /// The active memories of a layer that were never reviewed in it or are due again, from `number` on.
    pub fn due_for_review(
        &mut self,
        layer: &str,
        now: Time,
        number: u32,
        limit: u32,
    ) -> Result<Vec<(MemoryRecord, Option<ReviewRecord>)>> {
        let sql = "SELECT m.number FROM memory AS m LEFT JOIN review AS v ON v.agent_id = m.agent_id AND v.number = m.number
                   WHERE m.agent_id = ?1 AND m.layer = ?2 AND m.number >= ?3 AND m.status IN ('new', 'current')
                   AND m.tier <> 'dormant' AND (v.next_review_at IS NULL OR v.next_review_at <= ?4 OR v.layer <> ?2)
                   ORDER BY m.number LIMIT ?5";
        let values = values![self.agent_id, layer, i64::from(number), now.millis(), i64::from(limit)];
        let numbers = self.query(sql, values, |row| Ok(row.int(0)? as u32))?;
        let mut due = Vec::with_capacity(numbers.len());
        for record in self.memories_at(&numbers)? {
            let review = self.review(record.number)?;
            due.push((record, review));
        }
        Ok(due)
    }

    /// How a memory stood when it was last reviewed.
    pub fn review(&mut self, number: u32) -> Result<Option<ReviewRecord>> {
        let sql = concat!("SELECT ", review_columns!(), " FROM review WHERE agent_id = ?1 AND number = ?2");
        self.first(sql, values![self.agent_id, i64::from(number)], read_record)
    }
}

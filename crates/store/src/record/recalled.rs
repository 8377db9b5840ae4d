//! Links that recall follows: from the messages it found to the memories that rest on them, and from the memories it found
//! to the messages those rest on. Also notes which memories were given.

use super::pair;
use crate::{
    Result, Store,
    database::{Value, values, wide},
    transaction::Tx,
};
use cairn_domain::{Memory, Time};
use std::time::Duration;

/// How long taking note waits for another process.
const GIVE_PATIENCE: Duration = Duration::from_secs(2);
/// A pair is counted up to this.
const MAX_PAIR_COUNT: i64 = 1_000;

impl Store {
    /// Takes note that memories were given, with how well they are stored from now on, and which were given together.
    /// Nothing else about them moves. Where nobody can write at the moment it is left out: no answer waits for it.
    pub async fn give(&self, given: Vec<(u32, Memory)>, together: Vec<(u32, u32)>, now: Time) -> Result<()> {
        self.writer
            .run_within(GIVE_PATIENCE, move |tx| {
                let sql = "UPDATE memory SET storage = ?3, stability = ?4, accesses = accesses + 1, accessed_at = ?5,
                           surfaced = surfaced + 1 WHERE agent_id = ?1 AND number = ?2";
                for (number, memory) in &given {
                    let Memory { storage, stability, .. } = *memory;
                    let number = i64::from(*number);
                    tx
                        .execute(sql, values![tx.agent_id, number, storage, stability, now.millis()])?;
                }
                let sql = "INSERT INTO given_together (agent_id, one, other, times) VALUES (?1, ?2, ?3, 1)
                           ON CONFLICT (agent_id, one, other) DO UPDATE SET times = given_together.times + 1
                           WHERE given_together.times < ?4";
                let row = |(one, other): &(u32, u32)| {
                    values![tx.agent_id, i64::from(*one), i64::from(*other), MAX_PAIR_COUNT].to_vec()
                };
                tx.execute_each(sql, &together.iter().map(row).collect::<Vec<_>>())?;
                Ok(())
            })
            .await
            .map(drop)
    }
}

impl Tx<'_> {
    /// Which memories rest on which of these messages: seq and number, in the order of the messages.
    pub fn memories_on_messages(&mut self, seqs: &[u32]) -> Result<Vec<(u32, u32)>> {
        let sql = "SELECT m.seq, e.owner FROM message AS m JOIN evidence AS e ON e.agent_id = m.agent_id
                   AND e.message_id = m.message_id AND e.owner_kind = 'memory' AND e.stance = 'support'
                   WHERE m.agent_id = ?1 AND m.seq = ANY(?2) ORDER BY m.seq, e.owner";
        self.pairs(sql, seqs)
    }

    /// On which messages these memories rest: number and seq, what was said first comes first.
    pub fn messages_of_memories(&mut self, numbers: &[u32]) -> Result<Vec<(u32, u32)>> {
        let sql = "SELECT e.owner, m.seq FROM evidence AS e JOIN message AS m ON m.agent_id = e.agent_id
                   AND m.message_id = e.message_id WHERE e.agent_id = ?1 AND e.owner_kind = 'memory'
                   AND e.stance = 'support' AND e.owner = ANY(?2) ORDER BY e.owner, m.seq";
        self.pairs(sql, numbers)
    }

    /// The memories that relations lead to from these, and to these from others: both ends.
    pub fn related_to(&mut self, numbers: &[u32]) -> Result<Vec<(u32, u32)>> {
        let sql = "SELECT from_number, to_number FROM relation WHERE agent_id = ?1 AND from_number = ANY(?2)
                   UNION SELECT from_number, to_number FROM relation WHERE agent_id = ?1 AND to_number = ANY(?2)
                   ORDER BY 1, 2";
        self.pairs(sql, numbers)
    }

    /// The entities that these memories name: number and entity.
    pub fn names_in(&mut self, numbers: &[u32]) -> Result<Vec<(u32, u32)>> {
        let sql = "SELECT number, entity_id FROM mention WHERE agent_id = ?1 AND number = ANY(?2)
                   ORDER BY number, entity_id";
        self.pairs(sql, numbers)
    }

    /// The newest memories that name each of these entities, up to a limit for each: entity and number.
    pub fn naming(&mut self, entities: &[u32], each: u32) -> Result<Vec<(u32, u32)>> {
        let sql = "SELECT entity_id, number FROM mention WHERE agent_id = ?1 AND entity_id = ?2
                   ORDER BY number DESC LIMIT ?3";
        let row = |entity: &u32| values![self.agent_id, i64::from(*entity), i64::from(each)].to_vec();
        let rows: Vec<Vec<Value<'_>>> = entities.iter().map(row).collect();
        Ok(self.query_each(sql, &rows, pair)?.into_iter().flatten().collect())
    }

    /// Which two of these memories were often given together, the smaller number first.
    pub fn given_together(&mut self, numbers: &[u32], at_least: u32) -> Result<Vec<(u32, u32)>> {
        let sql = "SELECT one, other FROM given_together WHERE agent_id = ?1 AND one = ANY(?2)
                   AND times >= ?3 ORDER BY one, other";
        let wanted = wide(numbers);
        let values = values![self.agent_id, wanted.as_slice(), i64::from(at_least)];
        let mut found = self.query(sql, values, pair)?;
        found.retain(|(_, other)| numbers.contains(other));
        Ok(found)
    }

    /// Runs a query whose rows are pairs of numbers.
    fn pairs(&mut self, sql: &str, numbers: &[u32]) -> Result<Vec<(u32, u32)>> {
        self.query(sql, values![self.agent_id, wide(numbers).as_slice()], pair)
    }
}

//! What recall asks about memories: which rest on the messages it found, and on which messages those rest that it found
//! by themselves.

use crate::{
    Result, Store, View,
    database::{Row, values},
};
use cairn_domain::{Memory, Time};

impl Store {
    /// Takes note that memories were given, with how well they are stored from now on. Nothing else about them moves.
    pub async fn give(&self, given: Vec<(u32, Memory)>, now: Time) -> Result<()> {
        self.writer
            .run(move |connection, shared| {
                let sql = "UPDATE memory SET storage = ?3, stability = ?4, accesses = accesses + 1, accessed_at = ?5,
                           surfaced = surfaced + 1 WHERE agent_id = ?1 AND number = ?2";
                for (number, memory) in &given {
                    let Memory { storage, stability, .. } = *memory;
                    let number = i64::from(*number);
                    connection
                        .execute(sql, values![shared.agent_id, number, storage, stability, now.millis()])?;
                }
                Ok(())
            })
            .await
    }
}

impl View<'_> {
    /// Which memories rest on which of these messages: seq and number, in the order of the messages.
    pub fn memories_on_messages(&mut self, seqs: &[u32]) -> Result<Vec<(u32, u32)>> {
        macro_rules! on_messages {
            ($which:literal) => {
                concat!(
                    "SELECT m.seq, e.owner FROM message AS m JOIN evidence AS e ON e.agent_id = m.agent_id
                     AND e.message_id = m.message_id AND e.owner_kind = 'memory' AND e.stance = 'support'
                     WHERE m.agent_id = ?1 AND m.seq ",
                    $which,
                    " ORDER BY m.seq, e.owner"
                )
            };
        }
        self.pairs((on_messages!("= ?2"), on_messages!("= ANY(?2)")), seqs)
    }

    /// On which messages these memories rest: number and seq, what was said first comes first.
    pub fn messages_of_memories(&mut self, numbers: &[u32]) -> Result<Vec<(u32, u32)>> {
        macro_rules! of_memories {
            ($which:literal) => {
                concat!(
                    "SELECT e.owner, m.seq FROM evidence AS e JOIN message AS m ON m.agent_id = e.agent_id
                     AND m.message_id = e.message_id WHERE e.agent_id = ?1 AND e.owner_kind = 'memory'
                     AND e.stance = 'support' AND e.owner ",
                    $which,
                    " ORDER BY e.owner, m.seq"
                )
            };
        }
        self.pairs((of_memories!("= ?2"), of_memories!("= ANY(?2)")), numbers)
    }

    /// What two numbers belong together: a statement for each number, or one for all where each would be a way to a server.
    fn pairs(&mut self, (for_one, for_all): (&str, &str), numbers: &[u32]) -> Result<Vec<(u32, u32)>> {
        let read = |row: &Row<'_>| Ok((row.int(0)? as u32, row.int(1)? as u32));
        if self.connection.postgres().is_some() {
            let wanted: Vec<i64> = numbers.iter().map(|number| i64::from(*number)).collect();
            return self.connection.query(for_all, values![self.agent_id, wanted.as_slice()], read);
        }
        let mut pairs = Vec::new();
        for number in numbers {
            let found = self.connection.query(for_one, values![self.agent_id, i64::from(*number)], read)?;
            pairs.extend(found);
        }
        Ok(pairs)
    }
}

//! Evidence: what a record rests on, down to the words.

use super::message::stored;
use crate::{
    Result, View,
    database::{Connection, values},
};
use cairn_domain::{Evidence, MessageId, Time};

/// What kinds of record rest on evidence.
pub(crate) const MEMORY: &str = "memory";

/// Links evidence to a record, after what is linked already: nothing, if it is new. The same source is linked once.
pub(crate) fn insert_evidence(
    connection: &mut Connection,
    agent_id: i64,
    (owner_kind, owner): (&str, u32),
    new: bool,
    evidence: &[Evidence],
) -> Result<()> {
    if evidence.is_empty() {
        return Ok(());
    }
    let owner = i64::from(owner);
    let mut known = Vec::new();
    if !new {
        let sql =
            "SELECT source, quote_hash FROM evidence WHERE agent_id = ?1 AND owner_kind = ?2 AND owner = ?3";
        known = connection
            .query(sql, values![agent_id, owner_kind, owner], |row| Ok((row.text(0)?, row.text(1)?)))?;
    }
    let sql = "INSERT INTO evidence (agent_id, owner_kind, owner, place, source, message_id, stance, weight, role, excerpt,
               quote_hash, root, recorded_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    for one in evidence {
        let quote = (one.source.clone(), one.quote_hash());
        if known.contains(&quote) {
            continue;
        }
        let message = one.source.parse::<MessageId>().ok().map(|id| *id.bytes());
        let values = values![
            agent_id,
            owner_kind,
            owner,
            known.len() as i64,
            one.source.as_str(),
            message.as_ref().map(<[u8; 16]>::as_slice),
            one.stance.as_str(),
            one.weight,
            one.role.as_str(),
            one.excerpt.as_str(),
            quote.1.as_str(),
            one.root.as_str(),
            one.recorded_at.millis(),
        ];
        connection.later(sql, values)?;
        known.push(quote);
    }
    Ok(())
}

/// Says where in their source the words of a memory stand now.
pub(crate) fn cite(
    connection: &mut Connection,
    agent_id: i64,
    number: u32,
    root: &str,
    source: &str,
) -> Result<()> {
    let sql = "UPDATE evidence SET source = ?5 WHERE agent_id = ?1 AND owner_kind = ?2 AND owner = ?3 AND root = ?4";
    connection.execute(sql, values![agent_id, MEMORY, i64::from(number), root, source]).map(drop)
}

impl View<'_> {
    /// What a memory rests on, in the order in which it was linked.
    pub fn evidence_of(&mut self, number: u32) -> Result<Vec<Evidence>> {
        let sql = "SELECT source, stance, weight, role, excerpt, root, recorded_at FROM evidence
                   WHERE agent_id = ?1 AND owner_kind = ?2 AND owner = ?3 ORDER BY place";
        self.connection.query(sql, values![self.agent_id, MEMORY, i64::from(number)], |row| {
            Ok(Evidence {
                source: row.text(0)?,
                stance: stored(row.str(1)?)?,
                weight: row.float(2)?,
                role: row.text(3)?,
                excerpt: row.text(4)?,
                root: row.text(5)?,
                recorded_at: Time::from_millis(row.int(6)?),
            })
        })
    }

    /// The memories that rest on a message.
    pub fn memories_on(&mut self, message: MessageId) -> Result<Vec<u32>> {
        let sql =
            "SELECT DISTINCT owner FROM evidence WHERE agent_id = ?1 AND message_id = ?2 AND owner_kind = ?3
                   ORDER BY owner";
        let values = values![self.agent_id, message.bytes().as_slice(), MEMORY];
        self.connection.query(sql, values, |row| Ok(row.int(0)? as u32))
    }
}

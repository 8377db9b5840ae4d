//! Evidence: what a record rests on, down to the words.

use super::{
    columns::{StoredRecord, columns, insert_statement, read_record},
    memory_writer::TargetMemory,
};
use crate::{
    Result,
    database::{Value, values},
    transaction::Tx,
};
use cairn_domain::{Evidence, MessageId};
use std::sync::LazyLock;

/// The kind of record that rests on evidence.
pub(crate) const MEMORY: &str = "memory";

/// Links evidence to a memory, after what is linked already. The same source is linked once.
pub(crate) fn insert_evidence(tx: &mut Tx<'_>, target: TargetMemory, evidence: &[Evidence]) -> Result<()> {
    if evidence.is_empty() {
        return Ok(());
    }
    let owner = i64::from(target.number());
    let mut known = Vec::new();
    if !target.is_new() {
        let sql =
            "SELECT source, quote_hash FROM evidence WHERE agent_id = ?1 AND owner_kind = ?2 AND owner = ?3";
        known = tx.query(sql, values![tx.agent_id, MEMORY, owner], |row| Ok((row.text(0)?, row.text(1)?)))?;
    }
    for one in evidence {
        let quote = (one.source.clone(), one.quote_hash());
        if known.contains(&quote) {
            continue;
        }
        let message = one.source.parse::<MessageId>().ok().map(|id| *id.bytes());
        let (place, message) = (known.len() as i64, message.as_ref().map(<[u8; 16]>::as_slice));
        let mut values = values![tx.agent_id, MEMORY, owner, place, message, quote.1.as_str()].to_vec();
        values.extend(one.column_values());
        tx.later(&INSERT_EVIDENCE, &values)?;
        known.push(quote);
    }
    Ok(())
}

static INSERT_EVIDENCE: LazyLock<String> = LazyLock::new(|| {
    let own = ["owner_kind", "owner", "place", "message_id", "quote_hash"];
    insert_statement("evidence", &own, Evidence::COLUMNS)
});

columns! {
    evidence_columns: Evidence, "evidence" as "evidence" {
        source: text "source",
        stance: word "stance",
        weight: float "weight",
        role: text "role",
        excerpt: text "excerpt",
        root: text "root",
        recorded_at: time "recorded_at",
    }
}

/// Says where in their source the words of a memory stand now.
pub(crate) fn cite(tx: &mut Tx<'_>, number: u32, root: &str, source: &str) -> Result<()> {
    let sql = "UPDATE evidence SET source = ?5 WHERE agent_id = ?1 AND owner_kind = ?2 AND owner = ?3 AND root = ?4";
    tx.execute(sql, values![tx.agent_id, MEMORY, i64::from(number), root, source]).map(drop)
}

impl Tx<'_> {
    /// The evidence of a memory, in the order in which it was linked.
    pub fn evidence_of(&mut self, number: u32) -> Result<Vec<Evidence>> {
        let sql = concat!(
            "SELECT ",
            evidence_columns!(),
            " FROM evidence WHERE agent_id = ?1 AND owner_kind = ?2 AND owner = ?3 ORDER BY place"
        );
        self.query(sql, values![self.agent_id, MEMORY, i64::from(number)], read_record)
    }

    /// The evidence of some memories, each with the number of its memory, in the order in which it was linked.
    pub fn evidence_of_each(&mut self, numbers: &[u32]) -> Result<Vec<(u32, Evidence)>> {
        let sql = concat!(
            "SELECT ",
            evidence_columns!(),
            ", owner FROM evidence WHERE agent_id = ?1 AND owner_kind = ?2 AND owner = ANY(?3) ORDER BY owner, place"
        );
        let owners: Vec<i64> = numbers.iter().map(|number| i64::from(*number)).collect();
        let values = [Value::Int(self.agent_id), Value::Text(MEMORY), Value::Ints(&owners)];
        let owner_column = Evidence::COLUMNS.len();
        self.query(sql, &values, |row| Ok((row.int(owner_column)? as u32, read_record(row)?)))
    }

    /// The memories that rest on a message.
    pub fn memories_on(&mut self, message: MessageId) -> Result<Vec<u32>> {
        let sql =
            "SELECT DISTINCT owner FROM evidence WHERE agent_id = ?1 AND message_id = ?2 AND owner_kind = ?3
                   ORDER BY owner";
        let values = values![self.agent_id, message.bytes().as_slice(), MEMORY];
        self.query(sql, values, |row| Ok(row.int(0)? as u32))
    }
}

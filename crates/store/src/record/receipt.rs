//! The ledger: receipts, each behind the hash of the one before it.

use super::message::stored;
use crate::{
    Result, StoreError, View,
    database::{Connection, Row, values},
};
use cairn_domain::{FIRST_LINK, Receipt, ReceiptDetail, ReceiptHash, Time};

/// Where the ledger ends.
pub(crate) struct LedgerEnd {
    pub(crate) number: u64,
    pub(crate) hash: ReceiptHash,
}

/// A receipt as it is kept.
pub(crate) struct StoredReceipt {
    pub(crate) receipt: Receipt,
    /// What it tells, unless that was erased.
    pub(crate) detail: Option<String>,
    pub(crate) told: ReceiptHash,
    pub(crate) previous: ReceiptHash,
    pub(crate) hash: ReceiptHash,
}

pub(crate) fn ledger_end(connection: &mut Connection, agent_id: i64) -> Result<LedgerEnd> {
    let sql = "SELECT number, hash FROM receipt WHERE agent_id = ?1 ORDER BY number DESC LIMIT 1";
    let end = connection.first(sql, values![agent_id], |row| {
        Ok(LedgerEnd { number: row.int(0)? as u64, hash: hash(row, 1)? })
    })?;
    Ok(end.unwrap_or(LedgerEnd { number: 0, hash: FIRST_LINK }))
}

/// Writes a receipt behind the last one; its number is given here.
pub(crate) fn insert_receipt(
    connection: &mut Connection,
    agent_id: i64,
    end: &mut LedgerEnd,
    receipt: Receipt,
) -> Result<()> {
    let receipt = Receipt { number: end.number + 1, ..receipt };
    let detail = receipt.told.text();
    let told = ReceiptDetail::hash(&detail);
    let hash = receipt.link(&end.hash, &told);
    let sql = "INSERT INTO receipt (agent_id, number, at, actor, action, subject, told, previous, hash)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let values = values![
        agent_id,
        receipt.number as i64,
        receipt.at.millis(),
        receipt.actor.as_str(),
        receipt.action.as_str(),
        receipt.subject.as_str(),
        told.as_slice(),
        end.hash.as_slice(),
        hash.as_slice(),
    ];
    connection.execute(sql, values)?;
    let sql = "INSERT INTO receipt_detail (agent_id, number, detail) VALUES (?1, ?2, ?3)";
    connection.execute(sql, values![agent_id, receipt.number as i64, detail.as_str()])?;
    (end.number, end.hash) = (receipt.number, hash);
    Ok(())
}

macro_rules! select_receipt {
    ($rest:literal) => {
        concat!(
            "SELECT r.number, r.at, r.actor, r.action, r.subject, r.told, r.previous, r.hash, d.detail FROM receipt AS r
             LEFT JOIN receipt_detail AS d ON d.agent_id = r.agent_id AND d.agent_id = ?1 AND d.number = r.number
             WHERE r.agent_id = ?1 ",
            $rest
        )
    };
}

impl View<'_> {
    /// What was done about a ref or a key, the oldest first.
    pub fn receipts_of(&mut self, subject: &str) -> Result<Vec<Receipt>> {
        let sql = select_receipt!("AND r.subject = ?2 ORDER BY r.number");
        let found = self.connection.query(sql, values![self.agent_id, subject], read)?;
        Ok(found.into_iter().map(|stored| stored.receipt).collect())
    }

    /// The receipt with this number.
    pub fn receipt(&mut self, number: u64) -> Result<Option<Receipt>> {
        let sql = select_receipt!("AND r.number = ?2");
        let found = self.connection.first(sql, values![self.agent_id, number as i64], read)?;
        Ok(found.map(|stored| stored.receipt))
    }

    /// The newest receipts, the newest first.
    pub fn receipts(&mut self, limit: u32) -> Result<Vec<Receipt>> {
        let sql = select_receipt!("ORDER BY r.number DESC LIMIT ?2");
        let found = self.connection.query(sql, values![self.agent_id, i64::from(limit)], read)?;
        Ok(found.into_iter().map(|stored| stored.receipt).collect())
    }

    /// The next receipts behind number `after`, as they are kept.
    pub(crate) fn ledger(&mut self, after: u64, limit: u32) -> Result<Vec<StoredReceipt>> {
        let sql = select_receipt!("AND r.number > ?2 ORDER BY r.number LIMIT ?3");
        self.connection.query(sql, values![self.agent_id, after as i64, i64::from(limit)], read)
    }
}

fn hash(row: &Row<'_>, column: usize) -> Result<ReceiptHash> {
    row.bytes(column)?.try_into().map_err(|_| StoreError::Damaged {
        problem: "a hash in the ledger is no hash".to_owned(),
        hint: "run `cairn verify`".to_owned(),
    })
}

fn read(row: &Row<'_>) -> Result<StoredReceipt> {
    let detail = row.maybe_text(8)?;
    let told = detail.as_deref().and_then(|detail| serde_json::from_str(detail).ok());
    let receipt = Receipt {
        number: row.int(0)? as u64,
        at: Time::from_millis(row.int(1)?),
        actor: row.text(2)?,
        action: stored(row.str(3)?)?,
        subject: row.text(4)?,
        told: told.unwrap_or_default(),
    };
    Ok(StoredReceipt { receipt, detail, told: hash(row, 5)?, previous: hash(row, 6)?, hash: hash(row, 7)? })
}

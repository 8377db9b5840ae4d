//! The ledger: receipts, each behind the hash of the one before it.

use super::columns::{ColumnReader, StoredRecord, columns, insert_statement, unreadable};
use crate::{
    Result,
    database::{Row, values},
    transaction::Tx,
};
use cairn_domain::{FIRST_LINK, Receipt, ReceiptAction, ReceiptDetail, ReceiptHash};
use std::sync::LazyLock;

/// Where the ledger ends.
pub(crate) struct LedgerEnd {
    pub(crate) number: u64,
    pub(crate) hash: ReceiptHash,
}

/// A receipt as it is kept.
pub(crate) struct StoredReceipt {
    pub(crate) receipt: Receipt,
    /// Its words as JSON, unless they were erased.
    pub(crate) detail: Option<String>,
    pub(crate) told: ReceiptHash,
    pub(crate) previous: ReceiptHash,
    pub(crate) hash: ReceiptHash,
}

pub(crate) fn ledger_end(tx: &mut Tx<'_>) -> Result<LedgerEnd> {
    let sql = "SELECT number, hash FROM receipt WHERE agent_id = ?1 ORDER BY number DESC LIMIT 1";
    let end = tx.first(sql, values![tx.agent_id], |row| {
        Ok(LedgerEnd { number: row.int(0)? as u64, hash: hash_of(row.bytes(1)?)? })
    })?;
    Ok(end.unwrap_or(LedgerEnd { number: 0, hash: FIRST_LINK }))
}

/// Writes a receipt behind the last one; its number is given here.
pub(crate) fn insert_receipt(tx: &mut Tx<'_>, end: &mut LedgerEnd, receipt: Receipt) -> Result<()> {
    let receipt = Receipt { number: end.number + 1, ..receipt };
    let detail = receipt.told.text();
    let told = ReceiptDetail::hash(&detail);
    let (previous, hash) = (end.hash, receipt.link(&end.hash, &told));
    let stored = StoredReceipt { receipt, detail: Some(detail), told, previous, hash };
    insert_stored_receipt(tx, &stored)?;
    (end.number, end.hash) = (stored.receipt.number, hash);
    Ok(())
}

/// Writes a receipt as it is kept.
pub(crate) fn insert_stored_receipt(tx: &mut Tx<'_>, stored: &StoredReceipt) -> Result<()> {
    let StoredReceipt { receipt, detail, told, previous, hash } = stored;
    let mut values = values![tx.agent_id, told.as_slice(), previous.as_slice(), hash.as_slice()].to_vec();
    values.extend(receipt.column_values());
    tx.execute(&INSERT_RECEIPT, &values)?;
    let Some(detail) = detail else { return Ok(()) };
    let sql = "INSERT INTO receipt_detail (agent_id, number, detail) VALUES (?1, ?2, ?3)";
    tx.execute(sql, values![tx.agent_id, receipt.number as i64, detail.as_str()]).map(drop)
}

static INSERT_RECEIPT: LazyLock<String> =
    LazyLock::new(|| insert_statement("receipt", &["told", "previous", "hash"], Receipt::COLUMNS));

columns! {
    receipt_columns: Receipt, "receipt" as "r" {
        number: count "number",
        at: time "at",
        actor: text "actor",
        action: word "action",
        subject: text "subject",
    } besides { told: ReceiptDetail::default(), }
}

macro_rules! select_receipt {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            receipt_columns!(),
            ", r.told, r.previous, r.hash, d.detail FROM receipt AS r
             LEFT JOIN receipt_detail AS d ON d.agent_id = r.agent_id AND d.agent_id = ?1 AND d.number = r.number
             WHERE r.agent_id = ?1 ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// The receipts about a ref or a key, oldest first.
    pub fn receipts_of(&mut self, subject: &str) -> Result<Vec<Receipt>> {
        let sql = select_receipt!("AND r.subject = ?2 ORDER BY r.number");
        let found = self.query(sql, values![self.agent_id, subject], read_receipt)?;
        Ok(found.into_iter().map(|stored| stored.receipt).collect())
    }

    /// The receipt with this number.
    pub fn receipt(&mut self, number: u64) -> Result<Option<Receipt>> {
        let sql = select_receipt!("AND r.number = ?2");
        let found = self.first(sql, values![self.agent_id, number as i64], read_receipt)?;
        Ok(found.map(|stored| stored.receipt))
    }

    /// The newest receipts, the newest first.
    pub fn receipts(&mut self, limit: u32) -> Result<Vec<Receipt>> {
        let sql = select_receipt!("ORDER BY r.number DESC LIMIT ?2");
        let found = self.query(sql, values![self.agent_id, i64::from(limit)], read_receipt)?;
        Ok(found.into_iter().map(|stored| stored.receipt).collect())
    }

    /// The newest receipts of an action, the newest first.
    pub fn receipts_with(&mut self, action: ReceiptAction, limit: u32) -> Result<Vec<Receipt>> {
        let sql = select_receipt!("AND r.action = ?2 ORDER BY r.number DESC LIMIT ?3");
        let values = values![self.agent_id, action.as_str(), i64::from(limit)];
        let found = self.query(sql, values, read_receipt)?;
        Ok(found.into_iter().map(|stored| stored.receipt).collect())
    }

    /// The next receipts behind number `after`, as they are kept.
    pub(crate) fn ledger(&mut self, after: u64, limit: u32) -> Result<Vec<StoredReceipt>> {
        let sql = select_receipt!("AND r.number > ?2 ORDER BY r.number LIMIT ?3");
        self.query(sql, values![self.agent_id, after as i64, i64::from(limit)], read_receipt)
    }
}

fn hash_of(bytes: &[u8]) -> Result<ReceiptHash> {
    bytes.try_into().map_err(|_| unreadable("a hash in the ledger that is no hash"))
}

fn read_receipt(row: &Row<'_>) -> Result<StoredReceipt> {
    let columns = &mut ColumnReader::new(row);
    let mut receipt = Receipt::read_columns(columns)?;
    let mut hash = || hash_of(&columns.bytes()?);
    let (told, previous, hash) = (hash()?, hash()?, hash()?);
    let detail = columns.maybe_text()?;
    // What was erased, or was changed outside of this program, tells nothing: `told` shows which.
    let read = detail.as_deref().and_then(|detail| serde_json::from_str(detail).ok());
    receipt.told = read.unwrap_or_default();
    Ok(StoredReceipt { receipt, detail, told, previous, hash })
}

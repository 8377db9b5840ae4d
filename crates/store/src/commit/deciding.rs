//! Commits what the governor decided and what became of it: a receipt, and nothing else changes.

use crate::{
    Result, Store,
    record::{insert_receipt, ledger_end},
    transaction::Tx,
};
use cairn_domain::Receipt;

impl Store {
    /// Writes a receipt that changes nothing but the ledger; its number.
    pub async fn record(&self, receipt: Receipt) -> Result<u64> {
        let write = move |tx: &mut Tx<'_>| {
            let mut end = ledger_end(tx)?;
            insert_receipt(tx, &mut end, receipt.clone())?;
            Ok(end.number)
        };
        let number = self.writer.run_durably(write).await?;
        self.keep_beside().await;
        Ok(number)
    }
}

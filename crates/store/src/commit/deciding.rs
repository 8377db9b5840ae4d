//! Commits what the governor decided and what became of it: a receipt, and nothing else changes.

use crate::{
    Result, Store,
    record::{insert_receipt, ledger_end},
    transaction::Tx,
};
use cairn_domain::{Receipt, ReceiptAction, ReceiptDetail};

/// The end of a lease by an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseStop {
    /// The setting that holds the lease.
    pub lease: String,
    /// The condition that the outcome met.
    pub condition: String,
}

impl Store {
    /// Writes a receipt that changes nothing but the ledger; its number.
    pub async fn record(&self, receipt: Receipt) -> Result<u64> {
        self.record_outcome(receipt, None).await
    }

    /// Writes the receipt of an outcome, and with it that of the end of the lease that it was seen under; the number of the first.
    pub async fn record_outcome(&self, receipt: Receipt, stop: Option<LeaseStop>) -> Result<u64> {
        let write = move |tx: &mut Tx<'_>| {
            let mut end = ledger_end(tx)?;
            insert_receipt(tx, &mut end, receipt.clone())?;
            let number = end.number;
            if let Some(LeaseStop { lease, condition }) = stop.clone() {
                let becomes = format!("outcome/{number}");
                let told = ReceiptDetail { becomes, reason: condition, ..ReceiptDetail::default() };
                let (action, subject) = (ReceiptAction::Stop, lease);
                insert_receipt(tx, &mut end, Receipt { action, subject, told, ..receipt.clone() })?;
            }
            Ok(number)
        };
        let number = self.writer.run_durably(write).await?;
        self.keep_beside().await;
        Ok(number)
    }
}

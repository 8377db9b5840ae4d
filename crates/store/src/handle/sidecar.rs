//! Keeping beside the archive what is not in it: the ledger and the tombstones.

use super::store::Store;
use crate::archive::{KeepBeside, is_kept_beside, keep_beside};
use std::sync::Arc;

impl Store {
    /// Writes new receipts and tombstones beside the archive, if that is files. They are in the database already, so that a
    /// failure is noted, and whoever opens the memory next tries again.
    pub(crate) async fn keep_beside(&self) {
        if self.context.files().is_none() {
            return;
        }
        let context = Arc::clone(&self.context);
        let keep = move |tx: &mut crate::Tx<'_>| {
            let Some(files) = context.files() else { return Ok(()) };
            if is_kept_beside(tx, &files.archive)? {
                return Ok(());
            }
            keep_beside(tx, &files.archive, KeepBeside::New)
        };
        if let Err(error) = self.writer.run(keep).await {
            self.context.notes.add(format!("the ledger could not be written beside the archive: {error}"));
        }
    }
}

//! The end of an erasure, outside of the transaction that takes rows away: lines of the archive are blanked, index files and copies
//! removed, and the database file is written anew. Until all of it is done the list of what is being erased names it, so that
//! whoever opens the memory after an interruption does the rest.

use super::{
    copies::{copies, remove, traces},
    lines,
    mark::Marks,
};
use crate::{Result, Store, database::values, transaction::Tx};
use cairn_domain::Time;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// In the list of lines, what stands for everything else that has to be done.
pub(super) const THE_REST: &str = "copies";

impl Store {
    /// Whether an erasure was interrupted, or is going on.
    pub async fn has_unfinished_erasure(&self) -> Result<bool> {
        self.read(|view| is_unfinished(view)).await
    }

    /// Finishes an erasure of the agent whose folder this is; the copies that were removed.
    pub async fn finish_erasure(&self, folder: &Path, now: Time) -> Result<Vec<PathBuf>> {
        let context = Arc::clone(&self.context);
        self.writer.run_durably(move |tx| lines::finish(tx, &context, now)).await?;
        // What was given up is still somewhere in the file until it is written anew.
        self.reclaim_space().await?;
        let buried = self.read(|view| Marks::buried_ids(view)).await?;
        let removed = copies(folder, &|id| buried.as_ref().is_some_and(|buried| buried.contains(id)))?;
        removed.iter().chain(&traces(folder)?).try_for_each(|path| remove(path))?;
        let done = "DELETE FROM erasing WHERE agent_id = ?1 AND kind = 'line' AND item = ?2";
        self.writer.run_durably(move |tx| tx.execute(done, values![tx.agent_id, THE_REST]).map(drop)).await?;
        Ok(removed)
    }
}

/// Whether an erasure was interrupted, or is going on.
pub(crate) fn is_unfinished(tx: &mut Tx<'_>) -> Result<bool> {
    let sql = "SELECT 1 FROM erasing WHERE agent_id = ?1 LIMIT 1";
    Ok(tx.first(sql, values![tx.agent_id], |_| Ok(()))?.is_some())
}

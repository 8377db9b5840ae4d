//! Disk space that a database occupies and does not need: free pages, and a log that was not checkpointed.

use crate::{context::StoreContext, database::Connection, error::Result, handle::Store};

impl Store {
    /// Bytes that [`Self::reclaim_space`] would give back. A database server looks after its own.
    pub async fn reclaimable_bytes(&self) -> Result<u64> {
        self.readers.run_outside_transaction(reclaimable_bytes).await
    }

    /// Rewrites the database file without free pages. Writers wait meanwhile; space that a reader still needs is given back the
    /// next time.
    pub async fn reclaim_space(&self) -> Result<()> {
        self.readers.run_outside_transaction(|connection, _| connection.vacuum()).await
    }
}

fn reclaimable_bytes(connection: &mut Connection, context: &StoreContext) -> Result<u64> {
    let Some(files) = context.files() else { return Ok(0) };
    let mut number = |sql: &str| -> Result<u64> {
        Ok(connection.first(sql, &[], |row| row.int(0))?.unwrap_or(0).unsigned_abs())
    };
    let pages = number("PRAGMA freelist_count")? * number("PRAGMA page_size")?;
    let log = files.folder.join("memory.db-wal").metadata().map_or(0, |metadata| metadata.len());
    Ok(pages + log)
}

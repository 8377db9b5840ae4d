//! Room that a database takes and does not need: pages that were given up, and the log that was not moved into the file.

use crate::{Result, Store, database::Connection, store::Shared};

impl Store {
    /// Bytes that could be given back. A server looks after its own.
    pub async fn unneeded_bytes(&self) -> Result<u64> {
        self.readers.run_alone(unneeded).await
    }

    /// Gives them back: the file is written anew, page by page in order. Whoever writes meanwhile waits; what somebody
    /// still reads is given back the next time.
    pub async fn reclaim(&self) -> Result<()> {
        self.readers.run_alone(|connection, _| connection.reclaim()).await
    }
}

fn unneeded(connection: &mut Connection, shared: &Shared) -> Result<u64> {
    let Some(files) = shared.files() else { return Ok(0) };
    let mut number = |sql: &str| -> Result<u64> {
        Ok(connection.first(sql, &[], |row| row.int(0))?.unwrap_or(0).unsigned_abs())
    };
    let pages = number("PRAGMA freelist_count")? * number("PRAGMA page_size")?;
    let log = files.folder.join("memory.db-wal").metadata().map_or(0, |metadata| metadata.len());
    Ok(pages + log)
}

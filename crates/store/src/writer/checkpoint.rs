//! Checkpoints: moving a long write-ahead log into the database file, after acknowledgements and never before one.

use super::connection::open_if_needed;
use crate::{context::StoreContext, database::Connection, threads::try_lock};
use std::{sync::Mutex, thread, time::Duration};

/// A write-ahead log longer than this is moved into the database file as soon as nobody writes.
const CHECKPOINT_AFTER_BYTES: u64 = 8 << 20;
/// A log longer than this is moved even while others write. It keeps the disk busy for as long as a hundred acknowledgements.
const CHECKPOINT_AT_ONCE_BYTES: u64 = 48 << 20;
/// Nobody writes if the log has not grown for this long.
const QUIET_FOR: Duration = Duration::from_millis(20);

/// Runs checkpoints on a connection of its own, one at a time, while others keep writing.
#[derive(Default)]
pub(super) struct Checkpointer {
    connection: Mutex<Option<Connection>>,
}

impl Checkpointer {
    /// Whether the log is long enough for a checkpoint.
    pub(super) fn is_log_long(context: &StoreContext) -> bool {
        log_bytes(context) > CHECKPOINT_AFTER_BYTES
    }

    /// Whether a checkpoint is due and nobody runs one. One that runs may be waiting for a quiet moment, and a second thread
    /// would only be in its way.
    pub(super) fn is_due(&self, context: &StoreContext) -> bool {
        Self::is_log_long(context) && try_lock(&self.connection).is_some()
    }

    /// Moves a long log into the database file once nobody writes, unless another thread is at it. The part that a reader
    /// still needs stays for the next time.
    pub(super) fn run_when_quiet(&self, context: &StoreContext) {
        let mut bytes = log_bytes(context);
        if bytes <= CHECKPOINT_AFTER_BYTES {
            return;
        }
        let Some(mut connection) = try_lock(&self.connection) else { return };
        while bytes <= CHECKPOINT_AT_ONCE_BYTES {
            thread::sleep(QUIET_FOR);
            let before = std::mem::replace(&mut bytes, log_bytes(context));
            if bytes <= before {
                break;
            }
        }
        if let Ok(connection) = open_if_needed(&mut connection, context) {
            let _ = connection.checkpoint();
        }
    }
}

/// The length of the write-ahead log; a server has none of ours.
fn log_bytes(context: &StoreContext) -> u64 {
    let log = context.files().map(|files| files.folder.join("memory.db-wal"));
    log.and_then(|log| log.metadata().ok()).map_or(0, |metadata| metadata.len())
}

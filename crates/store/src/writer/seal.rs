//! Sealing finished days in the background of writing.

use crate::{
    archive::{self, seal_finished_days},
    context::StoreContext,
    database::Connection,
    transaction::Tx,
};
use cairn_domain::Time;

/// Seals finished days. A failure loses no word: it is noted, and the next process tries again.
pub(crate) fn seal_or_note(connection: &mut Connection, context: &StoreContext, now: Time) {
    let sealed = Tx::new(connection, context.agent_id).write(|tx| match context.files() {
        Some(files) => seal_finished_days(tx, &files.archive, now),
        None => archive::table::seal_finished_table_days(tx, now),
    });
    if let Err(error) = sealed {
        context.notes.add(format!("a finished archive file could not be sealed yet: {error}"));
    }
}

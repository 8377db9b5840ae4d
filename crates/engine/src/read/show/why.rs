//! Why: what a record stands on, down to the verbatim words and the line of the archive that holds them.

use crate::{Agent, EngineError, Result};
use cairn_domain::Ref;
use cairn_store::MessageRecord;

/// Messages shown on each side.
const MESSAGES_AROUND: u32 = 2;

/// A message, what was said around it and where the archive keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// The message.
    pub record: MessageRecord,
    /// The messages before it in its session.
    pub before: Vec<MessageRecord>,
    /// The messages after it.
    pub after: Vec<MessageRecord>,
    /// The archive file of its line; on a server the table that is the archive.
    pub archive_file: String,
    /// Whether that line, read again just now, still says the same.
    pub archive_agrees: bool,
}

impl Agent {
    /// The messages behind a ref, each with its surroundings and its archive line.
    pub async fn why_messages(&self, reference: Ref) -> Result<Vec<Why>> {
        let records = self.messages_behind(reference).await?;
        let all = self.store.read(move |view| {
            let mut all = Vec::with_capacity(records.len());
            for record in records.clone() {
                let neighbours = view.neighbours(record.seq, MESSAGES_AROUND)?;
                let (before, after) =
                    neighbours.into_iter().partition(|neighbour| neighbour.seq < record.seq);
                let archive_file = view.archive_file(&record);
                let archive_agrees = view.archive_agrees(&record)?;
                all.push(Why { record, before, after, archive_file, archive_agrees });
            }
            Ok(all)
        });
        all.await.map_err(EngineError::from)
    }
}

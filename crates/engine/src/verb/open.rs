//! `open`: records in full.

use super::audience::Audience;
use crate::{Agent, Result, SeenAttachment, limits::check_ref_count};
use cairn_domain::Ref;
use cairn_store::{BeliefRecord, DigestRecord, MemoryRecord, MessageRecord};

/// A record in full.
#[derive(Debug, Clone, PartialEq)]
pub enum OpenedRecord {
    /// A message, or the messages of an exchange.
    Messages(Ref, Vec<MessageRecord>),
    /// A memory.
    Memory(Box<MemoryRecord>),
    /// A belief.
    Belief(Box<BeliefRecord>),
    /// A digest in its newest version.
    Digest(Box<DigestRecord>),
    /// A file that was attached, as it stands now.
    Attachment(Box<SeenAttachment>),
}

impl Agent {
    /// Opens the records behind refs, whole or as short as a brief shows them, in the order asked for.
    pub async fn open_records(&self, written: &[String], audience: Audience) -> Result<Vec<OpenedRecord>> {
        check_ref_count(written.len())?;
        let mut references = Vec::with_capacity(written.len());
        for written in written {
            let reference = self.resolve(written).await?;
            self.check_audience(reference, audience).await?;
            references.push(reference);
        }
        let mut records = Vec::with_capacity(references.len());
        for reference in references {
            records.push(match reference {
                Ref::Memory(id) => OpenedRecord::Memory(Box::new(self.memory(id).await?)),
                Ref::Belief(id) => OpenedRecord::Belief(Box::new(self.belief(id).await?)),
                Ref::Digest(id) => OpenedRecord::Digest(Box::new(self.digest(id).await?)),
                Ref::Attachment(id) => OpenedRecord::Attachment(Box::new(self.attachment(id).await?)),
                Ref::Message(_) | Ref::Exchange(_) => {
                    OpenedRecord::Messages(reference, self.messages_behind(reference).await?)
                }
            });
        }
        Ok(records)
    }
}

//! Timelines: what was said, in the order in which it was said.

use super::Question;
use crate::{Agent, EngineError, Result};
use cairn_domain::{RecordKind, Ref, Time};
use cairn_store::MessageRecord;

/// Messages shown on each side of a ref.
const AROUND: u32 = 8;

/// What a timeline is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Timeline {
    /// What answers a question.
    Question(Box<Question>),
    /// What was said around a record.
    Around(Ref),
    /// What was said last.
    Newest {
        /// How many, at most.
        k: usize,
        /// Said by then.
        as_of: Option<Time>,
    },
}

impl Agent {
    /// Messages in the order in which they were said.
    pub async fn timeline(&self, timeline: Timeline) -> Result<Vec<MessageRecord>> {
        let mut messages = match timeline {
            Timeline::Question(question) => self
                .recall(Question { kinds: vec![RecordKind::Exchange], ..*question })
                .await?
                .hits
                .iter()
                .filter_map(|hit| hit.found.message().cloned())
                .collect(),
            Timeline::Around(reference) => self.around(reference).await?,
            Timeline::Newest { k, as_of } => self.newest(k, as_of).await?,
        };
        messages.sort_by_key(|record| (record.message.at, record.seq));
        Ok(messages)
    }

    async fn around(&self, reference: Ref) -> Result<Vec<MessageRecord>> {
        let mut messages = self.open_ref(reference).await?;
        let seqs: Vec<u32> = messages.iter().map(|record| record.seq).collect();
        let neighbours = self.store.read(move |view| {
            let mut neighbours = Vec::new();
            for seq in &seqs {
                neighbours.extend(view.neighbours(*seq, AROUND)?);
            }
            Ok(neighbours)
        });
        messages.extend(neighbours.await?);
        messages.sort_by_key(|record| record.seq);
        messages.dedup_by_key(|record| record.seq);
        Ok(messages)
    }

    async fn newest(&self, k: usize, as_of: Option<Time>) -> Result<Vec<MessageRecord>> {
        self.store.read(|view| view.newest(k, as_of)).await.map_err(EngineError::from)
    }
}

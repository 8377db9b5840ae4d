//! Timelines: what was said, in the order in which it was said.

use crate::{
    Agent, EngineError, Result,
    limits::TIMELINE_MESSAGES_AROUND,
    read::{lane::forgotten_messages, question::Question},
};
use cairn_domain::{RecordKind, Ref, Time};
use cairn_store::{DayRecord, MessageRecord};

/// Which messages a timeline shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Timeline {
    /// Those that answer a question.
    Question(Box<Question>),
    /// Those around a record.
    Around(Ref),
    /// The newest.
    Newest {
        /// How many, at most.
        k: usize,
        /// Said by then.
        as_of: Option<Time>,
    },
}

impl Agent {
    /// Messages in the order in which they were said.
    pub(crate) async fn messages_in_order(&self, timeline: Timeline) -> Result<Vec<MessageRecord>> {
        let mut messages = match timeline {
            Timeline::Question(question) => self
                .recall(Question { kinds: vec![RecordKind::Exchange], ..*question })
                .await?
                .hits
                .iter()
                .filter_map(|hit| hit.found.message().cloned())
                .collect(),
            Timeline::Around(reference) => self.messages_around(reference).await?,
            Timeline::Newest { k, as_of } => self.newest(k, as_of).await?,
        };
        messages.sort_by_key(|record| (record.message.at, record.seq));
        Ok(messages)
    }

    /// Days (UTC) on which something was said before `before` and by `as_of`, the latest first.
    pub async fn days(
        &self,
        before: Option<Time>,
        as_of: Option<Time>,
        limit: u32,
    ) -> Result<Vec<DayRecord>> {
        let after = as_of.map(|as_of| Time::from_millis(as_of.millis().saturating_add(1)));
        let before = before.into_iter().chain(after).min();
        Ok(self.store.read(|view| view.days(None, before, limit)).await?)
    }

    async fn messages_around(&self, reference: Ref) -> Result<Vec<MessageRecord>> {
        let mut messages = self.messages_behind(reference).await?;
        let seqs: Vec<u32> = messages.iter().map(|record| record.seq).collect();
        let neighbours = self.store.read(move |view| {
            let mut neighbours = Vec::new();
            for seq in &seqs {
                neighbours.extend(view.neighbours(*seq, TIMELINE_MESSAGES_AROUND)?);
            }
            let around: Vec<u32> = neighbours.iter().map(|record: &MessageRecord| record.seq).collect();
            let forgotten = forgotten_messages(view, &around)?;
            neighbours.retain(|record| !forgotten.contains(&record.seq));
            Ok(neighbours)
        });
        messages.extend(neighbours.await?);
        messages.sort_by_key(|record| record.seq);
        messages.dedup_by_key(|record| record.seq);
        Ok(messages)
    }

    async fn newest(&self, k: usize, as_of: Option<Time>) -> Result<Vec<MessageRecord>> {
        let newest = self.store.read(|view| {
            let mut newest = view.newest(k, as_of)?;
            let seqs: Vec<u32> = newest.iter().map(|record| record.seq).collect();
            let forgotten = forgotten_messages(view, &seqs)?;
            newest.retain(|record| !forgotten.contains(&record.seq));
            Ok(newest)
        });
        newest.await.map_err(EngineError::from)
    }
}

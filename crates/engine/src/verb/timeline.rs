//! `timeline`: what was said, in the order in which it was said.

use crate::{
    Agent, EngineError, Result,
    limits::check_hit_count,
    read::{Question, Timeline},
};
use cairn_domain::{Invalid, Ref, Time};
use cairn_store::MessageRecord;

/// Which messages a timeline shows.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineQuery {
    /// Which of them.
    pub subject: TimelineSubject,
    /// How many at most; what was said around a record is not bounded by it.
    pub k: usize,
    /// Said by then.
    pub as_of: Option<Time>,
}

/// The messages that a timeline shows.
#[derive(Debug, Clone, PartialEq)]
pub enum TimelineSubject {
    /// The newest messages.
    Newest,
    /// Messages that answer a question.
    Query(String),
    /// Messages around the record behind a ref.
    Record(String),
    /// Around a record if the text is a ref that resolves, else what answers it.
    QueryOrRecord(String),
}

impl Agent {
    /// Messages in the order in which they were said.
    pub async fn timeline(&self, query: TimelineQuery) -> Result<Vec<MessageRecord>> {
        let TimelineQuery { subject, k, as_of } = query;
        check_hit_count(k)?;
        let about = |text: String| {
            let profile = self.config().recall;
            Timeline::Question(Box::new(Question { k, as_of, profile, ..Question::new(text) }))
        };
        let timeline = match subject {
            TimelineSubject::Newest => Timeline::Newest { k, as_of },
            TimelineSubject::Query(text) => about(text),
            TimelineSubject::Record(written) => self.around(self.resolve(&written).await?).await?,
            TimelineSubject::QueryOrRecord(text) => match self.resolve(&text).await {
                Ok(reference) => self.around(reference).await?,
                Err(_) => about(text),
            },
        };
        self.messages_in_order(timeline).await
    }

    /// The messages around a record; for a memory, those around the message it rests on.
    async fn around(&self, reference: Ref) -> Result<Timeline> {
        let Ref::Memory(id) = reference else { return Ok(Timeline::Around(reference)) };
        let why = self.why_memory(id).await?;
        let message = why.evidence.iter().find_map(|source| source.message.as_ref());
        let message = message.ok_or_else(|| {
            let problem = format!("{id} rests on no message, so nothing was said around it");
            EngineError::from(Invalid::new(problem, "`why` shows what it is based on"))
        })?;
        Ok(Timeline::Around(Ref::Message(message.message.id)))
    }
}

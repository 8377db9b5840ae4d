//! The beginning of a session: the handoff of the thread or of the last session; the last exchanges if it only goes on; the
//! handoff alone if the thread has been shortened too often.

use crate::{Agent, Result};
use cairn_domain::HandoffScope;

/// How a host says that a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartSource {
    /// A new one, as far as the host knows.
    #[default]
    Startup,
    /// An earlier one is taken up again.
    Resume,
    /// The user has emptied the conversation.
    Clear,
    /// The conversation was shortened.
    Compact,
}

impl StartSource {
    /// The source that this word of a host names; one that nobody knows is a new session.
    pub fn of_word(word: Option<&str>) -> Self {
        match word {
            Some("resume") => Self::Resume,
            Some("clear") => Self::Clear,
            Some("compact") => Self::Compact,
            Some(_) | None => Self::Startup,
        }
    }
}

/// On what occasion a model is shown the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContextOccasion {
    /// Somebody asks, or looks.
    #[default]
    Ongoing,
    /// A session goes on: its last exchanges, and no handoff.
    Resume,
    /// A thread was shortened too often: it is to be begun anew, with its handoff alone.
    Restart,
}

impl Agent {
    /// The occasion of a session's beginning.
    pub async fn start_occasion(
        &self,
        session: &str,
        thread: Option<&str>,
        source: StartSource,
    ) -> Result<ContextOccasion> {
        if self.is_worn_out(thread).await? {
            return Ok(ContextOccasion::Restart);
        }
        let goes_on = match source {
            StartSource::Clear => false,
            StartSource::Startup | StartSource::Resume | StartSource::Compact => {
                self.knows_session(session).await?
            }
        };
        Ok(if goes_on { ContextOccasion::Resume } else { ContextOccasion::Ongoing })
    }

    /// After a session was shown what it begins with: the last session's handoff is consumed, and a thread that was begun anew
    /// is counted anew.
    pub async fn session_begun(
        &self,
        thread: Option<&str>,
        source: StartSource,
        occasion: ContextOccasion,
    ) -> Result<()> {
        let is_new = matches!(source, StartSource::Startup | StartSource::Clear);
        if occasion == ContextOccasion::Resume || !is_new {
            return Ok(());
        }
        if let Some(thread) = thread.filter(|_| occasion == ContextOccasion::Restart) {
            self.reset_compactions(thread).await?;
        }
        // The handoff of another thread's session waits for that.
        let waiting = self.store.read(|view| view.handoff(&HandoffScope::Session)).await?;
        let thread_of = match &waiting {
            Some(record) => self.store.read(|view| view.of_session(&record.session, None, 1)).await?,
            None => return Ok(()),
        };
        let same = thread_of.first().is_none_or(|last| last.message.thread.as_deref() == thread);
        if same { self.consume_handoff().await } else { Ok(()) }
    }

    /// Whether a thread was shortened as often as the configuration allows.
    async fn is_worn_out(&self, thread: Option<&str>) -> Result<bool> {
        let Some(thread) = thread else { return Ok(false) };
        let scope = HandoffScope::Thread(thread.to_owned());
        let record = self.store.read(|view| view.handoff(&scope)).await?;
        let most = self.config.continuity.restart_after_compactions;
        Ok(record.is_some_and(|record| most > 0 && record.compactions >= most))
    }
}

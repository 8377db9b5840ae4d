//! Lets a language model, where there is one, say the lines of a thread's handoff as a paragraph. Nobody waits for it: a handoff
//! that nothing was added to for a while is worded in the background. What says anything that the lines do not say is
//! refused, and whatever a model does, the lines stand.

use super::markdown;
use crate::{
    Agent, Result,
    write::{prose_question, unfit_as_prose},
};
use cairn_domain::{Handoff, HandoffLine, HandoffPart, HandoffScope, Privacy};
use cairn_store::HandoffRecord;

/// Handoffs that are looked at, the last written.
const MAX_HANDOFFS_SEARCHED: u32 = 20;
/// A handoff is worded once nothing was added to it for so long.
const QUIET_MS: i64 = 5 * 60 * 1_000;
/// Handoffs of fewer lines say what they have to say.
const MIN_LINES: usize = 3;
/// The sections that a paragraph stands for; days are told as seen from now, line by line.
const WORDED: [HandoffPart; 3] = [HandoffPart::WhereWeAre, HandoffPart::OpenThreads, HandoffPart::KeyTopics];

/// The lines that a paragraph stands for.
pub(crate) fn worded_lines(handoff: &Handoff) -> Vec<&HandoffLine> {
    WORDED.iter().flat_map(|part| handoff.lines(*part)).filter(|line| line.due.is_none()).collect()
}

impl Agent {
    /// Words the handoffs of threads that have been quiet for a while; how many.
    ///
    /// # Errors
    /// If no language model answers.
    pub async fn word_handoffs(&self) -> Result<usize> {
        if !self.has_language_model() || !self.language.may_see(Privacy::Personal) {
            return Ok(0);
        }
        let quiet = self.now().millis() - QUIET_MS;
        let known = self.store.read(|view| view.handoffs(MAX_HANDOFFS_SEARCHED)).await?;
        let waiting = known.into_iter().filter(|record| {
            let is_thread = matches!(record.scope, HandoffScope::Thread(_));
            is_thread && record.prose.is_none() && record.written_at.millis() <= quiet
        });
        let mut worded = 0;
        for record in waiting {
            worded += usize::from(self.word_handoff(record).await?);
        }
        Ok(worded)
    }

    /// Words one handoff; whether a paragraph was taken.
    async fn word_handoff(&self, record: HandoffRecord) -> Result<bool> {
        let Ok(handoff) = markdown::parse(&record.text) else { return Ok(false) };
        let lines: Vec<&str> = worded_lines(&handoff).into_iter().map(HandoffLine::text).collect();
        let mut prose = String::new();
        if lines.len() >= MIN_LINES {
            let about = format!("thread {}", handoff.thread.as_deref().unwrap_or_default());
            let asked =
                self.language.ask(&prose_question(&about, &lines), Privacy::Personal, self.now()).await;
            let told = asked.answer?.value["text"].as_str().unwrap_or_default().trim().to_owned();
            if unfit_as_prose(&told, &lines).is_none() {
                prose = told;
            }
        }
        let is_taken = !prose.is_empty();
        self.store.word_handoff(record.scope, record.written_at, prose).await?;
        Ok(is_taken)
    }
}

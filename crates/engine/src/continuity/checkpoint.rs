//! Checkpoints: every message is durable on its own, so a checkpoint is a view of the open session: its last exchanges word for
//! word, for a host that has lost its own transcript.

use crate::{Agent, Result, quote};
use cairn_domain::{Ref, Role};
use cairn_store::MessageRecord;

/// Messages of a session that are looked at, the last ones.
const MAX_MESSAGES: u32 = 400;
/// Characters of one message; a longer one is cut, and its ref opens the rest.
const MAX_MESSAGE_CHARS: usize = 4_000;

/// The last exchanges of a session, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResumeLines {
    pub(crate) heading: String,
    /// Each message with its ref, the last first.
    pub(crate) lines: Vec<(String, String)>,
}

impl Agent {
    /// The last exchanges of a session; none if nothing was said in it.
    pub(crate) async fn resume_lines(&self, session: &str) -> Result<Option<ResumeLines>> {
        let said = self.store.read(|view| view.of_session(session, None, MAX_MESSAGES)).await?;
        let Some(last) = said.first() else { return Ok(None) };
        let exchanges = last.exchange_index + 1;
        let heading = format!(
            "[SESSION_RESUME] session {} goes on after {exchanges} exchange(s); these are its last words:",
            quote::name(session)
        );
        // What a tool printed can be had again.
        let spoken = said.iter().filter(|record| record.message.role != Role::Tool);
        Ok(Some(ResumeLines { heading, lines: spoken.map(resume_line).collect() }))
    }

    /// Whether anything was said in a session.
    pub(crate) async fn knows_session(&self, session: &str) -> Result<bool> {
        Ok(!self.store.read(|view| view.of_session(session, None, 1)).await?.is_empty())
    }
}

fn resume_line(record: &MessageRecord) -> (String, String) {
    let message = &record.message;
    let (words, _) = quote::whole(&message.text, MAX_MESSAGE_CHARS);
    let reference = Ref::Message(message.id);
    let line = format!("{} {} {}: {words}", reference.short(), message.at.minute(), quote::speaker(message));
    (message.id.to_string(), line)
}

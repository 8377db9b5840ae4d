//! `remember`: one message that somebody asks to be kept.

use crate::{ASKED, Agent, EngineError, Formed, Remembered, Result, meter::fallback, write::TOLD_FOR_USER};
use cairn_domain::{AgentName, Draft, Role};

/// When memories are made of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormMemories {
    /// Before the call returns, so that it tells what was decided.
    Now,
    /// Behind the acknowledgement.
    Later,
}

/// A message that is durable, with what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RememberedMessage {
    /// The message.
    pub message: Remembered,
    /// The verdicts on its statements; `None` if it is formed later.
    pub formed: Option<Formed>,
}

impl Agent {
    /// Keeps one message, marked as one that somebody asked to be remembered.
    pub async fn remember_on_request(
        &self,
        mut draft: Draft,
        form: FormMemories,
    ) -> Result<RememberedMessage> {
        draft.metadata.remove(TOLD_FOR_USER);
        self.remember_asked(draft, form).await
    }

    /// Keeps what another agent writes into this memory, if an operator lets it: as the word of an agent with that name, never
    /// as the user's. The permission is looked up for each message.
    pub async fn remember_from(
        &self,
        writer: &AgentName,
        draft: Draft,
        form: FormMemories,
    ) -> Result<RememberedMessage> {
        let now = self.now();
        if !self.store.read(|view| view.admits_writer(writer, now)).await? {
            return Err(EngineError::NotPermitted { writer: writer.clone(), owner: self.name.clone() });
        }
        let speaker = Some(writer.to_string());
        self.remember_on_request(Draft { role: Role::Assistant, speaker, ..draft }, form).await
    }

    async fn remember_asked(&self, mut draft: Draft, form: FormMemories) -> Result<RememberedMessage> {
        draft.metadata.insert(ASKED.to_owned(), true.into());
        let message = self.remember(draft).await?;
        let formed = match form {
            FormMemories::Now => {
                let formed = self.form_message(message.message).await?;
                // It is kept and formed, whether or not it moves trust.
                if self.hear_about_shared().await.is_err() {
                    fallback("hearing");
                }
                Some(formed)
            }
            FormMemories::Later => None,
        };
        Ok(RememberedMessage { message, formed })
    }

    /// Keeps what an agent tells of its user: "I" is the user, and the word is still the agent's, whatever the draft says.
    pub async fn remember_told_by_agent(
        &self,
        draft: Draft,
        form: FormMemories,
    ) -> Result<RememberedMessage> {
        let mut draft = Draft { role: Role::Assistant, ..draft };
        draft.metadata.insert(TOLD_FOR_USER.to_owned(), true.into());
        self.remember_asked(draft, form).await
    }
}

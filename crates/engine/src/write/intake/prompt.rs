//! Prompts: a host announces one before its transcript has it, and may be killed before it does. It is kept at once, and what
//! the transcript says of it later is known to be the same.

use crate::{Agent, Result, write::intake::validation::validate_transcript_draft};
use cairn_domain::{Draft, Message, MessageId, Mode, Role, Time, is_prompt_source_id, prompt_source_id};
use std::collections::HashSet;

/// Messages of a session among which a prompt is looked for that its transcript already has.
const MAX_MESSAGES_BEFORE: u32 = 16;
/// A transcript that was written before its host announced the prompt dates it at most so long before.
const MAX_AHEAD_MS: i64 = 60_000;

impl Agent {
    /// Keeps a prompt that a host announced at this time. When this returns, it is durable and every process finds it.
    pub async fn keep_prompt(&self, draft: Draft, at: Time) -> Result<()> {
        let draft = Draft {
            source_id: Some(prompt_source_id(at)),
            role: Role::User,
            mode: Some(Mode::Code),
            at: Some(at),
            ..draft
        };
        let prompt = validate_transcript_draft(draft, self.now(), &self.config.capture)?;
        if !self.is_in_transcript(&prompt).await? {
            self.append(vec![prompt]).await?;
        }
        Ok(())
    }

    /// Whether the transcript of a prompt was read with it before the host announced it.
    async fn is_in_transcript(&self, prompt: &Message) -> Result<bool> {
        let said =
            self.store.read(|view| view.of_session(&prompt.session, None, MAX_MESSAGES_BEFORE)).await?;
        let is_same = |message: &Message| {
            let announced = message.source_id.as_deref().is_some_and(is_prompt_source_id);
            let ahead_ms = prompt.at.millis() - message.at.millis();
            !announced
                && message.role == Role::User
                && message.text == prompt.text
                && (-MAX_AHEAD_MS..=MAX_AHEAD_MS).contains(&ahead_ms)
        };
        Ok(said.iter().any(|record| is_same(&record.message)))
    }

    /// Of messages of a transcript the ids of those that their host announced, and that are kept as its prompts.
    pub(super) async fn announced(&self, messages: &[Message]) -> Result<HashSet<MessageId>> {
        let may_be = |message: &&Message| {
            let named = message.source_id.as_deref().is_some_and(|id| !is_prompt_source_id(id));
            named && message.role == Role::User && message.mode == Mode::Code
        };
        let prompts: Vec<&Message> = messages.iter().filter(may_be).collect();
        if prompts.is_empty() {
            return Ok(HashSet::new());
        }
        let known = self.store.read(|view| {
            let ids: Vec<MessageId> = prompts.iter().flat_map(|prompt| prompt.announced_ids()).collect();
            let found = view.messages_named(&ids)?;
            Ok(found.into_iter().map(|record| record.message.id).collect::<HashSet<_>>())
        });
        let known = known.await?;
        let is_known = |prompt: &&&Message| prompt.announced_ids().iter().any(|id| known.contains(id));
        Ok(prompts.iter().filter(is_known).map(|prompt| prompt.id).collect())
    }
}

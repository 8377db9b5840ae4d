//! Announced words: a host tells a prompt or an answer before its transcript has it, and may be killed before it does. They are
//! kept at once, and what a transcript says of them later is known to be the same.

use crate::{Agent, Result, write::intake::validation::validate_transcript_draft};
use cairn_domain::{Draft, Message, MessageId, Mode, Role, Time, is_prompt_source_id, prompt_source_id};
use std::collections::HashSet;

/// Messages of a session among which words are looked for that its transcript already has.
const MAX_MESSAGES_BEFORE: u32 = 16;
/// A transcript that was written before its host announced the words dates them at most so long before.
const MAX_AHEAD_MS: i64 = 60_000;
/// Two hooks that announce the same words within so long announce them once.
const MAX_TWICE_MS: i64 = 3_000;

impl Agent {
    /// Keeps words that a host announced at this time: a prompt, an answer, or what a tool did if they bear an id. When this
    /// returns, they are durable and every process finds them.
    pub async fn keep_announced(&self, draft: Draft, at: Time) -> Result<()> {
        let source_id = draft.source_id.clone().or_else(|| Some(prompt_source_id(at)));
        let draft = Draft { source_id, mode: Some(Mode::Code), at: Some(at), ..draft };
        let words = validate_transcript_draft(draft, self.now(), &self.config.capture)?;
        if !self.is_known(&words).await? {
            self.append(vec![words]).await?;
        }
        Ok(())
    }

    /// Whether the transcript of announced words was read before them, or another hook has just announced the same.
    async fn is_known(&self, words: &Message) -> Result<bool> {
        if !words.source_id.as_deref().is_some_and(is_prompt_source_id) {
            return Ok(false);
        }
        let said = self.store.read(|view| view.of_session(&words.session, None, MAX_MESSAGES_BEFORE)).await?;
        let is_same = |message: &Message| {
            let announced = message.source_id.as_deref().is_some_and(is_prompt_source_id);
            let most_ms = if announced { MAX_TWICE_MS } else { MAX_AHEAD_MS };
            let ahead_ms = words.at.millis() - message.at.millis();
            message.role == words.role
                && message.text == words.text
                && (-most_ms..=most_ms).contains(&ahead_ms)
        };
        Ok(said.iter().any(|record| is_same(&record.message)))
    }

    /// Of messages of a transcript the ids of those that their host announced, and that are kept already. Answers are announced
    /// only by hosts whose transcripts are imported as another product's, with its name before the id.
    pub(super) async fn announced(&self, messages: &[Message]) -> Result<HashSet<MessageId>> {
        let may_be = |message: &&Message| {
            let Some(id) = message.source_id.as_deref().filter(|id| !is_prompt_source_id(id)) else {
                return false;
            };
            let may_be_announced = match message.role {
                Role::User => true,
                Role::Assistant => id.contains(':'),
                Role::System | Role::Tool => false,
            };
            may_be_announced && message.mode == Mode::Code
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

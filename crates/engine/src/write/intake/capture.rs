//! Capture: messages are acknowledged when they are durable.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    meter::Stages,
    write::intake::validation::validate_draft,
};
use cairn_domain::{Draft, ExchangeId, Invalid, Message, MessageId};
use cairn_store::Appended;
use std::sync::atomic::Ordering;

/// Messages that one process appends before it writes the keyword index down.
const INDEX_AFTER_MESSAGES: usize = 4_096;

/// A message that is durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// The message.
    pub message: MessageId,
    /// The exchange it belongs to.
    pub exchange: ExchangeId,
    /// Whether it was there already, or was erased and stays so.
    pub duplicate: bool,
    /// Whether it was erased and stays so: nothing of it is stored.
    pub erased: bool,
}

impl From<Appended> for Remembered {
    fn from(appended: Appended) -> Self {
        let Appended { id, exchange, duplicate, erased } = appended;
        Self { message: id, exchange, duplicate, erased }
    }
}

impl Agent {
    /// Stores one message of a conversation, which nobody asked to be remembered. When this returns, it is durable and every process finds it.
    pub async fn remember(&self, draft: Draft) -> Result<Remembered> {
        let message = validate_draft(draft, self.now(), &self.config.capture)?;
        let stages = Stages::of_write();
        let remembered = self.append_one(message).await?;
        stages.all("acknowledge");
        if remembered.erased {
            let hint = "an operator erased these words; use other words to say it again";
            return Err(Invalid::new("these words were erased and may not be stored again", hint).into());
        }
        Ok(remembered)
    }

    /// Stores several messages, in order, under one fsync.
    pub async fn remember_all(&self, drafts: Vec<Draft>) -> Result<Vec<Remembered>> {
        let now = self.now();
        let validated = drafts.into_iter().map(|draft| validate_draft(draft, now, &self.config.capture));
        self.append(validated.collect::<std::result::Result<_, _>>()?).await
    }

    /// Appends one validated message.
    pub(crate) async fn append_one(&self, message: Message) -> Result<Remembered> {
        let id = message.id;
        acknowledgement_of(id, self.append(vec![message]).await?)
    }

    /// Appends validated messages under one fsync.
    pub(crate) async fn append(&self, messages: Vec<Message>) -> Result<Vec<Remembered>> {
        let appended = self.store.append(messages, self.now()).await?;
        let added = appended.iter().filter(|message| !message.duplicate).count();
        let untended = self.untended.fetch_add(added, Ordering::Relaxed) + added;
        if untended >= INDEX_AFTER_MESSAGES {
            self.untended.store(0, Ordering::Relaxed);
            let agent = self.clone();
            tokio::spawn(async move { agent.tend_index().await });
        }
        Ok(appended.into_iter().map(Remembered::from).collect())
    }
}

/// The store's answer for the one message it was given. Only the store knows whether a message is a duplicate and which
/// exchange it belongs to, so an answer without it is an error.
fn acknowledgement_of(id: MessageId, mut appended: Vec<Remembered>) -> Result<Remembered> {
    match (appended.pop(), appended.is_empty()) {
        (Some(remembered), true) => Ok(remembered),
        _ => Err(EngineError::Unacknowledged(id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_up_about_a_message_that_the_store_says_nothing_of() {
        let id = MessageId::from_bytes([1; 16]);
        let message = MessageId::from_bytes([2; 16]);
        let known = Remembered { message, exchange: id.into(), duplicate: true, erased: false };
        assert_eq!(acknowledgement_of(id, vec![known.clone()]).expect("acknowledged"), known);
        let error = acknowledgement_of(id, Vec::new()).expect_err("nothing is known");
        assert_eq!(error.to_string(), format!("the store did not acknowledge {id}"));
        assert!(error.hint().starts_with("send it again"), "{}", error.hint());
    }
}

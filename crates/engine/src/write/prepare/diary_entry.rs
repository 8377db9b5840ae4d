//! Private: what an entry of the diary says, statement by statement. It happens in memory alone: nothing is compared with
//! what is known, logged or written, and whoever asks seals the answer.

use crate::write::{
    metadata::ASKED,
    prepare::message::{Proposition, prepare_message},
};
use cairn_domain::{Category, Draft, MessageLimits, Role, Time};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Memories of one entry.
const MAX_MEMORIES_PER_ENTRY: usize = 64;

/// A memory made from a diary entry. It is private: only the agent itself may see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivateMemory {
    /// Its text, readable without the entry.
    pub text: String,
    /// Its category.
    pub category: Category,
    /// The words it stands on.
    pub said: String,
}

/// The statements of what an agent wrote for itself.
pub(crate) fn private_statements(text: &str, at: Time) -> Vec<PrivateMemory> {
    let mut draft = Draft::new(Role::Assistant, text);
    draft.metadata.insert(ASKED.to_owned(), json!(true));
    let Ok(message) = draft.into_message(at, &MessageLimits::default()) else { return Vec::new() };
    let propositions = prepare_message(&message, None, None).propositions.unwrap_or_default();
    let memory = |proposition: Proposition| PrivateMemory {
        text: proposition.text,
        category: proposition.category,
        said: proposition.said,
    };
    propositions
        .into_iter()
        .filter(|proposition| !proposition.poisoned)
        .take(MAX_MEMORIES_PER_ENTRY)
        .map(memory)
        .collect()
}

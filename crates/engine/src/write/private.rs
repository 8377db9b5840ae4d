//! Private: what an entry of the diary says, statement by statement. It happens in memory alone: nothing is compared with
//! what is known, logged or written, and whoever asks seals the answer.

use super::{observe::ASKED, prepare::prepare};
use crate::diary::PrivateMemory;
use cairn_domain::{Draft, Limits, Role, Time};
use serde_json::json;

/// Memories of one entry.
const MOST: usize = 64;

/// The statements of what an agent wrote for itself.
pub(crate) fn private_statements(text: &str, at: Time) -> Vec<PrivateMemory> {
    let mut draft = Draft::new(Role::Assistant, text);
    draft.metadata.insert(ASKED.to_owned(), json!(true));
    let Ok(message) = draft.settle(at, &Limits::default()) else { return Vec::new() };
    let pieces = prepare(&message, None).pieces.unwrap_or_default();
    let memory = |piece: super::prepare::Piece| PrivateMemory {
        text: piece.text,
        category: piece.category,
        said: piece.said,
    };
    pieces.into_iter().filter(|piece| !piece.poisoned).take(MOST).map(memory).collect()
}

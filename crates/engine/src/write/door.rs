//! The door: what every message passes before anything of it is kept. Secrets stay outside; a note says what stood there.

use super::observe::ASKED;
use cairn_cognition::secret::mask;
use cairn_domain::{Draft, Invalid, Limits, Message, Time};
use serde_json::json;
use std::borrow::Cow;

/// The field of a message's metadata that says which kinds of secret were masked in it.
const MASKED: &str = "masked_secrets";

/// The same for a draft that was read from a transcript: what it says of itself is not believed.
pub(super) fn settle_read(mut draft: Draft, now: Time, limits: &Limits) -> Result<Message, Invalid> {
    draft.metadata.remove(ASKED);
    settle(draft, now, limits)
}

/// Checks a draft, masks its secrets and fills what it leaves open.
pub(super) fn settle(mut draft: Draft, now: Time, limits: &Limits) -> Result<Message, Invalid> {
    // What is too long is refused before anybody reads it.
    if draft.text.len() <= limits.text_bytes {
        let masked = mask(&draft.text);
        if let Cow::Owned(text) = masked.text {
            draft.metadata.insert(MASKED.to_owned(), json!(masked.found));
            draft.text = text;
        }
    }
    draft.settle(now, limits)
}

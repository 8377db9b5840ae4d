//! The door: what every message passes before anything of it is kept. Secrets stay outside; a note says what stood there.

use super::observe::{ASKED, CORRECTS};
use cairn_cognition::secret::mask;
use cairn_domain::{Draft, Invalid, Limits, Message, Time};
use serde_json::{Value, json};
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
    // Only a correction says what it corrects.
    draft.metadata.remove(CORRECTS);
    // What is too long is refused before anybody reads it.
    if draft.text.len() <= limits.text_bytes {
        let masked = mask(&draft.text);
        let mut found = masked.found;
        if let Cow::Owned(text) = masked.text {
            draft.text = text;
        }
        for (name, value) in &mut draft.metadata {
            mask_within(name, value, &mut found);
        }
        if !found.is_empty() {
            draft.metadata.insert(MASKED.to_owned(), json!(found));
        }
    }
    draft.settle(now, limits)
}

/// Masks what is secret in a field of the caller's own, by itself or by its name.
fn mask_within(name: &str, value: &mut Value, found: &mut Vec<&'static str>) {
    match value {
        Value::String(text) => {
            let named = format!("{name}: {text}");
            let (alone, named) = (mask(text), mask(&named));
            if !alone.found.is_empty() {
                found.extend(alone.found);
                *text = alone.text.into_owned();
            } else if !named.found.is_empty() {
                found.extend(named.found);
                *text = named.text.split_once(": ").map_or_else(String::new, |(_, text)| text.to_owned());
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| mask_within(name, value, found)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(name, value)| mask_within(name, value, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

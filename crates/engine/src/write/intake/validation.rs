//! Validation: every draft passes here before anything of it is stored. Secrets are masked in its words, its names and its
//! metadata, and the metadata says which kinds were.

use crate::write::metadata::{ASKED, CORRECTS, MASKED_SECRETS, REFLECTS_ON, TOLD_FOR_USER};
use cairn_cognition::secret::mask;
use cairn_domain::{Draft, Invalid, Message, MessageLimits, Metadata, Time};
use serde_json::{Value, json};
use std::borrow::Cow;

/// The message that a draft becomes: checked, without secrets, with everything it left open filled in.
pub(crate) fn validate_draft(
    mut draft: Draft,
    now: Time,
    limits: &MessageLimits,
) -> Result<Message, Invalid> {
    // Only a correction may say what it corrects, and only a reflection what it looks back on.
    draft.metadata.remove(CORRECTS);
    draft.metadata.remove(REFLECTS_ON);
    // A text that is too long is refused before anybody reads it.
    if draft.text.len() <= limits.text_bytes {
        mask_secrets(&mut draft);
    }
    draft.into_message(now, limits)
}

/// The same for a draft from a transcript: that somebody asked to remember it is not taken from there.
pub(crate) fn validate_transcript_draft(
    mut draft: Draft,
    now: Time,
    limits: &MessageLimits,
) -> Result<Message, Invalid> {
    draft.metadata.remove(ASKED);
    draft.metadata.remove(TOLD_FOR_USER);
    validate_draft(draft, now, limits)
}

fn mask_secrets(draft: &mut Draft) {
    let masked = mask(&draft.text);
    let mut found = masked.found;
    if let Cow::Owned(text) = masked.text {
        draft.text = text;
    }
    let names = [&mut draft.source_id, &mut draft.session, &mut draft.thread, &mut draft.speaker];
    for name in names.into_iter().flatten() {
        mask_name(name, &mut found);
    }
    mask_fields(&mut draft.metadata, &mut found);
    if !found.is_empty() {
        draft.metadata.insert(MASKED_SECRETS.to_owned(), json!(found));
    }
}

/// A session's or a thread's name as it is stored: whoever asks for one by the name they gave must find it.
pub fn stored_name(given: &str) -> String {
    mask(given).text.into_owned()
}

/// Masks a name that somebody gave: it is data as words are.
fn mask_name(name: &mut String, found: &mut Vec<&'static str>) {
    let masked = mask(name);
    found.extend(masked.found);
    if let Cow::Owned(text) = masked.text {
        *name = text;
    }
}

/// Masks the names and the values of fields.
fn mask_fields(fields: &mut Metadata, found: &mut Vec<&'static str>) {
    fields.iter_mut().for_each(|(name, value)| mask_value(name, value, found));
    if fields.keys().all(|name| mask(name).found.is_empty()) {
        return;
    }
    for (mut name, value) in std::mem::take(fields) {
        mask_name(&mut name, found);
        fields.insert(name, value);
    }
}

/// Masks a metadata value that is a secret by itself or by the name of its field.
fn mask_value(name: &str, value: &mut Value, found: &mut Vec<&'static str>) {
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
        Value::Array(values) => values.iter_mut().for_each(|value| mask_value(name, value, found)),
        Value::Object(fields) => mask_fields(fields, found),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

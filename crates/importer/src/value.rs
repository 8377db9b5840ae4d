//! Small readings of JSON that strangers wrote: texts, names, moments.

use cairn_domain::{Role, Time};
use jiff::{civil, tz::TimeZone};
use serde_json::Value;

/// A text that is not blank.
pub(crate) fn text<'a>(record: &'a Value, name: &str) -> Option<&'a str> {
    record[name].as_str().filter(|text| !text.trim().is_empty())
}

/// The first of several texts.
pub(crate) fn first_text<'a>(record: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| text(record, name))
}

/// A text or a number as a name.
pub(crate) fn name(record: &Value, field: &str) -> Option<String> {
    match &record[field] {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The elements of a list; none of what is no list.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A moment: text with or without a zone (then UTC), seconds or milliseconds since 1970.
pub(crate) fn moment(value: &Value) -> Option<Time> {
    if let Some(number) = value.as_f64() {
        let ms = if number.abs() < 1e11 { number * 1000.0 } else { number };
        let ms = ms.round() as i64;
        return Some(Time::from_millis(ms)).filter(|time| time.millis() == ms);
    }
    value.as_str()?.parse().ok()
}

/// The first moment of several fields.
pub(crate) fn first_moment(record: &Value, names: &[&str]) -> Option<Time> {
    names.iter().find_map(|name| moment(&record[*name]))
}

/// A moment without a zone, in the zone of whoever wrote it; one with a zone is taken as it is.
pub(crate) fn local_moment(value: &Value, zone: &TimeZone) -> Option<Time> {
    let written = value.as_str()?.trim();
    let Ok(civil) = written.parse::<civil::DateTime>() else { return moment(value) };
    if written.ends_with(['Z', 'z'])
        || written.rsplit('T').next().is_some_and(|time| time.contains(['+', '-']))
    {
        return moment(value);
    }
    let zoned = civil.to_zoned(zone.clone()).ok()?;
    Some(Time::from_millis(zoned.timestamp().as_millisecond()))
}

/// The role that other products call so. What is unknown is never the user's.
pub(crate) fn role(word: &str) -> Role {
    match word.trim().to_ascii_lowercase().as_str() {
        "user" | "human" => Role::User,
        "assistant" | "ai" | "model" | "gemini" | "agent" | "bot" => Role::Assistant,
        "tool" | "function" | "toolresult" => Role::Tool,
        _ => Role::System,
    }
}

/// The last part of a path, whichever system wrote it.
pub(crate) fn folder_name(path: &str) -> Option<String> {
    path.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).map(str::to_owned)
}

/// JSON that stands in a text; null if it is none.
pub(crate) fn inner(value: &Value) -> Value {
    match value.as_str() {
        Some(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        None => value.clone(),
    }
}

/// A tool's call as words: its name and what it was given.
pub(crate) fn call(tool: &str, input: &Value) -> String {
    match input {
        Value::Null => tool.to_owned(),
        Value::String(text) => format!("{tool} {text}"),
        other => format!("{tool} {other}"),
    }
}

/// A tool's answer as words.
pub(crate) fn answer(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(parts) if parts.iter().any(|part| part["text"].is_string()) => {
            texts_of(output).join("\n")
        }
        other => other.to_string(),
    }
}

/// The texts of a list of parts, or the one text that it is.
pub(crate) fn texts_of(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts
            .iter()
            .filter(|part| part["type"].as_str().is_none_or(|kind| kind.ends_with("text")))
            .filter(|part| part["thought"] != true)
            .filter_map(|part| part.as_str().or_else(|| part["text"].as_str()))
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

/// A short name of words, for what has no id of its own.
pub(crate) fn fingerprint(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..24].to_owned()
}

/// A predicate as words.
pub(crate) fn in_words(name: &str) -> String {
    name.replace(['_', '-'], " ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn moments_of_every_product_are_read() {
        let at = |value: Value| moment(&value).map(Time::millis);
        assert_eq!(at(json!("2026-03-09T11:20:00.512345-07:00")), Some(1_773_080_400_512));
        assert_eq!(at(json!("2026-03-09 18:20:00.000000")), Some(1_773_080_400_000));
        assert_eq!(at(json!(1_777_882_200.25)), Some(1_777_882_200_250));
        assert_eq!(at(json!(1_777_882_200_000_u64)), Some(1_777_882_200_000));
        assert_eq!(at(json!("soon")), None);
        let istanbul = TimeZone::get("Europe/Istanbul").expect("known");
        let local = |text: &str| local_moment(&json!(text), &istanbul).map(Time::millis);
        assert_eq!(local("2026-03-09T21:20:00"), Some(1_773_080_400_000));
        assert_eq!(local("2026-03-09T18:20:00Z"), Some(1_773_080_400_000));
        assert_eq!(local("2026-03-09T18:20:00+00:00"), Some(1_773_080_400_000));
    }

    #[test]
    fn an_unknown_role_is_never_the_users() {
        assert_eq!(role("wizard"), Role::System);
        assert_eq!((role("human"), role("Model")), (Role::User, Role::Assistant));
    }
}

//! Reads the fields of JSON that strangers wrote. Null and blank text mean absent; anything else of the
//! wrong type is a problem that names its field, never a panic and never a guess.

use crate::transcript::records::without_bom;
use cairn_domain::{Metadata, Role, Time};
use serde_json::Value;

/// The fields of one JSON object, each taken out at most once; what nobody took is the metadata.
#[derive(Debug)]
pub(super) struct Fields(Metadata);

impl Fields {
    /// The fields of the JSON object that `record` is.
    pub(super) fn parse(record: &[u8]) -> Result<Self, String> {
        match parse_mended(utf8(record)?, |text| {
            serde_json::from_str(text).map_err(|error| not_json(&error))
        })? {
            Value::Object(fields) => Ok(Self(fields)),
            other => Err(format!("{} where a JSON object should stand", kind(&other))),
        }
    }

    /// Whether there is anything in `name`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !is_absent(value))
    }

    /// Whether there is a JSON object in `name`.
    pub(super) fn has_object(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(Value::is_object)
    }

    /// Takes the first of `names` that holds anything, and its name.
    pub(super) fn take(&mut self, names: &[&'static str]) -> Option<(&'static str, Value)> {
        names.iter().find_map(|name| Some((*name, self.0.remove(*name).filter(|value| !is_absent(value))?)))
    }

    /// Takes a name: text, or a number written as text.
    pub(super) fn name(&mut self, names: &[&'static str]) -> Result<Option<String>, String> {
        let Some((name, value)) = self.take(names) else { return Ok(None) };
        name_of(&value).map(Some).ok_or_else(|| wrong(name, "text", &value))
    }

    /// Takes what somebody said: text, or a list of text blocks.
    pub(super) fn words(&mut self, names: &[&'static str]) -> Result<Option<String>, String> {
        match self.take(names) {
            None => Ok(None),
            Some((_, value @ (Value::String(_) | Value::Array(_)))) => Ok(words_of(&value)),
            Some((name, value)) => Err(wrong(name, "text", &value)),
        }
    }

    /// Takes a moment: RFC 3339, or a number as [`time_of`] reads it.
    pub(super) fn time(&mut self, names: &[&'static str]) -> Result<Option<Time>, String> {
        let Some((name, value)) = self.take(names) else { return Ok(None) };
        let shown = || value.to_string().chars().take(60).collect::<String>();
        time_of(&value).map(Some).ok_or_else(|| format!("`{name}` is not a time: {}", shown()))
    }

    /// Takes a flag, which is down if it is absent.
    pub(super) fn flag(&mut self, name: &'static str) -> Result<bool, String> {
        let Some((_, value)) = self.take(&[name]) else { return Ok(false) };
        value.as_bool().ok_or_else(|| wrong(name, "true or false", &value))
    }

    /// Takes a JSON object within this one.
    pub(super) fn object(&mut self, name: &'static str) -> Result<Option<Self>, String> {
        match self.take(&[name]) {
            None => Ok(None),
            Some((_, Value::Object(fields))) => Ok(Some(Self(fields))),
            Some((_, value)) => Err(wrong(name, "an object", &value)),
        }
    }

    /// The fields that nobody took.
    pub(super) fn into_metadata(self) -> Metadata {
        self.0
    }
}

/// JSON that stands in `record`, its broken escapes repaired.
pub fn parse_json(record: &[u8]) -> Result<Value, String> {
    parse_mended(utf8(without_bom(record))?, |text| {
        serde_json::from_str(text).map_err(|error| not_json(&error))
    })
}

/// The role that people call `text`, if it is one.
pub(super) fn role_of(text: &str) -> Option<Role> {
    let text = text.trim().to_ascii_lowercase();
    match text.as_str() {
        "human" => Some(Role::User),
        "ai" | "model" | "agent" | "bot" => Some(Role::Assistant),
        "developer" => Some(Role::System),
        "function" => Some(Role::Tool),
        _ => text.parse().ok(),
    }
}

/// Text that is not blank, or a number as text.
pub(super) fn name_of(value: &Value) -> Option<String> {
    match value {
        Value::String(name) if !name.trim().is_empty() => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The words of a text, or of the text blocks in a list, one below the other; `None` if there are none.
pub(super) fn words_of(value: &Value) -> Option<String> {
    let blocks = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let words = blocks.iter().filter_map(block_words).collect::<Vec<_>>().join("\n");
    (!words.trim().is_empty()).then_some(words)
}

/// The words of one block. A block that has a type must be of a text type: what a model thought and what
/// a tool was asked are not what somebody said.
fn block_words(block: &Value) -> Option<&str> {
    let is_text =
        block.get("type").is_none_or(|kind| kind.as_str().is_some_and(|kind| kind.ends_with("text")));
    block.as_str().or_else(|| block.get("text").filter(|_| is_text)?.as_str())
}

/// A moment as text, or as a number: seconds since 1970 below 10¹¹ (the year 5138), else milliseconds.
pub(super) fn time_of(value: &Value) -> Option<Time> {
    let Some(number) = value.as_f64() else { return value.as_str()?.parse().ok() };
    let ms = if number.abs() < 1e11 { number * 1000.0 } else { number };
    let ms = ms.round() as i64;
    Some(Time::from_millis(ms)).filter(|time| time.millis() == ms)
}

/// `record` as text.
pub(super) fn utf8(record: &[u8]) -> Result<&str, String> {
    str::from_utf8(record).map_err(|error| format!("not UTF-8 after byte {}", error.valid_up_to()))
}

/// Why JSON was refused. A record is mostly one line, so only the column says anything new.
pub(super) fn not_json(error: &serde_json::Error) -> String {
    let reason = error.to_string().replace(" at line 1 column ", " at column ");
    if error.is_data() { reason } else { format!("not JSON: {reason}") }
}

/// The result of `parse` on `text` or, where it fails, on `text` with its broken escapes repaired.
pub(super) fn parse_mended<T>(text: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
    parse(text).or_else(|problem| mended(text).map_or(Err(problem), |text| parse(&text)))
}

/// JavaScript writes half of an emoji that was cut in two as an escape (`\ud83d`) that stands for no
/// character; each becomes the replacement character. `None` if there are none.
fn mended(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        let is_pair = || matches!(escape.get(6..).and_then(escaped_unit), Some(0xDC00..=0xDFFF));
        let (kept, length) = match escaped_unit(escape) {
            Some(0xD800..=0xDBFF) if is_pair() => (&escape[..12], 12),
            Some(0xD800..=0xDFFF) => ("\\ufffd", 6),
            _ => {
                let length = escape.chars().take(2).map(char::len_utf8).sum();
                (&escape[..length], length)
            }
        };
        mended.extend([before, kept]);
        rest = &escape[length..];
    }
    mended.push_str(rest);
    (mended != text).then_some(mended)
}

/// The UTF-16 unit that the escape at the beginning of `text` stands for.
fn escaped_unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

fn is_absent(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

fn wrong(name: &str, expected: &str, found: &Value) -> String {
    format!("`{name}` is {} where {expected} should stand", kind(found))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// covers: C-158
    #[test]
    fn what_is_no_json_object_is_refused_with_its_place() {
        let deep = "[".repeat(100_000);
        let table: [(&[u8], &str); 7] = [
            (b"\"hello\"", "text where a JSON object should stand"),
            (b"null", "null where a JSON object should stand"),
            (b"[1]", "a list where a JSON object should stand"),
            (b"{\"a\":\xff}", "not UTF-8 after byte 5"),
            (b"{\"a\":}", "not JSON: expected value at column 6"),
            (b"{\"a\":1", "not JSON: EOF while parsing an object at column 6"),
            (deep.as_bytes(), "not JSON: recursion limit exceeded at column 128"),
        ];
        for (record, problem) in table {
            assert_eq!(Fields::parse(record).expect_err("refused"), problem);
        }
    }

    /// covers: C-158
    #[test]
    fn null_and_blank_are_absent_and_other_types_are_named() {
        let mut fields =
            Fields::parse(br#"{"a":null,"b":" ","c":7,"d":[1],"e":{},"f":"no"}"#).expect("an object");
        assert!(!fields.has("a") && !fields.has("b") && fields.has("c") && fields.has_object("e"));
        assert_eq!(fields.name(&["a", "b", "c"]), Ok(Some("7".to_owned())));
        assert_eq!(fields.name(&["d"]), Err("`d` is a list where text should stand".to_owned()));
        assert_eq!(fields.words(&["e"]), Err("`e` is an object where text should stand".to_owned()));
        assert_eq!(fields.flag("f"), Err("`f` is text where true or false should stand".to_owned()));
        assert!(fields.into_metadata().is_empty(), "what was looked at is taken");
    }

    #[test]
    fn moments_are_text_seconds_or_milliseconds() {
        let table = [
            (json!("2026-11-15T10:00:00Z"), Some(1_794_736_800_000)),
            (json!(1_794_736_800), Some(1_794_736_800_000)),
            (json!(1_794_736_800.25), Some(1_794_736_800_250)),
            (json!(1_794_736_800_000_i64), Some(1_794_736_800_000)),
            (json!(-1), Some(-1_000)),
            (json!(1e300), None),
            (json!(-1e18), None),
            (json!("soon"), None),
            (json!(true), None),
        ];
        for (value, ms) in table {
            assert_eq!(time_of(&value).map(Time::millis), ms, "{value}");
        }
    }

    #[test]
    fn words_are_text_or_blocks_of_text() {
        let table = [
            (json!("hi"), Some("hi")),
            (
                json!(["a", {"type": "text", "text": "b"}, {"text": "c"}, {"type": "output_text", "text": "d"}]),
                Some("a\nb\nc\nd"),
            ),
            (
                json!([{"type": "reasoning", "text": "hm"}, {"type": "image"}, {"type": 1, "text": "x"}, 5, null]),
                None,
            ),
            (json!([]), None),
            (json!({"text": "one block"}), Some("one block")),
            (json!(5), None),
        ];
        for (value, words) in table {
            assert_eq!(words_of(&value).as_deref(), words, "{value}");
        }
    }

    #[test]
    fn half_an_emoji_costs_one_character_and_not_the_line() {
        let table = [
            (r#"{"t":"cut \ud83d"}"#, "cut \u{fffd}"),
            (r#"{"t":"\ude00 \ud83d\u0041"}"#, "\u{fffd} \u{fffd}A"),
            (r#"{"t":"\ud83d\ude00 \ud83d"}"#, "😀 \u{fffd}"),
            (r#"{"t":"\\ud83d \ud83d"}"#, "\\ud83d \u{fffd}"),
        ];
        for (line, words) in table {
            let read = Fields::parse(line.as_bytes()).and_then(|mut fields| fields.words(&["t"]));
            assert_eq!(read, Ok(Some(words.to_owned())), "{line}");
        }
        for whole in [r"\ud83d\ude00", "\\", "\\é", r"\u12"] {
            assert_eq!(mended(whole), None, "{whole}");
        }
    }
}

//! Puts a text before the user's last words in a request and leaves every other byte as it is: tools and their calls, numbers,
//! the order of fields, what a provider has cached.

use crate::protocol::ApiProtocol;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use std::{borrow::Cow, collections::BTreeMap};

type RawFields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// The request with `block` before the user's last words; `None` if it has none, or is not as it should be.
pub(crate) fn with_block(protocol: ApiProtocol, body: &str, block: &str) -> Option<String> {
    let fields: RawFields<'_> = serde_json::from_str(body).ok()?;
    let (place, inserted) = insertion(protocol, body, fields.get(protocol.list_field())?.get(), block)?;
    let mut with = String::with_capacity(body.len() + inserted.len());
    with.push_str(&body[..place]);
    with.push_str(&inserted);
    with.push_str(&body[place..]);
    Some(with)
}

/// Where in the body to insert what.
fn insertion(protocol: ApiProtocol, body: &str, list: &str, block: &str) -> Option<(usize, String)> {
    if list.starts_with('"') {
        return Some((offset(body, list)? + 1, within_string(block)));
    }
    let messages: Vec<&RawValue> = parsed(list)?;
    messages.iter().rev().find_map(|message| {
        let fields: RawFields<'_> = parsed(message.get())?;
        let text = |name: &str| parsed::<Cow<'_, str>>(fields.get(name)?.get());
        if text("role")? != "user" || text("type").is_some_and(|kind| kind != "message") {
            return None;
        }
        let content = fields.get("content")?.get();
        if content.starts_with('"') {
            let is_blank = parsed::<String>(content)?.trim().is_empty();
            return (!is_blank).then_some((offset(body, content)? + 1, within_string(block)));
        }
        let blocks: Vec<&RawValue> = parsed(content)?;
        let first = blocks.iter().find(|block| {
            let block: Value = parsed(block.get()).unwrap_or_default();
            block["type"] == protocol.text_type()
                && block["text"].as_str().is_some_and(|it| !it.trim().is_empty())
        })?;
        let inserted = json!({"type": protocol.text_type(), "text": block});
        Some((offset(body, first.get())?, format!("{inserted},")))
    })
}

fn parsed<'a, T: Deserialize<'a>>(raw: &'a str) -> Option<T> {
    serde_json::from_str(raw).ok()
}

/// The block as it stands within a string, with a line between it and the user's words.
fn within_string(block: &str) -> String {
    let text = json!(format!("{block}\n\n")).to_string();
    text[1..text.len() - 1].to_owned()
}

/// Where a part of the body begins in it.
fn offset(body: &str, part: &str) -> Option<usize> {
    (part.as_ptr() as usize).checked_sub(body.as_ptr() as usize).filter(|place| *place < body.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_stands_before_the_users_last_words_and_nothing_else_moves() {
        let table = [
            (
                ApiProtocol::Chat,
                r#"{"tools":[1.0],"messages":[{"role":"system","content":"s"},{"content":"a \"b\"", "role":"user"}]}"#,
                r#"{"tools":[1.0],"messages":[{"role":"system","content":"s"},{"content":"M\nN\n\na \"b\"", "role":"user"}]}"#,
            ),
            (
                ApiProtocol::Messages,
                r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}, {"type":"text","text":"go"}]}]}"#,
                r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}, {"text":"M\nN","type":"text"},{"type":"text","text":"go"}]}]}"#,
            ),
            (
                ApiProtocol::Messages,
                r#"{"messages":[{"role":"user","content":"first"},{"role":"assistant","content":"x"},{"role":"user","content":[{"type":"tool_result"}]}]}"#,
                r#"{"messages":[{"role":"user","content":"M\nN\n\nfirst"},{"role":"assistant","content":"x"},{"role":"user","content":[{"type":"tool_result"}]}]}"#,
            ),
            (ApiProtocol::Responses, r#"{"input" : "hi"}"#, r#"{"input" : "M\nN\n\nhi"}"#),
            (
                ApiProtocol::Responses,
                r#"{"input":[{"role":"user","content":[{"type":"input_image"},{"type":"input_text","text":"hi"}]},{"type":"function_call","name":"f"}]}"#,
                r#"{"input":[{"role":"user","content":[{"type":"input_image"},{"text":"M\nN","type":"input_text"},{"type":"input_text","text":"hi"}]},{"type":"function_call","name":"f"}]}"#,
            ),
        ];
        for (protocol, body, expected) in table {
            assert_eq!(with_block(protocol, body, "M\nN").as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_request_without_words_of_the_user_stays_as_it_is() {
        for body in [
            "",
            "[]",
            "{}",
            r#"{"messages":7}"#,
            r#"{"messages":[{"role":"assistant","content":"x"}]}"#,
            r#"{"messages":[{"role":"user","content":" "}]}"#,
            r#"{"messages":[{"role":"user","content":[{"type":"image"}]}]}"#,
        ] {
            assert_eq!(with_block(ApiProtocol::Messages, body, "M"), None, "{body}");
        }
    }
}

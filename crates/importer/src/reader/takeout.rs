//! Google Takeout: what was asked of Gemini and what it answered. There are no conversations in it, so a gap of half an
//! hour begins a new one.

use crate::{
    archive::{PackedArchive, open_unpacked, read_bounded},
    error::{ImporterError, Result},
    gathered::{Gatherer, draft, with},
    record::{each_element, whole},
    value::{fingerprint, first_moment, list, moment, text},
};
use cairn_domain::{Draft, Role, Time};
use serde_json::Value;
use std::{io::Read, path::Path};

/// A longer silence begins a new conversation.
const GAP_MS: i64 = 30 * 60 * 1000;
/// The words before a prompt, in the languages that are known.
const VERBS: [&str; 3] = ["Prompted ", "Asked ", "Said "];

pub(crate) fn read_zip(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let mut archive = PackedArchive::open(path)?;
    for member in archive.names() {
        if is_activity(&member) {
            activity(archive.read(&member)?.as_slice(), path, out)?;
        } else if is_conversation(&member) {
            conversation(&archive.read(&member)?, path, out)?;
        }
    }
    Ok(())
}

pub(crate) fn is_activity(name: &str) -> bool {
    name.ends_with("Gemini Apps/MyActivity.json")
}

pub(crate) fn is_conversation(name: &str) -> bool {
    name.contains("Conversation History/conversation_") && name.ends_with(".txt")
}

pub(crate) fn read_activity(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    activity(open_unpacked(path)?, path, out)
}

pub(crate) fn read_conversation(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let bytes = read_bounded(open_unpacked(path)?, path)?;
    conversation(&bytes, path, out)
}

/// One prompt with its answer.
struct Asked {
    at: Option<Time>,
    prompt: String,
    answer: String,
    attached: Value,
}

fn activity(input: impl Read, path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let (mut asked, mut others) = (Vec::new(), 0);
    let broken = each_element(input, |record| match asked_of(&record) {
        Some(found) => asked.push(found),
        None => others += 1,
    });
    out.left_out("records that cannot be read", broken.map_err(ImporterError::file(path))?);
    out.counted("records_left_out", others);
    out.left_out("records of other products, and what was not said (feedback, settings)", others);
    asked.sort_by_key(|asked| asked.at);
    let (mut last, mut session) = (None, String::new());
    for turn in asked {
        let at = turn.at.map_or(0, Time::millis);
        if last.is_none_or(|last| at - last > GAP_MS) {
            session = format!("gemini:{at}");
        }
        last = Some(at);
        out.counted("prompts", 1);
        let id = fingerprint(&[&at.to_string(), &turn.prompt]);
        let common = Draft { session: Some(session.clone()), ..Draft::default() };
        let prompt = draft(Role::User, out.id(&id), turn.at, turn.prompt);
        out.said(with(Draft { session: common.session.clone(), ..prompt }, "attached", &turn.attached));
        let answer = draft(Role::Assistant, out.id(&format!("{id}#answer")), turn.at, turn.answer);
        out.said(Draft { session: common.session, ..answer });
    }
    Ok(())
}

fn asked_of(record: &Value) -> Option<Asked> {
    let is_gemini =
        |name: &Value| name.as_str().is_some_and(|name| name.contains("Gemini") || name.contains("Bard"));
    if !list(&record["products"]).iter().any(is_gemini) {
        return None;
    }
    let title = text(record, "title")?;
    let prompt = VERBS.iter().find_map(|verb| title.strip_prefix(verb))?;
    let attached: Vec<Value> = list(&record["subtitles"]).iter().map(|line| line["name"].clone()).collect();
    let mut prompt = prompt.trim();
    for note in attached.iter().filter_map(Value::as_str) {
        prompt = prompt.strip_suffix(note).unwrap_or(prompt).trim_end();
    }
    let answer: Vec<String> =
        list(&record["safeHtmlItem"]).iter().filter_map(|item| item["html"].as_str()).map(plain).collect();
    Some(Asked {
        at: moment(&record["time"]),
        prompt: prompt.to_owned(),
        answer: answer.join("\n"),
        attached: attached.into(),
    })
}

/// The words of a page: blocks on lines of their own, entities decoded.
pub(crate) fn plain(html: &str) -> String {
    let mut words = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        words.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('>') else {
            words.push_str(&rest[open..]);
            rest = "";
            break;
        };
        let tag = rest[open + 1..open + close].trim_start_matches('/');
        let tag: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
        if ["p", "br", "li", "ul", "ol", "div", "tr", "pre"].contains(&tag.as_str()) || tag.starts_with('h') {
            words.push('\n');
        }
        rest = &rest[open + close + 1..];
    }
    words.push_str(rest);
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    decoded(&lines.join("\n"))
}

fn decoded(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.char_indices().take(12).find(|(_, c)| *c == ';').map(|(end, _)| end);
        let entity = end.and_then(|end| Some((end, character(&rest[1..end])?)));
        if let Some((end, character)) = entity {
            decoded.push(character);
            rest = &rest[end + 1..];
        } else {
            decoded.push('&');
            rest = &rest[1..];
        }
    }
    decoded.push_str(rest);
    decoded
}

fn character(entity: &str) -> Option<char> {
    let number = entity.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => number.parse().ok(),
    });
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => number.and_then(char::from_u32),
    }
}

fn conversation(bytes: &[u8], path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let record = whole(bytes).map_err(|problem| ImporterError::malformed(path, problem))?;
    out.counted("conversations", 1);
    let begun = text(&record, "creation_time").unwrap_or_default();
    let session = format!("gemini:{}", fingerprint(&[text(&record, "title").unwrap_or_default(), begun]));
    for (place, turn) in list(&record["conversation_turns"]).iter().enumerate() {
        let (role, side) = if turn["user_turn"].is_object() {
            (Role::User, &turn["user_turn"])
        } else {
            (Role::Assistant, &turn["system_turn"])
        };
        if !side["turn_deleted_time"].is_null() {
            out.left_out("deleted turns", 1);
            continue;
        }
        let thoughts = list(&side["model_thoughts"]).len() as u64;
        out.counted("thoughts_left_out", thoughts);
        out.left_out("the model's thoughts", thoughts);
        let texts: Vec<&str> = list(&side["text"]).iter().filter_map(|part| part["data"].as_str()).collect();
        let words = text(side, "prompt").map_or_else(|| texts.join("\n"), str::to_owned);
        let id = format!("{session}#{place}");
        let at = first_moment(side, &["turn_last_modified"]).or_else(|| moment(&record["creation_time"]));
        out.said(Draft { session: Some(session.clone()), ..draft(role, Some(id), at, words) });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn pages_become_words() {
        let html =
            "<p>Gauge 7 reads <b>12 cm</b> too high.</p><ul><li>07.40&#39;ta &amp; k&#xe9;</li></ul> 1 < 2";
        assert_eq!(plain(html), "Gauge 7 reads 12 cm too high.\n07.40'ta & ké\n1 < 2");
        assert_eq!(plain("a &unknown; b & c"), "a &unknown; b & c");
    }
}

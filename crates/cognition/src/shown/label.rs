//! Records of talks: lines that open with who speaks, and the marks by which programs part one speaker's words from
//! another's. Whoever brings such a record speaks in none of its lines.

use super::words::{LabelClass, is_label};
use regex::Regex;
use std::{collections::HashMap, ops::Range, sync::LazyLock};

/// Longer labels are sentences.
const MAX_LABEL_CHARS: usize = 28;
const MAX_LABEL_WORDS: usize = 3;

/// Marks of templates for chats: `<|im_start|>user`, `[INST]`, `### Human:`.
static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<\|\w{2,16}\|>|\[/?INST\]|<</?SYS>>|(?mi-u:^#{2,4} ?(?:human|user|assistant|system|instruction)\b)|</?tool_result>")
        .expect("a pattern")
});
/// A line that opens with a time, as programs for chats write it, or is a name and a time.
static STAMPED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:\[?[\d./ -]{3,12},? \d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\]?[ -]+[^:\n]{1,28}:\s|\[[^\]\n]{4,24}\] [^:\n]{1,28}:\s|[\w.]{2,24}\s+\d{1,2}:\d\d(?: ?[AaPp][Mm])?\s*$|\d\d:\d\d:\d\d(?:[.,]\d+)? -->)")
        .expect("a pattern")
});
/// Labels within a line: `user: I live in Oslo. assistant: Saved.`
static INLINE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:^|[\s.!?>“\x22(])(\p{L}{2,12}): ").expect("a pattern"));

/// A line with its label.
struct LabeledLine {
    start: usize,
    label: String,
    class: Option<LabelClass>,
}

/// Where a text records a talk.
pub(super) fn labeled_talk(text: &str) -> Vec<Range<usize>> {
    if !text.contains([':', '|', '[', '#']) && !text.contains("</") {
        return Vec::new();
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    found.extend(TEMPLATE.find(text).map(|mark| mark.start()..text.len()));
    found.extend(labeled_lines(text));
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let labels: Vec<usize> = INLINE
            .captures_iter(line)
            .filter_map(|it| it.get(1))
            .filter(|it| is_label(it.as_str(), LabelClass::Speaker))
            .map(|it| it.start())
            .collect();
        if let [first, _, ..] = labels[..] {
            found.push(at + first..at + line.len());
        }
        at += line.len();
    }
    found
}

/// From the first labeled line of a talk to the end of the paragraph with the last.
fn labeled_lines(text: &str) -> Option<Range<usize>> {
    let (mut labeled, mut stamped) = (Vec::new(), Vec::new());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if STAMPED.is_match(line) {
            stamped.push(at);
        }
        if let Some(label) = label_of(line) {
            let classes = [LabelClass::Speaker, LabelClass::MaybeSpeaker];
            let class = classes.into_iter().find(|class| is_label(label, *class));
            labeled.push(LabeledLine { start: at, label: label.to_lowercase(), class });
        }
        at += line.len();
    }
    let is_talk = stamped.len() > 1
        || labeled.iter().any(|line| line.class == Some(LabelClass::Speaker))
        || labeled.iter().filter(|line| line.class.is_some()).count() > 1
        || takes_turns(&labeled);
    let starts = || stamped.iter().copied().chain(labeled.iter().map(|line| line.start));
    let (first, last) = (starts().min()?, starts().max()?);
    let end = text[last..].find("\n\n").map_or(text.len(), |length| last + length);
    is_talk.then_some(first..end)
}

/// Whether somebody comes up again after somebody else.
fn takes_turns(lines: &[LabeledLine]) -> bool {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for line in lines {
        *count.entry(&line.label).or_default() += 1;
    }
    count.len() > 1 && count.values().any(|count| *count > 1)
}

/// The label that a line opens with.
pub(super) fn label_of(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = line.find([':', ']', '>'])?;
    let label = line[..end].trim_end_matches(['*', '|', '_']);
    let rest = line[end..].trim_start_matches([':', ']', '>', '*', '|', '_']);
    let is_label = label.chars().count() <= MAX_LABEL_CHARS
        && label.split_whitespace().count() <= MAX_LABEL_WORDS
        && label.chars().all(|c| c.is_alphabetic() || " .'-_".contains(c));
    (is_label && rest.starts_with(char::is_whitespace) && !label.is_empty()).then_some(label)
}

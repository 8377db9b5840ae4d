//! Quoted lists: how what was derived from several memories tells what they say. A title of what they share, and below it
//! each of them in its own words, with its ref. Nothing is glued into one sentence that nobody said.

use crate::{confidence::shortened_text, excerpt::on_one_line, keywords::terms, language::is_stop_word};
use regex::Regex;
use std::{collections::BTreeMap, sync::LazyLock};

/// Characters of one quotation at most.
pub const MAX_QUOTATION_CHARS: usize = 200;
/// Names or words of a title at most.
const MAX_TITLE_PARTS: usize = 3;
/// Words of fewer characters make no title.
const MIN_TITLE_WORD_CHARS: usize = 4;

/// Words that a memory adds to those it quotes: dates, questions that were answered, who is meant.
static BRACKETED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[[^\]]*\]").expect("a valid expression"));

const OPEN: &str = "- “";
const CLOSE: char = '”';

/// The words of one member of a list as its line: shortened to whole sentences or words, in quotation marks, with the ref
/// of where they stand.
pub fn quoted_line(text: &str, reference: &str) -> String {
    let quoted = shortened_text(&on_one_line(text), MAX_QUOTATION_CHARS);
    // Marks inside would close the quotation.
    format!("{OPEN}{}{CLOSE} [{reference}]", quoted.replace(['“', CLOSE], "\""))
}

/// A title and the lines below it.
pub fn quoted_list(title: &str, lines: &[String]) -> String {
    format!("{title}\n{}", lines.join("\n"))
}

/// The quoted lines of a list; none of a text that is no list.
pub fn quoted_lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| quotation(line).is_some()).collect()
}

/// The words between the quotation marks of a line.
pub fn quotation(line: &str) -> Option<&str> {
    line.strip_prefix(OPEN)?.rsplit_once(CLOSE).map(|(words, _)| words)
}

/// A title for some texts: the names that at least half of them share, else the words, the most frequent first. Whoever says
/// them is no title of what they say, nor is what stands in brackets, which nobody said.
pub fn shared_title(texts: &[&str], names: &[Vec<String>]) -> Option<String> {
    let speakers: Vec<&str> = texts.iter().filter_map(|text| speaker_label(text)).collect();
    let is_speaker = |name: &str| speakers.iter().any(|speaker| speaker.eq_ignore_ascii_case(name));
    let names = names.iter().map(|of_one| {
        let others = of_one.iter().filter(|name| !is_speaker(name));
        others.map(|name| (name.clone(), name.clone())).collect()
    });
    shared(names.collect(), texts.len()).or_else(|| {
        let words = texts.iter().map(|text| {
            let said = text.strip_prefix(speaker_label(text).unwrap_or_default()).unwrap_or(text);
            let said = BRACKETED.replace_all(said, " ");
            let words = said
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| is_telling(word) && !is_speaker(word));
            words
                .filter_map(|word| Some((terms(word).counts.into_iter().next()?.0, word.to_owned())))
                .collect()
        });
        shared(words.collect(), texts.len())
    })
}

/// The name in front of words that are shown as somebody's: the `Ada` of `Ada: “I moved.”`.
fn speaker_label(text: &str) -> Option<&str> {
    let (label, words) = text.split_once(": ")?;
    (words.starts_with(['“', '"']) && !label.contains(['“', '"', '.'])).then_some(label)
}

fn is_telling(word: &str) -> bool {
    word.chars().count() >= MIN_TITLE_WORD_CHARS
        && !word.chars().all(|c| c.is_ascii_digit())
        && !is_stop_word(&word.to_lowercase())
}

/// Those that at least half of all have, by how often, with how each was first written.
fn shared(found: Vec<BTreeMap<String, String>>, all: usize) -> Option<String> {
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (key, written) in found.into_iter().flatten() {
        counts.entry(key).or_insert((0, written)).0 += 1;
    }
    let mut most: Vec<(usize, String)> =
        counts.into_values().filter(|(times, _)| *times >= 2 && times * 2 >= all).collect();
    most.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let parts: Vec<String> = most.into_iter().take(MAX_TITLE_PARTS).map(|(_, written)| written).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_quotes_its_members_and_is_read_back() {
        let lines =
            [quoted_line("The kiln stood\nin Porto.", "mem_1"), quoted_line("It was “loud”.", "mem_2")];
        let text = quoted_list("Kiln", &lines);
        assert_eq!(text, "Kiln\n- “The kiln stood in Porto.” [mem_1]\n- “It was \"loud\".” [mem_2]");
        assert_eq!(quoted_lines(&text), lines);
        assert_eq!(quotation(&lines[0]), Some("The kiln stood in Porto."));
        assert!(quoted_lines("- a line\nof no list").is_empty());
        let long = quoted_line(&"word ".repeat(90), "mem_3");
        assert!(long.contains("word…”"), "never cut inside a word: {long}");
    }

    #[test]
    fn a_title_is_what_is_shared() {
        let texts = ["The kiln stood in Porto.", "The kiln was sold.", "A loud kiln."];
        let names =
            |all: [&[&str]; 3]| all.map(|of| of.iter().map(|name| (*name).to_owned()).collect()).to_vec();
        assert_eq!(shared_title(&texts, &names([&["Porto"], &["Porto"], &[]])).as_deref(), Some("Porto"));
        assert_eq!(shared_title(&texts, &names([&["Porto"], &[], &[]])).as_deref(), Some("kiln"));
        assert_eq!(shared_title(&["Tea.", "Rain.", "Sun."], &names([&[], &[], &[]])), None);
        let said = [
            "Ada: “We fired it.” [asked: “How was the glaze?”]",
            "Ada: “Two glaze tests in [2026-04].”",
            "Ada wants no glaze on it, in 2026.",
        ];
        assert_eq!(
            shared_title(&said, &names([&["Ada"], &["Ada"], &["Ada"]])).as_deref(),
            Some("glaze"),
            "neither who speaks nor what stands in brackets"
        );
    }
}

//! Patterns: what the ideas of this crate look for in a text, as data, one file a language under `lexicon/`.
//!
//! A line of a list is a regular expression that matches whole words of the plain text (see [`crate::plain`]: small letters
//! without accents); a space stands for any run of spaces. `label: ` before it says what a match means. Lines that begin with `#` are comments.

use crate::{
    language::{LANGUAGES, Language},
    plain::{Plain, plain_pattern},
};
use regex::bytes::{Regex, RegexSet, RegexSetBuilder};
use std::{ops::Range, sync::OnceLock};

/// The lines of one list, in every language.
pub(crate) struct Patterns {
    all: RegexSet,
    each: Vec<Pattern>,
}

struct Pattern {
    language: &'static Language,
    label: &'static str,
    source: String,
    /// Made when the line is first found in a text.
    regex: OnceLock<Regex>,
}

/// One match of one line.
#[derive(Debug)]
pub(crate) struct Found {
    /// What the match means; empty if the line has no label.
    pub label: &'static str,
    /// The code of the language whose line it was.
    pub language: &'static str,
    /// Where it stands.
    pub range: Range<usize>,
}

impl Patterns {
    /// The list `name` of every language. Panics on a line that is no pattern, so each list has a test that reads it.
    pub(crate) fn read(name: &str) -> Self {
        Self::of(
            name,
            LANGUAGES.iter().flat_map(|language| language.lines(name).map(move |line| (language, line))),
        )
    }

    fn of(name: &str, lines: impl Iterator<Item = (&'static Language, &'static str)>) -> Self {
        let each: Vec<Pattern> = lines
            .map(|(language, line)| {
                let (label, expression) = labelled(line);
                Pattern { language, label, source: compile(expression), regex: OnceLock::new() }
            })
            .collect();
        let all = RegexSetBuilder::new(each.iter().map(|pattern| &pattern.source))
            .unicode(false)
            .size_limit(64 << 20)
            .dfa_size_limit(16 << 20)
            .build()
            .unwrap_or_else(|error| panic!("lexicon list {name}: {error}"));
        Self { all, each }
    }

    /// Every match of every line, in the order of the lines.
    pub(crate) fn find(&self, text: &str) -> impl Iterator<Item = Found> + use<> {
        let plain = Plain::of(text);
        let mut found = Vec::new();
        for line in self.all.matches(plain.bytes()) {
            let Pattern { language, label, .. } = &self.each[line];
            let matches = self.each[line].regex().find_iter(plain.bytes());
            found.extend(matches.map(|it| Found {
                label,
                language: language.code,
                range: plain.range(it.range()),
            }));
        }
        found.into_iter()
    }

    /// The labels of the lines that match, each once, in their order.
    pub(crate) fn labels_in(&self, text: &str) -> Vec<&'static str> {
        let mut labels: Vec<&str> = Vec::new();
        for line in self.all.matches(Plain::of(text).bytes()) {
            if !labels.contains(&self.each[line].label) {
                labels.push(self.each[line].label);
            }
        }
        labels
    }
}

impl Pattern {
    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| regex(&self.source).expect("it was read once already"))
    }
}

/// The machine of one line.
fn regex(source: &str) -> Result<Regex, regex::Error> {
    regex::bytes::RegexBuilder::new(source).unicode(false).size_limit(16 << 20).build()
}

/// A regular expression that is made when it is first needed: most are never, and a process begins many times a day.
#[derive(Debug)]
pub(crate) struct OnUse {
    source: String,
    regex: OnceLock<regex::Regex>,
}

impl OnUse {
    pub(crate) fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), regex: OnceLock::new() }
    }

    /// How it is written.
    pub(crate) fn as_str(&self) -> &str {
        &self.source
    }

    /// The expression. Panics if it is none, so every one stands in a set that a test reads.
    pub(crate) fn get(&self) -> &regex::Regex {
        self.regex.get_or_init(|| regex::Regex::new(&self.source).unwrap_or_else(|error| panic!("{error}")))
    }
}

/// The label of a line, if it has one, and its expression.
fn labelled(line: &'static str) -> (&'static str, &'static str) {
    let is_label = |label: &&str| label.chars().all(|c| c.is_ascii_lowercase() || "_-/".contains(c));
    match line.split_once(": ") {
        Some((label, expression)) if is_label(&label) => (label, expression.trim_start()),
        _ => ("", line),
    }
}

/// The regular expression of a line.
fn compile(expression: &str) -> String {
    let expression = plain_pattern(expression).replace(r"\p{L}", "[a-z_]");
    let expression = expression.as_str();
    let mut source = String::new();
    if expression.starts_with(|c: char| c.is_alphanumeric() || c == '(') {
        source.push_str(r"\b");
    }
    source.push_str(&expression.replace(' ', r"\s+"));
    if expression.ends_with(|c: char| c.is_alphanumeric() || c == ')') {
        source.push_str(r"\b");
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(lines: &'static [&'static str]) -> Patterns {
        Patterns::of("test", lines.iter().map(|line| (&LANGUAGES[0], *line)))
    }

    #[test]
    fn a_line_is_whole_words_in_any_case() {
        let moves = patterns(&["moved: moved (?:back )?to", "don't", "şekersiz"]);
        let text = "Évora: I MOVED  back to Évora";
        let found: Vec<Found> = moves.find(text).collect();
        assert_eq!(
            (found.len(), found[0].label, &text[found[0].range.clone()]),
            (1, "moved", "MOVED  back to")
        );
        assert_eq!(moves.find("removed to make room").count(), 0);
        for (text, lines) in [("I DON’T", 1), ("ŞEKERSİZ kahve, don't", 2), ("şekersizlik", 0)] {
            assert_eq!(moves.find(text).count(), lines, "{text}");
        }
        assert_eq!(moves.labels_in("moved to X"), ["moved"]);
    }

    #[test]
    fn a_label_is_a_word_before_a_colon() {
        assert_eq!(labelled("residence: live in"), ("residence", "live in"));
        assert_eq!(labelled("a: b c"), ("a", "b c"));
        assert_eq!(labelled("at 10: 30"), ("", "at 10: 30"));
    }
}

//! Patterns: what the ideas of this crate look for in a text, as data, one file a language under `lexicon/`.
//!
//! A line of a list is a regular expression that matches whole words in any case, with three conveniences: a space stands
//! for any run of spaces, a straight apostrophe for a typographic one too, and `{name}` for a few words of one clause,
//! which are then found by that name. `label: ` before it says what a match means. Lines that begin with `#` are comments.

use crate::language::{LANGUAGES, Language};
use regex::{Regex, RegexSet, RegexSetBuilder};
use std::{fmt::Write, ops::Range};

/// The lines of one list, in every language.
pub(crate) struct Patterns {
    all: RegexSet,
    each: Vec<Pattern>,
}

struct Pattern {
    language: &'static Language,
    label: &'static str,
    regex: Regex,
}

/// One match of one line.
#[derive(Debug)]
pub(crate) struct Found<'t> {
    /// What the match means; empty if the line has no label.
    pub label: &'static str,
    /// The code of the language whose line it was.
    pub language: &'static str,
    /// Where it stands.
    pub range: Range<usize>,
    captures: regex::Captures<'t>,
}

impl<'t> Found<'t> {
    /// The words found as `{name}`, without what surrounds them.
    pub(crate) fn get(&self, name: &str) -> Option<&'t str> {
        let words = self.captures.name(name)?.as_str();
        Some(words.trim_matches(|c: char| c.is_whitespace() || "\"'“”‘’()[]*_`.".contains(c)))
            .filter(|words| !words.is_empty())
    }
}

impl Patterns {
    /// The list `name` of every language. Panics on a line that is no pattern, so each list has a test that reads it.
    pub(crate) fn read(name: &str) -> Self {
        let lines =
            LANGUAGES.iter().flat_map(|language| language.lines(name).map(move |line| (language, line)));
        let parsed: Vec<(&Language, &str, String)> = lines
            .map(|(language, line)| {
                let (label, expression) = labelled(line);
                (language, label, compile(expression))
            })
            .collect();
        let sources = parsed.iter().map(|(_, _, source)| source);
        let all = RegexSetBuilder::new(sources)
            .size_limit(64 << 20)
            .build()
            .unwrap_or_else(|error| panic!("lexicon list {name}: {error}"));
        let each = parsed.iter().map(|(language, label, source)| Pattern {
            language,
            label,
            regex: Regex::new(source).expect("it was read once already"),
        });
        Self { all, each: each.collect() }
    }

    /// Every match of every line, in the order of the lines.
    pub(crate) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Found<'t>> {
        let lines = self.all.matches(text).into_iter();
        lines.flat_map(move |line| {
            let Pattern { language, label, regex } = &self.each[line];
            regex.captures_iter(text).map(move |captures| {
                let range = captures.get(0).map_or(0..0, |whole| whole.range());
                Found { label, language: language.code, range, captures }
            })
        })
    }

    /// Whether any line matches.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.all.is_match(text)
    }

    /// How many lines match.
    pub(crate) fn lines_in(&self, text: &str) -> usize {
        self.all.matches(text).iter().count()
    }

    /// The labels of the lines that match, each once, in their order.
    pub(crate) fn labels_in(&self, text: &str) -> Vec<&'static str> {
        let mut labels: Vec<&str> = Vec::new();
        for line in self.all.matches(text) {
            if !labels.contains(&self.each[line].label) {
                labels.push(self.each[line].label);
            }
        }
        labels
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
    let mut source = String::from("(?i)");
    if expression.starts_with(|c: char| c.is_alphanumeric() || c == '(' || c == '{') {
        source.push_str(r"\b");
    }
    let mut rest = expression;
    while let Some(c) = rest.chars().next() {
        let capture = rest.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        match (c, capture) {
            ('{', Some((name, after))) if name.chars().all(|c| c.is_ascii_lowercase() || c == '_') => {
                // A capture at the end takes the clause, one in the middle as little as it can.
                let lazy = if after.is_empty() { "" } else { "?" };
                let _ = write!(source, r#"(?P<{name}>[^\s.,;:!?()"][^,;!?()"\n]{{0,80}}{lazy})"#);
                rest = after;
                continue;
            }
            (' ', _) => source.push_str(r"\s+"),
            ('\'', _) => source.push_str("['’]"),
            _ => source.push(c),
        }
        rest = &rest[c.len_utf8()..];
    }
    if expression.ends_with(|c: char| c.is_alphanumeric() || c == ')') {
        source.push_str(r"\b");
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_whole_words_in_any_case_with_what_it_names() {
        let regex = Regex::new(&compile("moved (?:back )?to {place}")).expect("a pattern");
        let captures = regex.captures("I MOVED  back to New York, in May").expect("a match");
        assert_eq!(&captures["place"], "New York");
        assert!(!regex.is_match("removed to make room"));
        let between = Regex::new(&compile("from {old} to {new}")).expect("a pattern");
        let captures = between.captures("from Vim to Helix.").expect("a match");
        assert_eq!((&captures["old"], &captures["new"]), ("Vim", "Helix."));
        assert!(Regex::new(&compile("don't")).expect("a pattern").is_match("I don’t"));
        assert_eq!(labelled("residence: live in"), ("residence", "live in"));
        assert_eq!(labelled("a: b c"), ("a", "b c"));
        assert_eq!(labelled("at 10: 30"), ("", "at 10: 30"));
    }
}

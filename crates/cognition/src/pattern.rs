//! Patterns: what the ideas of this crate look for in a text, as data, one file a language under `lexicon/`.
//!
//! A line of a list is a regular expression that matches whole words of the plain text (see [`crate::plain`]: small letters
//! without accents), with two conveniences: a space stands for any run of spaces, and `{name}` for a few words of one
//! clause, which are then found by that name. `label: ` before it says what a match means. Lines that begin with `#` are comments.

use crate::{
    language::{LANGUAGES, Language},
    plain::{Plain, plain_pattern},
};
use regex::bytes::{Regex, RegexSet, RegexSetBuilder};
use std::{fmt::Write, ops::Range, sync::OnceLock};

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
pub(crate) struct Found<'t> {
    /// What the match means; empty if the line has no label.
    pub label: &'static str,
    /// The code of the language whose line it was.
    pub language: &'static str,
    /// Where it stands.
    pub range: Range<usize>,
    named: Vec<(String, &'t str)>,
}

impl<'t> Found<'t> {
    /// The words found as `{name}`, without what surrounds them.
    pub(crate) fn get(&self, name: &str) -> Option<&'t str> {
        let (_, words) = self.named.iter().find(|(named, _)| named == name)?;
        Some(words.trim_matches(|c: char| c.is_whitespace() || "\"'“”‘’()[]*_`.".contains(c)))
            .filter(|words| !words.is_empty())
    }
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
            .build()
            .unwrap_or_else(|error| panic!("lexicon list {name}: {error}"));
        Self { all, each }
    }

    /// Every match of every line, in the order of the lines.
    pub(crate) fn find<'t>(&self, text: &'t str) -> impl Iterator<Item = Found<'t>> + use<'t> {
        let plain = Plain::of(text);
        let mut found = Vec::new();
        for line in self.all.matches(plain.bytes()) {
            let Pattern { language, label, .. } = &self.each[line];
            let regex = self.each[line].regex();
            for captures in regex.captures_iter(plain.bytes()) {
                let range = captures.get(0).map_or(0..0, |whole| plain.range(whole.range()));
                let named = regex
                    .capture_names()
                    .flatten()
                    .filter_map(|name| Some((name.to_owned(), plain.words(captures.name(name)?.range()))));
                found.push(Found { label, language: language.code, range, named: named.collect() });
            }
        }
        found.into_iter()
    }

    /// Whether any line matches.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.all.is_match(Plain::of(text).bytes())
    }

    /// How many lines match.
    pub(crate) fn lines_in(&self, text: &str) -> usize {
        self.all.matches(Plain::of(text).bytes()).iter().count()
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

    fn patterns(lines: &'static [&'static str]) -> Patterns {
        Patterns::of("test", lines.iter().map(|line| (&LANGUAGES[0], *line)))
    }

    #[test]
    fn a_line_is_whole_words_in_any_case_with_what_it_names() {
        let moves =
            patterns(&["moved: moved (?:back )?to {place}", "from {old} to {new}", "don't", "şekersiz"]);
        let found: Vec<Found<'_>> = moves.find("I MOVED  back to Évora, in May").collect();
        assert_eq!((found.len(), found[0].label, found[0].get("place")), (1, "moved", Some("Évora")));
        assert_eq!(moves.find("removed to make room").count(), 0);
        let found = moves.find("from Vim to Helix.").next().expect("a match");
        assert_eq!(
            (found.get("old"), found.get("new"), found.get("none")),
            (Some("Vim"), Some("Helix"), None)
        );
        assert!(moves.is_in("I DON’T") && moves.is_in("ŞEKERSİZ kahve") && !moves.is_in("şekersizlik"));
        assert_eq!((moves.lines_in("don't: şekersiz"), moves.labels_in("moved to X")), (2, vec!["moved"]));
    }

    #[test]
    fn a_label_is_a_word_before_a_colon() {
        assert_eq!(labelled("residence: live in"), ("residence", "live in"));
        assert_eq!(labelled("a: b c"), ("a", "b c"));
        assert_eq!(labelled("at 10: 30"), ("", "at 10: 30"));
    }
}

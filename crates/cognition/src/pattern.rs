//! Patterns: the regular expressions that the ideas of this crate look for in a text, as data under `lexicon/`.
//!
//! An entry is an expression that matches whole words of the plain text (see [`crate::plain`]: small letters without
//! accents); a space stands for any run of spaces. The class of its section says what a match means.

use crate::{
    language::{LANGUAGES, Language},
    lexicon::{ClassedEntry, WordClass, WordList},
    plain::{PlainText, plain_pattern},
};
use regex::bytes::{Regex, RegexSet, RegexSetBuilder};
use std::{ops::Range, sync::OnceLock};

/// The expressions of one list, in every language. `C` is its enum of classes, `()` if it has none.
pub(crate) struct Patterns<C> {
    all: RegexSet,
    each: Vec<Pattern<C>>,
}

struct Pattern<C> {
    language: &'static Language,
    class: C,
    argument: &'static str,
    source: String,
    /// Made when the expression is first found in a text.
    regex: OnceLock<Regex>,
}

/// One match of one expression.
#[derive(Debug)]
pub(crate) struct PatternMatch<C> {
    /// The meaning of the match.
    pub class: C,
    /// The argument of the class header; empty if there is none.
    pub argument: &'static str,
    /// The code of the language whose expression it was.
    pub language: &'static str,
    /// Where it stands.
    pub range: Range<usize>,
}

impl<C: WordClass> Patterns<C> {
    /// The list of these classes. Panics on an entry that is no pattern, so each list has a test that reads it.
    pub(crate) fn read() -> Self {
        let entries = LANGUAGES
            .iter()
            .flat_map(|language| language.classed_entries().map(move |entry| (language, entry)));
        Self::compile_all(entries)
    }
}

impl Patterns<()> {
    /// A list without classes. Panics on an entry that is no pattern, so each list has a test that reads it.
    pub(crate) fn read_plain(list: WordList) -> Self {
        let entries = LANGUAGES.iter().flat_map(|language| {
            let entry = |text| ClassedEntry { class: (), argument: "", text };
            language.plain_entries(list).map(move |text| (language, entry(text)))
        });
        Self::compile_all(entries)
    }
}

impl<C: Copy + PartialEq> Patterns<C> {
    pub(crate) fn compile_all(entries: impl Iterator<Item = (&'static Language, ClassedEntry<C>)>) -> Self {
        let each: Vec<Pattern<C>> = entries
            .map(|(language, ClassedEntry { class, argument, text })| {
                let (source, regex) = (pattern_source(text), OnceLock::new());
                Pattern { language, class, argument, source, regex }
            })
            .collect();
        let all = RegexSetBuilder::new(each.iter().map(|pattern| &pattern.source))
            .unicode(false)
            .size_limit(64 << 20)
            .dfa_size_limit(16 << 20)
            .build()
            .unwrap_or_else(|error| panic!("a pattern of the lexicon: {error}"));
        Self { all, each }
    }

    /// Every match of every expression, in the order of the expressions.
    pub(crate) fn find(&self, text: &str) -> impl Iterator<Item = PatternMatch<C>> + use<C> {
        let plain = PlainText::of(text);
        let mut found = Vec::new();
        for place in self.all.matches(plain.bytes()) {
            let pattern = &self.each[place];
            found.extend(pattern.regex().find_iter(plain.bytes()).map(|it| PatternMatch {
                class: pattern.class,
                argument: pattern.argument,
                language: pattern.language.code,
                range: plain.range(it.range()),
            }));
        }
        found.into_iter()
    }

    /// The classes of the expressions that match, each once, in their order.
    pub(crate) fn classes_in(&self, text: &str) -> Vec<C> {
        let mut classes: Vec<C> = Vec::new();
        for place in self.all.matches(PlainText::of(text).bytes()) {
            if !classes.contains(&self.each[place].class) {
                classes.push(self.each[place].class);
            }
        }
        classes
    }
}

impl<C> Pattern<C> {
    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| regex(&self.source).expect("it was read once already"))
    }
}

/// The machine of one expression.
fn regex(source: &str) -> Result<Regex, regex::Error> {
    regex::bytes::RegexBuilder::new(source).unicode(false).size_limit(16 << 20).build()
}

/// A regular expression that is made when it is first needed: most are never, and a process begins many times a day.
#[derive(Debug)]
pub(crate) struct LazyRegex {
    source: String,
    regex: OnceLock<regex::Regex>,
}

impl LazyRegex {
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

/// The regular expression of an entry.
fn pattern_source(expression: &str) -> String {
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

    #[test]
    fn a_line_is_whole_words_in_any_case() {
        let entries = [("moved", "moved (?:back )?to"), ("", "don't"), ("", "şekersiz")];
        let entry = |(class, text)| (&LANGUAGES[0], ClassedEntry { class, argument: "", text });
        let moves = Patterns::compile_all(entries.into_iter().map(entry));
        let text = "Évora: I MOVED  back to Évora";
        let found: Vec<PatternMatch<&str>> = moves.find(text).collect();
        assert_eq!(
            (found.len(), found[0].class, &text[found[0].range.clone()]),
            (1, "moved", "MOVED  back to")
        );
        assert_eq!(moves.find("removed to make room").count(), 0);
        for (text, lines) in [("I DON’T", 1), ("ŞEKERSİZ kahve, don't", 2), ("şekersizlik", 0)] {
            assert_eq!(moves.find(text).count(), lines, "{text}");
        }
        assert_eq!(moves.classes_in("moved to X"), ["moved"]);
    }
}

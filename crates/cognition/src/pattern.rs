//! Patterns: the regular expressions that the ideas of this crate look for in a text, as data under `lexicon/`.
//!
//! An entry is an expression that matches whole words of the plain text (see [`crate::plain`]: small letters without
//! accents); a space stands for any run of spaces, and `<end>` for the end of a clause. The class of its section says what a match means.

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

    /// The list of these classes as a grammar: in an expression `<name>` stands for any entry of the section of `words` with
    /// that argument, in the same language, which stands before it. Classes that are no expressions are left out.
    pub(crate) fn read_grammar(words: C, is_expression: impl Fn(C) -> bool) -> Self {
        let mut each = Vec::new();
        for language in &LANGUAGES {
            let mut known: Vec<(&str, Vec<String>)> = Vec::new();
            for ClassedEntry { class, argument, text } in language.classed_entries::<C>() {
                let text = with_words(text, &known);
                if class != words {
                    if is_expression(class) {
                        each.push(Pattern::new(language, class, argument, &text));
                    }
                } else if let Some((_, words)) = known.iter_mut().find(|(name, _)| *name == argument) {
                    words.push(text);
                } else {
                    known.push((argument, vec![text]));
                }
            }
        }
        Self::compile(each)
    }
}

/// An expression with the words that it names.
fn with_words(expression: &str, known: &[(&str, Vec<String>)]) -> String {
    let named = known.iter().filter(|(name, _)| expression.contains(&format!("<{name}>")));
    named.fold(expression.to_owned(), |text, (name, words)| {
        text.replace(&format!("<{name}>"), &format!("(?:{})", words.join("|")))
    })
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
        let pattern = |(language, entry): (_, ClassedEntry<C>)| {
            Pattern::new(language, entry.class, entry.argument, entry.text)
        };
        Self::compile(entries.map(pattern).collect())
    }

    fn compile(each: Vec<Pattern<C>>) -> Self {
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
    fn new(language: &'static Language, class: C, argument: &'static str, expression: &str) -> Self {
        Self { language, class, argument, source: pattern_source(expression), regex: OnceLock::new() }
    }

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

/// `<end>` in an expression: where a clause ends. An expression that holds it takes care of its own last word.
const CLAUSE_END: (&str, &str) = ("<end>", r#"\s*(?:[.!?,;:)"\n]|-\s|$)"#);

/// The regular expression of an entry.
fn pattern_source(expression: &str) -> String {
    let expression = plain_pattern(expression).replace(r"\p{L}", "[a-z_]");
    let ends_itself = expression.contains(CLAUSE_END.0);
    let expression = expression.replace(CLAUSE_END.0, &format!("(?:{})", CLAUSE_END.1));
    let expression = expression.as_str();
    let mut source = String::new();
    if expression.starts_with(|c: char| c.is_alphanumeric() || c == '(') {
        source.push_str(r"\b");
    }
    source.push_str(&expression.replace(' ', r"\s+"));
    if !ends_itself && expression.ends_with(|c: char| c.is_alphanumeric() || c == ')') {
        source.push_str(r"\b");
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_an_expression_stands_for_its_words() {
        let known = [("call", vec!["ring".to_owned(), "phone".to_owned()])];
        assert_eq!(with_words("<call> me", &known), "(?:ring|phone) me");
        assert_eq!(with_words("<text> me", &known), "<text> me");
    }

    #[test]
    fn a_clause_ends_with_its_sign_its_line_or_its_text() {
        let entry = ClassedEntry { class: (), argument: "", text: "you are real<end>" };
        let real = Patterns::compile_all([(&LANGUAGES[0], entry)].into_iter());
        for (text, found) in [
            ("You are real", 1),
            ("You are real, right?", 1),
            ("You are real - I think", 1),
            ("You are real\nand so am I", 1),
            ("You are real good", 0),
            ("You are real-time", 0),
            ("You are really", 0),
        ] {
            assert_eq!(real.find(text).count(), found, "{text}");
        }
    }

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

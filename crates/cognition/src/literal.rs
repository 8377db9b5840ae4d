//! Literals: pieces of text of which every match of some expressions holds one. Looking for them takes a moment and says that
//! most texts need not be looked at any closer; an automaton that looks for the expressions themselves grows with every new text.

use crate::language::is_stop_word;
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition,
    literal::Extractor,
};
use std::{cmp::Reverse, collections::BTreeMap};

/// Shorter literals stand in every text and rule nothing out.
const MIN_LITERAL_BYTES: usize = 2;
/// Character classes larger than this yield no literals: the extractor's own limit.
const MAX_CLASS_SIZE: usize = 10;

/// One search for all literals, in small or large letters.
pub(crate) struct Literals {
    search: AhoCorasick,
    /// The places of the expressions that each literal belongs to.
    owners: Vec<Vec<usize>>,
}

impl Literals {
    /// The literals of these expressions. Panics on one that is none, or that matches without any, so every list has a test
    /// that reads it.
    pub(crate) fn of<'s>(sources: impl Iterator<Item = &'s str>) -> Self {
        let mut all: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
        for (place, source) in sources.enumerate() {
            let expression = regex_syntax::parse(source).unwrap_or_else(|error| panic!("{source}: {error}"));
            let literals = required(&lowered(&expression));
            for literal in literals.unwrap_or_else(|| panic!("{source}: any text may match")) {
                all.entry(literal).or_default().push(place);
            }
        }
        let (all, owners): (Vec<Vec<u8>>, Vec<Vec<usize>>) = all.into_iter().unzip();
        let mut search = AhoCorasick::builder();
        // Every message is looked through: an automaton that knows every step takes half as long.
        search.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
        Self { search: search.build(all).expect("a few short literals"), owners }
    }

    /// The places of the expressions of which a text holds a literal, in their order: no other can match.
    pub(crate) fn owners_in(&self, text: &str) -> Vec<usize> {
        if !self.search.is_match(text) {
            return Vec::new();
        }
        let mut found = vec![false; self.owners.len()];
        for literal in self.search.find_overlapping_iter(text) {
            found[literal.pattern().as_usize()] = true;
        }
        let found = found.iter().zip(&self.owners).filter(|(found, _)| **found);
        let mut owners: Vec<usize> = found.flat_map(|(_, owners)| owners.iter().copied()).collect();
        owners.sort_unstable();
        owners.dedup();
        owners
    }
}

/// The expression for texts in lower case (ASCII letters). Large character classes stay as they are.
fn lowered(expression: &Hir) -> Hir {
    match expression.kind() {
        HirKind::Literal(literal) => Hir::literal(literal.0.to_ascii_lowercase()),
        HirKind::Class(class) => {
            let small = match class {
                Class::Unicode(class) => {
                    few(class.iter().flat_map(|it| it.start()..=it.end())).map(|signs| {
                        let small = signs.iter().map(char::to_ascii_lowercase);
                        Class::Unicode(ClassUnicode::new(small.map(|it| ClassUnicodeRange::new(it, it))))
                    })
                }
                Class::Bytes(class) => few(class.iter().flat_map(|it| it.start()..=it.end())).map(|signs| {
                    let small = signs.iter().map(u8::to_ascii_lowercase);
                    Class::Bytes(ClassBytes::new(small.map(|it| ClassBytesRange::new(it, it))))
                }),
            };
            small.map_or_else(|| expression.clone(), Hir::class)
        }
        HirKind::Repetition(repetition) => {
            let sub = Box::new(lowered(&repetition.sub));
            Hir::repetition(Repetition { sub, ..repetition.clone() })
        }
        HirKind::Capture(capture) => lowered(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(lowered).collect()),
        HirKind::Alternation(each) => Hir::alternation(each.iter().map(lowered).collect()),
        HirKind::Empty | HirKind::Look(_) => expression.clone(),
    }
}

/// The signs, if they are few.
fn few<T>(signs: impl Iterator<Item = T>) -> Option<Vec<T>> {
    let signs: Vec<T> = signs.take(MAX_CLASS_SIZE + 1).collect();
    (signs.len() <= MAX_CLASS_SIZE).then_some(signs)
}

/// Literals of which everything that matches holds one: those that say most.
fn required(expression: &Hir) -> Option<Vec<Vec<u8>>> {
    match expression.kind() {
        HirKind::Alternation(each) => {
            let each: Option<Vec<Vec<Vec<u8>>>> = each.iter().map(required).collect();
            each.map(|each| each.concat())
        }
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Concat(parts) => {
            let from = |at: usize| beginnings(&Hir::concat(parts[at..].to_vec()));
            let candidates = (0..parts.len()).rev().flat_map(|at| [required(&parts[at]), from(at)]);
            candidates.flatten().max_by_key(|literals| (worth(literals), Reverse(literals.len())))
        }
        _ => beginnings(expression),
    }
}

/// The literals that every match begins with.
fn beginnings(expression: &Hir) -> Option<Vec<Vec<u8>>> {
    let literals = Extractor::new().extract(expression);
    let literals: Vec<Vec<u8>> =
        literals.literals()?.iter().map(|literal| literal.as_bytes().to_vec()).collect();
    (worth(&literals) >= MIN_LITERAL_BYTES).then_some(literals)
}

/// How many letters the least of them has in words that do not stand in every text.
fn worth(literals: &[Vec<u8>]) -> usize {
    let letters = |literal: &Vec<u8>| {
        let text = String::from_utf8_lossy(literal);
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !is_stop_word(word)).map(str::len).sum()
    };
    literals.iter().map(letters).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literals_that_say_most_and_that_no_match_is_without() {
        let literals = |source: &str| {
            let expression = regex_syntax::parse(source).expect("an expression");
            let literals = required(&lowered(&expression))?.into_iter();
            Some(literals.map(|it| String::from_utf8(it).expect("text")).collect::<Vec<String>>().join(" "))
        };
        for (source, expected) in [
            ("word", Some("word")),
            ("(?:my|the) door(?: code)? is", Some(" door")),
            ("(?:my|the) (?:is|was) [a-z]+", None),
            (r"[a-z]{2,9}-KEY=(\w+)", Some("-key=")),
            ("(?:a|an)? ?[iİ]zmir", Some("izmir İzmir")),
            ("(?:ab|cd)+x?", Some("ab cd")),
            (r"\d{4}|word", None),
            ("a?b?", None),
        ] {
            assert_eq!(literals(source).as_deref(), expected, "{source}");
        }
        let names = Literals::of(["(?i)pass(?:word)?", "(?i)key"].into_iter());
        for (text, owners) in [
            ("PASSWORD", &[0][..]),
            ("my paſſword", &[0]),
            ("a \u{212A}ey", &[1]),
            ("keypass", &[0, 1]),
            ("pa ss", &[]),
        ] {
            assert_eq!(names.owners_in(text), owners, "{text}");
        }
    }
}

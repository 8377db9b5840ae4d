//! A known statement and a new one, side by side, with the words in which their values differ.

use crate::statement::{
    Statement,
    grammar::{GRAMMARS, Grammar},
    word::{ClauseWord, WordKind},
};
use std::cell::OnceCell;

/// The input of every rule.
pub(super) struct StatementPair<'a> {
    pub(super) old: &'a Statement,
    pub(super) new: &'a Statement,
    /// The text that makes the new statement.
    pub(super) new_text: &'a str,
    /// Of the known statement, and so of both once a rule has ruled out that they differ in it.
    pub(super) grammar: &'static Grammar,
    pub(super) same_subject: bool,
    difference: OnceCell<Difference<'a>>,
}

/// The words of both values, and those that only one of them has.
pub(super) struct Difference<'a> {
    pub(super) all_old: Vec<&'a ClauseWord>,
    pub(super) all_new: Vec<&'a ClauseWord>,
    pub(super) only_old: Vec<&'a ClauseWord>,
    pub(super) only_new: Vec<&'a ClauseWord>,
}

impl<'a> StatementPair<'a> {
    pub(super) fn new(old: &'a Statement, new: &'a Statement, new_text: &'a str) -> Self {
        Self {
            grammar: &GRAMMARS[old.frame.grammar],
            same_subject: old.frame.subject == new.frame.subject,
            difference: OnceCell::new(),
            old,
            new,
            new_text,
        }
    }

    /// Whether the slot has one value at a time, so that another value replaces it.
    pub(super) fn has_one_value(&self) -> bool {
        self.new.single && (self.old.single || self.new.change)
    }

    /// Whether the slot says what something is, rather than what somebody does with it.
    pub(super) fn is_state(&self) -> bool {
        self.old.attribute == "is" || self.old.single
    }

    /// Whether exactly one of the two is a denial.
    pub(super) fn one_denies(&self) -> bool {
        self.old.negated != self.new.negated
    }

    /// How the values differ. Most pairs are decided before anybody asks.
    pub(super) fn difference(&self) -> &Difference<'a> {
        self.difference.get_or_init(|| {
            let words = |statement: &'a Statement| -> Vec<&'a ClauseWord> {
                if self.has_one_value() {
                    statement.frame.value.iter().collect()
                } else {
                    statement.frame.words().collect()
                }
            };
            let (all_old, all_new) = (words(self.old), words(self.new));
            let without = |words: &[&'a ClauseWord], others: &[&ClauseWord]| -> Vec<&'a ClauseWord> {
                let missing = |word: &&ClauseWord| !others.iter().any(|other| other.key == word.key);
                words.iter().copied().filter(missing).collect()
            };
            let (only_old, only_new) = (without(&all_old, &all_new), without(&all_new, &all_old));
            Difference { all_old, all_new, only_old, only_new }
        })
    }
}

impl Difference<'_> {
    /// Whether both sides differ in a number, a date or a time.
    pub(super) fn is_of_measures(&self) -> bool {
        has_measure(&self.only_old) && has_measure(&self.only_new)
    }
}

fn has_measure(words: &[&ClauseWord]) -> bool {
    words.iter().any(|word| word.kind != WordKind::Plain)
}

/// Whether one of the words is a name, a number, a date or a time.
pub(super) fn has_name_or_measure(words: &[&ClauseWord]) -> bool {
    words.iter().any(|word| word.capital || word.kind != WordKind::Plain)
}

/// The one kind of words that are all numbers, dates or times; a day of a month counts as its month.
pub(super) fn measure_kind(words: &[&ClauseWord]) -> Option<WordKind> {
    if words.iter().any(|word| word.kind == WordKind::Plain) {
        return None;
    }
    let mut kinds: Vec<WordKind> = words.iter().map(|word| word.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    match kinds.as_slice() {
        [kind] => Some(*kind),
        [WordKind::Number, WordKind::Daypart] => Some(WordKind::Number),
        [WordKind::Number, WordKind::Month] => Some(WordKind::Month),
        _ => None,
    }
}

/// The keys of all words of a statement's value.
pub(super) fn value_keys(statement: &Statement) -> Vec<&str> {
    statement.frame.words().map(|word| word.key.as_str()).collect()
}

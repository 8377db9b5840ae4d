//! Tense: what tells that a sentence speaks of the past, or of the time to come.

use crate::{
    lexicon::{ForesightClass, TenseClass, classed_entries},
    pattern::Patterns,
    plain::fold,
    token::Token,
};
use foldhash::fast::FixedState;
use std::{collections::HashSet, sync::LazyLock};

/// What tells that something is planned.
pub(super) static FORESIGHT: LazyLock<Patterns<ForesightClass>> = LazyLock::new(Patterns::read);

/// The list `tense` of every language.
#[derive(Default)]
pub(super) struct Tense {
    words: HashSet<String, FixedState>,
    endings: Vec<String>,
    /// Words that have such an ending and tell nothing …
    only_alike: HashSet<String, FixedState>,
    /// … and those behind which no ending does: "is planned".
    before: HashSet<String, FixedState>,
}

pub(super) static TENSE: LazyLock<Tense> = LazyLock::new(|| {
    let mut tense = Tense::default();
    classed_entries().for_each(|entry| tense.add(entry.class, fold(entry.text)));
    tense
});

impl Tense {
    fn add(&mut self, class: TenseClass, word: String) {
        match class {
            TenseClass::Ending => self.endings.push(word),
            TenseClass::NotPast => drop(self.only_alike.insert(word)),
            TenseClass::Passive => drop(self.before.insert(word)),
            TenseClass::Past => drop(self.words.insert(word)),
        }
    }

    /// Whether one of these words tells of the past.
    pub(super) fn tells(&self, words: &[Token]) -> bool {
        let ends = |word: &str| {
            self.endings.iter().any(|ending| word.len() > ending.len() + 1 && word.ends_with(ending.as_str()))
        };
        (0..words.len()).any(|at| {
            let word = &*words[at].fold;
            let before = at.checked_sub(1).map(|before| &*words[before].fold);
            let passive = || before.is_some_and(|before| self.before.contains(before));
            self.words.contains(word) || (ends(word) && !self.only_alike.contains(word) && !passive())
        })
    }
}

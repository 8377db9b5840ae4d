//! Tense: what tells that a sentence speaks of the past.

use crate::{language::LANGUAGES, plain::fold, token::Token};
use foldhash::fast::FixedState;
use std::{collections::HashSet, sync::LazyLock};

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
    let lines = LANGUAGES.iter().flat_map(|language| language.lines("tense"));
    lines.flat_map(str::split_whitespace).for_each(|entry| tense.add(entry));
    tense
});

impl Tense {
    fn add(&mut self, entry: &str) {
        let mark = entry.chars().next().unwrap_or_default();
        let word = fold(entry.trim_start_matches(['-', '!', '~']));
        match mark {
            '-' => self.endings.push(word),
            '!' => drop(self.only_alike.insert(word)),
            '~' => drop(self.before.insert(word)),
            _ => drop(self.words.insert(word)),
        }
    }

    /// Whether one of these words tells of the past.
    pub(super) fn tells(&self, words: &[Token]) -> bool {
        let ends = |word: &str| {
            self.endings.iter().any(|ending| word.len() > ending.len() + 1 && word.ends_with(ending.as_str()))
        };
        (0..words.len()).any(|at| {
            let word = words[at].fold.as_str();
            let before = at.checked_sub(1).map(|before| words[before].fold.as_str());
            let passive = || before.is_some_and(|before| self.before.contains(before));
            self.words.contains(word) || (ends(word) && !self.only_alike.contains(word) && !passive())
        })
    }
}

//! Signals: what the user says right after work was done.

use crate::{
    keywords::query_terms,
    lexicon::{FrictionClass, classed_entries},
    pattern::Patterns,
    sentence::sentences,
};
use std::{collections::BTreeSet, sync::LazyLock};

static WORDS: LazyLock<Patterns<FrictionClass>> = LazyLock::new(Patterns::read);
/// The terms of every habit.
static VERBS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let verbs = classed_entries::<FrictionClass>().filter(|entry| entry.class == FrictionClass::Verb);
    verbs.flat_map(|entry| query_terms(entry.text)).collect()
});
/// Bytes of a message in which a signal is looked for: what is pasted behind says nothing about the work.
const MAX_READ_BYTES: usize = 1_000;

/// A judgment of the user about work that was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkSignal {
    /// It is right.
    Satisfied,
    /// Something is to be done another way.
    Corrected,
    /// It is still not right.
    Unsolved,
}

impl WorkSignal {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Satisfied => "satisfied",
            Self::Corrected => "corrected",
            Self::Unsolved => "unsolved",
        }
    }
}

/// The signal that a message of the user gives about the work before it; the least favorable, if it says several things.
pub fn work_signal(text: &str) -> Option<WorkSignal> {
    let classes = WORDS.classes_in(beginning(text));
    let has = |class| classes.contains(&class);
    if has(FrictionClass::Unsolved) {
        Some(WorkSignal::Unsolved)
    } else if has(FrictionClass::Habit) {
        Some(WorkSignal::Corrected)
    } else if has(FrictionClass::Satisfied) {
        Some(WorkSignal::Satisfied)
    } else {
        None
    }
}

/// The first sentence that says how something is to be done.
pub(super) fn habit_sentence(text: &str) -> Option<&str> {
    let is_habit = |sentence: &&str| WORDS.classes_in(sentence).contains(&FrictionClass::Habit);
    sentences(beginning(text)).into_iter().find(is_habit)
}

/// The terms that say which habit a sentence is about.
pub(super) fn habit_terms(sentence: &str) -> BTreeSet<String> {
    query_terms(sentence).into_iter().filter(|term| !VERBS.contains(term)).collect()
}

/// The part of a text before anything that was pasted.
fn beginning(text: &str) -> &str {
    let text = text.split("```").next().unwrap_or_default();
    &text[..text.floor_char_boundary(MAX_READ_BYTES)]
}

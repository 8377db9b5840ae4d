//! A statement while its clause is being parsed.

use super::{frame::ValuePart, grammar::Grammar, word::ClauseWord};
use crate::lexicon::GrammarClass;

/// A statement before its value and slot are settled.
#[derive(Debug, Clone, Default)]
pub(super) struct StatementDraft {
    /// From the owner to what is owned: `user`, `sister`.
    pub(super) path: Vec<SubjectStep>,
    pub(super) attribute: String,
    pub(super) single: bool,
    pub(super) thing: bool,
    pub(super) parts: Vec<ValuePart>,
    /// The words that are the value, if not all are.
    pub(super) value: Option<Vec<ClauseWord>>,
    pub(super) negated: bool,
    pub(super) change: bool,
    pub(super) past: bool,
    /// Said of the past for what it means now: "has moved".
    pub(super) perfect: bool,
    pub(super) old: Vec<ClauseWord>,
    pub(super) confidence: f64,
}

/// A clause without the words that only say how it is meant.
#[derive(Default)]
pub(super) struct ClauseCore {
    pub(super) words: Vec<ClauseWord>,
    pub(super) negated: bool,
    pub(super) change: bool,
    pub(super) past: bool,
    pub(super) old: Vec<ClauseWord>,
}

impl ClauseCore {
    /// A draft with everything that holds for the clause as a whole.
    pub(super) fn draft(&self, confidence: f64) -> StatementDraft {
        let (negated, change, past) = (self.negated, self.change, self.past);
        StatementDraft {
            negated,
            change,
            past,
            old: self.old.clone(),
            confidence,
            ..StatementDraft::default()
        }
    }
}

/// One step of a subject.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SubjectStep {
    pub(super) shown: String,
    pub(super) key: String,
}

impl SubjectStep {
    pub(super) fn of(words: &[ClauseWord]) -> Self {
        Self { shown: joined(words, |word| &word.text), key: joined(words, |word| &word.key) }
    }

    /// A noun that somebody has, in the form of the list.
    pub(super) fn owned(words: &[ClauseWord], grammar: &Grammar) -> Self {
        let step = Self::of(words);
        match grammar.shown(&step.key) {
            Some(shown) if grammar.verb_last => Self { shown: shown.to_owned(), ..step },
            _ => step,
        }
    }

    pub(super) fn named(name: &str) -> Self {
        Self { shown: name.to_owned(), key: name.to_owned() }
    }
}

pub(super) fn joined(words: &[ClauseWord], of: impl Fn(&ClauseWord) -> &str) -> String {
    words.iter().map(of).collect::<Vec<_>>().join(" ")
}

/// The words behind a verb, split at its prepositions.
pub(super) fn parts(words: &[ClauseWord]) -> Vec<ValuePart> {
    let mut parts: Vec<ValuePart> = vec![ValuePart::default()];
    for word in words {
        if word.is(GrammarClass::Preposition) && !word.capital {
            parts.push(ValuePart { marker: word.text.clone(), words: Vec::new() });
        } else if word.capital
            || !word.is_any(&[
                GrammarClass::Article,
                GrammarClass::Joint,
                GrammarClass::And,
                GrammarClass::Mine,
                GrammarClass::Yours,
                GrammarClass::Speaker,
            ])
        {
            parts.last_mut().expect("one to begin with").words.push(word.clone());
        }
    }
    parts.retain(|part| !part.words.is_empty());
    parts
}

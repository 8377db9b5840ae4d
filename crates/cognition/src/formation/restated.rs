//! Restating: an agent that repeats what it was just told ("Both treated on 6 December.") tells nothing of its own.

use crate::keywords::{query_words, terms};
use std::collections::BTreeSet;

/// Share of the words of an agent's clause that the turn before has told already, from which on it is restated.
const MIN_RESTATED_SHARE: f64 = 0.6;

/// Words that were told.
pub(super) struct ToldWordSet(BTreeSet<String>);

impl ToldWordSet {
    pub(super) fn of(said: impl IntoIterator<Item = String>) -> Self {
        let terms = said.into_iter().flat_map(|said| terms(&said).counts);
        Self(terms.map(|(term, _)| term).collect())
    }

    /// Whether a clause only repeats them. A number of its own is new.
    ///
    /// restated = |words of the clause that were told| / |words of the clause| ≥ 0.6
    pub(super) fn is_restated_by(&self, clause: &str) -> bool {
        let said = query_words(clause);
        let is_told = |word: &[String]| word.iter().any(|term| self.0.contains(term));
        let has_digit = |word: &[String]| word.iter().any(|term| term.contains(|c: char| c.is_ascii_digit()));
        let repeated = said.iter().filter(|word| is_told(word)).count();
        let adds_number = said.iter().any(|word| has_digit(word) && !is_told(word));
        !adds_number && repeated as f64 >= MIN_RESTATED_SHARE * said.len() as f64
    }
}

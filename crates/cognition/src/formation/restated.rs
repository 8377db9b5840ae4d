//! Restating: an agent that says again what it was just told ("Both treated on 6 December.", "So from 96 kg to 93.") tells
//! nothing of its own. What it did or will do is its own.

use crate::{
    keywords::{query_words, terms},
    standalone::speaks_of_self,
};
use std::collections::BTreeSet;

/// Share of the words of an agent's clause that the turn before has told already, from which on it is restated.
const MIN_RESTATED_SHARE: f64 = 0.25;

/// Words that were told.
pub(super) struct ToldWordSet(BTreeSet<String>);

impl ToldWordSet {
    pub(super) fn of(said: impl IntoIterator<Item = String>) -> Self {
        let terms = said.into_iter().flat_map(|said| terms(&said).counts);
        Self(terms.map(|(term, _)| term).collect())
    }

    /// Whether a clause only says them again, whatever it adds up.
    ///
    /// restated = |words of the clause that were told| / |words of the clause| ≥ 0.25
    pub(super) fn is_restated_by(&self, clause: &str) -> bool {
        let said = query_words(clause);
        let is_told = |word: &[String]| word.iter().any(|term| self.0.contains(term));
        let repeated = said.iter().filter(|word| is_told(word)).count();
        repeated > 0 && repeated as f64 >= MIN_RESTATED_SHARE * said.len() as f64 && !speaks_of_self(clause)
    }
}

//! Verification: whether a source still says the words that a belief rests on. It tells and recommends; nothing is changed by
//! it.

use crate::plain::folded_words;
use cairn_domain::SourceState;
use std::collections::BTreeSet;

/// Minimum share of its words that a claim shares with a source it overlaps.
const OVERLAPS_FROM: f64 = 0.45;
/// Minimum share for a strong overlap.
const STRONG_FROM: f64 = 0.75;

/// How far a source supports a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verification {
    /// In a word.
    pub state: SourceState,
    /// Which share of the words stands in the source.
    pub coverage: f64,
}

impl Verification {
    /// Whether this is enough for an operator to verify what rests on it.
    pub fn is_enough(&self) -> bool {
        match self.state {
            SourceState::ExactMatch => true,
            SourceState::PartiallyOverlaps => self.coverage >= STRONG_FROM,
            SourceState::Drifted | SourceState::Missing => false,
        }
    }

    /// Whether it says more for the words than another.
    pub fn is_better_than(&self, other: &Self) -> bool {
        let rank = |state| match state {
            SourceState::ExactMatch => 3,
            SourceState::PartiallyOverlaps => 2,
            SourceState::Drifted => 1,
            SourceState::Missing => 0,
        };
        (rank(self.state), self.coverage) > (rank(other.state), other.coverage)
    }
}

/// How far a source still contains the words of a claim. `None` is a source that is gone.
///
/// coverage = |words of the claim in the source| / |words of the claim|
pub fn verification(claim: &str, source: Option<&str>) -> Verification {
    let Some(source) = source else { return Verification { state: SourceState::Missing, coverage: 0.0 } };
    let (claimed, said) = (folded_words(claim), folded_words(source));
    let holds =
        |line: &str| format!(" {} ", said.join(" ")).contains(&format!(" {} ", folded_words(line).join(" ")));
    // An excerpt may have been put together from several places.
    if !claimed.is_empty() && claim.lines().filter(|line| !line.trim().is_empty()).all(holds) {
        return Verification { state: SourceState::ExactMatch, coverage: 1.0 };
    }
    let (claimed, said): (BTreeSet<&String>, BTreeSet<&String>) =
        (claimed.iter().collect(), said.iter().collect());
    let coverage = claimed.intersection(&said).count() as f64 / claimed.len().max(1) as f64;
    let state = if coverage >= OVERLAPS_FROM { SourceState::PartiallyOverlaps } else { SourceState::Drifted };
    Verification { state, coverage }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-165, X-W14
    #[test]
    fn a_source_says_the_words_a_part_of_them_something_else_or_nothing() {
        for (claim, source, state, enough) in [
            ("I live in Oslo.", Some("Well, I live in OSLO now"), "source_exact_match", true),
            ("I live in Oslo", Some("I live in Oslofjord"), "source_partially_overlaps_claim", true),
            ("I live in Oslo", Some("We live in Bergen"), "source_partially_overlaps_claim", false),
            ("I live in Oslo", Some("The bowl cracked"), "source_drifted", false),
            ("I live in Oslo", Some(""), "source_drifted", false),
            ("I live in Oslo", None, "source_missing", false),
            ("", Some("anything"), "source_drifted", false),
            ("one part\nanother part", Some("one part, much else, another part"), "source_exact_match", true),
            ("Ben İzmir'de yaşıyorum", Some("ben izmir'de yaşıyorum!"), "source_exact_match", true),
        ] {
            let found = verification(claim, source);
            assert_eq!(
                (found.state.as_str(), found.is_enough()),
                (state, enough),
                "{claim} / {source:?}: {found:?}"
            );
        }
    }
}

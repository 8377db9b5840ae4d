//! Ranking profiles: every weight that ranking uses, in one value. What each was measured to be worth stands in
//! `docs/decisions/0005-ranking.md`.

use cairn_cognition::{bm25::Bm25, score::Weights};
use cairn_domain::Invalid;
use serde::{Deserialize, Serialize};

/// The weights of a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// How the lanes become one ranking.
    pub fusion: Fusion,
    /// The weight of what a message means.
    pub dense: f64,
    /// The weight of the words it shares with the question.
    pub lexical: f64,
    /// What a message gains from the words of the message before and after it in its session.
    pub neighbour: f64,
    /// The same for the message two before and two after.
    pub second_neighbour: f64,
    /// A message of this many terms lends and borrows half as much.
    pub neighbour_terms: f64,
    /// What a message gains from its session's being about the question.
    pub session: f64,
    /// What a message gains that was said by the one whose words are asked for: the asker, or the agent.
    pub own_words: f64,
    /// What a message gains whose speaker is named in the question.
    pub named_speaker: f64,
    /// What a message gains of which something was worth remembering.
    pub kept: f64,
    /// What it gains from the meaning of what was remembered of it.
    pub remembered: f64,
    /// What it gains for holding a wish that stands: a preference, an instruction.
    pub standing: f64,
    /// What it gains, or loses, for having been useful, or not.
    pub utility: f64,
    /// How much less alike a part after a message's opening counts.
    pub later_part: f64,
    /// What a message said just now is boosted by.
    pub recency: f64,
    /// In how many days that falls to 1/e.
    pub recency_tau_days: f64,
    /// What a message of the thread that is asked in is multiplied with.
    pub thread_boost: f64,
    /// How much relevance counts where hits are to differ from each other, the rest for differing; 1: they need not.
    pub relevance: f64,
    /// The keyword lane.
    pub bm25: Bm25,
    /// What makes the score of a memory where memories are asked for.
    pub memory: Weights,
}

/// How the lanes become one ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fusion {
    /// The weighted sum of each lane's share of its best score: margins count.
    Sum,
    /// The weighted sum of reciprocal ranks: only order counts.
    ReciprocalRank,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            fusion: Fusion::Sum,
            dense: 1.0,
            lexical: 0.6,
            neighbour: 0.5,
            second_neighbour: 0.3,
            neighbour_terms: 200.0,
            session: 0.3,
            own_words: 0.5,
            named_speaker: 0.3,
            kept: 0.15,
            remembered: 0.2,
            standing: 0.1,
            utility: 0.2,
            later_part: 0.15,
            recency: 0.0,
            recency_tau_days: 14.0,
            thread_boost: 1.8,
            relevance: 1.0,
            bm25: Bm25::default(),
            memory: Weights::default(),
        }
    }
}

impl Profile {
    /// The ranking of the seed documents: each message on its own, reciprocal ranks of both lanes, the recent first,
    /// answers that differ.
    pub fn seed() -> Self {
        Self {
            fusion: Fusion::ReciprocalRank,
            dense: 0.8,
            lexical: 0.15,
            neighbour: 0.0,
            second_neighbour: 0.0,
            session: 0.0,
            own_words: 0.0,
            named_speaker: 0.0,
            kept: 0.0,
            remembered: 0.0,
            standing: 0.0,
            utility: 0.0,
            later_part: 0.0,
            recency: 0.15,
            relevance: cairn_cognition::diversity::LAMBDA,
            bm25: Bm25::USUAL,
            ..Self::default()
        }
    }

    /// The profile called `name`, where `default` is the configured one.
    pub fn named(name: &str, configured: Self) -> Result<Self, Invalid> {
        match name {
            "default" => Ok(configured),
            "seed" => Ok(Self::seed()),
            _ => Err(Invalid::new(
                format!("there is no ranking profile `{}`", name.escape_debug()),
                "use default or seed",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: X-P1
    #[test]
    fn the_seeds_weights_are_kept_as_they_were_written() {
        let written = Profile {
            fusion: Fusion::ReciprocalRank,
            dense: 0.8,
            lexical: 0.15,
            recency: 0.15,
            recency_tau_days: 14.0,
            thread_boost: 1.8,
            relevance: 0.7,
            bm25: Bm25 { k1: 1.2, b: 0.75 },
            ..Profile::seed()
        };
        assert_eq!(Profile::seed(), written);
        let own = Profile { neighbour: 0.3, ..Profile::default() };
        assert_eq!(Profile::named("default", own), Ok(own), "the configured one");
        assert!(Profile::named("best", own).is_err());
    }
}

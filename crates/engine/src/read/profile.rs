//! Ranking profiles: every weight that ranking uses, in one value.

use cairn_cognition::bm25::Bm25;
use cairn_domain::Invalid;
use serde::{Deserialize, Serialize};

/// The weights of a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// What a message gains from the score of the message before and after it in its session.
    pub neighbour: f64,
    /// The same for the message two before and two after.
    pub second_neighbour: f64,
    /// What a message of the thread that is asked in is multiplied with.
    pub thread_boost: f64,
    /// The keyword lane.
    pub bm25: Bm25,
}

impl Default for Profile {
    fn default() -> Self {
        Self { neighbour: 0.5, second_neighbour: 0.2, thread_boost: 1.8, bm25: Bm25::default() }
    }
}

impl Profile {
    /// The ranking of the seed documents: each message on its own.
    pub fn seed() -> Self {
        Self { neighbour: 0.0, second_neighbour: 0.0, thread_boost: 1.8, bm25: Bm25::default() }
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

//! How much language models may be asked on a day.
//!
//! Before a call the most it can take is set aside; afterwards what it did take is booked in its place. A call that
//! nobody waits for any more stays booked as if it had taken everything: it may be charged in full.

use crate::{ModelError, Result};
use cairn_domain::Day;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt::Display;

/// The most that language models are asked on a day (UTC), all of them together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// So many calls. Calls that a server refuses or never gets do not count.
    pub calls_per_day: u64,
    /// So many tokens, those of questions and of answers together.
    pub tokens_per_day: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { calls_per_day: 2_000, tokens_per_day: 4_000_000 }
    }
}

/// What has been asked on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The day.
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    pub day: Day,
    /// So many calls.
    pub calls: u64,
    /// So many tokens.
    pub tokens: u64,
}

fn as_text<S: Serializer>(day: &impl Display, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(day)
}

fn from_text<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Day, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(|_| D::Error::custom("not a day"))
}

/// What is set aside for one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reserve {
    day: Day,
    tokens: u64,
}

impl Spent {
    /// A day on which nothing was asked.
    pub fn nothing(day: Day) -> Self {
        Self { day, calls: 0, tokens: 0 }
    }

    /// Sets aside one call of at most so many tokens, if the budget has them left. Another day begins anew.
    pub(crate) fn reserve(&mut self, budget: &Budget, today: Day, tokens: u64) -> Result<Reserve> {
        if self.day != today {
            *self = Self::nothing(today);
        }
        let after = self.tokens.saturating_add(tokens);
        if self.calls >= budget.calls_per_day || after > budget.tokens_per_day {
            return Err(ModelError::BudgetSpent);
        }
        self.calls += 1;
        self.tokens = after;
        Ok(Reserve { day: today, tokens })
    }

    /// Books what the call took.
    pub(crate) fn settle(&mut self, reserve: Reserve, tokens: u64) {
        if self.day == reserve.day {
            self.tokens = self.tokens.saturating_sub(reserve.tokens).saturating_add(tokens);
        }
    }

    /// Books that the call never was.
    pub(crate) fn give_back(&mut self, reserve: Reserve) {
        if self.day == reserve.day {
            self.calls = self.calls.saturating_sub(1);
            self.tokens = self.tokens.saturating_sub(reserve.tokens);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().expect("a day")
    }

    #[test]
    fn a_day_has_so_many_calls_and_tokens_and_the_next_begins_anew() {
        let budget = Budget { calls_per_day: 3, tokens_per_day: 100 };
        let monday = day("2026-11-16");
        let mut spent = Spent::nothing(monday);
        let first = spent.reserve(&budget, monday, 60).expect("within the budget");
        assert!(matches!(spent.reserve(&budget, monday, 41), Err(ModelError::BudgetSpent)));
        spent.settle(first, 10);
        assert_eq!(spent, Spent { day: monday, calls: 1, tokens: 10 });
        let second = spent.reserve(&budget, monday, 90).expect("just fits");
        spent.give_back(second);
        assert_eq!(spent, Spent { day: monday, calls: 1, tokens: 10 }, "it never was");
        for _ in 0..2 {
            spent.reserve(&budget, monday, 1).expect("within the budget");
        }
        assert!(spent.reserve(&budget, monday, 0).is_err(), "three calls");
        let tuesday = day("2026-11-17");
        let reserve = spent.reserve(&budget, tuesday, 100).expect("a new day");
        spent.settle(first, u64::MAX);
        assert_eq!(spent, Spent { day: tuesday, calls: 1, tokens: 100 }, "yesterday's call is not today's");
        spent.settle(reserve, u64::MAX);
        assert!(spent.reserve(&budget, tuesday, 1).is_err(), "a server may claim anything");
    }

    #[test]
    fn what_was_spent_is_written_and_read() {
        let spent = Spent { day: day("2026-11-16"), calls: 3, tokens: 70 };
        let text = serde_json::to_string(&spent).expect("JSON");
        assert_eq!(text, r#"{"day":"2026-11-16","calls":3,"tokens":70}"#);
        assert_eq!(serde_json::from_str::<Spent>(&text).expect("the same"), spent);
        assert!(serde_json::from_str::<Spent>(&text.replace("11-16", "13-99")).is_err());
    }
}

//! The daily budget for language models.
//!
//! Before a call the most that it can take is reserved; afterward the reservation is replaced by what it did take. A call
//! whose caller has gone stays reserved in full: the server may charge for all of it.

use crate::error::{ModelError, Result};
use cairn_domain::Day;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt::Display;

/// Daily limits (UTC) for all language models together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Maximum calls per day. Calls that a server refuses or never receives do not count.
    pub calls_per_day: u64,
    /// Maximum tokens per day, of questions and answers together.
    pub tokens_per_day: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { calls_per_day: 2_000, tokens_per_day: 4_000_000 }
    }
}

/// Calls and tokens spent on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The day.
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    pub day: Day,
    /// Calls made.
    pub calls: u64,
    /// Tokens used.
    pub tokens: u64,
}

fn as_text<S: Serializer>(day: &impl Display, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(day)
}

fn from_text<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Day, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(|_| D::Error::custom("not a day"))
}

/// Tokens reserved for one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BudgetReservation {
    day: Day,
    tokens: u64,
}

impl Spent {
    /// A day without calls.
    pub fn nothing(day: Day) -> Self {
        Self { day, calls: 0, tokens: 0 }
    }

    /// Reserves one call of at most `tokens`, if the budget has them left. A new day starts from zero.
    pub(crate) fn reserve(&mut self, budget: &Budget, today: Day, tokens: u64) -> Result<BudgetReservation> {
        if self.day != today {
            *self = Self::nothing(today);
        }
        let after = self.tokens.saturating_add(tokens);
        if self.calls >= budget.calls_per_day || after > budget.tokens_per_day {
            return Err(ModelError::BudgetSpent);
        }
        self.calls += 1;
        self.tokens = after;
        Ok(BudgetReservation { day: today, tokens })
    }

    /// Replaces the reservation by the tokens that the call took.
    pub(crate) fn book(&mut self, reserve: BudgetReservation, tokens: u64) {
        if self.day == reserve.day {
            self.tokens = self.tokens.saturating_sub(reserve.tokens).saturating_add(tokens);
        }
    }

    /// Cancels the reservation of a call that did not count.
    pub(crate) fn cancel(&mut self, reserve: BudgetReservation) {
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
        spent.book(first, 10);
        assert_eq!(spent, Spent { day: monday, calls: 1, tokens: 10 });
        let second = spent.reserve(&budget, monday, 90).expect("just fits");
        spent.cancel(second);
        assert_eq!(spent, Spent { day: monday, calls: 1, tokens: 10 }, "it never was");
        for _ in 0..2 {
            spent.reserve(&budget, monday, 1).expect("within the budget");
        }
        assert!(spent.reserve(&budget, monday, 0).is_err(), "three calls");
        let tuesday = day("2026-11-17");
        let reserve = spent.reserve(&budget, tuesday, 100).expect("a new day");
        spent.book(first, u64::MAX);
        assert_eq!(spent, Spent { day: tuesday, calls: 1, tokens: 100 }, "yesterday's call is not today's");
        spent.book(reserve, u64::MAX);
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

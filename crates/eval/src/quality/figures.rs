//! The figures of a retrieval: how much of the evidence is among the hits.

use serde_json::{Value, json};
use std::collections::HashMap;

/// The figures of some questions: means, in percent.
#[derive(Debug, Clone, Copy, Default)]
pub struct RetrievalFigures {
    /// Questions asked.
    pub questions: usize,
    /// Share of evidence messages among the first 1, 5 and 10.
    pub turn: [f64; 3],
    /// Share of questions with all evidence among the first 10.
    pub all_at_10: f64,
    /// Mean reciprocal rank of the first evidence message.
    pub reciprocal_rank: f64,
    /// Share of evidence sessions among the first 1, 5 and 10.
    pub session: [f64; 3],
}

impl RetrievalFigures {
    pub(crate) fn add(&mut self, evidence: &[String], hits: &[String], sessions: &HashMap<String, String>) {
        let session_of = |id: &String| sessions.get(id).cloned().unwrap_or_default();
        let (wanted_sessions, found_sessions) =
            (evidence.iter().map(session_of), hits.iter().map(session_of));
        let (wanted_sessions, found_sessions) = (distinct(wanted_sessions), distinct(found_sessions));
        self.questions += 1;
        for (i, k) in [1, 5, 10].into_iter().enumerate() {
            self.turn[i] += share(evidence, hits, k);
            self.session[i] += share(&wanted_sessions, &found_sessions, k);
        }
        self.all_at_10 += if share(evidence, hits, 10) >= 1.0 { 1.0 } else { 0.0 };
        let first = hits.iter().position(|hit| evidence.contains(hit));
        self.reciprocal_rank += first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
    }

    pub(crate) fn mean(mut self) -> Self {
        let percent = 100.0 / self.questions.max(1) as f64;
        for figure in self.turn.iter_mut().chain(&mut self.session) {
            *figure *= percent;
        }
        self.all_at_10 *= percent;
        self.reciprocal_rank *= percent;
        self
    }

    pub(crate) fn to_json(self) -> Value {
        json!({"questions": self.questions, "turn_r1": self.turn[0], "turn_r5": self.turn[1], "turn_r10": self.turn[2],
               "turn_all10": self.all_at_10, "mrr": self.reciprocal_rank, "session_r1": self.session[0],
               "session_r5": self.session[1], "session_r10": self.session[2]})
    }
}

/// The share of `wanted` among the first `k` of `found`.
fn share(wanted: &[String], found: &[String], k: usize) -> f64 {
    let first = &found[..k.min(found.len())];
    wanted.iter().filter(|id| first.contains(id)).count() as f64 / wanted.len().max(1) as f64
}

/// Each value once, in order of first appearance.
pub(crate) fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_counted_over_the_first_k() {
        let ids = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let (wanted, found) = (ids("a b"), ids("x a y b"));
        for (k, expected) in [(1, 0.0), (2, 0.5), (4, 1.0), (10, 1.0)] {
            assert!((share(&wanted, &found, k) - expected).abs() < 1e-12, "{k}");
        }
        assert_eq!(distinct(ids("a b a c b").into_iter()), ids("a b c"));
    }
}

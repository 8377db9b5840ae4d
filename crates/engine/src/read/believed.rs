//! The belief lane: what is held true answers beside what was said, if the one gate lets it through. In `observe` and in
//! `diagnostic` it lets nothing through, and nothing is looked for.

use super::{Explanation, Lane, Question, kept::Kept, question::Scope, rank::Measure};
use crate::belief::{BeliefConfig, through};
use cairn_cognition::score::Score;
use cairn_domain::{Belief, Consumer, ProvenanceMode, Time};
use cairn_store::{BeliefRecord, Result, View};
use std::collections::HashMap;

/// The nearest memories of which it is asked what is held because of them.
const NEAREST: usize = 10;
/// Beliefs that are looked at for the words they share with a question.
const LOOKED_AT: u32 = 200;
/// What of its score a belief keeps that is neither sure nor current.
const UNSURE: f64 = 0.5;

/// A belief that answers.
pub(super) struct Believed {
    pub(super) record: BeliefRecord,
    pub(super) explanation: Explanation,
}

/// What beliefs are looked for with.
pub(super) struct Believing<'a> {
    pub(super) question: &'a Question,
    pub(super) scope: &'a Scope,
    pub(super) kept: &'a Kept,
    pub(super) measure: &'a Measure,
    pub(super) config: &'a BeliefConfig,
    pub(super) now: Time,
}

impl Believing<'_> {
    /// The beliefs that share words or meaning with the question. They belong to no session, speaker, thread or mode, so a
    /// question that is limited to one gets none.
    pub(super) fn search(&self, view: &mut View<'_>) -> Result<Vec<Believed>> {
        if self.scope.is_limited(self.question) || self.question.mode.is_some() {
            return Ok(Vec::new());
        }
        let mode = view.provenance_mode()?;
        match mode {
            ProvenanceMode::Observe | ProvenanceMode::Diagnostic => return Ok(Vec::new()),
            ProvenanceMode::Enforce => {}
        }
        let near = self.keys(view)?;
        let keys: Vec<&str> = near.keys().map(String::as_str).collect();
        let found = view.verified_beliefs_about(&self.measure.terms(), &keys, LOOKED_AT)?;
        let trusted = through(mode, found, Consumer::Recall.into(), (self.now, self.config)).beliefs;
        let known = trusted.into_iter().filter(|record| self.was_known(&record.belief));
        let scored = |record: BeliefRecord| {
            let explanation = self.explain(&record.belief, near.get(&record.belief.key).copied())?;
            Some(Believed { record, explanation })
        };
        Ok(known.filter_map(scored).collect())
    }

    /// What is held because of the nearest memories: each key with the nearest of them.
    fn keys(&self, view: &mut View<'_>) -> Result<HashMap<String, Lane>> {
        let mut keys = HashMap::new();
        for (number, lane) in self.kept.nearest().into_iter().take(NEAREST) {
            for key in view.keys_resting_on(number)? {
                keys.entry(key).or_insert(lane);
            }
        }
        Ok(keys)
    }

    /// Whether it was held, and had its last support, at the time that is asked about.
    fn was_known(&self, belief: &Belief) -> bool {
        let by = |at: Time| self.question.as_of.is_none_or(|as_of| at <= as_of);
        by(belief.created_at) && by(belief.last_supported_at)
    }

    /// What a belief scores; nothing if it has nothing to do with the question.
    fn explain(&self, belief: &Belief, near: Option<Lane>) -> Option<Explanation> {
        let mut score = Score::default();
        score.add("meaning", near.map_or(0.0, |lane| self.measure.meaning(lane.score as f32)));
        score.add("words", self.measure.words(&format!("{} {}", belief.summary, belief.detail)));
        if score.total() <= 0.0 {
            return None;
        }
        score.add("kept", self.question.profile.kept * self.measure.unit);
        score.times("held", UNSURE + (1.0 - UNSURE) * belief.confidence * belief.freshness);
        Some(Explanation { memory_lane: near, score, ..Explanation::default() })
    }
}

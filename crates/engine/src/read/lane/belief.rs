//! The belief lane: what is held true answers beside what was said, if the one gate lets it through. In `observe` and in
//! `diagnostic` it lets nothing through, and nothing is looked for.

use super::{dense::QuestionVector, measure::RecordScorer, memory::MemoryFindings};
use crate::{
    belief::{BeliefConfig, pass_gate},
    read::question::{Explanation, Lane, Question, SearchScope},
};
use cairn_cognition::score::{Part, Score};
use cairn_domain::{Belief, Consumer, ProvenanceMode, Time};
use cairn_store::{BeliefRecord, Result, View};
use std::collections::{BTreeMap, HashMap};

/// The nearest memories of which it is asked what is held because of them.
const MAX_NEAREST_MEMORIES: usize = 10;
/// Beliefs that are looked at because they mean what is asked.
const MAX_NEAREST_BELIEFS: usize = 20;
/// Beliefs that are looked at for the words they share with a question.
const MAX_BELIEFS_CONSIDERED: u32 = 200;
/// Share of its score that a belief keeps if it is neither sure nor current.
const UNSURE_SCORE_SHARE: f64 = 0.5;

/// A belief that answers.
pub(crate) struct BeliefMatch {
    pub(crate) record: BeliefRecord,
    pub(crate) explanation: Explanation,
}

/// A search for beliefs.
pub(crate) struct BeliefSearch<'a> {
    pub(crate) question: &'a Question,
    pub(crate) scope: &'a SearchScope,
    pub(crate) memory_findings: &'a MemoryFindings,
    pub(crate) measure: &'a RecordScorer,
    pub(crate) config: &'a BeliefConfig,
    pub(crate) meaning: Option<&'a QuestionVector>,
    pub(crate) now: Time,
}

impl BeliefSearch<'_> {
    /// The beliefs that share words or meaning with the question. They belong to no session, speaker, thread or mode, so a
    /// question that is limited to one gets none.
    pub(crate) fn matching_beliefs(&self, view: &mut View<'_>) -> Result<Vec<BeliefMatch>> {
        if self.scope.is_limited(self.question) || self.question.mode.is_some() {
            return Ok(Vec::new());
        }
        let mode = view.provenance_mode()?;
        match mode {
            ProvenanceMode::Observe | ProvenanceMode::Diagnostic => return Ok(Vec::new()),
            ProvenanceMode::Enforce => {}
        }
        let near = self.keys_of_nearest_memories(view)?;
        let own = self.nearest_by_own_meaning(view)?;
        let keys: Vec<&str> = near.keys().map(String::as_str).collect();
        let mut found =
            view.verified_beliefs_about(&self.measure.query_terms(), &keys, MAX_BELIEFS_CONSIDERED)?;
        for number in own.keys() {
            if found.iter().all(|record| record.number != *number) {
                found.extend(view.belief_at(*number)?);
            }
        }
        let trusted = pass_gate(mode, found, Consumer::Recall.into(), self.now, self.config).beliefs;
        let known = trusted.into_iter().filter(|record| self.was_held_as_of(&record.belief));
        let scored = |record: BeliefRecord| {
            let (near, own) = (near.get(&record.belief.key).copied(), own.get(&record.number).copied());
            let explanation = self.score_belief(&record.belief, near, own)?;
            Some(BeliefMatch { record, explanation })
        };
        Ok(known.filter_map(scored).collect())
    }

    /// The beliefs that mean what is asked themselves, by number.
    fn nearest_by_own_meaning(&self, view: &mut View<'_>) -> Result<BTreeMap<u32, Lane>> {
        let Some(meaning) = self.meaning else { return Ok(BTreeMap::new()) };
        let nearest = view.nearest_verified_beliefs(&meaning.vector, MAX_NEAREST_BELIEFS)?;
        let alike = nearest.into_iter().filter(|(_, cosine)| self.measure.likeness(*cosine) > 0.0);
        let lane = |(place, (number, cosine)): (usize, (u32, f32))| {
            (number, Lane { rank: place + 1, score: f64::from(cosine) })
        };
        Ok(alike.enumerate().map(lane).collect())
    }

    /// The keys of beliefs that rest on the nearest memories, each with the nearest of them.
    fn keys_of_nearest_memories(&self, view: &mut View<'_>) -> Result<HashMap<String, Lane>> {
        let mut keys = HashMap::new();
        for (number, lane) in self.memory_findings.nearest_that_hold().into_iter().take(MAX_NEAREST_MEMORIES)
        {
            for key in view.keys_resting_on(number)? {
                keys.entry(key).or_insert(lane);
            }
        }
        Ok(keys)
    }

    /// Whether it was held, and had its last support, at the time that is asked about.
    fn was_held_as_of(&self, belief: &Belief) -> bool {
        let by = |at: Time| self.question.as_of.is_none_or(|as_of| at <= as_of);
        by(belief.created_at) && by(belief.last_supported_at)
    }

    /// The score of a belief, near by the memories that it rests on or by its own meaning; `None` if it has nothing to do with
    /// the question.
    fn score_belief(&self, belief: &Belief, near: Option<Lane>, own: Option<Lane>) -> Option<Explanation> {
        let mut score = Score::default();
        let meaning = |lane: Lane| self.measure.meaning_score(lane.score as f32);
        score.add(Part::Meaning, near.into_iter().chain(own).map(meaning).fold(0.0, f64::max));
        let text = format!("{} {} {}", belief.summary, belief.detail, belief.tags.join(" "));
        score.add(Part::Words, self.measure.word_score(&text));
        if score.total() <= 0.0 {
            return None;
        }
        score.add(Part::Kept, self.question.profile.kept * self.measure.unit);
        score.times(
            Part::Held,
            UNSURE_SCORE_SHARE + (1.0 - UNSURE_SCORE_SHARE) * belief.confidence * belief.freshness,
        );
        Some(Explanation { dense_lane: own, memory_lane: near, score, ..Explanation::default() })
    }
}

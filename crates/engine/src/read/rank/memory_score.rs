//! The score of a memory where memories are asked for: how well the message fits that it best rests on, how well its own words
//! fit, and, between comparable ones only, its strength. The profile of the seeds weighs strength as they wrote it.

use super::routed::RoutedMemories;
use crate::read::{
    lane::{FoundMemory, RecordScorer},
    question::{Explanation, Fusion, Question},
};
use cairn_cognition::{
    activation::activation,
    fusion::min_max_normalized,
    score::{Factors, Part, Score, rerank, score, source_factor},
    tier::sub_tier,
};
use cairn_domain::{Tier, Time};

/// Weight of a memory's own words and meaning beside the score of its message.
const OWN_FIT_WEIGHT: f64 = 0.5;
/// The most by which strength moves a score, up or down.
const STRENGTH_SHARE: f64 = 0.03;

/// Scores memories for one question.
pub(super) struct MemoryScorer<'a> {
    pub(super) question: &'a Question,
    pub(super) measure: &'a RecordScorer,
    /// The time that is asked about.
    pub(super) at: Time,
    /// The route of the question, if it goes by routes.
    pub(super) routed: Option<&'a RoutedMemories>,
    /// Whether a memory was often given together with another one in the running.
    pub(super) together: &'a dyn Fn(u32) -> bool,
}

impl MemoryScorer<'_> {
    /// The explanation of each memory's score, in their order; `of_message` tells the score of the message that each best
    /// rests on.
    pub(super) fn explanations(&self, all: &[(&FoundMemory, Option<Explanation>)]) -> Vec<Explanation> {
        let active: Vec<f64> = all.iter().map(|(one, _)| self.activation(one)).collect();
        let active = min_max_normalized(&active);
        match self.question.profile.fusion {
            Fusion::Sum => {
                let by_fit = |((one, message), active): (&(&FoundMemory, Option<Explanation>), &f64)| {
                    self.fitting(one, message.as_ref(), *active)
                };
                all.iter().zip(&active).map(by_fit).collect()
            }
            Fusion::ReciprocalRank => {
                let ranks: Vec<f64> = all.iter().map(|(one, _)| self.fused_ranks(one)).collect();
                let ranks = min_max_normalized(&ranks);
                let weighed = |((one, _), (active, ranks)): (&(&FoundMemory, _), (&f64, &f64))| {
                    self.weighed_as_seeded(one, *active, *ranks)
                };
                all.iter().zip(active.iter().zip(&ranks)).map(weighed).collect()
            }
        }
    }

    /// How well a memory's own words and meaning fit.
    pub(super) fn own_score(&self, one: &FoundMemory) -> Score {
        let mut own = Score::default();
        let cosine = one.lane.map_or(0.0, |lane| lane.score as f32);
        own.add(Part::Meaning, self.measure.meaning_score(cosine));
        own.add(Part::Words, self.measure.word_score(&one.record.memory.text));
        own
    }

    /// score = (message + 0.5 · own) · (1 ± 0.03) · source
    fn fitting(&self, one: &FoundMemory, message: Option<&Explanation>, active: f64) -> Explanation {
        let memory = &one.record.memory;
        let own = self.own_score(one);
        let mut explanation = Explanation { memory_lane: one.lane, ..Explanation::default() };
        let score = &mut explanation.score;
        if let Some(message) = message {
            explanation.dense_lane = message.dense_lane;
            explanation.lexical_lane = message.lexical_lane;
            *score = message.score.clone();
            score.add(Part::Similarity, OWN_FIT_WEIGHT * own.part(Part::Meaning));
            score.add(Part::Ranks, OWN_FIT_WEIGHT * own.part(Part::Words));
        } else if own.total() > 0.0 {
            *score = own;
            score.add(Part::Kept, self.question.profile.kept * self.measure.unit);
        }
        let total = score.total() * STRENGTH_SHARE;
        let strength = [
            (Part::Activation, 0.5 * (2.0 * active - 1.0)),
            (Part::Importance, 0.25 * (2.0 * memory.importance - 1.0)),
            (Part::Utility, 0.25 * (2.0 * memory.utility - 1.0)),
        ];
        for (part, amount) in strength {
            score.add(part, total * amount);
        }
        if memory.tier == Tier::Dormant {
            score.times(Part::Dormant, self.question.profile.memory.dormant);
        }
        score.times(Part::Source, source_factor(memory.source_confidence));
        explanation
    }

    /// How well a memory's own words and meaning fit, each with the weight that the route gives it.
    fn fused_ranks(&self, one: &FoundMemory) -> f64 {
        let own = self.own_score(one);
        let (meaning, words) = self.routed.map_or((1.0, 1.0), RoutedMemories::lane_weights);
        meaning * own.part(Part::Meaning) + words * own.part(Part::Words)
    }

    fn weighed_as_seeded(&self, one: &FoundMemory, activation: f64, ranks: f64) -> Explanation {
        let memory = &one.record.memory;
        let mut factors = Factors {
            similarity: one.lane.map_or(0.0, |lane| self.measure.likeness(lane.score as f32)),
            activation,
            importance: memory.importance,
            ranks,
            same_session: self.question.session.is_some() && memory.session == self.question.session,
            utility: memory.utility,
            together: (self.together)(one.record.number),
            sub_tier: sub_tier(memory.tier, memory.data_source, memory.category, &memory.text).weight(),
            valence: memory.valence,
            source_confidence: memory.source_confidence,
            same_thread: self.question.thread.is_some() && memory.thread == self.question.thread,
            dormant: memory.tier == Tier::Dormant,
            ..Factors::default()
        };
        if let Some(routed) = self.routed {
            routed.add_factors(one.record.number, &mut factors);
        }
        let score = match self.routed {
            Some(routed) if routed.prefers_useful() => rerank(&factors),
            Some(_) | None => score(&factors, &self.question.profile.memory),
        };
        Explanation { memory_lane: one.lane, score, ..Explanation::default() }
    }

    fn activation(&self, one: &FoundMemory) -> f64 {
        let memory = &one.record.memory;
        let age = (self.at.millis() - memory.accessed_at.millis()) as f64 / 1e3;
        activation(memory.accesses, age)
    }
}

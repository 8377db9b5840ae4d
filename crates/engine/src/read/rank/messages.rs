//! One ranking out of what the lanes found.

use super::{inputs::RankingInputs, weighted_sum::WeightedSum};
use crate::read::{
    lane::{DenseFindings, RecordScorer},
    question::{Explanation, Fusion, Lane},
};
use cairn_cognition::{
    fusion::{RRF_K, recency_factor, reciprocal_rank},
    score::{Part, Score},
};
use cairn_domain::{MILLIS_PER_DAY, Role, Time};
use cairn_models::cosine_at;
use cairn_store::Document;
use std::{cmp::Ordering, collections::HashMap};

/// Candidates whose likeness is worked out, for each hit asked for and at least.
const FINALISTS_PER_HIT: usize = 8;
const MIN_FINALISTS: usize = 400;
/// Messages that stay in the running for every hit asked for, and at least: what was remembered of them may still move
/// them.
const RANKED_MESSAGES_PER_HIT: usize = 3;
const MIN_RANKED_MESSAGES: usize = 40;
/// Hits fetched from each lane for every hit asked for, when ranks are fused.
const FUSION_OVERFETCH_FACTOR: usize = 3;

/// A message in the running, by its place in the index: what it scores and why.
pub(crate) struct RankedMessage {
    pub(crate) place: u32,
    /// Before its boost.
    pub(crate) explanation: Explanation,
    pub(crate) boost: MessageBoost,
    pub(crate) said_at: Time,
    /// The number of its session.
    pub(crate) session: u32,
}

impl RankedMessage {
    fn total(&self) -> f64 {
        self.explanation.score.total() * self.boost.product()
    }
}

impl RankingInputs<'_> {
    /// The best messages, best first: more than were asked for.
    pub(crate) fn best_messages(&self) -> cairn_store::Result<Vec<RankedMessage>> {
        let mut ranked = match self.question.profile.fusion {
            Fusion::Sum => self.ranked_by_sum()?,
            Fusion::ReciprocalRank => self.ranked_by_reciprocal_rank(),
        };
        ranked
            .sort_by(|a, b| b.total().total_cmp(&a.total()).then_with(|| self.newer_first(a.place, b.place)));
        Ok(ranked)
    }

    /// How what is no message is scored beside messages.
    pub(crate) fn record_scorer(&self) -> RecordScorer {
        WeightedSum::new(self).record_scorer()
    }

    fn messages_to_keep(&self) -> usize {
        MIN_RANKED_MESSAGES.max(self.question.k * RANKED_MESSAGES_PER_HIT)
    }

    /// Every candidate with its cosine, where the dense lane has already found it; each once.
    fn candidate_messages(&self) -> Vec<(u32, Option<f32>)> {
        let found = self.lexical.candidates(self.index, self.question.k, self.profile(), self.scope);
        let admitted = |place: &&u32| self.scope.filter.admits(&self.index.documents()[**place as usize]);
        let brought = self.brought.iter().filter(admitted).copied();
        let near = self.dense.iter().flat_map(|dense| &dense.nearest);
        let mut candidates: Vec<(u32, Option<f32>)> = near
            .map(|(place, cosine)| (*place, Some(*cosine)))
            .chain(found.into_iter().chain(brought).map(|place| (place, None)))
            .collect();
        // Stable: of two with the same number, the one with a cosine stays.
        candidates.sort_by_key(|(place, _)| *place);
        candidates.dedup_by_key(|(place, _)| *place);
        candidates
    }

    /// The weighted sum of what each lane's score is worth beside the best of its lane. Likeness is worked out only for
    /// those who would be among the best if they were as alike as the last of the nearest.
    fn ranked_by_sum(&self) -> cairn_store::Result<Vec<RankedMessage>> {
        let sum = WeightedSum::new(self);
        let least = self.dense.map(DenseFindings::least_cosine);
        let score = |place: u32, cosine: Option<f32>| {
            sum.score_parts(place, cosine).sum() * self.message_boost(place).product()
        };
        let mut running: Vec<(f64, u32, Option<f32>)> = self
            .candidate_messages()
            .into_iter()
            .map(|(place, cosine)| (score(place, cosine.or(least)), place, cosine))
            .collect();
        // On a server every likeness has to be asked for.
        let at_least = if self.index.is_whole() { MIN_FINALISTS } else { MIN_FINALISTS / 2 };
        keep_best(&mut running, at_least.max(self.question.k * FINALISTS_PER_HIT));
        if let Some(dense) = self.dense {
            let unknown: Vec<u32> =
                running.iter().filter(|it| it.2.is_none()).map(|(_, place, _)| *place).collect();
            let mut cosines = dense.cosines(&unknown)?.into_iter();
            for (optimistic, place, cosine) in running.iter_mut().filter(|it| it.2.is_none()) {
                *cosine = cosines.next().flatten();
                *optimistic = score(*place, *cosine);
            }
        }
        running.retain(|(_, place, cosine)| {
            cosine.is_some_and(|cosine| cosine >= sum.noise)
                || sum.score_parts(*place, None).shares_words()
                || self.led_to.contains(place)
        });
        keep_best(&mut running, self.messages_to_keep());
        let ranked = |(_, place, cosine)| {
            let explanation = sum.explanation(place, cosine);
            self.ranked_message(place, explanation)
        };
        Ok(running.into_iter().map(ranked).collect())
    }

    /// Weighted reciprocal ranks of both lanes, as the seeds have it.
    fn ranked_by_reciprocal_rank(&self) -> Vec<RankedMessage> {
        let (k, profile) = (self.question.k, self.profile());
        let overfetched = k.saturating_mul(FUSION_OVERFETCH_FACTOR);
        let mut by_words = self.lexical.candidates(self.index, k, profile, self.scope);
        by_words.retain(|place| self.lexical.own[*place as usize] > 0.0);
        let own = |place: &u32| self.lexical.own[*place as usize];
        by_words.sort_unstable_by(|a, b| own(b).total_cmp(&own(a)).then_with(|| self.newer_first(*a, *b)));
        let mut found: HashMap<u32, Explanation> = HashMap::new();
        for (i, place) in by_words.into_iter().take(overfetched).enumerate() {
            let score = f64::from(self.lexical.own[place as usize]);
            let explanation = found.entry(place).or_default();
            explanation.lexical_lane = Some(Lane { rank: i + 1, score });
            explanation.score.add(Part::Words, profile.lexical * reciprocal_rank(RRF_K, i + 1));
        }
        if let Some(dense) = self.dense {
            // Of an excerpt only the length of the whole is known: about every second message is the user's.
            let spoken = if self.index.is_whole() {
                self.index.documents().iter().filter(|it| it.role == Role::User).count()
            } else {
                self.index.messages() as usize / 2
            };
            let noise = cosine_at(dense.calibration().reach(spoken));
            let near = dense.nearest.iter().take(overfetched).take_while(|(_, cosine)| *cosine >= noise);
            for (i, (place, cosine)) in near.enumerate() {
                let explanation = found.entry(*place).or_default();
                explanation.dense_lane = Some(Lane { rank: i + 1, score: f64::from(*cosine) });
                explanation.score.add(Part::Meaning, profile.dense * reciprocal_rank(RRF_K, i + 1));
            }
        }
        found.into_iter().map(|(place, explanation)| self.ranked_message(place, explanation)).collect()
    }

    fn ranked_message(&self, place: u32, explanation: Explanation) -> RankedMessage {
        let Document { said_at, session, .. } = self.index.documents()[place as usize];
        RankedMessage { place, explanation, boost: self.message_boost(place), said_at, session }
    }

    /// Factors of a message's score.
    fn message_boost(&self, place: u32) -> MessageBoost {
        let (document, profile) = (&self.index.documents()[place as usize], self.profile());
        let thread = self.scope.thread_boost(document, profile);
        if profile.recency == 0.0 {
            return MessageBoost { thread, recency: 1.0 };
        }
        let age_days = (self.now.millis() - document.said_at.millis()) as f64 / MILLIS_PER_DAY as f64;
        MessageBoost { thread, recency: recency_factor(profile.recency, profile.recency_tau_days, age_days) }
    }

    fn newer_first(&self, a: u32, b: u32) -> Ordering {
        let said_at = |place: u32| self.index.documents()[place as usize].said_at;
        said_at(b).cmp(&said_at(a)).then_with(|| b.cmp(&a))
    }
}

/// Leaves the best `n`, in no order.
fn keep_best(running: &mut Vec<(f64, u32, Option<f32>)>, n: usize) {
    if n < running.len() {
        running.select_nth_unstable_by(n, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        running.truncate(n);
    }
}

/// Factors of a message's score.
#[derive(Clone, Copy)]
pub(crate) struct MessageBoost {
    thread: f64,
    recency: f64,
}

impl MessageBoost {
    fn product(self) -> f64 {
        self.thread * self.recency
    }

    pub(crate) fn apply(self, score: &mut Score) {
        score.times(Part::Thread, self.thread);
        score.times(Part::Recency, self.recency);
    }
}

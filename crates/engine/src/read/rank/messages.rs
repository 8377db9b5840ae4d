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

/// Candidates whose likeness is worked out, however many hits are asked for.
const FINALISTS: usize = 400;
/// The best messages, which what was remembered of them may still move. However many hits are asked for, the first of them
/// are chosen among these; whoever asks for more gets the next messages after them.
pub(crate) const HEAD_MESSAGES: usize = 120;
/// Hits fetched from each lane when ranks are fused: three times what is looked at for hits that differ.
const FUSED_MESSAGES_PER_LANE: usize = 180;

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
    /// The best messages, best first: the head, and as many more as are asked for.
    pub(crate) fn best_messages(&self) -> cairn_store::Result<Vec<RankedMessage>> {
        let mut ranked = match self.question.profile.fusion {
            Fusion::Sum => self.ranked_by_sum()?,
            Fusion::ReciprocalRank => self.ranked_by_reciprocal_rank(),
        };
        ranked.truncate(HEAD_MESSAGES.max(self.question.k));
        Ok(ranked)
    }

    fn sort(&self, ranked: &mut [RankedMessage]) {
        ranked
            .sort_by(|a, b| b.total().total_cmp(&a.total()).then_with(|| self.newer_first(a.place, b.place)));
    }

    /// How what is no message is scored beside messages.
    pub(crate) fn record_scorer(&self) -> RecordScorer {
        WeightedSum::new(self).record_scorer()
    }

    /// Every candidate with its cosine, where the dense lane has already found it; each once.
    fn candidate_messages(&self) -> Vec<MessageCandidate> {
        let found = self.lexical.candidates(self.index, self.question.k, self.profile(), self.scope);
        let admitted = |place: &&u32| self.scope.filter.admits(&self.index.documents()[**place as usize]);
        let brought = self.brought.iter().filter(admitted).copied();
        let near = self.dense.iter().flat_map(|dense| &dense.nearest);
        let candidate = |place: u32, cosine: Option<f32>| MessageCandidate { place, cosine, score: 0.0 };
        let mut candidates: Vec<MessageCandidate> = near
            .map(|(place, cosine)| candidate(*place, Some(*cosine)))
            .chain(found.into_iter().chain(brought).map(|place| candidate(place, None)))
            .collect();
        // Stable: of two with the same number, the one with a cosine stays.
        candidates.sort_by_key(|it| it.place);
        candidates.dedup_by_key(|it| it.place);
        candidates
    }

    /// The weighted sum of what each lane's score is worth beside the best of its lane. Likeness is worked out only for
    /// those who would be among the best if they were as alike as the last of the nearest.
    fn ranked_by_sum(&self) -> cairn_store::Result<Vec<RankedMessage>> {
        let sum = WeightedSum::new(self);
        let least = self.dense.map(DenseFindings::least_cosine);
        let mut running: Vec<MessageCandidate> = self.candidate_messages();
        for candidate in &mut running {
            candidate.score = self.sum_of(&sum, candidate.place, candidate.cosine.or(least));
        }
        // On a server every likeness has to be asked for.
        let finalists = if self.index.is_whole() { FINALISTS } else { FINALISTS / 2 };
        let mut rest = split_off_best(&mut running, finalists);
        let mut ranked = self.ranked_finalists(&sum, running)?;
        if ranked.len() < self.question.k {
            split_off_best(&mut rest, self.question.k);
            ranked.extend(self.ranked_finalists(&sum, rest)?);
        }
        Ok(ranked)
    }

    fn sum_of(&self, sum: &WeightedSum<'_, '_>, place: u32, cosine: Option<f32>) -> f64 {
        sum.score_parts(place, cosine).sum() * self.message_boost(place).product()
    }

    /// Works out how alike each candidate is and puts them in order, without those that have nothing to do with the question.
    fn ranked_finalists(
        &self,
        sum: &WeightedSum<'_, '_>,
        mut finalists: Vec<MessageCandidate>,
    ) -> cairn_store::Result<Vec<RankedMessage>> {
        if let Some(dense) = self.dense {
            let unknown: Vec<u32> =
                finalists.iter().filter(|it| it.cosine.is_none()).map(|it| it.place).collect();
            let mut cosines = dense.cosines(&unknown)?.into_iter();
            for candidate in finalists.iter_mut().filter(|it| it.cosine.is_none()) {
                candidate.cosine = cosines.next().flatten();
                candidate.score = self.sum_of(sum, candidate.place, candidate.cosine);
            }
        }
        finalists.retain(|MessageCandidate { place, cosine, .. }| {
            cosine.is_some_and(|cosine| cosine >= sum.noise)
                || sum.score_parts(*place, None).shares_words()
                || self.led_to.contains(place)
                || self.foretelling.contains(place)
        });
        split_off_best(&mut finalists, HEAD_MESSAGES.max(self.question.k));
        let ranked = |MessageCandidate { place, cosine, .. }: MessageCandidate| {
            self.ranked_message(place, sum.explanation(place, cosine))
        };
        let mut ranked: Vec<RankedMessage> = finalists.into_iter().map(ranked).collect();
        self.sort(&mut ranked);
        Ok(ranked)
    }

    /// Weighted reciprocal ranks of both lanes, as the seeds have it.
    fn ranked_by_reciprocal_rank(&self) -> Vec<RankedMessage> {
        let (k, profile) = (self.question.k, self.profile());
        let overfetched = FUSED_MESSAGES_PER_LANE.max(k);
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
        let mut ranked: Vec<RankedMessage> =
            found.into_iter().map(|(place, explanation)| self.ranked_message(place, explanation)).collect();
        self.sort(&mut ranked);
        ranked
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

/// A message that may be ranked: its cosine, if it is known, and its score, as far as that is known.
struct MessageCandidate {
    place: u32,
    cosine: Option<f32>,
    score: f64,
}

/// Leaves the best `n`, in no order; the others are returned, in none either.
fn split_off_best(running: &mut Vec<MessageCandidate>, n: usize) -> Vec<MessageCandidate> {
    if n >= running.len() {
        return Vec::new();
    }
    running.select_nth_unstable_by(n, |a, b| b.score.total_cmp(&a.score).then(b.place.cmp(&a.place)));
    running.split_off(n)
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

//! One ranking out of what the lanes found.

use super::{Explanation, Fusion, Lane, Profile, Question, dense::Dense, lexical::Lexical, question::Scope};
use cairn_cognition::{
    fusion::{RRF_K, alike, recency, reciprocal_rank, share_of_best},
    keywords::speaker_term,
    subject::Subject,
};
use cairn_domain::{Role, Time};
use cairn_models::cosine_at;
use cairn_store::KeywordIndex;
use std::{cmp::Ordering, collections::HashMap};

/// A best cosine below this is a poor best: the dense lane counts less.
const GOOD_LIKENESS: f64 = 0.5;
/// The same for words: this share of what all of them together could score.
const GOOD_WORDS: f64 = 0.1;
/// Candidates whose likeness is worked out, for each hit asked for and at least.
const FINALISTS_PER_HIT: usize = 8;
const FINALISTS_AT_LEAST: usize = 400;
/// Hits fetched from each lane for every hit asked for, when ranks are fused.
const OVERFETCH: usize = 3;
const DAY_MS: f64 = 86_400_000.0;

/// What ranking looks at.
pub(super) struct Ranking<'a> {
    pub(super) index: &'a KeywordIndex,
    pub(super) question: &'a Question,
    pub(super) scope: &'a Scope,
    pub(super) lexical: &'a Lexical,
    pub(super) dense: Option<&'a Dense<'a>>,
    pub(super) subject: &'a Subject,
    pub(super) now: Time,
}

/// A message in the running, by its place in the index: what it scores and why.
pub(super) struct Ranked {
    pub(super) place: u32,
    pub(super) score: f64,
    pub(super) explanation: Explanation,
}

impl Ranking<'_> {
    /// The best messages, best first.
    pub(super) fn best(&self) -> cairn_store::Result<Vec<Ranked>> {
        match self.question.profile.fusion {
            Fusion::Sum => self.by_sum(),
            Fusion::ReciprocalRank => Ok(self.by_ranks()),
        }
    }

    fn profile(&self) -> &Profile {
        &self.question.profile
    }

    /// Every candidate with its cosine, where the dense lane has already found it; each once.
    fn candidates(&self) -> Vec<(u32, Option<f32>)> {
        let found = self.lexical.candidates(self.index, self.question.k, self.profile(), self.scope);
        let near = self.dense.iter().flat_map(|dense| &dense.nearest);
        let mut candidates: Vec<(u32, Option<f32>)> = near
            .map(|(place, cosine)| (*place, Some(*cosine)))
            .chain(found.into_iter().map(|place| (place, None)))
            .collect();
        // Stable: of two with the same number, the one with a cosine stays.
        candidates.sort_by_key(|(place, _)| *place);
        candidates.dedup_by_key(|(place, _)| *place);
        candidates
    }

    /// The weighted sum of what each lane's score is worth beside the best of its lane. Likeness is worked out only for
    /// those who would be among the best if they were as alike as the last of the nearest.
    fn by_sum(&self) -> cairn_store::Result<Vec<Ranked>> {
        let sum = Sum::new(self);
        let least = self.dense.map(Dense::least);
        let score =
            |place: u32, cosine: Option<f32>| sum.parts(place, cosine).sum() * self.boost(place).product();
        let mut running: Vec<(f64, u32, Option<f32>)> = self
            .candidates()
            .into_iter()
            .map(|(place, cosine)| (score(place, cosine.or(least)), place, cosine))
            .collect();
        // On a server every likeness has to be asked for.
        let at_least = if self.index.is_whole() { FINALISTS_AT_LEAST } else { FINALISTS_AT_LEAST / 2 };
        let finalists = at_least.max(self.question.k * FINALISTS_PER_HIT);
        if finalists < running.len() {
            running.select_nth_unstable_by(finalists, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
            running.truncate(finalists);
        }
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
            cosine.is_some_and(|cosine| cosine >= sum.noise) || sum.parts(*place, None).shares_words()
        });
        Ok(self
            .finish(running.into_iter())
            .map(|(score, place, cosine)| Ranked { place, score, explanation: sum.explain(place, cosine) })
            .collect())
    }

    /// Weighted reciprocal ranks of both lanes, as the seeds have it.
    fn by_ranks(&self) -> Vec<Ranked> {
        let (k, profile) = (self.question.k, self.profile());
        let overfetched = k.saturating_mul(OVERFETCH);
        let mut by_words = self.lexical.candidates(self.index, k, profile, self.scope);
        by_words.retain(|place| self.lexical.own[*place as usize] > 0.0);
        let own = |place: &u32| self.lexical.own[*place as usize];
        by_words.sort_unstable_by(|a, b| own(b).total_cmp(&own(a)).then_with(|| self.newer_first(*a, *b)));
        let mut found: HashMap<u32, Explanation> = HashMap::new();
        for (i, place) in by_words.into_iter().take(overfetched).enumerate() {
            let score = f64::from(self.lexical.own[place as usize]);
            let explanation = found.entry(place).or_default();
            explanation.lexical_lane = Some(Lane { rank: i + 1, score });
            explanation.own = profile.lexical * reciprocal_rank(RRF_K, i + 1);
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
                explanation.dense = profile.dense * reciprocal_rank(RRF_K, i + 1);
            }
        }
        let ranked = found.into_iter().map(|(place, explanation)| {
            let Boost { thread, recency } = self.boost(place);
            let explanation = Explanation { thread, recency, ..explanation };
            (explanation.score(), place, explanation)
        });
        self.finish(ranked).map(|(score, place, explanation)| Ranked { place, score, explanation }).collect()
    }

    /// What multiplies a message's score.
    fn boost(&self, place: u32) -> Boost {
        let (document, profile) = (&self.index.documents()[place as usize], self.profile());
        let thread = self.scope.boost(document, profile);
        if profile.recency == 0.0 {
            return Boost { thread, recency: 1.0 };
        }
        let age_days = (self.now.millis() - document.said_at.millis()) as f64 / DAY_MS;
        Boost { thread, recency: recency(profile.recency, profile.recency_tau_days, age_days) }
    }

    /// The `k` best in order. Equal scores: what was said later comes first.
    fn finish<T>(&self, ranked: impl Iterator<Item = (f64, u32, T)>) -> impl Iterator<Item = (f64, u32, T)> {
        let mut ranked: Vec<(f64, u32, T)> = ranked.collect();
        let order = |a: &(f64, u32, T), b: &(f64, u32, T)| {
            b.0.total_cmp(&a.0).then_with(|| self.newer_first(a.1, b.1))
        };
        if self.question.k < ranked.len() {
            ranked.select_nth_unstable_by(self.question.k, order);
            ranked.truncate(self.question.k);
        }
        ranked.sort_unstable_by(order);
        ranked.into_iter()
    }

    fn newer_first(&self, a: u32, b: u32) -> Ordering {
        let said_at = |place: u32| self.index.documents()[place as usize].said_at;
        said_at(b).cmp(&said_at(a)).then_with(|| b.cmp(&a))
    }
}

/// A weighted sum with everything worked out that is the same for all messages.
struct Sum<'r, 'a> {
    ranking: &'r Ranking<'a>,
    /// What one unit of a lane's own score is worth.
    per_word_score: f64,
    per_likeness: f64,
    unrelated: f64,
    /// What being said by the one whose words are asked for is worth, and by a speaker named in the question.
    own_words: f64,
    named_speaker: f64,
    named: Vec<bool>,
    /// A cosine below this is no likeness at all.
    noise: f32,
}

impl<'r, 'a> Sum<'r, 'a> {
    fn new(ranking: &'r Ranking<'a>) -> Self {
        let (profile, lexical) = (ranking.profile(), ranking.lexical);
        let named = speakers(ranking.index, &ranking.subject.names);
        let asks_for_words = ranking.subject.asker || ranking.subject.agent;
        let dense_weight = if ranking.dense.is_some() { profile.dense } else { 0.0 };
        let lent = 2.0 * (profile.neighbour + profile.second_neighbour);
        let own_words = if asks_for_words { profile.own_words } else { 0.0 };
        let named_speaker = if named.is_empty() { 0.0 } else { profile.named_speaker };
        // The most that any message could score, so that scores lie between 0 and 1 before a boost.
        let most = dense_weight + profile.lexical * (1.0 + lent) + own_words + named_speaker;
        let most = most.max(f64::MIN_POSITIVE);
        let per_word_score = profile.lexical / most
            * share_of_best(1.0, f64::from(lexical.best()), GOOD_WORDS * lexical.ceiling);
        let calibration = ranking.dense.map(|dense| *dense.calibration()).unwrap_or_default();
        let unrelated = f64::from(calibration.unrelated);
        let best = ranking.dense.map_or(0.0, |dense| alike(f64::from(dense.best()), unrelated));
        let per_likeness = dense_weight / most * share_of_best(1.0, best, GOOD_LIKENESS);
        let noise = cosine_at(calibration.sparse_distance);
        let (own_words, named_speaker) = (own_words / most, named_speaker / most);
        Self { ranking, per_word_score, per_likeness, unrelated, own_words, named_speaker, named, noise }
    }

    /// What a message with this cosine scores, part by part.
    fn parts(&self, place: u32, cosine: Option<f32>) -> Parts {
        let Ranking { index, lexical, subject, .. } = self.ranking;
        let likeness = cosine.map_or(0.0, |cosine| alike(f64::from(cosine), self.unrelated));
        let asked = match index.documents()[place as usize].role {
            Role::User => subject.asker,
            Role::Assistant => subject.agent,
            Role::System | Role::Tool => false,
        };
        let named = self.named.get(place as usize).is_some_and(|named| *named);
        let worth = |applies: bool, worth: f64| if applies { worth } else { 0.0 };
        Parts {
            dense: likeness * self.per_likeness,
            own: f64::from(lexical.own[place as usize]) * self.per_word_score,
            neighbours: f64::from(lexical.lent(index, self.ranking.profile(), place)) * self.per_word_score,
            subject: worth(asked, self.own_words) + worth(named, self.named_speaker),
        }
    }

    fn explain(&self, place: u32, cosine: Option<f32>) -> Explanation {
        let (parts, Boost { thread, recency }) = (self.parts(place, cosine), self.ranking.boost(place));
        let Parts { dense, own, neighbours, subject } = parts;
        let score = (own + neighbours) / self.per_word_score.max(f64::MIN_POSITIVE);
        Explanation {
            dense_lane: cosine.map(|cosine| Lane { rank: 0, score: f64::from(cosine) }),
            lexical_lane: parts.shares_words().then_some(Lane { rank: 0, score }),
            dense,
            own,
            neighbours,
            subject,
            thread,
            recency,
            terms: Vec::new(),
        }
    }
}

/// What adds up to a message's score.
#[derive(Clone, Copy)]
struct Parts {
    dense: f64,
    own: f64,
    neighbours: f64,
    subject: f64,
}

impl Parts {
    fn sum(self) -> f64 {
        self.dense + self.own + self.neighbours + self.subject
    }

    fn shares_words(self) -> bool {
        self.own + self.neighbours > 0.0
    }
}

/// What multiplies a message's score.
#[derive(Clone, Copy)]
struct Boost {
    thread: f64,
    recency: f64,
}

impl Boost {
    fn product(self) -> f64 {
        self.thread * self.recency
    }
}

/// Which messages were said by somebody with one of these names; empty if nobody has one.
fn speakers(index: &KeywordIndex, names: &[String]) -> Vec<bool> {
    let mut theirs = Vec::new();
    for term in names.iter().map(|name| speaker_term(name)).filter(|term| index.holding(term) > 0) {
        theirs.resize(index.documents().len(), false);
        index.for_each(&term, |place, _| theirs[place as usize] = true);
    }
    theirs
}

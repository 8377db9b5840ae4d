//! One ranking out of what the lanes found.

use super::{
    Explanation, Fusion, Lane, Profile, Question,
    dense::Dense,
    lexical::{Lexical, QueryWord},
    question::Scope,
    session::Sessions,
};
use cairn_cognition::{
    bm25::{Scale, idf},
    fusion::{RRF_K, alike, recency, reciprocal_rank, share_of_best},
    keywords::{speaker_term, terms},
    score::Score,
    subject::Subject,
    temporal::Window,
};
use cairn_domain::{Role, Time};
use cairn_models::cosine_at;
use cairn_store::{Document, KeywordIndex};
use std::{
    cmp::Ordering,
    collections::{HashMap, HashSet},
};

/// A best cosine below this is a poor best: the dense lane counts less.
const GOOD_LIKENESS: f64 = 0.5;
/// The same for words: this share of what all of them together could score.
const GOOD_WORDS: f64 = 0.1;
/// Candidates whose likeness is worked out, for each hit asked for and at least.
const FINALISTS_PER_HIT: usize = 8;
const FINALISTS_AT_LEAST: usize = 400;
/// Messages that stay in the running for every hit asked for, and at least: what was remembered of them may still move
/// them.
const RUNNING_PER_HIT: usize = 3;
const RUNNING_AT_LEAST: usize = 40;
/// Fewer messages than this say little about how rare a word is.
const FEW_MESSAGES: u64 = 1_000;
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
    pub(super) sessions: &'a Sessions,
    pub(super) subject: &'a Subject,
    /// The times that the question speaks of.
    pub(super) windows: &'a [Window],
    /// Messages that are in the running whatever the other lanes say, by place.
    pub(super) brought: &'a [u32],
    /// Those of them that stay there even if they share neither words nor meaning with the question.
    pub(super) led_to: &'a HashSet<u32>,
    pub(super) now: Time,
}

/// A message in the running, by its place in the index: what it scores and why.
pub(super) struct Ranked {
    pub(super) place: u32,
    /// Before its boost.
    pub(super) explanation: Explanation,
    pub(super) boost: Boost,
    pub(super) said_at: Time,
    /// The number of its session.
    pub(super) session: u32,
}

impl Ranked {
    fn total(&self) -> f64 {
        self.explanation.score.total() * self.boost.product()
    }
}

impl Ranking<'_> {
    /// The best messages, best first: more than were asked for.
    pub(super) fn best(&self) -> cairn_store::Result<Vec<Ranked>> {
        let mut ranked = match self.question.profile.fusion {
            Fusion::Sum => self.by_sum()?,
            Fusion::ReciprocalRank => self.by_ranks(),
        };
        ranked
            .sort_by(|a, b| b.total().total_cmp(&a.total()).then_with(|| self.newer_first(a.place, b.place)));
        Ok(ranked)
    }

    /// How what is no message is scored beside messages.
    pub(super) fn measure(&self) -> Measure {
        let sum = Sum::new(self);
        Measure {
            scale: self.profile().bm25.scale(self.index.average_length()),
            words: self.lexical.words.clone(),
            per_word_score: sum.per_word_score,
            per_likeness: sum.per_likeness,
            unrelated: sum.unrelated,
            unit: sum.unit,
            messages: self.index.messages(),
        }
    }

    fn running(&self) -> usize {
        RUNNING_AT_LEAST.max(self.question.k * RUNNING_PER_HIT)
    }

    fn profile(&self) -> &Profile {
        &self.question.profile
    }

    /// Every candidate with its cosine, where the dense lane has already found it; each once.
    fn candidates(&self) -> Vec<(u32, Option<f32>)> {
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
        best_of(&mut running, at_least.max(self.question.k * FINALISTS_PER_HIT));
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
                || sum.parts(*place, None).shares_words()
                || self.led_to.contains(place)
        });
        best_of(&mut running, self.running());
        let ranked = |(_, place, cosine)| {
            let explanation = sum.explain(place, cosine);
            self.ranked(place, explanation)
        };
        Ok(running.into_iter().map(ranked).collect())
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
            explanation.score.add("words", profile.lexical * reciprocal_rank(RRF_K, i + 1));
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
                explanation.score.add("meaning", profile.dense * reciprocal_rank(RRF_K, i + 1));
            }
        }
        found.into_iter().map(|(place, explanation)| self.ranked(place, explanation)).collect()
    }

    fn ranked(&self, place: u32, explanation: Explanation) -> Ranked {
        let Document { said_at, session, .. } = self.index.documents()[place as usize];
        Ranked { place, explanation, boost: self.boost(place), said_at, session }
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

    fn newer_first(&self, a: u32, b: u32) -> Ordering {
        let said_at = |place: u32| self.index.documents()[place as usize].said_at;
        said_at(b).cmp(&said_at(a)).then_with(|| b.cmp(&a))
    }
}

/// Leaves the best `n`, in no order.
fn best_of(running: &mut Vec<(f64, u32, Option<f32>)>, n: usize) {
    if n < running.len() {
        running.select_nth_unstable_by(n, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        running.truncate(n);
    }
}

/// How a text that is no message is scored beside messages.
pub(super) struct Measure {
    words: Vec<QueryWord>,
    scale: Scale,
    per_word_score: f64,
    per_likeness: f64,
    unrelated: f64,
    /// What a weight of 1 is worth in a score.
    pub(super) unit: f64,
    messages: u64,
}

impl Measure {
    /// What a likeness is worth.
    pub(super) fn meaning(&self, cosine: f32) -> f64 {
        self.alike(cosine) * self.per_likeness
    }

    /// How alike a cosine says two texts are, 0 to 1.
    pub(super) fn alike(&self, cosine: f32) -> f64 {
        alike(f64::from(cosine), self.unrelated)
    }

    /// The share of the question's words that a hit and what was said around it hold, the rare counting more; about, because
    /// a word that is said again counts again.
    pub(super) fn words_shared(&self, explanation: &Explanation) -> f64 {
        let own = explanation.score.part("words") / self.per_word_score.max(f64::MIN_POSITIVE);
        let score = explanation.lexical_lane.map_or(own, |lane| lane.score);
        let all: f64 = self.words.iter().map(|word| word.idf).sum();
        (score / all.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
    }

    /// The share of the question's words that a text holds, the rare counting more: a word that nobody has said as much as
    /// one that was said once. Among few messages a word that was said is not frequent for that.
    pub(super) fn held(&self, text: &str) -> f64 {
        let found = terms(text);
        let holds = |term: &String| found.counts.binary_search_by(|(known, _)| known.cmp(term)).is_ok();
        let rarity = |word: &QueryWord| idf(self.messages.max(FEW_MESSAGES), word.holding.max(1));
        let held = self.words.iter().filter(|word| word.terms.iter().any(holds));
        let all: f64 = self.words.iter().map(rarity).sum();
        held.map(rarity).sum::<f64>() / all.max(f64::MIN_POSITIVE)
    }

    /// The terms that the words of the question may stand as.
    pub(super) fn terms(&self) -> Vec<&str> {
        self.words.iter().flat_map(|word| word.terms.iter().map(String::as_str)).collect()
    }

    /// What the words of a text are worth.
    pub(super) fn words(&self, text: &str) -> f64 {
        let found = terms(text);
        let times = |term: &String| {
            let at = found.counts.binary_search_by(|(known, _)| known.cmp(term)).ok()?;
            Some(found.counts[at].1)
        };
        let worth = |word: &QueryWord| {
            let times = word.terms.iter().filter_map(times).max()?;
            Some(word.idf * f64::from(self.scale.weight(times, found.length)))
        };
        self.words.iter().filter_map(worth).sum::<f64>() * self.per_word_score
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
    /// What a session that is all about the question is worth.
    session: f64,
    /// What having been said in a time that is asked about is worth.
    time: f64,
    /// A cosine below this is no likeness at all.
    noise: f32,
    /// What a weight of 1 is worth.
    unit: f64,
}

impl<'r, 'a> Sum<'r, 'a> {
    fn new(ranking: &'r Ranking<'a>) -> Self {
        let (profile, lexical) = (ranking.profile(), ranking.lexical);
        let named = speakers(ranking.index, &ranking.subject.names);
        let asks_for_words = ranking.subject.asker || ranking.subject.agent;
        let remembered = profile.kept
            + profile.remembered
            + profile.standing
            + profile.utility
            + profile.graph
            + profile.together;
        let dense_weight = if ranking.dense.is_some() { profile.dense } else { 0.0 };
        let lent = 2.0 * (profile.neighbour + profile.second_neighbour);
        let own_words = if asks_for_words { profile.own_words } else { 0.0 };
        let named_speaker = if named.is_empty() { 0.0 } else { profile.named_speaker };
        // The most that any message could score, so that scores lie between 0 and 1 before a boost.
        let time = if ranking.windows.is_empty() { 0.0 } else { profile.time };
        let most = dense_weight + profile.lexical * (1.0 + lent) + own_words + named_speaker + time;
        let unit = 1.0 / (most + profile.session + remembered).max(f64::MIN_POSITIVE);
        let per_word_score = profile.lexical
            * unit
            * share_of_best(1.0, f64::from(lexical.best()), GOOD_WORDS * lexical.ceiling);
        let calibration = ranking.dense.map(|dense| *dense.calibration()).unwrap_or_default();
        let unrelated = f64::from(calibration.unrelated);
        let best = ranking.dense.map_or(0.0, |dense| alike(f64::from(dense.best()), unrelated));
        let per_likeness = dense_weight * unit * share_of_best(1.0, best, GOOD_LIKENESS);
        let noise = cosine_at(calibration.sparse_distance);
        let (own_words, named_speaker) = (own_words * unit, named_speaker * unit);
        let (session, time) = (profile.session * unit, time * unit);
        Self {
            ranking,
            per_word_score,
            per_likeness,
            unrelated,
            own_words,
            named_speaker,
            named,
            session,
            time,
            noise,
            unit,
        }
    }

    /// What a message with this cosine scores, part by part.
    fn parts(&self, place: u32, cosine: Option<f32>) -> Parts {
        let Ranking { index, lexical, subject, windows, sessions, .. } = self.ranking;
        let likeness = cosine.map_or(0.0, |cosine| alike(f64::from(cosine), self.unrelated));
        let document = &index.documents()[place as usize];
        let asked = match document.role {
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
            session: if self.session > 0.0 { sessions.share(document.session) * self.session } else { 0.0 },
            subject: worth(asked, self.own_words) + worth(named, self.named_speaker),
            time: worth(windows.iter().any(|window| window.holds(document.said_at)), self.time),
        }
    }

    fn explain(&self, place: u32, cosine: Option<f32>) -> Explanation {
        let parts = self.parts(place, cosine);
        let mut score = Score::default();
        score.add("meaning", parts.dense);
        score.add("words", parts.own);
        score.add("neighbours", parts.neighbours);
        score.add("session", parts.session);
        score.add("subject", parts.subject);
        score.add("time", parts.time);
        let words = (parts.own + parts.neighbours) / self.per_word_score.max(f64::MIN_POSITIVE);
        Explanation {
            dense_lane: cosine.map(|cosine| Lane { rank: 0, score: f64::from(cosine) }),
            lexical_lane: parts.shares_words().then_some(Lane { rank: 0, score: words }),
            memory_lane: None,
            score,
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
    session: f64,
    subject: f64,
    time: f64,
}

impl Parts {
    fn sum(self) -> f64 {
        self.dense + self.own + self.neighbours + self.session + self.subject + self.time
    }

    fn shares_words(self) -> bool {
        self.own + self.neighbours > 0.0
    }
}

/// What multiplies a message's score.
#[derive(Clone, Copy)]
pub(super) struct Boost {
    thread: f64,
    recency: f64,
}

impl Boost {
    fn product(self) -> f64 {
        self.thread * self.recency
    }

    pub(super) fn apply(self, score: &mut Score) {
        score.times("thread", self.thread);
        score.times("recency", self.recency);
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

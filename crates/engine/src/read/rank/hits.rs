//! Everything in the running for an answer: messages with what was remembered of them, memories of no message, what is held
//! true, what was condensed; and the way from there to the hits.

use super::{
    confidence::{AskedSlot, ConfidenceBaseline},
    messages::RankedMessage,
};
use crate::read::{
    lane::{BeliefMatch, DigestMatch, FoundMemory, MemoryFindings, RecordScorer},
    question::{Explanation, Found, Hit, Question, SearchScope},
};
use cairn_cognition::{
    activation::activation,
    diversity::{most_diverse, spread_over_groups, term_likeness},
    fusion::min_max_normalized,
    keywords::{Terms, terms},
    score::{Factors, HitStanding, Part, Score, better_first, score},
    statement::{asked_slot, fills_slot},
    tier::sub_tier,
};
use cairn_domain::{Tier, Time};
use cairn_store::{BeliefRecord, MemoryRecord, MessageRecord, Result, View};
use std::collections::HashMap;

/// Candidates among which hits that differ are chosen, for each hit asked for.
const DIVERSE_CANDIDATES_PER_HIT: usize = 3;
/// Hits whose words say how well a question is known.
const HITS_FOR_KNOWN_WORDS: usize = 3;
/// Factor that keeps a replaced record behind the one that replaced it.
const REPLACED_SCORE_FACTOR: f64 = 0.99;

/// The id of a contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ContenderId {
    /// A message, by seq.
    Message(u32),
    /// A memory, by number.
    Memory(u32),
    /// A belief, by number.
    Belief(u32),
    /// A version of a digest, by number.
    Digest(u32),
}

impl ContenderId {
    fn number(self) -> u32 {
        match self {
            Self::Message(number) | Self::Memory(number) | Self::Belief(number) | Self::Digest(number) => {
                number
            }
        }
    }

    /// Its order among equal scores.
    fn standing(self) -> HitStanding {
        match self {
            Self::Belief(_) => HitStanding::Belief,
            Self::Memory(_) => HitStanding::Memory,
            Self::Message(_) => HitStanding::Exchange,
            Self::Digest(_) => HitStanding::Digest,
        }
    }
}

struct Contender {
    what: ContenderId,
    /// When it was said, began to hold, was last supported, or ended.
    at: Time,
    explanation: Explanation,
    /// The memory that holds instead.
    replaced_by: Option<u32>,
    /// The number of the session that a message was said in.
    session: Option<u32>,
}

impl Contender {
    fn new(what: ContenderId, at: Time, explanation: Explanation) -> Self {
        Self { what, at, explanation, replaced_by: None, session: None }
    }

    fn total(&self) -> f64 {
        self.explanation.score.total()
    }
}

/// Everything in the running.
pub(crate) struct HitSelection<'a> {
    question: &'a Question,
    scope: &'a SearchScope,
    measure: &'a RecordScorer,
    kept: &'a mut MemoryFindings,
    at: Time,
    runners: Vec<Contender>,
    beliefs: HashMap<u32, BeliefRecord>,
    digests: HashMap<u32, DigestMatch>,
}

impl<'a> HitSelection<'a> {
    pub(crate) fn new(
        question: &'a Question,
        scope: &'a SearchScope,
        measure: &'a RecordScorer,
        kept: &'a mut MemoryFindings,
        at: Time,
    ) -> Self {
        let (runners, beliefs, digests) = Default::default();
        Self { question, scope, measure, kept, at, runners, beliefs, digests }
    }

    /// Lets messages run, each with what was remembered of it.
    pub(crate) fn add_messages(&mut self, ranked: Vec<(u32, RankedMessage)>) {
        for (seq, RankedMessage { mut explanation, boost, said_at, session, .. }) in ranked {
            let (profile, score) = (&self.question.profile, &mut explanation.score);
            explanation.memory_lane = self.kept.add_memory_parts(seq, profile, self.measure, score);
            boost.apply(score);
            let runner = Contender::new(ContenderId::Message(seq), said_at, explanation);
            self.runners.push(Contender { session: Some(session), ..runner });
        }
    }

    /// Lets memories run that rest on no message.
    pub(crate) fn add_memories_without_message(&mut self) {
        for (number, remembered) in &self.kept.memories {
            if !remembered.messages.is_empty() || !self.may_be_hit(remembered) {
                continue;
            }
            let mut total = Score::default();
            let cosine = remembered.lane.map_or(0.0, |lane| lane.score as f32);
            total.add(Part::Meaning, self.measure.meaning_score(cosine));
            total.add(Part::Words, self.measure.word_score(&remembered.record.memory.text));
            total.add(Part::Kept, self.question.profile.kept * self.measure.unit);
            if remembered.record.memory.tier == Tier::Dormant {
                total.times(Part::Dormant, self.question.profile.memory.dormant);
            }
            let explanation =
                Explanation { memory_lane: remembered.lane, score: total, ..Explanation::default() };
            self.runners.push(Contender::new(
                ContenderId::Memory(*number),
                remembered.record.memory.valid_from,
                explanation,
            ));
        }
    }

    /// Whether a memory may be a hit: it holds, and the question does not leave it out.
    fn may_be_hit(&self, remembered: &FoundMemory) -> bool {
        (self.question.timeline || self.kept.holds(&remembered.record))
            && self.scope.admits_memory(self.question, &remembered.record.memory)
    }

    /// Lets every memory run that holds.
    pub(crate) fn add_memories(&mut self) {
        let all: Vec<(u32, &FoundMemory)> = self
            .kept
            .memories
            .iter()
            .filter(|(_, one)| self.may_be_hit(one))
            .map(|(number, one)| (*number, one))
            .collect();
        let active: Vec<f64> = all.iter().map(|(_, one)| self.activation(&one.record)).collect();
        let ranks: Vec<f64> = all.iter().map(|(_, one)| self.fused_ranks(one)).collect();
        let (active, ranks) = (min_max_normalized(&active), min_max_normalized(&ranks));
        let runner = |((number, one), (activation, ranks)): (&(u32, &FoundMemory), (&f64, &f64))| {
            let memory = &one.record.memory;
            let factors = Factors {
                similarity: one.lane.map_or(0.0, |lane| self.measure.likeness(lane.score as f32)),
                activation: *activation,
                importance: memory.importance,
                ranks: *ranks,
                same_session: self.question.session.is_some() && memory.session == self.question.session,
                utility: memory.utility,
                sub_tier: sub_tier(memory.tier, memory.data_source, memory.category, &memory.text).weight(),
                valence: memory.valence,
                source_confidence: memory.source_confidence,
                same_thread: self.question.thread.is_some() && memory.thread == self.question.thread,
                dormant: memory.tier == Tier::Dormant,
                ..Factors::default()
            };
            let score = score(&factors, &self.question.profile.memory);
            let explanation = Explanation { memory_lane: one.lane, score, ..Explanation::default() };
            Contender::new(ContenderId::Memory(*number), memory.valid_from, explanation)
        };
        self.runners = all.iter().zip(active.iter().zip(&ranks)).map(runner).collect();
    }

    /// Lets beliefs run.
    pub(crate) fn add_beliefs(&mut self, beliefs: Vec<BeliefMatch>) {
        for BeliefMatch { record, explanation } in beliefs {
            let (what, at) = (ContenderId::Belief(record.number), record.belief.last_supported_at);
            self.runners.push(Contender::new(what, at, explanation));
            self.beliefs.insert(record.number, record);
        }
    }

    /// Lets digests run.
    pub(crate) fn add_digests(&mut self, digests: Vec<DigestMatch>) {
        for mut digest in digests {
            let (what, at) = (ContenderId::Digest(digest.record.number), digest.record.digest.until);
            let explanation = std::mem::take(&mut digest.explanation);
            self.runners.push(Contender::new(what, at, explanation));
            self.digests.insert(digest.record.number, digest);
        }
    }

    fn activation(&self, record: &MemoryRecord) -> f64 {
        let memory = &record.memory;
        let age = (self.at.millis() - memory.accessed_at.millis()) as f64 / 1e3;
        activation(memory.accesses, age)
    }

    /// Score of a memory's words and meaning together.
    fn fused_ranks(&self, one: &FoundMemory) -> f64 {
        let cosine = one.lane.map_or(0.0, |lane| lane.score as f32);
        self.measure.meaning_score(cosine) + self.measure.word_score(&one.record.memory.text)
    }

    /// The hits: in order, what no longer holds behind what replaced it, as different as the profile wants them.
    pub(crate) fn into_hits(mut self, view: &mut View<'_>) -> Result<Vec<Hit>> {
        self.runners.retain(|runner| runner.total() > 0.0);
        self.sort();
        self.put_replaced_behind(view)?;
        self.sort();
        self.spread_over_sessions();
        let k = self.question.k;
        let relevance = self.question.profile.relevance;
        self.runners.truncate(if relevance < 1.0 { k * DIVERSE_CANDIDATES_PER_HIT } else { k });
        let mut hits = self.hits(view)?;
        if relevance < 1.0 {
            hits = diverse_hits(hits, k, relevance);
        }
        Ok(hits)
    }

    /// Beyond the first hits, lets every session come up. What no longer holds comes up for none: it stays behind what
    /// replaced it.
    fn spread_over_sessions(&mut self) {
        let (k, first) = (self.question.k, self.question.profile.broad_after);
        if first == 0 || k <= first {
            return;
        }
        let scores: Vec<f64> = self.runners.iter().map(Contender::total).collect();
        let session = |runner: &Contender| runner.session.filter(|_| runner.replaced_by.is_none());
        let sessions: Vec<Option<u32>> = self.runners.iter().map(session).collect();
        let mut runners: Vec<Option<Contender>> =
            std::mem::take(&mut self.runners).into_iter().map(Some).collect();
        let order = spread_over_groups(&scores, &sessions, first).into_iter();
        self.runners = order.filter_map(|at| runners[at].take()).collect();
    }

    fn sort(&mut self) {
        sort(&mut self.runners);
    }

    /// Marks messages of which nothing holds any more, and puts what replaced them before them.
    fn put_replaced_behind(&mut self, view: &mut View<'_>) -> Result<()> {
        let looked_at = self.runners.len().min(2 * self.question.k);
        for i in 0..looked_at {
            let ContenderId::Message(seq) = self.runners[i].what else { continue };
            let Some(number) = self.kept.replacement_of_message(view, seq)? else { continue };
            self.runners[i].replaced_by = Some(number);
            if self.question.timeline {
                continue;
            }
            let Some((newest, said_at)) = self.newest_message_of(view, number)? else { continue };
            let total = self.runners[i].total();
            let at = self.contender_index(ContenderId::Message(newest), said_at);
            let short = total - self.runners[at].total();
            if short > 0.0 {
                // It stands where what it replaced was found.
                self.runners[at].explanation.score.add(Part::Replaces, short);
            }
            self.runners[i].explanation.score.times(Part::Replaced, REPLACED_SCORE_FACTOR);
        }
        Ok(())
    }

    /// The newest message that a memory rests on and that the question does not leave out: its seq and when it was said.
    fn newest_message_of(&self, view: &mut View<'_>, number: u32) -> Result<Option<(u32, Time)>> {
        let mut records = view.messages_at(&self.kept.memories[&number].messages)?;
        records.retain(|record| self.scope.admits_message(self.question, &record.message));
        let newest = records.into_iter().max_by_key(|record| (record.message.at, record.seq));
        Ok(newest.map(|record| (record.seq, record.message.at)))
    }

    /// Where something runs; it begins to, if it did not.
    fn contender_index(&mut self, what: ContenderId, at: Time) -> usize {
        let stands = self.runners.iter().position(|runner| runner.what == what);
        stands.unwrap_or_else(|| {
            self.runners.push(Contender::new(what, at, Explanation::default()));
            self.runners.len() - 1
        })
    }

    fn hits(mut self, view: &mut View<'_>) -> Result<Vec<Hit>> {
        let records = self.supporting_messages(view)?;
        for (number, digest) in &mut self.digests {
            if self.runners.iter().any(|runner| runner.what == ContenderId::Digest(*number)) {
                digest.record.digest.sources = view.digest_sources(*number)?;
            }
        }
        let text = |runner: &Contender| self.text(runner.what, &records);
        let best_texts = self.runners.iter().take(HITS_FOR_KNOWN_WORDS).filter_map(text);
        let explanations = self.runners.iter().map(|runner| &runner.explanation);
        let sure = ConfidenceBaseline::new(self.measure, explanations, best_texts);
        let slot = asked_slot(&self.question.text);
        let hit = |runner: &Contender| {
            let (found, memories, trusted) = self.found(runner.what, &records)?;
            let score = runner.total();
            let newer = |number: u32| Box::new(self.kept.memories[&number].record.clone());
            let replaced_by = runner.replaced_by.map(newer);
            let explanation = runner.explanation.clone();
            let answers = |slot| found.own_words().is_some_and(|text| fills_slot(text, slot));
            let slot = if slot.is_some_and(answers) { AskedSlot::Filled } else { AskedSlot::Open };
            let confidence = sure.confidence_of(&explanation, slot, trusted);
            Some(Hit { found, score, confidence, explanation, memories, replaced_by })
        };
        Ok(self.runners.iter().filter_map(hit).collect())
    }

    /// The messages that run or that what runs stands on, by seq.
    fn supporting_messages(&self, view: &mut View<'_>) -> Result<HashMap<u32, MessageRecord>> {
        let mut wanted: Vec<u32> = Vec::new();
        for runner in &self.runners {
            match runner.what {
                ContenderId::Message(seq) => wanted.push(seq),
                ContenderId::Memory(number) => wanted.extend(&self.kept.memories[&number].messages),
                ContenderId::Digest(number) => wanted.extend(&self.digests[&number].messages),
                ContenderId::Belief(_) => {}
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        // A memory may also rest on what was said elsewhere, or after the time that is asked about.
        let mut records = view.messages_at(&wanted)?;
        records.retain(|record| self.scope.admits_message(self.question, &record.message));
        Ok(records.into_iter().map(|record| (record.seq, record)).collect())
    }

    fn text<'s>(&'s self, what: ContenderId, records: &'s HashMap<u32, MessageRecord>) -> Option<&'s str> {
        match what {
            ContenderId::Message(seq) => records.get(&seq).map(|record| record.message.text.as_str()),
            ContenderId::Memory(number) => Some(&self.kept.memories[&number].record.memory.text),
            ContenderId::Belief(number) => Some(&self.beliefs[&number].belief.summary),
            ContenderId::Digest(number) => Some(&self.digests[&number].record.digest.text),
        }
    }

    /// The record of a contender, its memories, and the trust in its source.
    fn found(
        &self,
        what: ContenderId,
        records: &HashMap<u32, MessageRecord>,
    ) -> Option<(Found, Vec<MemoryRecord>, f64)> {
        let under = |seqs: &[u32]| seqs.iter().filter_map(|seq| records.get(seq).cloned()).collect();
        let nothing = Vec::new();
        Some(match what {
            ContenderId::Message(seq) => {
                let memories: Vec<MemoryRecord> =
                    self.kept.memories_of_message(seq).map(|one| one.record.clone()).collect();
                let trust = memories.iter().map(|it| it.memory.source_confidence).reduce(f64::max);
                (Found::Message(records.get(&seq)?.clone()), memories, trust.unwrap_or(1.0))
            }
            ContenderId::Memory(number) => {
                let one = &self.kept.memories[&number];
                let trusted = one.record.memory.source_confidence;
                (Found::Memory(one.record.clone(), under(&one.messages)), nothing, trusted)
            }
            ContenderId::Belief(number) => {
                let record = &self.beliefs[&number];
                (Found::Belief(record.clone()), nothing, record.belief.confidence)
            }
            ContenderId::Digest(number) => {
                let DigestMatch { record, messages, trusted, .. } = &self.digests[&number];
                (Found::Digest(record.clone(), under(messages)), nothing, *trusted)
            }
        })
    }
}

/// The best first; of equals what is truer, then what was said, or written down, later.
fn sort(runners: &mut [Contender]) {
    let place = |runner: &Contender| (runner.total(), runner.what.standing());
    let later = |runner: &Contender| (runner.at, runner.what.number());
    runners.sort_by(|a, b| better_first(place(a), place(b)).then_with(|| later(b).cmp(&later(a))));
}

/// The best hits that do not say the same.
fn diverse_hits(hits: Vec<Hit>, k: usize, relevance: f64) -> Vec<Hit> {
    let texts: Vec<Terms> = hits.iter().map(|hit| terms(hit.found.text())).collect();
    let best = hits.first().map_or(1.0, |hit| hit.score).max(f64::MIN_POSITIVE);
    let scores: Vec<f64> = hits.iter().map(|hit| hit.score / best).collect();
    let chosen = most_diverse(&scores, k, relevance, |a, b| term_likeness(&texts[a], &texts[b]));
    let mut hits: Vec<Option<Hit>> = hits.into_iter().map(Some).collect();
    chosen.into_iter().filter_map(|at| hits[at].take()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: K-10, K-78, X-B13
    #[test]
    fn of_equal_scores_the_truer_comes_first_and_then_the_later() {
        let runner = |what, at: i64, worth: f64| {
            let mut score = Score::default();
            score.add(Part::Words, worth);
            Contender::new(what, Time::from_millis(at), Explanation { score, ..Explanation::default() })
        };
        let mut runners = vec![
            runner(ContenderId::Digest(1), 9, 0.5),
            runner(ContenderId::Message(2), 1, 0.5),
            runner(ContenderId::Message(3), 8, 0.5),
            runner(ContenderId::Memory(4), 1, 0.5),
            runner(ContenderId::Digest(5), 0, 0.6),
            runner(ContenderId::Belief(6), 0, 0.5),
            runner(ContenderId::Message(7), 1, 0.5),
        ];
        sort(&mut runners);
        let order: Vec<u32> = runners.iter().map(|runner| runner.what.number()).collect();
        assert_eq!(order, [5, 6, 4, 3, 7, 2, 1]);
    }
}

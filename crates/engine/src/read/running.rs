//! Everything in the running for an answer: messages with what was remembered of them, memories of no message, what is held
//! true, what was condensed; and the way from there to the hits.

use super::{
    Explanation, Found, Hit, Question,
    believed::Believed,
    condensed::Condensed,
    kept::{Kept, Remembered},
    question::Scope,
    rank::{Measure, Ranked},
    sure::Sureness,
};
use cairn_cognition::{
    activation::activation,
    diversity::{broad, diverse, likeness},
    fusion::min_max,
    keywords::{Terms, terms},
    score::{Factors, Score, Standing, better_first, score},
    statement::{asked_slot, fills_slot},
    tier::sub_tier,
};
use cairn_domain::{Tier, Time};
use cairn_store::{BeliefRecord, MemoryRecord, MessageRecord, Result, View};
use std::collections::HashMap;

/// Candidates among which hits that differ are chosen, for each hit asked for.
const DIVERSE_PER_HIT: usize = 3;
/// Hits whose words say how well a question is known.
const BEST: usize = 3;
/// What something that no longer holds scores, at most, of the score of what replaced it.
const BEHIND: f64 = 0.99;

/// What is in the running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    /// A message, by seq.
    Message(u32),
    /// A memory, by number.
    Memory(u32),
    /// A belief, by number.
    Belief(u32),
    /// A version of a digest, by number.
    Digest(u32),
}

impl What {
    fn number(self) -> u32 {
        match self {
            Self::Message(number) | Self::Memory(number) | Self::Belief(number) | Self::Digest(number) => {
                number
            }
        }
    }

    /// What comes first of what scores the same.
    fn standing(self) -> Standing {
        match self {
            Self::Belief(_) => Standing::Belief,
            Self::Memory(_) => Standing::Memory,
            Self::Message(_) => Standing::Exchange,
            Self::Digest(_) => Standing::Digest,
        }
    }
}

struct Runner {
    what: What,
    /// When it was said, began to hold, was last supported, or ended.
    at: Time,
    explanation: Explanation,
    /// The memory that holds instead.
    replaced_by: Option<u32>,
    /// The number of the session that a message was said in.
    session: Option<u32>,
}

impl Runner {
    fn new(what: What, at: Time, explanation: Explanation) -> Self {
        Self { what, at, explanation, replaced_by: None, session: None }
    }

    fn total(&self) -> f64 {
        self.explanation.score.total()
    }
}

/// Everything in the running.
pub(super) struct Running<'a> {
    question: &'a Question,
    scope: &'a Scope,
    measure: &'a Measure,
    kept: &'a mut Kept,
    at: Time,
    runners: Vec<Runner>,
    beliefs: HashMap<u32, BeliefRecord>,
    digests: HashMap<u32, Condensed>,
}

impl<'a> Running<'a> {
    pub(super) fn new(
        (question, scope): (&'a Question, &'a Scope),
        measure: &'a Measure,
        kept: &'a mut Kept,
        at: Time,
    ) -> Self {
        let (runners, beliefs, digests) = Default::default();
        Self { question, scope, measure, kept, at, runners, beliefs, digests }
    }

    /// Lets messages run, each with what was remembered of it.
    pub(super) fn messages(&mut self, ranked: Vec<(u32, Ranked)>) {
        for (seq, Ranked { mut explanation, boost, said_at, session, .. }) in ranked {
            let (profile, score) = (&self.question.profile, &mut explanation.score);
            explanation.memory_lane = self.kept.weigh(seq, profile, self.measure, score);
            boost.apply(score);
            let runner = Runner::new(What::Message(seq), said_at, explanation);
            self.runners.push(Runner { session: Some(session), ..runner });
        }
    }

    /// Lets memories run that rest on no message.
    pub(super) fn without_message(&mut self) {
        for (number, remembered) in &self.kept.memories {
            if !remembered.messages.is_empty() || !self.may_be_given(remembered) {
                continue;
            }
            let mut total = Score::default();
            let cosine = remembered.lane.map_or(0.0, |lane| lane.score as f32);
            total.add("meaning", self.measure.meaning(cosine));
            total.add("words", self.measure.words(&remembered.record.memory.text));
            total.add("kept", self.question.profile.kept * self.measure.unit);
            if remembered.record.memory.tier == Tier::Dormant {
                total.times("dormant", self.question.profile.memory.dormant);
            }
            let explanation =
                Explanation { memory_lane: remembered.lane, score: total, ..Explanation::default() };
            self.runners.push(Runner::new(
                What::Memory(*number),
                remembered.record.memory.valid_from,
                explanation,
            ));
        }
    }

    /// Whether a memory may be a hit: it holds, and the question does not leave it out.
    fn may_be_given(&self, remembered: &Remembered) -> bool {
        (self.question.timeline || self.kept.holds(&remembered.record))
            && self.scope.admits(self.question, &remembered.record.memory)
    }

    /// Lets every memory run that holds.
    pub(super) fn memories(&mut self) {
        let all: Vec<(u32, &Remembered)> = self
            .kept
            .memories
            .iter()
            .filter(|(_, one)| self.may_be_given(one))
            .map(|(number, one)| (*number, one))
            .collect();
        let active: Vec<f64> = all.iter().map(|(_, one)| self.activation(&one.record)).collect();
        let ranks: Vec<f64> = all.iter().map(|(_, one)| self.ranks(one)).collect();
        let (active, ranks) = (min_max(&active), min_max(&ranks));
        let runner = |((number, one), (activation, ranks)): (&(u32, &Remembered), (&f64, &f64))| {
            let memory = &one.record.memory;
            let factors = Factors {
                similarity: one.lane.map_or(0.0, |lane| self.measure.alike(lane.score as f32)),
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
            Runner::new(What::Memory(*number), memory.valid_from, explanation)
        };
        self.runners = all.iter().zip(active.iter().zip(&ranks)).map(runner).collect();
    }

    /// Lets beliefs run.
    pub(super) fn beliefs(&mut self, beliefs: Vec<Believed>) {
        for Believed { record, explanation } in beliefs {
            let (what, at) = (What::Belief(record.number), record.belief.last_supported_at);
            self.runners.push(Runner::new(what, at, explanation));
            self.beliefs.insert(record.number, record);
        }
    }

    /// Lets digests run.
    pub(super) fn digests(&mut self, digests: Vec<Condensed>) {
        for mut digest in digests {
            let (what, at) = (What::Digest(digest.record.number), digest.record.digest.until);
            let explanation = std::mem::take(&mut digest.explanation);
            self.runners.push(Runner::new(what, at, explanation));
            self.digests.insert(digest.record.number, digest);
        }
    }

    fn activation(&self, record: &MemoryRecord) -> f64 {
        let memory = &record.memory;
        let age = (self.at.millis() - memory.accessed_at.millis()) as f64 / 1e3;
        activation(memory.accesses, age)
    }

    /// What the words and the meaning of a memory are worth together.
    fn ranks(&self, one: &Remembered) -> f64 {
        let cosine = one.lane.map_or(0.0, |lane| lane.score as f32);
        self.measure.meaning(cosine) + self.measure.words(&one.record.memory.text)
    }

    /// The hits: in order, what no longer holds behind what replaced it, as different as the profile wants them.
    pub(super) fn finish(mut self, view: &mut View<'_>) -> Result<Vec<Hit>> {
        self.runners.retain(|runner| runner.total() > 0.0);
        self.sort();
        self.put_behind(view)?;
        self.sort();
        self.broaden();
        let k = self.question.k;
        let relevance = self.question.profile.relevance;
        self.runners.truncate(if relevance < 1.0 { k * DIVERSE_PER_HIT } else { k });
        let mut hits = self.hits(view)?;
        if relevance < 1.0 {
            hits = differing(hits, k, relevance);
        }
        Ok(hits)
    }

    /// Beyond the first hits, lets every session come up. What no longer holds comes up for none: it stays behind what
    /// replaced it.
    fn broaden(&mut self) {
        let (k, first) = (self.question.k, self.question.profile.broad_after);
        if first == 0 || k <= first {
            return;
        }
        let scores: Vec<f64> = self.runners.iter().map(Runner::total).collect();
        let session = |runner: &Runner| runner.session.filter(|_| runner.replaced_by.is_none());
        let sessions: Vec<Option<u32>> = self.runners.iter().map(session).collect();
        let mut runners: Vec<Option<Runner>> =
            std::mem::take(&mut self.runners).into_iter().map(Some).collect();
        let order = broad(&scores, &sessions, first).into_iter();
        self.runners = order.filter_map(|at| runners[at].take()).collect();
    }

    fn sort(&mut self) {
        sort(&mut self.runners);
    }

    /// Marks messages of which nothing holds any more, and puts what replaced them before them.
    fn put_behind(&mut self, view: &mut View<'_>) -> Result<()> {
        let looked_at = self.runners.len().min(2 * self.question.k);
        for i in 0..looked_at {
            let What::Message(seq) = self.runners[i].what else { continue };
            let Some(number) = self.kept.replaced(view, seq)? else { continue };
            self.runners[i].replaced_by = Some(number);
            if self.question.timeline {
                continue;
            }
            let Some((newest, said_at)) = self.newest_of(view, number)? else { continue };
            let total = self.runners[i].total();
            let at = self.place_of(What::Message(newest), said_at);
            let short = total - self.runners[at].total();
            if short > 0.0 {
                // It stands where what it replaced was found.
                self.runners[at].explanation.score.add("replaces", short);
            }
            self.runners[i].explanation.score.times("replaced", BEHIND);
        }
        Ok(())
    }

    /// The newest message that a memory rests on and that the question does not leave out: its seq and when it was said.
    fn newest_of(&self, view: &mut View<'_>, number: u32) -> Result<Option<(u32, Time)>> {
        let mut records = view.messages_at(&self.kept.memories[&number].messages)?;
        records.retain(|record| self.scope.admits_message(self.question, &record.message));
        let newest = records.into_iter().max_by_key(|record| (record.message.at, record.seq));
        Ok(newest.map(|record| (record.seq, record.message.at)))
    }

    /// Where something runs; it begins to, if it did not.
    fn place_of(&mut self, what: What, at: Time) -> usize {
        let stands = self.runners.iter().position(|runner| runner.what == what);
        stands.unwrap_or_else(|| {
            self.runners.push(Runner::new(what, at, Explanation::default()));
            self.runners.len() - 1
        })
    }

    fn hits(mut self, view: &mut View<'_>) -> Result<Vec<Hit>> {
        let records = self.messages_under(view)?;
        for (number, digest) in &mut self.digests {
            if self.runners.iter().any(|runner| runner.what == What::Digest(*number)) {
                digest.record.digest.sources = view.digest_sources(*number)?;
            }
        }
        let text = |runner: &Runner| self.text(runner.what, &records);
        let best_texts = self.runners.iter().take(BEST).filter_map(text);
        let explanations = self.runners.iter().map(|runner| &runner.explanation);
        let sure = Sureness::new(self.measure, explanations, best_texts);
        let slot = asked_slot(&self.question.text);
        let hit = |runner: &Runner| {
            let (found, memories, trusted) = self.found(runner.what, &records)?;
            let score = runner.total();
            let newer = |number: u32| Box::new(self.kept.memories[&number].record.clone());
            let replaced_by = runner.replaced_by.map(newer);
            let explanation = runner.explanation.clone();
            let answers = |slot| found.own_words().is_some_and(|text| fills_slot(text, slot));
            let confidence = sure.of(&explanation, slot.is_some_and(answers), trusted);
            Some(Hit { found, score, confidence, explanation, memories, replaced_by })
        };
        Ok(self.runners.iter().filter_map(hit).collect())
    }

    /// The messages that run or that what runs stands on, by seq.
    fn messages_under(&self, view: &mut View<'_>) -> Result<HashMap<u32, MessageRecord>> {
        let mut wanted: Vec<u32> = Vec::new();
        for runner in &self.runners {
            match runner.what {
                What::Message(seq) => wanted.push(seq),
                What::Memory(number) => wanted.extend(&self.kept.memories[&number].messages),
                What::Digest(number) => wanted.extend(&self.digests[&number].messages),
                What::Belief(_) => {}
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        // A memory may also rest on what was said elsewhere, or after the time that is asked about.
        let mut records = view.messages_at(&wanted)?;
        records.retain(|record| self.scope.admits_message(self.question, &record.message));
        Ok(records.into_iter().map(|record| (record.seq, record)).collect())
    }

    fn text<'s>(&'s self, what: What, records: &'s HashMap<u32, MessageRecord>) -> Option<&'s str> {
        match what {
            What::Message(seq) => records.get(&seq).map(|record| record.message.text.as_str()),
            What::Memory(number) => Some(&self.kept.memories[&number].record.memory.text),
            What::Belief(number) => Some(&self.beliefs[&number].belief.summary),
            What::Digest(number) => Some(&self.digests[&number].record.digest.text),
        }
    }

    /// What runs, what was remembered of it, and how far it can be trusted.
    fn found(
        &self,
        what: What,
        records: &HashMap<u32, MessageRecord>,
    ) -> Option<(Found, Vec<MemoryRecord>, f64)> {
        let under = |seqs: &[u32]| seqs.iter().filter_map(|seq| records.get(seq).cloned()).collect();
        let nothing = Vec::new();
        Some(match what {
            What::Message(seq) => {
                let memories: Vec<MemoryRecord> = self.kept.of(seq).map(|one| one.record.clone()).collect();
                let trust = memories.iter().map(|it| it.memory.source_confidence).reduce(f64::max);
                (Found::Message(records.get(&seq)?.clone()), memories, trust.unwrap_or(1.0))
            }
            What::Memory(number) => {
                let one = &self.kept.memories[&number];
                let trusted = one.record.memory.source_confidence;
                (Found::Memory(one.record.clone(), under(&one.messages)), nothing, trusted)
            }
            What::Belief(number) => {
                let record = &self.beliefs[&number];
                (Found::Belief(record.clone()), nothing, record.belief.confidence)
            }
            What::Digest(number) => {
                let Condensed { record, messages, trusted, .. } = &self.digests[&number];
                (Found::Digest(record.clone(), under(messages)), nothing, *trusted)
            }
        })
    }
}

/// The best first; of equals what is truer, then what was said, or written down, later.
fn sort(runners: &mut [Runner]) {
    let place = |runner: &Runner| (runner.total(), runner.what.standing());
    let later = |runner: &Runner| (runner.at, runner.what.number());
    runners.sort_by(|a, b| better_first(place(a), place(b)).then_with(|| later(b).cmp(&later(a))));
}

/// The best hits that do not say the same.
fn differing(hits: Vec<Hit>, k: usize, relevance: f64) -> Vec<Hit> {
    let texts: Vec<Terms> = hits.iter().map(|hit| terms(hit.found.text())).collect();
    let best = hits.first().map_or(1.0, |hit| hit.score).max(f64::MIN_POSITIVE);
    let scores: Vec<f64> = hits.iter().map(|hit| hit.score / best).collect();
    let chosen = diverse(&scores, k, relevance, |a, b| likeness(&texts[a], &texts[b]));
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
            score.add("words", worth);
            Runner::new(what, Time::from_millis(at), Explanation { score, ..Explanation::default() })
        };
        let mut runners = vec![
            runner(What::Digest(1), 9, 0.5),
            runner(What::Message(2), 1, 0.5),
            runner(What::Message(3), 8, 0.5),
            runner(What::Memory(4), 1, 0.5),
            runner(What::Digest(5), 0, 0.6),
            runner(What::Belief(6), 0, 0.5),
            runner(What::Message(7), 1, 0.5),
        ];
        sort(&mut runners);
        let order: Vec<u32> = runners.iter().map(|runner| runner.what.number()).collect();
        assert_eq!(order, [5, 6, 4, 3, 7, 2, 1]);
    }
}

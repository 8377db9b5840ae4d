//! From what is in the running to hits: the best of it with their words, the messages they stand on and how sure each is. A
//! message and what was remembered of it are one hit: the memory where it says it better, the message where its words matter.

use super::{
    confidence::{AskedSlot, ConfidenceBaseline, set_confidence},
    contender::{Contender, ContenderId},
    hits::HitSelection,
};
use crate::read::{
    lane::{DigestMatch, FoundMemory},
    question::{Found, Hit, Question},
};
use cairn_cognition::{
    diversity::{most_diverse, term_likeness},
    keywords::{Terms, terms},
    statement::{asked_slot, fills_slot},
};
use cairn_domain::RecordKind;
use cairn_models::Embedder;
use cairn_store::{MemoryRecord, MessageRecord, Result, View};
use std::collections::HashSet;

/// Candidates among which hits that differ are chosen.
const DIVERSE_CANDIDATES: usize = 60;
/// The best hits, which say how well a question is known, and those of them whose words do.
const HITS_FOR_BASELINE: usize = 10;
const HITS_FOR_KNOWN_WORDS: usize = 3;
/// A message of more characters than this is told by a memory of it that fits as well and is much shorter.
const LONG_MESSAGE_CHARS: usize = 400;
/// A memory that stands for a message is shorter by at least this factor.
const SHORTER_BY: usize = 2;

impl HitSelection<'_> {
    /// The hits: in order, and as different as the profile wants them.
    pub(crate) fn into_hits(
        mut self,
        view: &mut View<'_>,
        reader: Option<&dyn Embedder>,
    ) -> Result<Vec<Hit>> {
        self.put_in_order(view, reader)?;
        let (k, relevance) = (self.question.k, self.question.profile.relevance);
        let baseline = self.runners.len().min(HITS_FOR_BASELINE);
        let wanted = if relevance < 1.0 { k.max(DIVERSE_CANDIDATES) } else { k };
        self.runners.truncate(wanted.max(baseline));
        let mut hits = self.hits(view, baseline, wanted)?;
        if relevance < 1.0 {
            hits = diverse_hits(hits, relevance);
        }
        hits.truncate(k);
        set_confidence(&mut hits);
        Ok(hits)
    }

    fn hits(mut self, view: &mut View<'_>, baseline: usize, wanted: usize) -> Result<Vec<Hit>> {
        self.read_supporting_messages(view)?;
        for (number, digest) in &mut self.digests {
            if self.runners.iter().any(|runner| runner.what == ContenderId::Digest(*number)) {
                digest.record.digest.sources = view.digest_sources(*number)?;
            }
        }
        let best_texts = self.runners.iter().take(HITS_FOR_KNOWN_WORDS).filter_map(|it| self.text(it.what));
        let explanations = self.runners[..baseline].iter().map(|runner| &runner.explanation);
        let sure = ConfidenceBaseline::new(self.measure, explanations, best_texts);
        let slot = asked_slot(&self.question.text);
        let mut told = HashSet::new();
        let mut hits = Vec::with_capacity(wanted);
        for runner in self.runners.iter().take(wanted) {
            let Some((found, memories, trusted)) = self.found(runner, &mut told) else { continue };
            let newer = |number: u32| Box::new(self.memory_findings.memories[&number].record.clone());
            let replaced_by = runner.replaced_by.map(newer);
            let explanation = runner.explanation.clone();
            let answers = |slot| found.own_words().is_some_and(|text| fills_slot(text, slot));
            let slot = if slot.is_some_and(answers) { AskedSlot::Filled } else { AskedSlot::Open };
            let (score, fit) = (runner.total(), sure.fit_of(&explanation, slot, trusted));
            let doubts = runner.doubts.clone();
            let last_state = found.message().and_then(|record| self.older_states.get(&record.seq)).copied();
            hits.push(Hit {
                found,
                score,
                fit,
                confidence: 0.0,
                explanation,
                memories,
                replaced_by,
                doubts,
                last_state,
            });
        }
        Ok(hits)
    }

    /// Reads the messages that run or that what runs stands on.
    fn read_supporting_messages(&mut self, view: &mut View<'_>) -> Result<()> {
        let mut wanted: Vec<u32> = Vec::new();
        for runner in &self.runners {
            match runner.what {
                ContenderId::Message(seq) => wanted.push(seq),
                ContenderId::Memory(number) => {
                    wanted.extend(&self.memory_findings.memories[&number].messages);
                }
                ContenderId::Digest(number) => wanted.extend(&self.digests[&number].messages),
                ContenderId::Belief(_) | ContenderId::Attachment(_) | ContenderId::Shared(_) => {}
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|seq| !self.records.contains_key(seq));
        self.records.extend(view.messages_at(&wanted)?.into_iter().map(|record| (record.seq, record)));
        // A memory may also rest on what was said elsewhere, or after the time that is asked about.
        self.records.retain(|_, record| self.scope.admits_message(self.question, &record.message));
        Ok(())
    }

    fn text(&self, what: ContenderId) -> Option<&str> {
        match what {
            ContenderId::Message(seq) => self.records.get(&seq).map(|record| record.message.text.as_str()),
            ContenderId::Memory(number) => Some(&self.memory_findings.memories[&number].record.memory.text),
            ContenderId::Belief(number) => Some(&self.beliefs[&number].belief.summary),
            ContenderId::Digest(number) => Some(&self.digests[&number].record.digest.text),
            ContenderId::Attachment(number) => Some(&self.attachments[&number].part.text),
            ContenderId::Shared(place) => Some(&self.shared[place as usize].record.memory.text),
        }
    }

    /// The record of a contender, its memories, and the trust in its source. `told` holds the memories that stand for a
    /// message already.
    fn found(&self, runner: &Contender, told: &mut HashSet<u32>) -> Option<(Found, Vec<MemoryRecord>, f64)> {
        let under = |seqs: &[u32]| seqs.iter().filter_map(|seq| self.records.get(seq).cloned()).collect();
        let nothing = Vec::new();
        Some(match runner.what {
            ContenderId::Message(seq) => {
                let record = self.records.get(&seq)?;
                if let Some(one) = self.memory_that_says_it_better(runner, seq, record)
                    && told.insert(one.record.number)
                {
                    let others = one.messages.iter().copied().filter(|it| *it != seq);
                    let messages: Vec<u32> = std::iter::once(seq).chain(others).collect();
                    let trusted = one.record.memory.source_confidence;
                    return Some((Found::Memory(one.record.clone(), under(&messages)), nothing, trusted));
                }
                let memories: Vec<MemoryRecord> =
                    self.memory_findings.memories_of_message(seq).map(|one| one.record.clone()).collect();
                let trust = memories.iter().map(|it| it.memory.source_confidence).reduce(f64::max);
                (Found::Message(record.clone()), memories, trust.unwrap_or(1.0))
            }
            ContenderId::Memory(number) => {
                let one = &self.memory_findings.memories[&number];
                let trusted = one.record.memory.source_confidence;
                (Found::Memory(one.record.clone(), under(&self.best_first(&one.messages))), nothing, trusted)
            }
            ContenderId::Belief(number) => {
                let record = &self.beliefs[&number];
                (Found::Belief(record.clone()), nothing, record.belief.confidence)
            }
            ContenderId::Digest(number) => {
                let DigestMatch { record, messages, trusted, .. } = &self.digests[&number];
                (Found::Digest(record.clone(), under(messages)), nothing, *trusted)
            }
            ContenderId::Attachment(number) => {
                (Found::Attachment(Box::new(self.attachments[&number].clone())), nothing, 1.0)
            }
            ContenderId::Shared(place) => {
                let shared = self.shared[place as usize].clone();
                let trusted = shared.trusted();
                (Found::Shared(Box::new(shared)), nothing, trusted)
            }
        })
    }

    /// Messages by how well they fit the question, the best first.
    fn best_first(&self, seqs: &[u32]) -> Vec<u32> {
        let score = |seq: &u32| self.message_scores.get(seq).copied().unwrap_or_default();
        let mut seqs = seqs.to_vec();
        seqs.sort_by(|a, b| score(b).total_cmp(&score(a)).then(b.cmp(a)));
        seqs
    }

    /// The memory that says of a long message what is asked: much shorter, with as many of the question's words, and nearer to
    /// what it means.
    fn memory_that_says_it_better(
        &self,
        runner: &Contender,
        seq: u32,
        record: &MessageRecord,
    ) -> Option<&FoundMemory> {
        let Question { verbatim, .. } = self.question;
        let text = &record.message.text;
        let chars = text.chars().count();
        if *verbatim || !self.question.wants(RecordKind::Memory) || chars <= LONG_MESSAGE_CHARS {
            return None;
        }
        let held = self.measure.held_word_share(text);
        let nearness = runner.explanation.dense_lane.map_or(0.0, |lane| lane.score);
        let says_it_better = |one: &&FoundMemory| {
            let memory = &one.record.memory;
            self.memory_findings.holds(&one.record)
                && memory.text.chars().count() * SHORTER_BY <= chars
                && one.lane.is_some_and(|lane| lane.score >= nearness)
                && self.measure.held_word_share(&memory.text) >= held
        };
        let all = self.memory_findings.memories_of_message(seq).filter(says_it_better);
        all.min_by_key(|one| one.lane.map_or(usize::MAX, |lane| lane.rank))
    }
}

/// The hits with those of the best first that do not say the same.
fn diverse_hits(mut hits: Vec<Hit>, relevance: f64) -> Vec<Hit> {
    let rest = hits.split_off(hits.len().min(DIVERSE_CANDIDATES));
    let texts: Vec<Terms> = hits.iter().map(|hit| terms(hit.found.text())).collect();
    let best = hits.first().map_or(1.0, |hit| hit.score).max(f64::MIN_POSITIVE);
    let scores: Vec<f64> = hits.iter().map(|hit| hit.score / best).collect();
    let chosen = most_diverse(&scores, hits.len(), relevance, |a, b| term_likeness(&texts[a], &texts[b]));
    let mut hits: Vec<Option<Hit>> = hits.into_iter().map(Some).collect();
    chosen.into_iter().filter_map(|at| hits[at].take()).chain(rest).collect()
}

//! The digest lane: what was condensed answers beside what it stands on. A digest comes up with the memories that it tells, or
//! with the time that is asked about, and stays behind the words themselves. One that tells what was replaced is left out.

use super::{dense::QuestionVector, measure::RecordScorer, memory::MemoryFindings};
use crate::{
    limits::MAX_DIGESTS_AMONG_HITS,
    read::question::{Explanation, Lane, Question, SearchScope, UnderstoodQuestion},
};
use cairn_cognition::{
    fusion::{RRF_K, reciprocal_rank},
    score::{Part, Score},
    temporal::Window,
};
use cairn_domain::{DigestKind, MemoryId, Mode, Privacy, RecordKind, Status, Time};
use cairn_store::{DigestRecord, MemoryRecord, Result, View};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Memories and messages that came up of which it is asked what condenses them, and memories that were replaced.
const MAX_CITED_MEMORIES: usize = 20;
const MAX_CITED_MESSAGES: usize = 10;
const MAX_REPLACED_MEMORIES: usize = 40;
/// Digests that are looked at because of them, and for each time that is asked about; times that are looked at.
const MAX_CITING_DIGESTS: usize = 16;
const MAX_DIGESTS_PER_WINDOW: usize = 4;
const MAX_WINDOWS: usize = 2;
/// Share of a digest's meaning score that its best line alone earns; the rest is for how many of its lines came up.
const BEST_LINE_SHARE: f64 = 0.5;
/// Bonus of a digest that spans a whole window, beside 1 for lying in it.
const WHOLE_WINDOW_BONUS: f64 = 2.0;
/// Factor that keeps a digest behind the words it stands on.
const DIGEST_SCORE_FACTOR: f64 = 0.9;
/// Messages that are named of those a digest stands on.
const MAX_SOURCE_MESSAGES: usize = 20;

/// A digest that answers.
pub(crate) struct DigestMatch {
    pub(crate) record: DigestRecord,
    pub(crate) explanation: Explanation,
    /// The messages that it stands on, of those that came up, the best first.
    pub(crate) messages: Vec<u32>,
    /// How far the best of what it tells can be trusted.
    pub(crate) trusted: f64,
}

/// A search for digests.
pub(crate) struct DigestSearch<'a> {
    pub(crate) question: &'a Question,
    pub(crate) asked: &'a UnderstoodQuestion,
    pub(crate) scope: &'a SearchScope,
    pub(crate) memory_findings: &'a MemoryFindings,
    pub(crate) measure: &'a RecordScorer,
    pub(crate) meaning: Option<&'a QuestionVector>,
    /// The messages in the running, the best first.
    pub(crate) seqs: &'a [u32],
}

/// Memories and messages that came up, with the digests that cite them.
struct DigestEvidence {
    /// Memories that hold, or all for a timeline, by number, the best first.
    memories: Vec<u32>,
    /// Memories that were replaced.
    over: Vec<u32>,
    /// The text of each of those memories, as a digest would tell it.
    lines: HashMap<u32, String>,
    /// The digests that cite each of them, by number.
    citing: HashMap<u32, Vec<u32>>,
    /// The digests that cite each of the best messages, by seq.
    citing_messages: HashMap<u32, Vec<u32>>,
}

impl DigestSearch<'_> {
    /// The best digests that answer, each text once, no more than may be hits.
    pub(crate) fn matching_digests(&self, view: &mut View<'_>) -> Result<Vec<DigestMatch>> {
        let question = self.question;
        if question.session.is_some() || question.sender.is_some() || !view.has_digests(None)? {
            return Ok(Vec::new());
        }
        let came_up = self.digest_evidence(view)?;
        let in_time = self.digests_in_windows(view)?;
        let by_time: HashSet<u32> = in_time.iter().map(|record| record.number).collect();
        let others = came_up.citing_digests(self.seqs).into_iter().filter(|number| !by_time.contains(number));
        let others = view.digests_at(&others.take(MAX_CITING_DIGESTS).collect::<Vec<u32>>())?;
        let answers = |it: &DigestRecord| self.admits_digest(it) && !came_up.tells_what_was_replaced(it);
        let candidates: Vec<DigestRecord> = in_time.into_iter().chain(others).filter(answers).collect();
        let own = self.own_likeness(view, &candidates)?;
        let scored = |it: DigestRecord| {
            let own = own.get(&it.number).copied();
            self.score_digest(it, &came_up, own)
        };
        let mut candidates: Vec<DigestMatch> = candidates.into_iter().map(scored).collect();
        let place = |it: &DigestMatch| (it.explanation.score.total(), it.record.number);
        candidates.sort_by(|a, b| place(b).0.total_cmp(&place(a).0).then(place(b).1.cmp(&place(a).1)));
        let (mut found, mut texts) = (Vec::new(), HashSet::new());
        for digest in candidates {
            if found.len() == max_digest_hits(question) {
                break;
            }
            if texts.insert(digest.record.digest.text.clone()) && self.still_holds(view, &digest.record)? {
                found.push(digest);
            }
        }
        Ok(found)
    }

    /// How alike digests themselves are to the question, by number.
    fn own_likeness(&self, view: &mut View<'_>, candidates: &[DigestRecord]) -> Result<HashMap<u32, Lane>> {
        let Some(meaning) = self.meaning else { return Ok(HashMap::new()) };
        let numbers: Vec<u32> = candidates.iter().map(|record| record.number).collect();
        let mut alike = view.digest_likeness(&meaning.vector, &numbers)?;
        alike.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let lane = |(place, (number, cosine)): (usize, (u32, f32))| {
            (number, Lane { rank: place + 1, score: f64::from(cosine) })
        };
        Ok(alike.into_iter().enumerate().map(lane).collect())
    }

    /// Collects the records that came up and the digests that cite them.
    fn digest_evidence(&self, view: &mut View<'_>) -> Result<DigestEvidence> {
        let of_messages = self
            .seqs
            .iter()
            .flat_map(|seq| self.memory_findings.memories_of_message(*seq))
            .map(|one| one.record.number);
        let nearest = self.memory_findings.nearest_that_hold().into_iter().map(|(number, _)| number);
        let rest = self.memory_findings.memories.keys().copied();
        let all = self.memory_findings.memories.values().map(|one| &one.record);
        let replaced = self.replaced_memories(view, all)?;
        let (mut memories, mut over, mut known) = (Vec::new(), Vec::new(), HashSet::new());
        for number in nearest.chain(of_messages).chain(rest).filter(|number| known.insert(*number)) {
            let record = &self.memory_findings.memories[&number].record;
            let is_told_in_a_theme = record.superseded_by.is_some() && !replaced.contains(&number);
            // A timeline tells how things came to be.
            if self.question.timeline || self.memory_findings.holds(record) || is_told_in_a_theme {
                memories.push(number);
            } else if replaced.contains(&number) {
                over.push(number);
            }
        }
        memories.truncate(MAX_CITED_MEMORIES);
        over.truncate(MAX_REPLACED_MEMORIES);
        let best = &self.seqs[..self.seqs.len().min(MAX_CITED_MESSAGES)];
        let messages = if self.has_stretches(view)? { view.messages_at(best)? } else { Vec::new() };
        let asked: Vec<u32> = memories.iter().chain(&over).copied().collect();
        let id = |number: &u32| self.memory_findings.memories[number].record.memory.id.to_string();
        let mut refs: Vec<String> = asked.iter().map(id).collect();
        refs.extend(messages.iter().map(|record| record.message.id.to_string()));
        let mut citing = view.digests_citing(&refs)?.into_iter();
        let line =
            |number: &u32| (*number, one_line(&self.memory_findings.memories[number].record.memory.text));
        let lines = asked.iter().map(line).collect();
        let of_memories = asked.into_iter().zip(citing.by_ref()).collect();
        let citing_messages = messages.iter().map(|record| record.seq).zip(citing).collect();
        Ok(DigestEvidence { memories, over, lines, citing: of_memories, citing_messages })
    }

    /// Those memories in whose place something else holds. A plan that is over was not replaced, nor was what a night has
    /// made part of a theme.
    fn replaced_memories<'r>(
        &self,
        view: &mut View<'_>,
        records: impl Iterator<Item = &'r MemoryRecord>,
    ) -> Result<HashSet<u32>> {
        let over = records
            .filter(|record| {
                record.memory.status == Status::Superseded && !self.memory_findings.holds(record)
            })
            .filter_map(|record| Some((record.number, record.superseded_by?)));
        let over: Vec<(u32, u32)> = over.collect();
        let mut instead: Vec<u32> = over.iter().map(|(_, by)| *by).collect();
        instead.sort_unstable();
        instead.dedup();
        let told = view.memories_at(&instead)?.into_iter().filter(|record| record.memory.form.is_told());
        let told: HashSet<u32> = told.map(|record| record.number).collect();
        Ok(over.into_iter().filter(|(_, by)| told.contains(by)).map(|(number, _)| number).collect())
    }

    /// Only stretches cite messages.
    fn has_stretches(&self, view: &mut View<'_>) -> Result<bool> {
        Ok(self.scope.filter.thread.is_none() && view.has_digests(Some(DigestKind::Stretch))?)
    }

    /// The longest spans of the calendar within each time that is asked about.
    fn digests_in_windows(&self, view: &mut View<'_>) -> Result<Vec<DigestRecord>> {
        let scope = self.thread_scope().unwrap_or_default();
        let mut found: Vec<DigestRecord> = Vec::new();
        for window in self.asked.windows.iter().take(MAX_WINDOWS) {
            let span = window.from.unwrap_or(Time::from_millis(i64::MIN))
                ..window.to.unwrap_or(Time::from_millis(i64::MAX));
            let mut room = MAX_DIGESTS_PER_WINDOW;
            for kind in [DigestKind::Month, DigestKind::Week, DigestKind::Day] {
                if room == 0 {
                    break;
                }
                let some = view.digests_within(kind, &scope, span.clone(), room as u32)?;
                room -= some.len();
                let is_new = |record: &DigestRecord| found.iter().all(|known| known.number != record.number);
                let some: Vec<DigestRecord> = some.into_iter().filter(is_new).collect();
                found.extend(some);
            }
        }
        Ok(found)
    }

    /// The scope of digests if only one thread is searched.
    fn thread_scope(&self) -> Option<String> {
        self.scope.filter.thread?;
        self.question.thread.as_ref().map(|thread| format!("thread:{thread}"))
    }

    /// Whether the question does not leave a digest out.
    fn admits_digest(&self, record: &DigestRecord) -> bool {
        let digest = &record.digest;
        self.question.as_of.is_none_or(|as_of| digest.until <= as_of)
            && self.thread_scope().is_none_or(|scope| digest.scope == scope)
    }

    /// Whether what tells how things are now still does, whatever came up; and whether nothing that a digest stands on is
    /// forgotten, and all of it may be known in the mode that is asked in.
    fn still_holds(&self, view: &mut View<'_>, record: &DigestRecord) -> Result<bool> {
        let tells_now = match record.digest.kind {
            DigestKind::Profile | DigestKind::Category | DigestKind::Current | DigestKind::Future => true,
            DigestKind::Day
            | DigestKind::Week
            | DigestKind::Month
            | DigestKind::Retrospective
            | DigestKind::Stretch => false,
        };
        let sources = view.digest_sources(record.number)?;
        let ids: Vec<MemoryId> = sources.iter().filter_map(|source| source.parse().ok()).collect();
        let memories = if ids.len() == sources.len() { view.memories_named(&ids)? } else { Vec::new() };
        if memories.iter().any(|it| it.memory.is_forgotten()) {
            return Ok(false);
        }
        if !tells_now && self.question.mode.is_none() {
            return Ok(true);
        }
        let replaced = self.replaced_memories(view, memories.iter())?;
        let shares = |mode: Mode| self.question.mode.is_none_or(|asked| mode.shares_with(asked));
        let fits = memories.iter().all(|it| {
            let holds = !tells_now || self.question.timeline || !replaced.contains(&it.number);
            holds && it.memory.privacy != Privacy::Private && shares(it.memory.mode)
        });
        Ok(memories.len() == sources.len() && fits)
    }

    /// How well a digest fits the times that are asked about: 1 for one of the calendar that lies in one, and
    /// more for how much of it it spans.
    fn window_fit(&self, record: &DigestRecord) -> f64 {
        let digest = &record.digest;
        if !matches!(digest.kind, DigestKind::Day | DigestKind::Week | DigestKind::Month) {
            return 0.0;
        }
        let span = |from: Time, to: Time| (to.millis() - from.millis()).max(1) as f64;
        let fits = |window: &Window| {
            let within = window.from.is_none_or(|from| from <= digest.from)
                && window.to.is_none_or(|to| digest.until <= to);
            let whole = window.from.zip(window.to);
            let share = whole.map_or(0.0, |(from, to)| span(digest.from, digest.until) / span(from, to));
            if within { 1.0 + WHOLE_WINDOW_BONUS * share.min(1.0) } else { 0.0 }
        };
        self.asked.windows.iter().take(MAX_WINDOWS).map(fits).fold(0.0, f64::max)
    }

    /// A digest with what it scores and what of it came up.
    fn score_digest(&self, record: DigestRecord, came_up: &DigestEvidence, own: Option<Lane>) -> DigestMatch {
        let told = came_up.memories.iter().filter(|number| came_up.stands_on(&record, **number));
        let told: Vec<_> = told.map(|number| &self.memory_findings.memories[number]).collect();
        let near: Option<Lane> = told.iter().filter_map(|one| one.lane).min_by_key(|lane| lane.rank);
        let mut score = Score::default();
        let share = told.len() as f64 / record.digest.text.lines().count().max(1) as f64;
        let about = BEST_LINE_SHARE + (1.0 - BEST_LINE_SHARE) * share.min(1.0);
        // A text of many lines means a little of all of them: its best line may fit better than the whole.
        let by_line = near.map_or(0.0, |lane| about * self.measure.meaning_score(lane.score as f32));
        let by_whole = own.map_or(0.0, |lane| self.measure.meaning_score(lane.score as f32));
        score.add(Part::Meaning, by_line.max(by_whole));
        score.add(Part::Words, self.measure.word_score(&record.digest.text));
        score.add(Part::Time, self.question.profile.time * self.measure.unit * self.window_fit(&record));
        score.times(Part::Condensed, DIGEST_SCORE_FACTOR);
        let cited = self.seqs.iter().filter(|seq| {
            came_up.citing_messages.get(seq).is_some_and(|digests| digests.contains(&record.number))
        });
        let under = told.iter().flat_map(|one| one.messages.iter());
        let (mut messages, mut known) = (Vec::new(), HashSet::new());
        messages
            .extend(cited.chain(under).copied().filter(|seq| known.insert(*seq)).take(MAX_SOURCE_MESSAGES));
        let trust = told.iter().map(|one| one.record.memory.source_confidence).reduce(f64::max);
        let explanation = Explanation { dense_lane: own, memory_lane: near, score, ..Explanation::default() };
        DigestMatch { record, explanation, messages, trusted: trust.unwrap_or(1.0) }
    }
}

impl DigestEvidence {
    /// The digests that cite what came up and holds: those of the best, and of more of it, first.
    fn citing_digests(&self, seqs: &[u32]) -> Vec<u32> {
        let by_memory = self.memories.iter().map(|number| self.citing.get(number));
        let by_message = seqs.iter().take(MAX_CITED_MESSAGES).map(|seq| self.citing_messages.get(seq));
        let mut worth: BTreeMap<u32, f64> = BTreeMap::new();
        for (place, digests) in by_memory.enumerate().chain(by_message.enumerate()) {
            for number in digests.into_iter().flatten() {
                *worth.entry(*number).or_default() += reciprocal_rank(RRF_K, place + 1);
            }
        }
        let mut digests: Vec<(u32, f64)> = worth.into_iter().collect();
        digests.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        digests.into_iter().map(|(number, _)| number).collect()
    }

    /// Whether a digest stands on a memory, or tells one, that came up and was replaced.
    fn tells_what_was_replaced(&self, record: &DigestRecord) -> bool {
        self.over.iter().any(|number| self.stands_on(record, *number))
    }

    /// Whether a digest cites a memory, or has what it says among its lines.
    fn stands_on(&self, record: &DigestRecord, number: u32) -> bool {
        let cites = self.citing.get(&number).is_some_and(|digests| digests.contains(&record.number));
        let tells = |line: &String| !line.is_empty() && record.digest.text.contains(line.as_str());
        cites || self.lines.get(&number).is_some_and(tells)
    }
}

/// How many digests may be among the hits: few, unless nothing else is asked for.
pub(crate) fn max_digest_hits(question: &Question) -> usize {
    let anything_else =
        [RecordKind::Exchange, RecordKind::Memory, RecordKind::Belief, RecordKind::Attachment]
            .iter()
            .any(|it| question.wants(*it));
    if anything_else { MAX_DIGESTS_AMONG_HITS } else { question.k }
}

/// A memory's text on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_digests_stand_among_other_hits() {
        let all = Question::new("kiln");
        assert_eq!(max_digest_hits(&all), MAX_DIGESTS_AMONG_HITS);
        assert_eq!(
            max_digest_hits(&Question { kinds: vec![RecordKind::Digest, RecordKind::Belief], ..all.clone() }),
            MAX_DIGESTS_AMONG_HITS
        );
        assert_eq!(max_digest_hits(&Question { kinds: vec![RecordKind::Digest], ..all.clone() }), all.k);
    }
}

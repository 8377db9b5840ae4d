//! The lane of what other agents share. The owner's store is asked what is shared in the same view in which it is searched, so
//! that taking a share back holds for the next question, whoever has the owner's store open. Every memory that was found is
//! held against the share before it leaves.

use super::{
    dense::QuestionVector,
    measure::RecordScorer,
    memory::{held_at, shares_mode},
};
use crate::read::question::{Explanation, Lane, Question, SharedMemory};
use cairn_cognition::{
    cosine::cosine,
    score::{Part, Score, source_factor},
    tier::SubTier,
};
use cairn_domain::{AgentName, MemoryShare, RecordKind, Tier, Time};
use cairn_store::{EmbedderState, Result, View};
use std::collections::{HashMap, HashSet};

/// Memories of one owner that are looked at for their meaning, and for their words.
const MAX_SHARED_BY_MEANING: usize = 40;
const MAX_SHARED_BY_WORDS: usize = 24;
/// Memories with the words of a question among which those of a share are looked for.
const MAX_SEARCHED_BY_WORDS: u32 = 2_000;
/// Memories of a share's threads, categories and entities that are compared by their meaning, the newest.
const MAX_COMPARED_MEMORIES: u32 = 4_000;
/// Words of a question by which memories are found, the rarest.
const MAX_SHARED_WORDS: usize = 6;
/// A memory of another agent that has to do with the question.
pub(crate) struct SharedCandidate {
    pub(crate) shared: SharedMemory,
    pub(crate) lane: Option<Lane>,
}

/// A shared memory that answers.
pub(crate) struct SharedMatch {
    pub(crate) shared: SharedMemory,
    pub(crate) explanation: Explanation,
}

/// A search among what one owner shares with one reader.
pub(crate) struct SharedSearch<'a> {
    pub(crate) reader: &'a AgentName,
    pub(crate) owner: &'a AgentName,
    /// The trust that the reader has in the owner, 0 to 1.
    pub(crate) trust: f64,
    pub(crate) question: &'a Question,
    pub(crate) meaning: Option<&'a QuestionVector>,
    pub(crate) terms: &'a [String],
    pub(crate) now: Time,
}

/// Whether a question is one that other agents' memories may answer: it asks for none of the reader's own conversations.
pub(crate) fn asks_for_shared(question: &Question) -> bool {
    question.wants(RecordKind::Memory) && question.session.is_none() && question.sender.is_none()
}

impl SharedSearch<'_> {
    /// The memories that the owner shares and that mean what is asked, or hold its words.
    pub(crate) fn candidates(&self, view: &mut View<'_>) -> Result<Vec<SharedCandidate>> {
        let Some(share) = view.narrow_to_share(self.reader, self.now)? else { return Ok(Vec::new()) };
        let within = if share.everything {
            None
        } else {
            Some(view.memories_in_share(&share, MAX_COMPARED_MEMORIES)?)
        };
        let near = self.nearest(view, within.as_deref())?;
        let lanes: HashMap<u32, Lane> = near
            .iter()
            .enumerate()
            .map(|(i, (number, cosine))| (*number, Lane { rank: i + 1, score: f64::from(*cosine) }))
            .collect();
        let mut numbers = self.with_rare_terms(view, within.as_deref())?;
        numbers.extend(near.iter().map(|(number, _)| *number));
        numbers.sort_unstable();
        numbers.dedup();
        self.covered(view, &share, &numbers, &lanes)
    }

    /// The nearest memories, by number, with their cosine. Without vectors of the embedder that the question was embedded by
    /// there are none.
    fn nearest(&self, view: &mut View<'_>, within: Option<&[(u32, u32)]>) -> Result<Vec<(u32, f32)>> {
        let Some(meaning) = self.meaning else { return Ok(Vec::new()) };
        let active = view.embedders()?.into_iter().find(|it| it.state == EmbedderState::Active);
        if active.is_none_or(|active| active.name != meaning.embedder) {
            return Ok(Vec::new());
        }
        let Some(within) = within else {
            return view.nearest_memories(&meaning.vector, MAX_SHARED_BY_MEANING);
        };
        let numbers: HashMap<u32, u32> =
            within.iter().map(|(number, revision)| (*revision, *number)).collect();
        let revisions: Vec<u32> = within.iter().map(|(_, revision)| *revision).collect();
        let vectors = view.revision_vectors(&revisions)?;
        let mut near: Vec<(u32, f32)> = vectors
            .iter()
            .filter_map(|(revision, vector)| Some((*numbers.get(revision)?, cosine(vector, &meaning.vector))))
            .collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        near.truncate(MAX_SHARED_BY_MEANING);
        Ok(near)
    }

    /// Memories of the share that hold the rarest words of the question, by number.
    fn with_rare_terms(&self, view: &mut View<'_>, within: Option<&[(u32, u32)]>) -> Result<Vec<u32>> {
        let (holding, _) = view.memory_terms(self.terms)?;
        let mut rare: Vec<(u32, &String)> =
            holding.into_iter().zip(self.terms).filter(|(holding, _)| *holding > 0).collect();
        rare.sort_unstable();
        let rare: Vec<&str> =
            rare.into_iter().take(MAX_SHARED_WORDS).map(|(_, term)| term.as_str()).collect();
        let limit = if within.is_some() { MAX_SEARCHED_BY_WORDS } else { MAX_SHARED_BY_WORDS as u32 };
        let mut found = view.memories_holding(&rare, limit)?;
        if let Some(within) = within {
            let within: HashSet<u32> = within.iter().map(|(number, _)| *number).collect();
            found.retain(|number| within.contains(number));
        }
        found.truncate(MAX_SHARED_BY_WORDS);
        Ok(found)
    }

    /// Those memories that the share covers, that hold, and that the question does not leave out.
    fn covered(
        &self,
        view: &mut View<'_>,
        share: &MemoryShare,
        numbers: &[u32],
        lanes: &HashMap<u32, Lane>,
    ) -> Result<Vec<SharedCandidate>> {
        let Question { thread, within_thread, mode, as_of, .. } = self.question;
        let at = as_of.unwrap_or(self.now);
        let records = view.memories_at(numbers)?;
        let read: Vec<u32> = records.iter().map(|record| record.number).collect();
        let slugs = view.slugs_of_each(&read)?;
        let mut found = Vec::new();
        for (record, slugs) in records.into_iter().zip(slugs) {
            let wanted = share.covers(&record.memory, &slugs)
                && held_at(&record, at)
                && shares_mode(&record, *mode)
                && (!within_thread || record.memory.thread == *thread);
            if wanted {
                let lane = lanes.get(&record.number).copied();
                let shared = SharedMemory { owner: self.owner.clone(), record, trust: self.trust };
                found.push(SharedCandidate { shared, lane });
            }
        }
        Ok(found)
    }
}

/// Scores shared memories beside the reader's own records, by the reader's measure.
pub(crate) fn shared_matches(
    candidates: &[SharedCandidate],
    question: &Question,
    measure: &RecordScorer,
) -> Vec<SharedMatch> {
    let mut found: Vec<SharedMatch> =
        candidates.iter().filter_map(|candidate| score_shared(candidate, question, measure)).collect();
    found.sort_by(|a, b| b.explanation.score.total().total_cmp(&a.explanation.score.total()));
    found.truncate(question.k);
    found
}

/// The score of a shared memory; none if it has nothing to do with the question.
fn score_shared(
    SharedCandidate { shared, lane }: &SharedCandidate,
    question: &Question,
    measure: &RecordScorer,
) -> Option<SharedMatch> {
    let mut score = Score::default();
    let memory = &shared.record.memory;
    score.add(Part::Meaning, lane.map_or(0.0, |lane| measure.meaning_score(lane.score as f32)));
    score.add(Part::Words, measure.word_score(&memory.text));
    if score.total() <= 0.0 {
        return None;
    }
    score.add(Part::Kept, question.profile.kept * measure.unit);
    score.times(Part::SubTier, SubTier::Vicarious.weight());
    score.times(Part::Source, source_factor(shared.trusted()));
    if memory.tier == Tier::Dormant {
        score.times(Part::Dormant, question.profile.memory.dormant);
    }
    let explanation = Explanation { memory_lane: *lane, score, ..Explanation::default() };
    Some(SharedMatch { shared: shared.clone(), explanation })
}

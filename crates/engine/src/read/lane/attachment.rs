//! The attachment lane: stretches of files that were attached answer beside what was said. They are quoted with their page or
//! lines, and nothing is remembered or held of them.

use super::{dense::QuestionVector, measure::RecordScorer};
use crate::read::question::{Explanation, Lane, Question, SearchScope};
use cairn_cognition::score::{Part, Score};
use cairn_domain::{AttachmentId, AttachmentTurn};
use cairn_store::{AttachmentPartRecord, Result, View};
use std::collections::HashMap;

/// Parts that are looked at for the words they share with a question, and for what they mean.
const MAX_PARTS_BY_WORDS: u32 = 100;
const MAX_PARTS_BY_MEANING: usize = 40;
/// Parts of one file among the hits of a question that asks for anything else, too.
const MAX_PARTS_PER_FILE: usize = 3;
/// Terms of a part of usual length: beside messages of a few words it is not long.
const TYPICAL_PART_TERMS: f64 = 80.0;
/// Factor that keeps the words of a file behind what was said and fits as well.
const ATTACHMENT_SCORE_FACTOR: f64 = 0.95;

/// A part that answers.
pub(crate) struct AttachmentMatch {
    pub(crate) record: AttachmentPartRecord,
    pub(crate) explanation: Explanation,
}

/// A search for parts of attachments.
pub(crate) struct AttachmentSearch<'a> {
    pub(crate) question: &'a Question,
    pub(crate) scope: &'a SearchScope,
    pub(crate) measure: &'a RecordScorer,
    pub(crate) meaning: Option<&'a QuestionVector>,
}

impl AttachmentSearch<'_> {
    /// The parts that share words or meaning with the question, the best first. Nobody has said them, so a question for what
    /// somebody said gets none.
    pub(crate) fn matching_parts(&self, view: &mut View<'_>) -> Result<Vec<AttachmentMatch>> {
        if self.question.sender.is_some() || !view.has_attachment_parts()? {
            return Ok(Vec::new());
        }
        let near = self.nearest_parts(view)?;
        let mut numbers = view.attachment_parts_about(&self.measure.query_terms(), MAX_PARTS_BY_WORDS)?;
        numbers.extend(near.keys());
        numbers.sort_unstable();
        numbers.dedup();
        let mut admitted: HashMap<AttachmentId, bool> = HashMap::new();
        let mut found = Vec::new();
        for record in view.attachment_parts_at(&numbers)? {
            let id = record.receipt.id;
            let admits = match admitted.get(&id) {
                Some(known) => *known,
                None => self.admits(view, &record)?,
            };
            admitted.insert(id, admits);
            if let Some(explanation) =
                self.score_part(&record, near.get(&record.number).copied()).filter(|_| admits)
            {
                found.push(AttachmentMatch { record, explanation });
            }
        }
        let worth = |it: &AttachmentMatch| it.explanation.score.total();
        found.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.record.number.cmp(&b.record.number)));
        Ok(self.spread_over_files(found))
    }

    /// Few parts of each file, unless nothing else is asked for.
    fn spread_over_files(&self, mut found: Vec<AttachmentMatch>) -> Vec<AttachmentMatch> {
        if self.question.kinds.len() != 1 {
            let mut taken: HashMap<AttachmentId, usize> = HashMap::new();
            found.retain(|it| {
                let count = taken.entry(it.record.receipt.id).or_default();
                *count += 1;
                *count <= MAX_PARTS_PER_FILE
            });
        }
        found.truncate(self.question.k);
        found
    }

    /// The parts that mean what is asked, by number.
    fn nearest_parts(&self, view: &mut View<'_>) -> Result<HashMap<u32, Lane>> {
        let Some(meaning) = self.meaning else { return Ok(HashMap::new()) };
        let nearest = view.nearest_attachment_parts(&meaning.vector, MAX_PARTS_BY_MEANING)?;
        let alike = nearest.into_iter().filter(|(_, cosine)| self.measure.likeness(*cosine) > 0.0);
        let lane = |(place, (number, cosine)): (usize, (u32, f32))| {
            (number, Lane { rank: place + 1, score: f64::from(cosine) })
        };
        Ok(alike.enumerate().map(lane).collect())
    }

    /// Whether the question does not leave an attachment out: it appeared by then, and where and how is asked.
    fn admits(&self, view: &mut View<'_>, record: &AttachmentPartRecord) -> Result<bool> {
        let Question { session, thread, mode, as_of, .. } = self.question;
        let within = thread.as_ref().filter(|_| self.scope.filter.thread.is_some());
        let turns = view.attachment_turns(record.receipt.id)?;
        let fits = |turn: &&AttachmentTurn| {
            as_of.is_none_or(|as_of| turn.at <= as_of)
                && (session.is_none() || turn.session == *session)
                && within.is_none_or(|thread| turn.thread.as_ref() == Some(thread))
        };
        for turn in turns.iter().filter(fits) {
            let said_in = match (mode, turn.message) {
                (None, _) | (_, None) => return Ok(true),
                (Some(_), Some(id)) => view.message(id)?.map(|record| record.message.mode),
            };
            if said_in.is_none_or(|said_in| mode.is_none_or(|mode| said_in.shares_with(mode))) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The score of a part; none if it has nothing to do with the question.
    fn score_part(&self, record: &AttachmentPartRecord, near: Option<Lane>) -> Option<Explanation> {
        let mut score = Score::default();
        score.add(Part::Meaning, near.map_or(0.0, |lane| self.measure.meaning_score(lane.score as f32)));
        let text = format!("{}\n{}", record.receipt.name, record.part.text);
        let scale = self.question.profile.bm25.scale(TYPICAL_PART_TERMS);
        score.add(Part::Words, self.measure.scaled_word_score(&text, &scale));
        if score.total() <= 0.0 {
            return None;
        }
        score.times(Part::Attached, ATTACHMENT_SCORE_FACTOR);
        Some(Explanation { dense_lane: near, score, ..Explanation::default() })
    }
}

//! Rivals: among the best there may be two statements that both fit a question, of which one answers it now. How well each fits
//! does not say which: "my camera is a Fujifilm" fits better than what was said of the new one. A model that reads the question and
//! both together does. Without the model the order stays as it is.

use super::{contender::ContenderId, hits::HitSelection};
use crate::meter::fallback;
use cairn_cognition::{
    cosine::cosine,
    judge::change::{ChangeSide, ChangeText, StatementTeller},
    passage::leans_on,
    score::Part,
    sentence::sentences,
};
use cairn_domain::Role;
use cairn_models::{Embedder, RivalAnswers};
use cairn_store::{MessageRecord, Result, View};
use std::collections::HashMap;

/// Contenders that are looked at: some are the agent's words, or long.
const MAX_LOOKED_AT: usize = 8;
/// A message of more characters holds more than one answer.
const MAX_RIVAL_CHARS: usize = 600;
/// From this cosine of what was remembered of them on, two statements are about the same.
const MIN_LIKENESS: f32 = 0.3;
/// When an order is turned round: of statements about the same, and of those that may have nothing to do with each other.
const ALIKE: TurnRule = TurnRule { min_share: 0.2, newer_from: 0.5, older_from: 0.0 };
const UNLIKE: TurnRule = TurnRule { min_share: 0.5, newer_from: 1.5, older_from: -1.5 };
/// An older rival takes the place of the best only if it scores at least this share of it: one that fits half as well is about
/// something else more often than the best is a near-miss.
const MIN_OLDER_SHARE: f64 = 0.52;
/// Factor that keeps what answers less behind what answers.
const OUTRIVALED_FACTOR: f64 = 0.99;

/// When a rival comes before the best.
struct TurnRule {
    /// It scores at least this share of the best.
    min_share: f64,
    /// The log-odds from which the newer of the two comes first, and those below which the older one does.
    newer_from: f32,
    older_from: f32,
}

/// A statement that may answer the question.
struct Rival {
    what: ContenderId,
    /// Its score as a share of the best one's.
    share: f64,
    record: MessageRecord,
    before: String,
}

impl Rival {
    /// Whether all of its sentences ask, or tell of how things once were.
    fn tells_nothing_of_now(&self) -> bool {
        let message = &*self.record.message.text;
        sentences(message).into_iter().all(|clause| {
            let words = ChangeText { clause, message, before: "", teller: StatementTeller::User };
            ChangeSide::of(&words).tells_nothing_of_now()
        })
    }
}

impl HitSelection<'_> {
    /// Puts first what answers the question now, of the best and what else fits about as well.
    pub(super) fn read_rivals(&mut self, view: &mut View<'_>, reader: &dyn Embedder) -> Result<()> {
        if self.question.timeline || self.asked.intent.former || self.question.profile.rivals == 0 {
            return Ok(());
        }
        let mut rivals = self.rivals(view)?.into_iter();
        let Some(mut best) = rivals.next() else { return Ok(()) };
        let mut readings_left = self.question.profile.rivals;
        for rival in rivals {
            if readings_left == 0 {
                break;
            }
            let is_newer =
                (rival.record.message.at, rival.record.seq) > (best.record.message.at, best.record.seq);
            let (older, newer) = if is_newer { (&best, &rival) } else { (&rival, &best) };
            // Only what tells of now takes the place of what was said before it.
            if is_newer && rival.tells_nothing_of_now() {
                continue;
            }
            // A question is no answer: whatever else fits needs to be no surer than what is about the same.
            let is_alike = best.tells_nothing_of_now() || self.are_alike(view, older, newer)?;
            let rule = if is_alike { ALIKE } else { UNLIKE };
            let min_share = if is_newer { rule.min_share } else { rule.min_share.max(MIN_OLDER_SHARE) };
            if rival.share < min_share {
                continue;
            }
            readings_left -= 1;
            let texts = RivalAnswers {
                question: &self.question.text,
                before_older: &older.before,
                older: &older.record.message.text,
                before_newer: &newer.before,
                newer: &newer.record.message.text,
            };
            let odds = match reader.newer_answer_odds(&texts) {
                Some(Ok(odds)) => odds,
                Some(Err(_)) => {
                    fallback("rival_reading");
                    return Ok(());
                }
                None => return Ok(()),
            };
            let answers_better = if is_newer { odds > rule.newer_from } else { odds < rule.older_from };
            if answers_better {
                self.put_answer_first(rival.what, best.what);
                best = rival;
            }
        }
        Ok(())
    }

    /// The best contender and those that fit about as well, if they are short statements of the same user that hold.
    fn rivals(&mut self, view: &mut View<'_>) -> Result<Vec<Rival>> {
        let Some(best) = self.runners.first().map(|best| best.total()) else { return Ok(Vec::new()) };
        let compared = self.runners.iter().take(MAX_LOOKED_AT);
        let fitting = compared.filter(|runner| runner.replaced_by.is_none());
        let told: Vec<(ContenderId, u32, f64)> = fitting
            .filter_map(|runner| {
                Some((runner.what, self.message_standing_in_for(runner.what)?, runner.total() / best))
            })
            .collect();
        let mut rivals: Vec<Rival> = Vec::new();
        for (what, seq, share) in told {
            let Some(record) = view.messages_at(&[seq])?.pop() else { continue };
            let message = &record.message;
            let is_long = message.text.chars().nth(MAX_RIVAL_CHARS).is_some();
            let of_same_user = message.role == Role::User
                && rivals.first().is_none_or(|best: &Rival| best.record.message.speaker == message.speaker);
            if !of_same_user || is_long || rivals.iter().any(|it| it.record.seq == seq) {
                continue;
            }
            // What the same person said just before may be the other rival.
            let leant_on =
                |before: &MessageRecord| leans_on(&before.message.speaker, &message.speaker, &message.text);
            let before = view.message_before(seq)?.filter(leant_on);
            let before = before.map_or_else(String::new, |before| before.message.text);
            rivals.push(Rival { what, share, record, before });
        }
        // Without the best there is nobody to compare with.
        let leads = rivals
            .first()
            .is_some_and(|first| self.runners.first().is_some_and(|best| best.what == first.what));
        Ok(if leads { rivals } else { Vec::new() })
    }

    /// Whether something that was remembered of one statement is like something that was remembered of the other.
    fn are_alike(&self, view: &mut View<'_>, one: &Rival, other: &Rival) -> Result<bool> {
        let revisions = [one, other].map(|rival| {
            let memories = self.memory_findings.memories_of_message(rival.record.seq);
            memories.map(|memory| memory.record.revision).collect::<Vec<u32>>()
        });
        let vectors: HashMap<u32, Vec<f32>> =
            view.revision_vectors(&revisions.concat())?.into_iter().collect();
        let [one, other] = &revisions;
        let pairs = one.iter().flat_map(|one| other.iter().map(move |other| (one, other)));
        let mut cosines =
            pairs.filter_map(|(one, other)| Some(cosine(vectors.get(one)?, vectors.get(other)?)));
        Ok(cosines.any(|likeness| likeness >= MIN_LIKENESS))
    }

    /// The message whose words a contender tells.
    fn message_standing_in_for(&self, what: ContenderId) -> Option<u32> {
        match what {
            ContenderId::Message(seq) => Some(seq),
            ContenderId::Memory(number) => {
                self.memory_findings.memories.get(&number)?.messages.iter().copied().max()
            }
            ContenderId::Belief(_)
            | ContenderId::Digest(_)
            | ContenderId::Attachment(_)
            | ContenderId::Shared(_) => None,
        }
    }

    /// Puts what answers before what answers less, where that was found.
    fn put_answer_first(&mut self, answers: ContenderId, answers_less: ContenderId) {
        let place = |what: ContenderId| self.runners.iter().position(|runner| runner.what == what);
        let (Some(first), Some(second)) = (place(answers), place(answers_less)) else { return };
        let short = self.runners[second].total() - self.runners[first].total();
        let part_of_second = self.runners[second].part;
        let runner = &mut self.runners[first];
        runner.explanation.score.add(Part::Answers, short.max(0.0));
        runner.part = runner.part.min(part_of_second);
        self.runners[second].explanation.score.times(Part::AnswersLess, OUTRIVALED_FACTOR);
    }
}

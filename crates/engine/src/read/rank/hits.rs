//! Everything in the running for an answer: messages with what was remembered of them, memories, what is held true, what was
//! condensed; and the order among them.

use super::{
    contender::{Contender, ContenderId, RankingPart, sort_contenders},
    memory_score::MemoryScorer,
    messages::{HEAD_MESSAGES, RankedMessage},
    routed::RoutedMemories,
    run::OlderStates,
};
use crate::read::{
    lane::{
        AttachmentMatch, BeliefMatch, DigestMatch, FoundMemory, MemoryFindings, RecordScorer, SharedMatch,
    },
    question::{Explanation, Fusion, Question, SearchScope, SharedMemory, UnderstoodQuestion},
};
use cairn_cognition::{
    diversity::spread_over_groups,
    echo::asks_the_same,
    hot::HotCandidate,
    judge::change::is_unreal,
    score::{HitStanding, Part, Score},
    statement::{asked_slot, fills_slot},
};
use cairn_domain::{DataSource, RecordKind, Role, Tier, Time};
use cairn_models::Embedder;
use cairn_store::{AttachmentPartRecord, BeliefRecord, MessageRecord, Result, View};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

/// Factor that keeps a replaced record behind the one that replaced it.
const REPLACED_SCORE_FACTOR: f64 = 0.99;
/// The best contenders whose words are looked at for whether they answer, and whether they hold.
pub(super) const WEIGHED_CONTENDERS: usize = 24;
/// … and so many if most of them only ask the same: whoever asks often is answered all the same.
const MAX_WEIGHED_CONTENDERS: usize = 10 * WEIGHED_CONTENDERS;
/// Factor of a message that only asks what is asked: it stays behind what answers.
const ECHO_SCORE_FACTOR: f64 = 0.25;
/// Factor of a message that does not say what is so now, beside others that fit about as well.
const UNREAL_SCORE_FACTOR: f64 = 0.95;
/// Bonus of a message that states the property asked for, about the person who asks.
const SLOT_SCORE: f64 = 0.1;
/// Factor of a memory for each better one of the same message.
const SAME_MESSAGE_FACTOR: f64 = 0.9;

/// Contenders for one question.
pub(crate) struct HitSelection<'a> {
    pub(super) question: &'a Question,
    pub(super) asked: &'a UnderstoodQuestion,
    pub(super) scope: &'a SearchScope,
    pub(super) measure: &'a RecordScorer,
    pub(super) memory_findings: &'a mut MemoryFindings,
    at: Time,
    /// The route of the question, if it goes by routes.
    routed: Option<RoutedMemories>,
    pub(super) runners: Vec<Contender>,
    pub(super) beliefs: HashMap<u32, BeliefRecord>,
    pub(super) digests: HashMap<u32, DigestMatch>,
    pub(super) attachments: HashMap<u32, AttachmentPartRecord>,
    pub(super) shared: Vec<SharedMemory>,
    /// The score of each message in the running, by seq.
    pub(super) message_scores: HashMap<u32, f64>,
    /// The messages that were read already, by seq.
    pub(super) records: HashMap<u32, MessageRecord>,
    /// The messages that show an older state of something.
    pub(super) older_states: OlderStates,
}

impl<'a> HitSelection<'a> {
    pub(crate) fn new(
        question: &'a Question,
        asked: &'a UnderstoodQuestion,
        scope: &'a SearchScope,
        measure: &'a RecordScorer,
        memory_findings: &'a mut MemoryFindings,
        at: Time,
        routed: Option<RoutedMemories>,
    ) -> Self {
        let (runners, beliefs, digests, attachments, shared) = Default::default();
        let (message_scores, records, older_states) = Default::default();
        Self {
            question,
            asked,
            scope,
            measure,
            memory_findings,
            at,
            routed,
            runners,
            beliefs,
            digests,
            attachments,
            shared,
            message_scores,
            records,
            older_states,
        }
    }

    /// Lets messages run, each with what was remembered of it.
    pub(crate) fn add_messages(&mut self, ranked: Vec<(u32, RankedMessage)>, older_states: OlderStates) {
        self.older_states = older_states;
        self.runners = self.message_contenders(ranked);
    }

    fn message_contenders(&mut self, ranked: Vec<(u32, RankedMessage)>) -> Vec<Contender> {
        let mut contenders = Vec::with_capacity(ranked.len());
        for (place, (seq, ranked)) in ranked.into_iter().enumerate() {
            let RankedMessage { mut explanation, boost, said_at, session, .. } = ranked;
            let (profile, score) = (&self.question.profile, &mut explanation.score);
            explanation.memory_lane =
                self.memory_findings.add_memory_parts(seq, profile, self.measure, score);
            boost.apply(score);
            self.message_scores.insert(seq, score.total());
            let part = if place < HEAD_MESSAGES { RankingPart::Head } else { RankingPart::Tail };
            let runner = Contender::new(ContenderId::Message(seq), said_at, explanation);
            contenders.push(Contender { part, session: Some(session), ..runner });
        }
        contenders
    }

    /// Lets memories run that rest on no message.
    pub(crate) fn add_memories_without_message(&mut self) {
        for (number, remembered) in &self.memory_findings.memories {
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
            self.runners.push(self.memory_contender(*number, explanation));
        }
    }

    /// A memory in the running; of equal scores one that is always at hand comes before the others.
    fn memory_contender(&self, number: u32, explanation: Explanation) -> Contender {
        let memory = &self.memory_findings.memories[&number].record.memory;
        let runner = Contender::new(ContenderId::Memory(number), memory.valid_from, explanation);
        let is_hot = HotCandidate::of(memory, self.at).is_hot();
        Contender { standing: if is_hot { HitStanding::Hot } else { runner.standing }, ..runner }
    }

    /// Whether a memory may be a hit: it holds, or something that was said holds in its place, and the question does not leave
    /// it out. What a file no longer says is gone.
    fn may_be_hit(&self, remembered: &FoundMemory) -> bool {
        let record = &remembered.record;
        let replaced = record.superseded_by.is_some() && record.memory.data_source != DataSource::File;
        let stands = self.question.timeline || self.memory_findings.holds(record) || replaced;
        let on_route = self.routed.as_ref().is_none_or(|routed| routed.admits(&record.memory));
        stands && on_route && self.scope.admits_memory(self.question, &record.memory)
    }

    /// Lets memories run in place of the messages they rest on.
    pub(crate) fn add_memories(&mut self, ranked: Vec<(u32, RankedMessage)>) {
        let messages: HashMap<u32, Contender> = self
            .message_contenders(ranked)
            .into_iter()
            .map(|contender| (contender.what.number(), contender))
            .collect();
        let (question, measure, at) = (self.question, self.measure, self.at);
        let (routed, together) =
            (self.routed.as_ref(), &|number| self.memory_findings.is_given_together(number));
        let scorer = MemoryScorer { question, measure, at, routed, together };
        let (mut all, mut of_message) = (Vec::new(), Vec::new());
        for (number, one) in self.memory_findings.memories.iter().filter(|(_, one)| self.may_be_hit(one)) {
            let running = one.messages.iter().filter_map(|seq| messages.get(seq));
            let best = running.max_by(|a, b| a.total().total_cmp(&b.total()));
            all.push((one, best.map(|message| message.explanation.clone())));
            of_message.push((*number, best));
        }
        let explanations = scorer.explanations(&all);
        let contender = |((number, message), explanation): (&(u32, Option<&Contender>), Explanation)| {
            let part = message.map_or(RankingPart::Head, |message| message.part);
            Contender { part, ..self.memory_contender(*number, explanation) }
        };
        let mut runners: Vec<Contender> = of_message.iter().zip(explanations).map(contender).collect();
        let best_message: HashMap<u32, u32> = of_message
            .iter()
            .filter_map(|(number, message)| Some((*number, message.as_ref()?.what.number())))
            .collect();
        sort_contenders(&mut runners);
        let mut told: HashMap<u32, i32> = HashMap::new();
        for runner in &mut runners {
            let Some(message) = best_message.get(&runner.what.number()) else { continue };
            let times = told.entry(*message).or_default();
            runner.explanation.score.times(Part::Repeated, SAME_MESSAGE_FACTOR.powi(*times));
            *times += 1;
        }
        self.runners = runners;
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

    /// Lets parts of attachments run.
    pub(crate) fn add_attachments(&mut self, parts: Vec<AttachmentMatch>) {
        for AttachmentMatch { record, explanation } in parts {
            let what = ContenderId::Attachment(record.number);
            self.runners.push(Contender::new(what, record.receipt.attached_at, explanation));
            self.attachments.insert(record.number, record);
        }
    }

    /// Lets memories of other agents run.
    pub(crate) fn add_shared(&mut self, matches: Vec<SharedMatch>) {
        for SharedMatch { shared, explanation } in matches {
            let (what, at) = (ContenderId::Shared(self.shared.len() as u32), shared.record.memory.valid_from);
            self.runners.push(Contender::new(what, at, explanation));
            self.shared.push(shared);
        }
    }

    /// Puts everything in order: what no longer holds behind what replaced it, what only asks the same behind what answers,
    /// and, beyond the first hits, every session before any comes again.
    pub(crate) fn put_in_order(&mut self, view: &mut View<'_>, reader: Option<&dyn Embedder>) -> Result<()> {
        self.runners.retain(|runner| runner.total() > 0.0);
        self.take_out_forgotten();
        sort_contenders(&mut self.runners);
        self.weigh_answers(view)?;
        sort_contenders(&mut self.runners);
        self.put_replaced_behind(view)?;
        sort_contenders(&mut self.runners);
        self.mark_doubts(view)?;
        sort_contenders(&mut self.runners);
        if let Some(reader) = reader {
            self.read_rivals(view, reader)?;
            sort_contenders(&mut self.runners);
        }
        self.spread_over_sessions();
        Ok(())
    }

    /// Takes out messages that a forgotten memory rests on; what else was remembered of them runs in their place.
    fn take_out_forgotten(&mut self) {
        let (findings, tells_memories) = (&*self.memory_findings, self.question.wants(RecordKind::Memory));
        let mut running: HashSet<ContenderId> = self.runners.iter().map(|runner| runner.what).collect();
        self.runners.retain_mut(|runner| {
            let Some(seq) = runner.what.seq().filter(|seq| findings.is_forgotten(*seq)) else { return true };
            let instead = findings.told_in_its_place(seq).filter(|_| tells_memories).map(ContenderId::Memory);
            instead.is_some_and(|memory| {
                runner.what = memory;
                running.insert(memory)
            })
        });
    }

    /// Beyond the first hits, lets every session of the head come up. What no longer holds comes up for none: it stays behind
    /// what replaced it.
    fn spread_over_sessions(&mut self) {
        let first = self.question.profile.broad_after;
        if first == 0 || self.question.k <= first {
            return;
        }
        let head = self.runners.iter().filter(|runner| runner.part == RankingPart::Head).count();
        let tail = self.runners.split_off(head);
        let session = |runner: &Contender| runner.session.filter(|_| runner.replaced_by.is_none());
        let sessions: Vec<Option<u32>> = self.runners.iter().map(session).collect();
        let mut runners: Vec<Option<Contender>> =
            std::mem::take(&mut self.runners).into_iter().map(Some).collect();
        let order = spread_over_groups(&sessions, first).into_iter();
        self.runners = order.filter_map(|at| runners[at].take()).chain(tail).collect();
    }

    /// Marks what no longer holds and puts what replaced it before it; a question for how things were before turns that
    /// round.
    fn put_replaced_behind(&mut self, view: &mut View<'_>) -> Result<()> {
        let mut gone = HashSet::new();
        for i in 0..self.runners.len() {
            let what = self.runners[i].what;
            let replacement = match what {
                ContenderId::Message(seq) => self.memory_findings.replacement_of_message(view, seq)?,
                ContenderId::Memory(number) => self.memory_findings.replacement_of_memory(view, number)?,
                ContenderId::Belief(_)
                | ContenderId::Digest(_)
                | ContenderId::Attachment(_)
                | ContenderId::Shared(_) => None,
            };
            let Some(number) = replacement else {
                if self.is_over(what) {
                    gone.insert(what);
                }
                continue;
            };
            let newer = self.stand_in_for(view, what, number)?;
            self.runners[i].replaced_by = Some(number);
            match newer {
                Some((newer, began)) if !self.question.timeline => {
                    let at = self.contender_index(newer, began);
                    self.rank_above(at, i);
                }
                // A memory that was replaced is no hit without what replaced it.
                None if self.is_over(what) => {
                    gone.insert(what);
                }
                Some(_) | None => {}
            }
        }
        self.runners.retain(|runner| !gone.contains(&runner.what));
        Ok(())
    }

    /// Whether a memory no longer holds, and nothing in its place either.
    fn is_over(&self, what: ContenderId) -> bool {
        match what {
            ContenderId::Memory(number) => {
                !self.question.timeline
                    && !self.memory_findings.holds(&self.memory_findings.memories[&number].record)
            }
            ContenderId::Message(_)
            | ContenderId::Belief(_)
            | ContenderId::Digest(_)
            | ContenderId::Attachment(_)
            | ContenderId::Shared(_) => false,
        }
    }

    /// Puts what holds at `newer` before what it replaced at `older`: it stands where that was found.
    pub(super) fn rank_above(&mut self, newer: usize, older: usize) {
        let (first, second, part) = if self.asked.intent.former {
            (older, newer, Part::Former)
        } else {
            (newer, older, Part::Replaces)
        };
        let (total, part_of_second) = (self.runners[second].total(), self.runners[second].part);
        let runner = &mut self.runners[first];
        let short = total - runner.total();
        if short > 0.0 || runner.part > part_of_second {
            runner.explanation.score.add(part, short);
            runner.part = runner.part.min(part_of_second);
        }
        self.runners[second].explanation.score.times(Part::Replaced, REPLACED_SCORE_FACTOR);
    }

    /// The contender that stands for a memory beside another: a message beside a message, the memory itself beside a
    /// memory.
    pub(super) fn stand_in_for(
        &self,
        view: &mut View<'_>,
        beside: ContenderId,
        number: u32,
    ) -> Result<Option<(ContenderId, Time)>> {
        match beside {
            ContenderId::Message(_) => self.newest_message_of(view, number),
            ContenderId::Memory(_)
            | ContenderId::Belief(_)
            | ContenderId::Digest(_)
            | ContenderId::Attachment(_)
            | ContenderId::Shared(_) => Ok(self.admitted_memory(number)),
        }
    }

    /// The newest message that a memory rests on and that the question does not leave out, and when it was said.
    fn newest_message_of(&self, view: &mut View<'_>, number: u32) -> Result<Option<(ContenderId, Time)>> {
        let mut records = view.messages_at(&self.memory_findings.memories[&number].messages)?;
        records.retain(|record| self.scope.admits_message(self.question, &record.message));
        let newest = records.into_iter().max_by_key(|record| (record.message.at, record.seq));
        Ok(newest.map(|record| (ContenderId::Message(record.seq), record.message.at)))
    }

    /// A memory that the question does not leave out, and since when it holds.
    fn admitted_memory(&self, number: u32) -> Option<(ContenderId, Time)> {
        let memory = &self.memory_findings.memories[&number].record.memory;
        let admitted = self.scope.admits_memory(self.question, memory);
        admitted.then_some((ContenderId::Memory(number), memory.valid_from))
    }

    /// Where something runs; it begins to, if it did not.
    pub(super) fn contender_index(&mut self, what: ContenderId, at: Time) -> usize {
        let stands = self.runners.iter().position(|runner| runner.what == what);
        stands.unwrap_or_else(|| {
            self.runners.push(Contender::new(what, at, Explanation::default()));
            self.runners.len() - 1
        })
    }

    /// Puts what only asks what is asked, or does not say what is so, behind what answers, and before it what states just
    /// what is asked. However often a question was asked, it comes up once.
    fn weigh_answers(&mut self, view: &mut View<'_>) -> Result<()> {
        let mut weighed = 0;
        let mut is_crowded = true;
        while is_crowded && weighed < self.runners.len().min(MAX_WEIGHED_CONTENDERS) {
            let end = self.runners.len().min(weighed + WEIGHED_CONTENDERS);
            is_crowded = self.weigh(view, weighed..end)? * 2 > end - weighed;
            weighed = end;
        }
        let mut is_first = true;
        self.runners.retain(|runner| {
            let is_echo = runner.explanation.score.part(Part::Echo) != 0.0;
            !is_echo || std::mem::take(&mut is_first)
        });
        Ok(())
    }

    /// Weighs the contenders at these places; how many of them only ask what is asked.
    fn weigh(&mut self, view: &mut View<'_>, places: Range<usize>) -> Result<usize> {
        let runners = &mut self.runners[places];
        let seqs: Vec<u32> = runners.iter().filter_map(|runner| runner.what.seq()).collect();
        self.records.extend(view.messages_at(&seqs)?.into_iter().map(|record| (record.seq, record)));
        let (asked, slot) = (&self.question.text, asked_slot(&self.question.text));
        let slot = slot.filter(|_| self.question.profile.fusion == Fusion::Sum);
        let asks_what_is =
            self.question.profile.fusion == Fusion::Sum && !is_unreal(asked.trim_end_matches('?'));
        let mut echoes = 0;
        for runner in runners {
            let (text, is_users) = match runner.what {
                ContenderId::Message(seq) => {
                    let Some(MessageRecord { message, .. }) = self.records.get(&seq) else { continue };
                    (&message.text, message.role == Role::User)
                }
                ContenderId::Memory(number) => {
                    (&self.memory_findings.memories[&number].record.memory.text, false)
                }
                ContenderId::Shared(place) => (&self.shared[place as usize].record.memory.text, false),
                ContenderId::Belief(_) | ContenderId::Digest(_) | ContenderId::Attachment(_) => continue,
            };
            let score = &mut runner.explanation.score;
            if asks_the_same(text, asked) {
                score.times(Part::Echo, ECHO_SCORE_FACTOR);
                echoes += 1;
            } else if is_users && slot.is_some_and(|slot| fills_slot(text, slot)) {
                score.add(Part::Slot, SLOT_SCORE);
            } else if asks_what_is && is_unreal(text) {
                score.times(Part::Unreal, UNREAL_SCORE_FACTOR);
            }
        }
        Ok(echoes)
    }
}

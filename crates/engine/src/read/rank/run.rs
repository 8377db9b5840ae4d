//! Runs of an agent with tools: where the best messages of a question belong to one, the steps that answer it come first,
//! and an action is not told without its result. Conversations without tools are left as they are.

use super::messages::RankedMessage;
use crate::read::question::{Explanation, Fusion, Question, SearchScope};
use cairn_cognition::{
    run::{RunAnswer, RunMessage, ToolWork, counts_from_beginning, other_half, run_answer},
    score::Part,
    skill::ToolMessage,
};
use cairn_domain::{MessageId, Role};
use cairn_store::{MessageFilter, MessageRecord, View};
use std::collections::{HashMap, HashSet};

/// The best messages that say which run a question is about.
const MESSAGES_THAT_TELL_RUN: usize = 10;
/// Messages of a run that are read.
const MAX_RUN_MESSAGES: u32 = 2_000;
/// Steps that are put first.
const MAX_STEPS_RAISED: usize = 10;
/// The best messages whose other half stands behind them.
const MESSAGES_WITH_OTHER_HALF: usize = 3;
/// So few messages leave room for the other half of each.
const FEW_MESSAGES: usize = 10;
/// The score of the first step that answers, beside the best message's; those after it score less by a step each.
const STEP_FACTOR: f64 = 1.5;
const STEP_FACTOR_FALL: f64 = 0.01;
/// The field by which a host says that a tool failed.
const IS_ERROR: &str = "is_error";
/// The score of the other half of a step beside that half: right behind it.
const OTHER_HALF_FACTOR: f64 = 0.999;

/// Messages of a run that show an older state of something, by seq: each with the one that shows the last.
pub(crate) type OlderStates = HashMap<u32, MessageId>;

/// Puts the steps of a run that answer a question first; which of what is in the running shows an older state.
pub(crate) fn raise_steps(
    view: &mut View<'_>,
    question: &Question,
    scope: &SearchScope,
    ranked: &mut Vec<(u32, RankedMessage)>,
) -> cairn_store::Result<OlderStates> {
    if question.profile.run == 0.0 || question.profile.fusion != Fusion::Sum {
        return Ok(OlderStates::new());
    }
    let Some(run) = QuestionRun::read(view, question, scope, ranked)? else { return Ok(OlderStates::new()) };
    let work = run.tool_work();
    let (raised, answer) = run.raised_steps(&work, question, ranked);
    run.raise(&raised, ranked);
    Ok(run.older_states(&work, &answer, ranked))
}

/// A step that is raised, by the seq of its message, and the score it is raised to.
struct RaisedStep {
    seq: u32,
    score: f64,
}

/// The run that a question is about.
struct QuestionRun {
    messages: Vec<MessageRecord>,
    /// The number of its session.
    session: u32,
}

impl QuestionRun {
    /// The run that the best messages belong to, if they belong to one.
    fn read(
        view: &mut View<'_>,
        question: &Question,
        scope: &SearchScope,
        ranked: &[(u32, RankedMessage)],
    ) -> cairn_store::Result<Option<Self>> {
        let best = &ranked[..ranked.len().min(MESSAGES_THAT_TELL_RUN)];
        let mut scores: HashMap<u32, f64> = HashMap::new();
        for (_, message) in best {
            *scores.entry(message.session).or_default() += message.explanation.score.total();
        }
        let likeliest = scores.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let Some((session, _)) = likeliest else { return Ok(None) };
        let Some((seq, _)) = best.iter().find(|(_, message)| message.session == session) else {
            return Ok(None);
        };
        let Some(of_it) = view.messages_at(&[*seq])?.pop() else { return Ok(None) };
        let mut messages = run_messages(view, &of_it, question)?;
        messages.retain(|record| is_seen(record, question, &scope.filter));
        let is_run = messages.iter().any(|record| record.message.role == Role::Tool);
        Ok(is_run.then_some(Self { messages, session }))
    }

    /// The steps that answer, above the best message; where none is asked for, the other halves of the best messages, right
    /// behind them.
    fn raised_steps(
        &self,
        work: &ToolWork<'_>,
        question: &Question,
        ranked: &[(u32, RankedMessage)],
    ) -> (Vec<RaisedStep>, RunAnswer) {
        let run = self.as_run(work);
        let sender =
            |index: &usize| question.sender.is_none_or(|sender| self.messages[*index].message.role == sender);
        let score = |message: &RankedMessage| message.explanation.score.total();
        let best = ranked.first().map_or(0.0, |(_, message)| score(message));
        let seq = |index: usize| self.messages[index].seq;
        let index_of: HashMap<u32, usize> =
            self.messages.iter().enumerate().map(|(index, record)| (record.seq, index)).collect();
        let places: Vec<usize> = ranked.iter().filter_map(|(seq, _)| index_of.get(seq).copied()).collect();
        let messages = work.answering(&question.text, &places);
        let mut answer = RunAnswer { messages, older_states: Vec::new() };
        if answer.messages.is_empty() {
            answer = run_answer(&question.text, &run);
        }
        let answering = &mut answer.messages;
        if answering.is_empty() {
            let told = ranked.iter().take(MESSAGES_WITH_OTHER_HALF).filter_map(|(seq, _)| index_of.get(seq));
            answering.extend(told.filter_map(|index| work.instead(&question.text, *index)).flatten());
        }
        let first = answering.iter().copied().filter(sender).take(MAX_STEPS_RAISED).enumerate();
        let first = first.map(|(rank, index)| {
            let factor = STEP_FACTOR - STEP_FACTOR_FALL * rank as f64;
            RaisedStep { seq: seq(index), score: question.profile.run * best * factor }
        });
        // Where few messages fit, there is room for the other half of each; how many hits are asked for changes nothing.
        let with_half = if ranked.len() < FEW_MESSAGES { ranked.len() } else { MESSAGES_WITH_OTHER_HALF };
        let halves = ranked.iter().take(with_half).filter_map(|(half, message)| {
            let index = *index_of.get(half)?;
            let other = work.other_half(index).or_else(|| other_half(&run, index)).filter(sender)?;
            Some(RaisedStep { seq: seq(other), score: score(message) * OTHER_HALF_FACTOR })
        });
        let raised = if answering.is_empty() { halves.collect() } else { first.collect() };
        (raised, answer)
    }

    /// Which messages in the running show an older state of something, and which one shows the last.
    fn older_states(
        &self,
        work: &ToolWork<'_>,
        answer: &RunAnswer,
        ranked: &[(u32, RankedMessage)],
    ) -> OlderStates {
        let id = |index: usize| self.messages[index].message.id;
        let running: HashSet<u32> = ranked.iter().map(|(seq, _)| *seq).collect();
        let results = self.messages.iter().enumerate().filter(|(_, record)| running.contains(&record.seq));
        let mut older: OlderStates =
            results.filter_map(|(index, record)| Some((record.seq, id(work.later_result(index)?)))).collect();
        if let Some(last) = answer.messages.first() {
            let states = answer.older_states.iter().map(|index| (self.messages[*index].seq, id(*last)));
            older.extend(states);
        }
        older
    }

    /// The calls and results of tools, if the host records them as messages of their own.
    fn tool_work(&self) -> ToolWork<'_> {
        let mut requests = 0;
        ToolWork::read(self.messages.iter().enumerate().filter_map(|(index, record)| {
            let message = &record.message;
            requests += i64::from(message.role == Role::User);
            let is_error = message.metadata.get(IS_ERROR).and_then(serde_json::Value::as_bool) == Some(true);
            let (exchange, speaker) = (requests, message.speaker.as_str());
            let read =
                ToolMessage { exchange, session: 0, speaker, text: &message.text, at: message.at, is_error };
            (message.role == Role::Tool).then_some((index, read))
        }))
    }

    /// The messages as actions and what came back. Where calls are messages of their own, they are the actions, and an assistant
    /// only talks.
    fn as_run(&self, work: &ToolWork<'_>) -> Vec<RunMessage<'_>> {
        let calls = work.calls();
        let role = |index: usize, role: Role| match role {
            Role::Tool if calls.contains(&index) => Role::Assistant,
            Role::Assistant if !calls.is_empty() => Role::System,
            role => role,
        };
        let messages = self.messages.iter().enumerate();
        messages
            .map(|(index, record)| RunMessage {
                role: role(index, record.message.role),
                text: &record.message.text,
            })
            .collect()
    }

    /// Raises steps to their scores; those that were not in the running yet begin to run.
    fn raise(&self, steps: &[RaisedStep], ranked: &mut Vec<(u32, RankedMessage)>) {
        let said_at: HashMap<u32, _> =
            self.messages.iter().map(|record| (record.seq, record.message.at)).collect();
        let sibling = ranked.iter().find(|(_, message)| message.session == self.session);
        let Some((place, boost)) = sibling.map(|(_, message)| (message.place, message.boost)) else { return };
        for RaisedStep { seq, score: wanted } in steps {
            let at = ranked.iter().position(|(other, _)| other == seq).unwrap_or_else(|| {
                let explanation = Explanation::default();
                let (said_at, session) = (said_at[seq], self.session);
                ranked.push((*seq, RankedMessage { place, explanation, boost, said_at, session }));
                ranked.len() - 1
            });
            let score = &mut ranked[at].1.explanation.score;
            let short = wanted - score.total();
            if short > 0.0 {
                score.add(Part::Step, short);
            }
        }
        ranked.sort_by(|a, b| b.1.explanation.score.total().total_cmp(&a.1.explanation.score.total()));
    }
}

/// The messages of the run that one of them belongs to, in order. Of a run that is too long its beginning, if a question counts from
/// there; otherwise what is around that message, and the end.
fn run_messages(
    view: &mut View<'_>,
    of_it: &MessageRecord,
    question: &Question,
) -> cairn_store::Result<Vec<MessageRecord>> {
    let session = &of_it.message.session;
    let mut messages = view.of_session(session, None, MAX_RUN_MESSAGES)?;
    let is_whole = (messages.len() as u32) < MAX_RUN_MESSAGES;
    if !is_whole && counts_from_beginning(&question.text) {
        let first = view.first_of_session(session)?.map_or(0, |first| first.seq);
        messages = view.of_session(session, Some(first + MAX_RUN_MESSAGES), MAX_RUN_MESSAGES)?;
    } else if !is_whole && messages.last().is_some_and(|oldest| of_it.seq < oldest.seq) {
        messages.truncate(MAX_RUN_MESSAGES as usize / 2);
        let end = messages.last().map_or(u32::MAX, |oldest| oldest.seq);
        let before = end.min(of_it.seq.saturating_add(MAX_RUN_MESSAGES / 4));
        messages.extend(view.of_session(session, Some(before), MAX_RUN_MESSAGES / 2)?);
    }
    messages.reverse();
    Ok(messages)
}

/// Whether the asker may know of a message.
fn is_seen(record: &MessageRecord, question: &Question, filter: &MessageFilter) -> bool {
    let message = &record.message;
    question.as_of.is_none_or(|as_of| message.at <= as_of)
        && filter.before.is_none_or(|before| record.seq < before)
        && question.mode.is_none_or(|mode| message.mode.shares_with(mode))
}

//! The exchange spine: everything that belongs to one exchange, joined by its id: the request, the calls of tools, files that were
//! attached, handoffs, entropy, windows of the refiner, and what the user said afterwards. Derived whenever somebody asks.

use super::{
    material::{MaterialBounds, ProjectMaterial, material},
    window::{RefinerWindow, windows},
};
use crate::{Agent, EngineError, Result, quote, write::stored_name};
use cairn_cognition::{
    friction::{Work, WorkSignal, work_signal},
    skill::{ToolMessage, ToolOutcome, argument_shape, failure_line, tool_steps},
};
use cairn_domain::{AttachmentId, ExchangeId, HandoffScope, MessageId, Role, Time};
use cairn_store::{AttachmentFilter, MessageRecord, View};
use std::cmp::Reverse;

/// Characters that are told of a request, of a command, of a line of an output.
const MAX_TOLD_CHARS: usize = 160;
/// Attachments and handoffs of a session that are looked at.
const MAX_BESIDE: u32 = 100;
/// Messages of an exchange whose calls are told.
const MAX_SPINE_MESSAGES: usize = 1_000;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpineCall {
    /// The tool.
    pub tool: String,
    /// The thing that was done, without its arguments.
    pub kind: String,
    /// The arguments by name and kind, without their values.
    pub shape: String,
    /// How it ended.
    pub outcome: ToolOutcome,
    /// How long it took, in milliseconds.
    pub took_ms: Option<i64>,
    /// The line that tells how it failed.
    pub failure: Option<String>,
    /// The call.
    pub call: MessageId,
    /// The result.
    pub result: MessageId,
}

/// The signal of the user after the work of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenSignal {
    /// The signal.
    pub signal: WorkSignal,
    /// The message that gives it.
    pub message: MessageId,
}

/// Everything that belongs to one exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct ExchangeSpine {
    /// The exchange.
    pub exchange: ExchangeId,
    /// Its session.
    pub session: String,
    /// The project.
    pub thread: Option<String>,
    /// When it was opened.
    pub at: Time,
    /// The beginning of what was asked.
    pub request: String,
    /// Messages in it.
    pub messages: usize,
    /// Calls of tools, in the order of their results.
    pub calls: Vec<SpineCall>,
    /// Files that appeared in it, by name.
    pub attachments: Vec<(AttachmentId, String)>,
    /// Handoffs that were written in it.
    pub handoffs: Vec<HandoffScope>,
    /// How far it departs from what the agent knows and is.
    pub entropy: Option<f64>,
    /// Windows of the refiner.
    pub windows: Vec<RefinerWindow>,
    /// The signal of the user afterwards.
    pub signal: Option<SeenSignal>,
}

/// An exchange in which tools were called, in short.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkedExchange {
    /// The exchange.
    pub exchange: ExchangeId,
    /// The project.
    pub thread: Option<String>,
    /// When the first tool was called.
    pub at: Time,
    /// The beginning of what was asked.
    pub request: String,
    /// Steps that were carried out.
    pub steps: usize,
    /// Steps that failed.
    pub failed: usize,
    /// How well it went, from 0 to 1: the lowest of its windows.
    pub score: Option<f64>,
    /// The signal of the user afterwards.
    pub signal: Option<WorkSignal>,
}

impl Agent {
    /// Everything that belongs to the exchange of a ref.
    pub async fn exchange_spine(&self, written: &str) -> Result<ExchangeSpine> {
        let reference = self.resolve(written).await?;
        let behind = self.messages_behind(reference).await?;
        let id = behind.first().map(|record| record.exchange);
        let id = id.ok_or_else(|| EngineError::NotFound(written.to_owned()))?;
        let joined = self.store.read(move |view| spine(view, id)).await?;
        joined.ok_or_else(|| EngineError::NotFound(written.to_owned()))
    }

    /// The newest exchanges in which tools were called, of one project or of all.
    pub async fn worked_exchanges(&self, thread: Option<&str>, limit: usize) -> Result<Vec<WorkedExchange>> {
        let wanted = thread.map(stored_name);
        let read = move |view: &mut View<'_>| {
            let projects = material(view, wanted.as_deref(), MaterialBounds::ALL)?;
            let mut found: Vec<(u32, WorkedExchange)> =
                projects.iter().flat_map(|project| project.look(|work| worked(project, work))).collect();
            found.sort_by_key(|(_, one)| Reverse(one.at));
            found.truncate(limit);
            let opening: Vec<u32> = found.iter().map(|(seq, _)| *seq).collect();
            let opened = view.messages_at(&opening)?;
            for (seq, one) in &mut found {
                if let Some(record) = opened.iter().find(|record| record.seq == *seq) {
                    one.exchange = record.exchange;
                    one.request = quote::beginning(&record.message.text, MAX_TOLD_CHARS);
                }
            }
            Ok(found.into_iter().map(|(_, one)| one).collect())
        };
        Ok(self.store.read(read).await?)
    }
}

/// The exchanges of a project with steps, each with the place of the message that opened it.
fn worked(project: &ProjectMaterial, work: &Work<'_>) -> Vec<(u32, WorkedExchange)> {
    let mut found = Vec::new();
    let of_step = |step: &cairn_cognition::skill::ToolStep| work.messages[step.call].exchange;
    let mut exchanges: Vec<i64> = work.steps.iter().map(of_step).collect();
    exchanges.sort_unstable();
    exchanges.dedup();
    for exchange in exchanges {
        let steps: Vec<_> = work.steps.iter().filter(|step| of_step(step) == exchange).collect();
        let Some(first) = steps.first() else { continue };
        let signal = work.signal_after(first.session, exchange).map(|(signal, _)| signal);
        let scores = windows(work.messages, &steps, signal).into_iter().filter_map(|window| window.score);
        found.push((
            exchange as u32,
            WorkedExchange {
                exchange: ExchangeId::from(project.messages[first.call].id),
                thread: project.thread.clone(),
                at: first.at,
                request: String::new(),
                steps: steps.len(),
                failed: steps.iter().filter(|step| step.outcome == ToolOutcome::Failed).count(),
                score: scores.min_by(f64::total_cmp),
                signal,
            },
        ));
    }
    found
}

fn spine(view: &mut View<'_>, id: ExchangeId) -> cairn_store::Result<Option<ExchangeSpine>> {
    let records = view.exchange(id)?;
    let Some((first, last)) = records.first().zip(records.last()) else { return Ok(None) };
    let next = view.neighbours(last.seq, 1)?.into_iter().find(|record| record.seq > last.seq);
    let signal = next.as_ref().filter(|next| next.message.role == Role::User).and_then(|next| {
        let signal = work_signal(&next.message.text)?;
        Some(SeenSignal { signal, message: next.message.id })
    });
    let tools: Vec<&MessageRecord> =
        records.iter().filter(|it| it.message.role == Role::Tool).take(MAX_SPINE_MESSAGES).collect();
    let messages: Vec<ToolMessage<'_>> = tools.iter().map(|record| as_tool_message(record)).collect();
    let steps = tool_steps(&messages);
    let call = |step: &cairn_cognition::skill::ToolStep| SpineCall {
        tool: step.tool.clone(),
        kind: step.kind.clone(),
        shape: argument_shape(messages[step.call].text),
        outcome: step.outcome,
        took_ms: step.took_ms,
        failure: (step.outcome == ToolOutcome::Failed)
            .then(|| quote::beginning(failure_line(messages[step.result].text), MAX_TOLD_CHARS)),
        call: tools[step.call].message.id,
        result: tools[step.result].message.id,
    };
    let said = signal.map(|it| it.signal).filter(|_| !steps.is_empty());
    let surprise = Agent::surprise_of(view, id)?;
    let mut windows = windows(&messages, &steps.iter().collect::<Vec<_>>(), said);
    for window in &mut windows {
        window.surprise = surprise;
    }
    let until = next.as_ref().map(|next| next.message.recorded_at);
    Ok(Some(ExchangeSpine {
        exchange: id,
        session: first.message.session.clone(),
        thread: first.message.thread.clone(),
        at: first.message.at,
        request: quote::beginning(&first.message.text, MAX_TOLD_CHARS),
        messages: records.len(),
        calls: steps.iter().map(call).collect(),
        attachments: attachments_in(view, &records)?,
        handoffs: handoffs_in(view, first, until)?,
        entropy: view.exchange_entropy(id)?.map(|measured| measured.entropy),
        windows,
        signal,
    }))
}

fn as_tool_message(record: &MessageRecord) -> ToolMessage<'_> {
    let message = &record.message;
    ToolMessage {
        exchange: 0,
        session: 0,
        speaker: &message.speaker,
        text: &message.text,
        at: message.at,
        is_error: message.metadata.get("is_error").is_some_and(|it| it == true),
    }
}

/// The files that appeared in an exchange.
fn attachments_in(
    view: &mut View<'_>,
    records: &[MessageRecord],
) -> cairn_store::Result<Vec<(AttachmentId, String)>> {
    let session = records.first().map(|record| record.message.session.as_str());
    let filter = AttachmentFilter { session, thread: None };
    let mut found = Vec::new();
    for attachment in view.attachments(filter, MAX_BESIDE)? {
        let turns = view.attachment_turns(attachment.id)?;
        let is_here = |id: MessageId| records.iter().any(|record| record.message.id == id);
        if turns.iter().filter_map(|turn| turn.message).any(is_here) {
            found.push((attachment.id, attachment.name));
        }
    }
    Ok(found)
}

/// The handoffs of its session that were written after an exchange was opened and before the next one was.
fn handoffs_in(
    view: &mut View<'_>,
    first: &MessageRecord,
    until: Option<Time>,
) -> cairn_store::Result<Vec<HandoffScope>> {
    let opened = first.message.recorded_at;
    let written = view.handoffs(MAX_BESIDE)?.into_iter().filter(|handoff| {
        handoff.session == first.message.session
            && handoff.written_at >= opened
            && until.is_none_or(|until| handoff.written_at < until)
    });
    Ok(written.map(|handoff| handoff.scope).collect())
}

//! Code evolution, for programs.

use crate::Proposal;
use cairn_domain::{AttachmentId, ExchangeId, MessageId, ProposalId, ProposalStatus, Time};
use cairn_engine::{
    EvolutionReport, ExchangeSpine, ProjectEvolution, RefinerWindow, SeenFriction, SpineCall, WorkedExchange,
};
use schemars::JsonSchema;
use serde::Serialize;

/// How work with tools goes, and what makes it hard again and again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Evolution {
    /// Whether friction is looked for.
    pub enabled: bool,
    /// Each project, the most worked in first.
    pub projects: Vec<EvolutionProject>,
    /// Proposals against friction, the newest first.
    pub proposals: Vec<Proposal>,
    /// The newest exchanges in which tools were called.
    pub exchanges: Vec<EvolutionExchange>,
}

/// How work goes in one project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EvolutionProject {
    /// The project; none of messages without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Steps with tools.
    pub steps: usize,
    /// Steps that failed.
    pub failed: usize,
    /// Steps that the user did not let run.
    pub refused: usize,
    /// How often the user was satisfied right after work.
    pub satisfied: usize,
    /// How often the user corrected how something is done.
    pub corrected: usize,
    /// How often the user said that it is still not right.
    pub unsolved: usize,
    /// The friction, the most often seen first.
    pub frictions: Vec<EvolutionFriction>,
}

/// Friction that was seen in a project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EvolutionFriction {
    /// The kind: `detour`, `missing`, `missed_edit`, `timeout`, `blind_retry`, `repeated_failure`, `call_loop`, `refused_call`,
    /// `corrected_habit` or `unsolved`.
    pub kind: &'static str,
    /// The thing it is about.
    pub subject: String,
    /// The line that tells it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub line: String,
    /// The command that works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// How often it was seen.
    pub times: usize,
    /// Requests during which it was seen.
    pub exchanges: usize,
    /// When it was seen last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<Time>,
    /// The messages in which it was seen, the newest few.
    pub seen: Vec<MessageId>,
    /// The proposal against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
    /// Where that stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ProposalStatus>,
    /// Of the newest few, how many came after it was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<usize>,
}

/// An exchange in which tools were called.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EvolutionExchange {
    /// The exchange.
    #[serde(rename = "ref")]
    pub reference: ExchangeId,
    /// The project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// When the first tool was called.
    pub at: Time,
    /// The beginning of what was asked.
    pub request: String,
    /// Steps with tools.
    pub steps: usize,
    /// Steps that failed.
    pub failed: usize,
    /// How well it went, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The signal of the user afterwards: `satisfied`, `corrected` or `unsolved`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<&'static str>,
}

/// Everything that belongs to one exchange.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Spine {
    /// The exchange.
    #[serde(rename = "ref")]
    pub reference: ExchangeId,
    /// Its session.
    pub session: String,
    /// The project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// When it was opened.
    pub at: Time,
    /// The beginning of what was asked.
    pub request: String,
    /// Messages in it.
    pub messages: usize,
    /// Calls of tools.
    pub calls: Vec<EvolutionCall>,
    /// Files that appeared in it.
    pub attachments: Vec<SpineAttachment>,
    /// Handoffs that were written in it: `session`, or `thread:` and its name.
    pub handoffs: Vec<String>,
    /// How far it departs from what the agent knows and is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// Stretches of its work with their scores.
    pub windows: Vec<EvolutionWindow>,
    /// The signal of the user afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<&'static str>,
    /// The message that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal_ref: Option<MessageId>,
}

/// One call of a tool.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EvolutionCall {
    /// The tool.
    pub tool: String,
    /// The thing that was done, without its arguments.
    pub kind: String,
    /// The arguments by name and kind, without their values.
    pub shape: String,
    /// `worked`, `failed`, `unknown` or `refused`.
    pub outcome: &'static str,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<i64>,
    /// The line that tells how it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The message that called it.
    pub call: MessageId,
    /// The message with the result.
    pub result: MessageId,
}

/// A file that appeared in an exchange.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SpineAttachment {
    /// The attachment.
    #[serde(rename = "ref")]
    pub reference: AttachmentId,
    /// The name of the file.
    pub name: String,
}

/// A stretch of the work of one exchange.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EvolutionWindow {
    /// Steps in it.
    pub steps: usize,
    /// How well it went, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// How far the turn is from what was expected; a diagnostic that the score does not use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surprise: Option<f64>,
    /// By what its failures are known again.
    pub signatures: Vec<String>,
    /// The label that it should have instead: `worked_to_failed` or `failed_to_worked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relabel: Option<&'static str>,
}

impl Evolution {
    /// A report with the newest exchanges.
    pub fn new(report: &EvolutionReport, exchanges: &[WorkedExchange]) -> Self {
        Self {
            enabled: report.is_enabled,
            projects: report.projects.iter().map(EvolutionProject::from).collect(),
            proposals: report.proposals.iter().map(Proposal::from).collect(),
            exchanges: exchanges.iter().map(EvolutionExchange::from).collect(),
        }
    }
}

impl From<&ProjectEvolution> for EvolutionProject {
    fn from(project: &ProjectEvolution) -> Self {
        let [satisfied, corrected, unsolved] = project.signals;
        Self {
            thread: project.thread.clone(),
            steps: project.steps,
            failed: project.failed,
            refused: project.refused,
            satisfied,
            corrected,
            unsolved,
            frictions: project.frictions.iter().map(EvolutionFriction::from).collect(),
        }
    }
}

impl From<&SeenFriction> for EvolutionFriction {
    fn from(seen: &SeenFriction) -> Self {
        Self {
            kind: seen.kind.as_str(),
            subject: seen.subject.clone(),
            line: seen.line.clone(),
            instead: seen.instead.clone(),
            times: seen.times,
            exchanges: seen.exchanges,
            last_at: seen.last_at,
            seen: seen.seen.clone(),
            proposal: seen.proposal.map(|(id, _)| id),
            status: seen.proposal.map(|(_, status)| status),
            since: seen.since,
        }
    }
}

impl From<&WorkedExchange> for EvolutionExchange {
    fn from(one: &WorkedExchange) -> Self {
        Self {
            reference: one.exchange,
            thread: one.thread.clone(),
            at: one.at,
            request: one.request.clone(),
            steps: one.steps,
            failed: one.failed,
            score: one.score,
            signal: one.signal.map(|signal| signal.as_str()),
        }
    }
}

impl From<&ExchangeSpine> for Spine {
    fn from(spine: &ExchangeSpine) -> Self {
        let attachment =
            |(id, name): &(AttachmentId, String)| SpineAttachment { reference: *id, name: name.clone() };
        Self {
            reference: spine.exchange,
            session: spine.session.clone(),
            thread: spine.thread.clone(),
            at: spine.at,
            request: spine.request.clone(),
            messages: spine.messages,
            calls: spine.calls.iter().map(EvolutionCall::from).collect(),
            attachments: spine.attachments.iter().map(attachment).collect(),
            handoffs: spine.handoffs.iter().map(|scope| scope.key()).collect(),
            entropy: spine.entropy,
            windows: spine.windows.iter().map(EvolutionWindow::from).collect(),
            signal: spine.signal.map(|it| it.signal.as_str()),
            signal_ref: spine.signal.map(|it| it.message),
        }
    }
}

impl From<&SpineCall> for EvolutionCall {
    fn from(call: &SpineCall) -> Self {
        Self {
            tool: call.tool.clone(),
            kind: call.kind.clone(),
            shape: call.shape.clone(),
            outcome: call.outcome.as_str(),
            took_ms: call.took_ms,
            failure: call.failure.clone(),
            call: call.call,
            result: call.result,
        }
    }
}

impl From<&RefinerWindow> for EvolutionWindow {
    fn from(window: &RefinerWindow) -> Self {
        Self {
            steps: window.steps,
            score: window.score,
            surprise: window.surprise,
            signatures: window.signatures.clone(),
            relabel: window.relabel.map(|relabel| relabel.as_str()),
        }
    }
}

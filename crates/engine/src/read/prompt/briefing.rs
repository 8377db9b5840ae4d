//! A brief, and the request for one.

use crate::{belief::Trusted, continuity::ContextOccasion};
use cairn_cognition::{belief::gate::GateReceipt, budget::PROMPT_FRAME};
use cairn_domain::Mode;

/// A request for a brief.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Briefing {
    /// The question; without one the newest memories are shown.
    pub query: Option<String>,
    /// The lasting project.
    pub thread: Option<String>,
    /// The running session: what it has said itself is before the model anyway.
    pub session: Option<String>,
    /// The posture that is asked in: only what modes that share with it have said is shown. `None`: all.
    pub mode: Option<Mode>,
    /// How many tokens it may have.
    pub tokens: usize,
    /// Refs that the model has been shown already.
    pub shown: Vec<String>,
    /// On what occasion: a session that goes on is shown its last exchanges.
    pub occasion: ContextOccasion,
}

/// The block of text that is put before a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brief {
    /// The lines; none if there is nothing to show.
    pub lines: Vec<String>,
    /// The refs of what stands in them.
    pub refs: Vec<String>,
    /// Hits that were left out because they hardly fit.
    pub weak: usize,
    /// Hits that were left out because there was no room.
    pub no_room: usize,
    /// How many tokens the block has: as the embedder counts whose model is loaded, or rather too many.
    pub used: usize,
    /// Receipt of the gate that every belief must pass.
    pub gate: GateReceipt,
    /// In `diagnostic`, the refs of what would be given as true in `enforce`.
    pub would: Vec<String>,
}

impl Brief {
    /// The block for the prompt; empty if there is nothing to show.
    pub fn text(&self) -> String {
        if self.lines.is_empty() {
            String::new()
        } else {
            format!("{PROMPT_FRAME}\n{}", self.lines.join("\n"))
        }
    }

    pub(crate) fn with_gate(self, Trusted { would, receipt, .. }: Trusted) -> Self {
        let would = would.iter().map(|record| record.belief.id.to_string()).collect();
        Self { gate: receipt, would, ..self }
    }
}

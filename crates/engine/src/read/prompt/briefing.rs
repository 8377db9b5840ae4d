//! A brief, and the request for one.

use super::{
    framing::Framing,
    identity_file::IdentityAudience,
    report::{INTENTIONS, SectionReport},
};
use crate::{belief::Trusted, continuity::ContextOccasion};
use cairn_cognition::{belief::gate::GateReceipt, budget::PROMPT_FRAME};
use cairn_domain::{MessageId, Mode};
use std::path::PathBuf;

/// A request for a brief.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Briefing {
    /// The question; without one the newest memories are shown.
    pub query: Option<String>,
    /// The lasting project.
    pub thread: Option<String>,
    /// The running session: what it has said itself is before the model anyway.
    pub session: Option<String>,
    /// The session that intentions count as told in; [`Agent::context`](crate::Agent::context) says which.
    pub told_in: Option<String>,
    /// The posture that is asked in: only what modes that share with it have said is shown. `None`: all.
    pub mode: Option<Mode>,
    /// How many tokens it may have.
    pub tokens: usize,
    /// Refs that the model has been shown already.
    pub shown: Vec<String>,
    /// On what occasion: a session that goes on is shown its last exchanges.
    pub occasion: ContextOccasion,
    /// Who is given the identity files where nothing is asked; `None`: nobody.
    pub identity: Option<IdentityAudience>,
    /// Whose the blocks are; `None`: as the configuration says.
    pub framing: Option<Framing>,
    /// The folder on this machine that is worked in: what the question names in it may be looked at. `None`: nothing is.
    pub folder: Option<PathBuf>,
}

/// The block of text that is put before a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brief {
    /// The identity files, each in its tag; none if nobody is to be given any.
    pub identity: Vec<String>,
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
    /// Its sections, and those that are not there.
    pub sections: Vec<SectionReport>,
    /// In `diagnostic`, the refs of what would be given as true in `enforce`.
    pub would: Vec<String>,
}

impl Brief {
    /// The text for the prompt; empty if there is nothing to show.
    pub fn text(&self) -> String {
        let mut blocks = self.identity.clone();
        if !self.lines.is_empty() {
            blocks.push(format!("{PROMPT_FRAME}\n{}", self.lines.join("\n")));
        }
        blocks.join("\n")
    }

    /// The messages whose intentions stand in it.
    pub(crate) fn told_intentions(&self) -> Vec<MessageId> {
        let sections = self.sections.iter().filter(|section| section.name == INTENTIONS);
        sections.flat_map(|section| &section.refs).filter_map(|reference| reference.parse().ok()).collect()
    }

    pub(crate) fn with_gate(self, Trusted { would, receipt, .. }: Trusted) -> Self {
        let would = would.iter().map(|record| record.belief.id.to_string()).collect();
        Self { gate: receipt, would, ..self }
    }
}

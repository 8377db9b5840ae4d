//! `correct`: what a record should say instead.

use crate::{ASKED, Agent, Correction, Result};
use cairn_domain::{Draft, Ref, Role, Time};

/// Who corrects: the user's word counts as the user's, an agent's as little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorrectedBy {
    /// The user, at the terminal.
    User,
    /// An agent, over REST or MCP.
    Agent,
}

/// A correction as a surface hands it in.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrectionDraft {
    /// The corrected text.
    pub text: String,
    /// Who says so.
    pub by: CorrectedBy,
    /// When it was said; now if not told.
    pub at: Option<Time>,
}

impl Agent {
    /// Replaces the text of a record with the corrected one.
    pub async fn correct_record(&self, reference: Ref, correction: CorrectionDraft) -> Result<Correction> {
        let CorrectionDraft { text, by, at } = correction;
        let draft = match by {
            CorrectedBy::User => {
                let mut draft = Draft { at, ..Draft::new(Role::User, text) };
                draft.metadata.insert(ASKED.to_owned(), true.into());
                draft
            }
            CorrectedBy::Agent => Draft { at, ..Draft::new(Role::Assistant, text) },
        };
        self.correct(reference, draft).await
    }
}

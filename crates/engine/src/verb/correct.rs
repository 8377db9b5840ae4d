//! `correct` and `feedback`: what a record should say instead, and whether it was of use.

use super::audience::Audience;
use crate::{ASKED, Agent, Correction, Result, UseOutcome};
use cairn_domain::{Draft, Ref, Role, Time};
use cairn_store::MemoryRecord;

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
    /// Replaces the text of a record with the corrected one. A record that may not be opened may not be corrected.
    pub async fn correct_record(
        &self,
        reference: Ref,
        correction: CorrectionDraft,
        audience: Audience,
    ) -> Result<Correction> {
        self.check_audience(reference, audience).await?;
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

    /// Says whether a record was of use. What may not be opened is not rated either.
    pub async fn rate_record(
        &self,
        reference: Ref,
        outcome: UseOutcome,
        audience: Audience,
    ) -> Result<Vec<MemoryRecord>> {
        self.check_audience(reference, audience).await?;
        self.feedback(reference, outcome).await
    }
}

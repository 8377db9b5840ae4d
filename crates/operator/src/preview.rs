//! The consequences of a decision about a belief for what a model is told, seen before it is made. Nothing is written.

use crate::{
    error::{OperatorError, Result},
    grant::Grant,
    review::{ReviewVerdict, new_state},
};
use cairn_domain::{AgentName, Belief, ProvenanceMode};
use cairn_engine::{Brief, Briefing, Home, Missing, SupposedDecision};
use cairn_store::protected::Decided;

/// A model's context before and after a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionPreview {
    /// How far beliefs are trusted in both.
    pub mode: ProvenanceMode,
    /// The context as it is.
    pub before: Brief,
    /// The context as it would be.
    pub after: Brief,
}

/// Compares what a model is told now with what it would be told after a decision: in the mode in force, or in another.
pub async fn preview(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    verdict: &ReviewVerdict,
    mode: Option<ProvenanceMode>,
    briefing: &Briefing,
) -> Result<DecisionPreview> {
    grant.require(agent)?;
    let opened = home.agent(agent, Missing::Refuse).await?;
    let review = opened.review(verdict.belief).await?;
    if let Some(problem) = review.refuses(verdict.decision) {
        let hint = format!("`cairn review show {}` shows what can be decided", verdict.belief);
        return Err(OperatorError::Refused { problem, hint });
    }
    let decided = new_state(grant, &opened, &review, verdict, home.now())?;
    let mode = match mode {
        Some(mode) => mode,
        None => opened.provenance_mode().await?,
    };
    let supposed =
        |becomes: Option<Belief>| SupposedDecision { record: review.why.record.clone(), becomes, mode };
    let before = opened.context_if(briefing, &supposed(None)).await?;
    let after = opened.context_if(briefing, &supposed(belief_after(decided))).await?;
    Ok(DecisionPreview { mode, before, after })
}

/// The belief as a decision leaves it; none if it stays as it is.
fn belief_after(decided: Decided) -> Option<Belief> {
    match decided {
        Decided::Verified { belief, .. } | Decided::Retracted { belief } | Decided::Again { belief, .. } => {
            Some(*belief)
        }
        Decided::Deferred(_) | Decided::Undeferred => None,
    }
}

//! Sharing between agents: what an owner shares stands in its ledger, and that the reader looks at it, with how far the owner is
//! trusted at most, in the reader's. The owner's side decides; the reader's permits nothing.

use crate::{
    configure::{AppliedChange, ChangePlan, WantedChange, apply, plan},
    error::{OperatorError, Result},
    grant::Grant,
};
use cairn_domain::{AgentName, Invalid, MemoryShare, SharedSource, WriteGrant};
use cairn_engine::{Home, Missing};

/// A change of what one agent shares with another.
#[derive(Debug, Clone, PartialEq)]
pub struct SharingChange {
    /// Whose memory it is about.
    pub owner: AgentName,
    /// The agent that reads it, or writes into it.
    pub other: AgentName,
    /// The new state.
    pub becomes: SharingState,
}

/// The state of sharing from now on.
#[derive(Debug, Clone, PartialEq)]
pub enum SharingState {
    /// The other agent reads these memories, and trusts their owner at most so far.
    Shared(MemoryShare, SharedSource),
    /// The other agent reads nothing any more.
    Ended,
    /// The other agent may write into the memory, as the owner's agent.
    MayWrite(WriteGrant),
    /// The other agent may not write any more.
    MayNotWrite,
}

impl SharingChange {
    /// The changes that make it up, in the order in which they are applied: what permits comes last, what ends comes first.
    fn parts(&self) -> Vec<(&AgentName, WantedChange)> {
        let Self { owner, other, becomes } = self;
        let shared = |share| (owner, WantedChange::Share(other.clone(), share));
        let source = |source| (other, WantedChange::Source(owner.clone(), source));
        let writer = |grant| (owner, WantedChange::Writer(other.clone(), grant));
        match becomes {
            SharingState::Shared(share, trusted) => vec![source(Some(*trusted)), shared(Some(share.clone()))],
            SharingState::Ended => vec![shared(None), source(None)],
            SharingState::MayWrite(grant) => vec![writer(Some(*grant))],
            SharingState::MayNotWrite => vec![writer(None)],
        }
    }

    /// The same with the addresses of its entities as the owner knows them.
    async fn resolved(&self, home: &Home) -> Result<Self> {
        let Self { owner, other, becomes } = self;
        if owner == other {
            let hint = "name two agents; `cairn agents` lists them";
            return Err(Invalid::new("an agent cannot share with itself", hint).into());
        }
        let opened = home.agent(owner, Missing::Refuse).await?;
        home.agent(other, Missing::Refuse).await?;
        let becomes = match becomes {
            SharingState::Shared(share, source) => {
                let mut entities = Vec::with_capacity(share.entities.len());
                for name in &share.entities {
                    entities.push(opened.hub(name, 1).await?.entity.slug);
                }
                SharingState::Shared(MemoryShare { entities, ..share.clone() }, *source)
            }
            other => other.clone(),
        };
        Ok(Self { owner: owner.clone(), other: other.clone(), becomes })
    }
}

/// Plans a change of what is shared; one plan for each ledger. Changes nothing.
pub async fn plan_sharing(home: &Home, change: &SharingChange) -> Result<Vec<ChangePlan>> {
    let change = change.resolved(home).await?;
    let mut plans = Vec::new();
    let mut unchanged = None;
    for (agent, wanted) in change.parts() {
        match plan(home, agent, &wanted).await {
            Ok(plan) => plans.push(plan),
            Err(error @ OperatorError::Unchanged(_)) => unchanged = Some(error),
            Err(error) => return Err(error),
        }
    }
    match unchanged {
        Some(error) if plans.is_empty() => Err(error),
        _ => Ok(plans),
    }
}

/// Changes what is shared, with a receipt in each ledger that changed.
pub async fn apply_sharing(
    grant: &Grant,
    home: &Home,
    change: &SharingChange,
    reason: &str,
) -> Result<Vec<AppliedChange>> {
    let change = change.resolved(home).await?;
    grant.require_all(Some(&[change.owner.clone(), change.other.clone()]))?;
    let mut applied = Vec::new();
    let mut unchanged = None;
    for (agent, wanted) in change.parts() {
        match apply(grant, home, agent, &wanted, reason).await {
            Ok(one) => applied.push(one),
            Err(error @ OperatorError::Unchanged(_)) => unchanged = Some(error),
            Err(error) => return Err(error),
        }
    }
    match unchanged {
        Some(error) if applied.is_empty() => Err(error),
        _ => Ok(applied),
    }
}

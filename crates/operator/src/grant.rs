//! The proof that every protected write asks for.

use crate::{
    error::{OperatorError, Result},
    operator_secret::OperatorSecret,
};
use cairn_domain::{AgentName, is_within};

/// Proof that an operator signed in, or has declared in advance what may be done.
#[derive(Debug, Clone)]
pub struct Grant {
    authority: String,
    origin: GrantOrigin,
    /// The agents it is for; all if none is named.
    agents: Option<Vec<AgentName>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum GrantOrigin {
    SignedIn(OperatorSecret),
    /// Nobody signed in: an operator has declared in advance what may be done.
    Declared,
}

impl Grant {
    pub(crate) fn signed_in(key_id: &str, secret: OperatorSecret, agents: Option<Vec<AgentName>>) -> Self {
        Self { authority: format!("operator:{key_id}"), origin: GrantOrigin::SignedIn(secret), agents }
    }

    /// For what an operator has declared about an agent in advance, with this receipt.
    pub(crate) fn declared(receipt: u64, agent: &AgentName) -> Self {
        let authority = format!("declared:{receipt}");
        Self { authority, origin: GrantOrigin::Declared, agents: Some(vec![agent.clone()]) }
    }

    /// The actor that receipts name.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    pub(crate) fn is_declared(&self) -> bool {
        self.origin == GrantOrigin::Declared
    }

    /// The operator's own key, to give on a part of this grant. A declaration gives on nothing.
    pub(crate) fn secret(&self) -> Result<&OperatorSecret> {
        match &self.origin {
            GrantOrigin::SignedIn(secret) => Ok(secret),
            GrantOrigin::Declared => Err(OperatorError::BeyondLimit),
        }
    }

    /// Whether it reaches all of these agents; `None` stands for every agent.
    pub(crate) fn covers(&self, agents: Option<&[AgentName]>) -> bool {
        is_within(agents, self.agents.as_deref())
    }

    /// Fails if it does not reach this agent.
    pub(crate) fn require(&self, agent: &AgentName) -> Result<()> {
        self.require_all(Some(std::slice::from_ref(agent)))
    }

    /// Fails if it does not reach all of these agents; `None` stands for every agent and the home.
    pub(crate) fn require_all(&self, agents: Option<&[AgentName]>) -> Result<()> {
        if self.covers(agents) { Ok(()) } else { Err(OperatorError::BeyondLimit) }
    }
}

//! Who is answered, and whether answering changes the memory.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
};
use cairn_domain::Ref;

/// Whether answering changes the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effects {
    /// Memories in the answer are strengthened and counted as shown, because the answer reaches somebody.
    Strengthen,
    /// Nothing changes: a question that only looks.
    None,
}

/// Who a record is shown to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// An agent: of beliefs it sees only those that the gate lets through.
    Agent,
    /// A person at the terminal, or an operator: they see everything.
    Operator,
}

impl Agent {
    /// Fails if a record is a belief that the gate withholds from this audience.
    pub(super) async fn check_audience(&self, reference: Ref, audience: Audience) -> Result<()> {
        match (reference, audience) {
            (Ref::Belief(id), Audience::Agent) => match self.trusted_belief(id).await? {
                Some(_) => Ok(()),
                None => Err(EngineError::Withheld(reference)),
            },
            (Ref::Belief(_), Audience::Operator)
            | (
                Ref::Memory(_) | Ref::Message(_) | Ref::Exchange(_) | Ref::Digest(_) | Ref::Attachment(_),
                _,
            ) => Ok(()),
        }
    }
}

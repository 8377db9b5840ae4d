//! Training approval: whether a shard of an agent's work may be exported for research. None is, unless an operator says so.

use crate::error::{OperatorError, Result};
use cairn_engine::{Agent, ShardId, TrainingDecision};

/// Refuses to decide about a shard that is not there, and to approve one that gives orders.
pub(crate) async fn check(agent: &Agent, id: &ShardId, decision: Option<TrainingDecision>) -> Result<()> {
    // A decision about what is gone can be taken back all the same.
    let Some(decision) = decision else { return Ok(()) };
    let shards = agent.research_shards(None).await?;
    let refused =
        |problem: String, hint: &str| Err(OperatorError::Refused { problem, hint: hint.to_owned() });
    match shards.iter().find(|shard| shard.id == *id) {
        None => refused(
            format!("there is no shard {id}"),
            "a session that went on is another shard; `cairn research list` lists them; nothing was changed",
        ),
        Some(shard) if shard.gives_orders && decision == TrainingDecision::Approved => refused(
            format!("words in {id} give orders to whoever reads them"),
            "it stays excluded; nothing was changed",
        ),
        Some(_) => Ok(()),
    }
}

/// A sentence on what a decision changes.
pub(crate) fn boundary(decision: Option<TrainingDecision>) -> String {
    match decision {
        Some(TrainingDecision::Approved) => {
            "from then on, `cairn research export` writes this shard as it is now, redacted: `cairn research show` shows it word for \
             word; what its session says later is another shard and is not approved"
        }
        Some(TrainingDecision::Excluded) => "from then on, this shard is never exported",
        None => "from then on, it is not approved, and nothing is exported of it",
    }
    .to_owned()
}

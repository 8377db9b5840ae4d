//! Room: index files are written together, vectors that nobody needs go, and a database of which much is empty is written
//! anew.

use crate::{
    agent::Agent,
    error::Result,
    rhythm::step_context::{StepContext, StepDecision},
};

/// A schedule rewrites the database only if at least this share of it is empty; a person who asks for it always gets
/// it.
const MIN_EMPTY_SHARE: f64 = 0.2;

/// Disk space before and after a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reclaimed {
    /// Bytes of the agent before.
    pub before: u64,
    /// Bytes of the agent after.
    pub after: u64,
}

impl Reclaimed {
    /// How many bytes there are less.
    pub fn bytes(self) -> u64 {
        self.before.saturating_sub(self.after)
    }
}

impl Agent {
    /// Writes indexes and database as small as they go.
    pub async fn reclaim(&self) -> Result<Reclaimed> {
        let before = self.stats().await?.disk_bytes;
        self.tend_indexes().await?;
        self.store.reclaim_space().await?;
        Ok(Reclaimed { before, after: self.stats().await?.disk_bytes })
    }

    /// Bytes that [`Self::reclaim`] would give back, at least.
    pub async fn unneeded_bytes(&self) -> Result<u64> {
        Ok(self.store.reclaimable_bytes().await?)
    }

    async fn tend_indexes(&self) -> Result<()> {
        self.drop_retired_vectors().await?;
        self.tend_index().await?;
        self.tend_vectors().await
    }
}

pub(crate) async fn decide(agent: &Agent, _: &StepContext<'_>) -> Result<StepDecision> {
    agent.tend_indexes().await?;
    let (unneeded, all) = (agent.unneeded_bytes().await?, agent.stats().await?.disk_bytes);
    if (unneeded as f64) < MIN_EMPTY_SHARE * all as f64 {
        return Ok(StepDecision::nothing(format!("{unneeded} of {all} bytes are not needed")));
    }
    let reclaimed = agent.reclaim().await?;
    Ok(StepDecision::nothing(format!("{} of {} bytes were given back", reclaimed.bytes(), reclaimed.before)))
}

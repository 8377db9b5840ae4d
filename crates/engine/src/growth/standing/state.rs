//! State: how each dimension stands now, with the row behind every move.

use crate::{Agent, Result};
use cairn_cognition::standing::moved_score;
use cairn_domain::{StandingDimension, StandingEvidence, StandingScore, StandingTrajectory};
use cairn_store::StandingDays;

/// Signs since the last weighed day that are counted at once.
const MAX_UNWEIGHED: u32 = 5_000;

/// How one dimension stands.
#[derive(Debug, Clone, PartialEq)]
pub struct DimensionStanding {
    /// The dimension.
    pub dimension: StandingDimension,
    /// The score of the last weighed day, with what was found since.
    pub score: f64,
    /// Where it was going when it was last weighed.
    pub trajectory: StandingTrajectory,
    /// Weighed days, the newest first.
    pub days: Vec<StandingScore>,
    /// Signs since then, the first one first.
    pub since: Vec<StandingEvidence>,
}

/// How the user stands.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingReport {
    /// Each dimension.
    pub dimensions: Vec<DimensionStanding>,
    /// The patterns that were found last, the last one first.
    pub trail: Vec<StandingEvidence>,
}

impl Agent {
    /// How the user stands: each dimension with its last `days` weighed days, and the last `trail` patterns.
    pub async fn standing(&self, days: u32, trail: u32) -> Result<StandingReport> {
        let report = self.store.read(|view| {
            let mut dimensions = Vec::new();
            for dimension in StandingDimension::ALL {
                let weighed = view.standing_scores(dimension, days)?;
                let last = weighed.first();
                let after = last.map(|score| score.day);
                let since =
                    view.standing_on(StandingDays { dimension, after, before: None }, MAX_UNWEIGHED)?;
                let change = since.iter().map(StandingEvidence::delta).sum();
                dimensions.push(DimensionStanding {
                    dimension,
                    score: moved_score(last.map(|score| score.score), change),
                    trajectory: last.map_or(StandingTrajectory::Steady, |score| score.trajectory),
                    days: weighed,
                    since,
                });
            }
            Ok(StandingReport { dimensions, trail: view.newest_standing(trail)? })
        });
        Ok(report.await?)
    }
}

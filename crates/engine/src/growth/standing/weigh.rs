//! Weigh: every finished day that has signs moves the score of its dimension once, as a whole.

use super::notice::SUBJECT;
use crate::rhythm::{StepContext, StepDecision};
use cairn_cognition::standing::{moved_score, trajectory, weighed_day};
use cairn_domain::{Day, StandingDimension, StandingEvidence, StandingScore};
use cairn_store::{Result, RhythmBatch, StandingDays, View};

/// Signs that are weighed at a time.
const MAX_SIGNS: u32 = 5_000;
/// Days that say where a score is going.
pub(super) const TRAJECTORY_DAYS: usize = 7;

pub(crate) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    if !context.standing.enabled {
        return Ok(StepDecision::nothing("standing is off"));
    }
    let mut batch = RhythmBatch::default();
    let mut is_full = false;
    for dimension in StandingDimension::ALL {
        let before = view.standing_scores(dimension, TRAJECTORY_DAYS as u32)?;
        let after = before.first().map(|score| score.day);
        let days = StandingDays { dimension, after, before: Some(context.now.day()) };
        let mut signs = view.standing_on(days, MAX_SIGNS)?;
        if signs.len() as u32 == MAX_SIGNS {
            // The last day may go on behind them; one day alone is weighed as far as it was read.
            let last = signs.last().map(|sign| sign.at.day());
            let whole = signs.iter().filter(|sign| Some(sign.at.day()) != last).count();
            signs.truncate(if whole == 0 { signs.len() } else { whole });
            is_full = true;
        }
        batch.looked_at += signs.len() as u32;
        batch.standing.extend(weighed_days(dimension, &before, &signs));
    }
    Ok(StepDecision { batch, next: is_full.then_some(context.place + 1) })
}

/// The scores of the days that these signs are of; `before` are those of earlier days, the newest first.
fn weighed_days(
    dimension: StandingDimension,
    before: &[StandingScore],
    signs: &[StandingEvidence],
) -> Vec<StandingScore> {
    let mut score = before.first().map(|score| score.score);
    let mut changes: Vec<f64> = before.iter().rev().map(|score| score.change).collect();
    let mut scores = Vec::new();
    for day_signs in signs.chunk_by(|a, b| a.at.day() == b.at.day()) {
        let (change, added) = weighed_day(day_signs);
        let moved = moved_score(score, change);
        changes.push(change);
        let last = &changes[changes.len().saturating_sub(TRAJECTORY_DAYS)..];
        let told: Vec<String> = added.iter().map(|(pattern, sum)| format!("{pattern} {sum:+.2}")).collect();
        let day: Day = day_signs[0].at.day();
        scores.push(StandingScore {
            subject: SUBJECT.to_owned(),
            dimension,
            day,
            score: moved,
            change,
            trajectory: trajectory(last),
            reason: told.join(", "),
        });
        score = Some(moved);
    }
    scores
}

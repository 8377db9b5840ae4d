//! Lets a language model, where there is one, weigh a finished day as a whole. It moves what the rules came to by a little at most,
//! and only by signs that are there; whatever it does, the rules stand.

use super::weigh::TRAJECTORY_DAYS;
use crate::agent::Agent;
use cairn_cognition::standing::{moved_score, trajectory};
use cairn_domain::{Privacy, StandingDimension, StandingEvidence, StandingScore};
use cairn_models::ModelRequest;
use cairn_store::{RhythmBatch, StandingDays, View};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const INSTRUCTIONS: &str = include_str!("../../../prompts/standing.txt");
/// A day of fewer signs says what it says.
const MIN_SIGNS: usize = 2;
/// Signs of a day that a model is shown.
const MAX_SIGNS: u32 = 40;
/// The change of a day that a model may name, and how far it may be from that of the rules.
const MAX_CHANGE: f64 = 0.5;
const MAX_DEPARTURE: f64 = 0.1;
/// The longest answer.
const MAX_ANSWER_TOKENS: u32 = 400;

/// A model's judgment of a day.
#[derive(Deserialize)]
struct DayJudgment {
    change: f64,
    rests_on: BTreeSet<usize>,
}

/// Lets a language model weigh some days of a batch, the newest first.
pub(crate) async fn judge_days(agent: &Agent, batch: &mut RhythmBatch, most_calls: u32) {
    // What somebody's standing rests on is personal.
    if batch.standing.is_empty() || !agent.language.may_see(Privacy::Personal) {
        return;
    }
    let mut order: Vec<usize> = (0..batch.standing.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(batch.standing[*at].day));
    let mut calls = 0;
    for at in order {
        if calls == most_calls {
            return;
        }
        let StandingScore { dimension, day, change, .. } = batch.standing[at].clone();
        let days = StandingDays { dimension, after: Some(day.previous()), before: Some(day.next()) };
        let Ok(signs) = agent.store.read(move |view| view.standing_on(days, MAX_SIGNS)).await else { return };
        if signs.len() < MIN_SIGNS {
            continue;
        }
        calls += 1;
        match judged(agent, dimension, change, &signs).await {
            Ok(becomes) => {
                move_day(&mut batch.standing, at, becomes);
                point_anew(agent, &mut batch.standing, dimension).await;
            }
            Err(why) if batch.note.is_empty() => {
                batch.note = format!("{dimension} on {day} stays as the rules weighed it: {why}");
            }
            Err(_) => {}
        }
    }
}

/// By how much a model moves a day, within what it may.
async fn judged(
    agent: &Agent,
    dimension: StandingDimension,
    rules: f64,
    signs: &[StandingEvidence],
) -> Result<f64, String> {
    let asked = agent.language.ask(&question(dimension, rules, signs), Privacy::Personal, agent.now()).await;
    let answer = asked.answer.map_err(|error| format!("no language model answered: {error}"))?;
    let judgment: DayJudgment = serde_json::from_value(answer.value)
        .map_err(|_| "a language model's judgment could not be read".to_owned())?;
    let is_there = |number: &usize| (1..=signs.len()).contains(number);
    if judgment.rests_on.is_empty() || !judgment.rests_on.iter().all(is_there) || !judgment.change.is_finite()
    {
        return Err("a language model's judgment rests on no sign that is there".to_owned());
    }
    Ok(judgment.change.clamp(rules - MAX_DEPARTURE, rules + MAX_DEPARTURE))
}

fn question(dimension: StandingDimension, rules: f64, signs: &[StandingEvidence]) -> ModelRequest {
    let sign = |(at, sign): (usize, &StandingEvidence)| json!({"number": at + 1, "pattern": sign.pattern, "direction": sign.direction, "words": sign.saw});
    let signs: Vec<Value> = signs.iter().enumerate().map(sign).collect();
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["change", "rests_on"],
        "properties": {
            "change": {"type": "number", "minimum": -MAX_CHANGE, "maximum": MAX_CHANGE},
            "rests_on": {"type": "array", "items": {"type": "integer"}, "maxItems": MAX_SIGNS},
        },
    });
    ModelRequest {
        instructions: INSTRUCTIONS.trim_end().to_owned(),
        content: json!({"dimension": dimension, "rules": rules, "signs": signs}).to_string(),
        schema,
        schema_name: "judgment",
        most_tokens: MAX_ANSWER_TOKENS,
        pictures: Vec::new(),
    }
}

/// Writes a day's change over that of the rules, says so, and moves the days after it along.
fn move_day(scores: &mut [StandingScore], at: usize, change: f64) {
    let (dimension, day) = (scores[at].dimension, scores[at].day);
    let by = change - scores[at].change;
    scores[at].change = change;
    scores[at].reason = format!("{}; as a whole {change:+.2}", scores[at].reason);
    for later in scores.iter_mut().filter(|score| score.dimension == dimension && score.day >= day) {
        later.score = moved_score(Some(later.score), by);
    }
}

/// Says anew where a score is going, day by day.
async fn point_anew(agent: &Agent, scores: &mut [StandingScore], dimension: StandingDimension) {
    let weighed = move |view: &mut View<'_>| view.standing_scores(dimension, TRAJECTORY_DAYS as u32);
    let Ok(before) = agent.store.read(weighed).await else { return };
    let mut changes: Vec<f64> = before.iter().rev().map(|score| score.change).collect();
    for score in scores.iter_mut().filter(|score| score.dimension == dimension) {
        changes.push(score.change);
        score.trajectory = trajectory(&changes[changes.len().saturating_sub(TRAJECTORY_DAYS)..]);
    }
}

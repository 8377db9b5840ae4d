//! Whether cognitive dynamics earns its place: a month of work in which the next turn can partly be foreseen, with a break on each
//! day of the last week. Told are how surprise at a break compares with what is usual, and whether the prediction gets better
//! week by week, beside a predictor that never learns.

use super::entropy_validity::area_under_curve;
use crate::{
    corpus::working_month::{MonthBreaks, WorkingMonth},
    harness::{clock::SettableClock, plain_home::plain_home, scratch::scratch_folder},
};
use cairn_domain::{AgentName, EntropySource, ExchangeId};
use cairn_engine::{EngineError, Home, Missing, ObservedTurn};
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc};

const WEEKS: usize = 4;
const MAX_TURNS: u32 = 1_000;

/// Figures of a month.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DynamicsFigures {
    /// Turns that were observed.
    pub turns: usize,
    /// Surprise at each break, as a multiple of the median of the ordinary turns of its week: learned and frozen.
    pub breaks: Vec<(f64, f64)>,
    /// Breaks that entropy names surprise for, and ordinary turns that it does so for, in the last week.
    pub named: (usize, usize),
    /// Ordinary turns of the last week.
    pub ordinary: usize,
    /// The chance that a break has a higher surprise than an ordinary turn of its week: learned and frozen.
    pub areas: (f64, f64),
    /// Mean squared error of each week of the same month without breaks: learned and frozen.
    pub losses: [(f64, f64); WEEKS],
}

/// Lives the month of a seed with and without breaks, in scratch agents beside those of `home`.
pub async fn run(seed: u64, home: &Home) -> Result<DynamicsFigures, EngineError> {
    let (broken, calm) =
        (live(seed, MonthBreaks::Daily, home).await?, live(seed, MonthBreaks::None, home).await?);
    Ok(DynamicsFigures::of(&broken, &calm))
}

/// A turn with what is known of it.
struct LivedTurn {
    week: usize,
    is_break: bool,
    is_named: bool,
    observed: ObservedTurn,
}

async fn live(seed: u64, breaks: MonthBreaks, home: &Home) -> Result<Vec<LivedTurn>, EngineError> {
    let folder = scratch_folder(home.path())?;
    let turns = WorkingMonth::new(seed, breaks).turns();
    let last = turns.iter().flat_map(|turn| &turn.drafts).filter_map(|draft| draft.at).max();
    let clock = Arc::new(SettableClock::at(last.map_or(0, |at| at.millis())));
    let growth = home.config().growth.clone();
    let scratch = plain_home(folder.path(), home, clock, growth)?;
    let name: AgentName = "eval".parse()?;
    let agent = scratch.agent(&name, Missing::Create).await?;
    let mut labels: HashMap<ExchangeId, (usize, bool)> = HashMap::new();
    for turn in turns {
        for kept in agent.remember_all(turn.drafts).await? {
            labels.insert(kept.exchange, (turn.week, turn.is_break));
        }
    }
    agent.form(&mut |_| {}).await?;
    let measured = agent.coherence(None, MAX_TURNS).await?;
    let named: Vec<ExchangeId> = measured
        .iter()
        .filter(|exchange| exchange.parts.iter().any(|part| part.source == EntropySource::Surprise))
        .map(|exchange| exchange.exchange)
        .collect();
    let report = agent.dynamics(MAX_TURNS).await?;
    let lived = |observed: ObservedTurn| {
        let (week, is_break) = labels.get(&observed.exchange).copied()?;
        Some(LivedTurn { week, is_break, is_named: named.contains(&observed.exchange), observed })
    };
    Ok(report.turns.into_iter().filter_map(lived).collect())
}

impl DynamicsFigures {
    fn of(month: &[LivedTurn], calm: &[LivedTurn]) -> Self {
        let learned = |turn: &LivedTurn| turn.observed.surprise_learned.unwrap_or_default();
        let frozen = |turn: &LivedTurn| turn.observed.surprise_frozen;
        let last: Vec<&LivedTurn> = month.iter().filter(|turn| turn.week + 1 == WEEKS).collect();
        let (broken, ordinary): (Vec<&LivedTurn>, Vec<&LivedTurn>) =
            last.iter().partition(|turn| turn.is_break);
        let usual = median(ordinary.iter().map(|turn| learned(turn)).collect());
        let usual_frozen = median(ordinary.iter().map(|turn| frozen(turn)).collect());
        let area = |of: &dyn Fn(&LivedTurn) -> f64| {
            let scores: Vec<(f64, bool)> = last.iter().map(|turn| (of(turn), turn.is_break)).collect();
            area_under_curve(&scores).unwrap_or_default()
        };
        let mut losses = [(0.0, 0.0); WEEKS];
        for (week, losses) in losses.iter_mut().enumerate() {
            let of_week = || calm.iter().filter(|turn| turn.week == week);
            *losses = (
                mean(&of_week().filter_map(|turn| turn.observed.loss).collect::<Vec<_>>()),
                mean(&of_week().map(|turn| frozen(turn).powi(2)).collect::<Vec<_>>()),
            );
        }
        let is_named = |turns: &[&LivedTurn]| turns.iter().filter(|turn| turn.is_named).count();
        Self {
            turns: month.len(),
            breaks: broken.iter().map(|turn| (learned(turn) / usual, frozen(turn) / usual_frozen)).collect(),
            named: (is_named(&broken), is_named(&ordinary)),
            ordinary: ordinary.len(),
            areas: (area(&learned), area(&frozen)),
            losses,
        }
    }

    /// The lowest multiple of the usual surprise at a break.
    pub fn lowest_break(&self) -> f64 {
        self.breaks.iter().map(|(learned, _)| *learned).fold(f64::INFINITY, f64::min)
    }

    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let multiples = |pick: fn(&(f64, f64)) -> f64| {
            let values: Vec<f64> = self.breaks.iter().map(pick).collect();
            let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
            format!("lowest {lowest:.2}, median {:.2}", median(values))
        };
        let (breaks, ordinary) = self.named;
        let mut rows = vec![
            ("turns".to_owned(), self.turns.to_string()),
            ("surprise at a break, in medians: learned".to_owned(), multiples(|it| it.0)),
            ("surprise at a break, in medians: frozen".to_owned(), multiples(|it| it.1)),
            (
                "AUC of breaks, learned and frozen".to_owned(),
                format!("{:.3} and {:.3}", self.areas.0, self.areas.1),
            ),
            ("breaks named in entropy".to_owned(), format!("{breaks} of {}", self.breaks.len())),
            ("ordinary turns named in entropy".to_owned(), format!("{ordinary} of {}", self.ordinary)),
        ];
        rows.extend(self.losses.iter().enumerate().map(|(week, (learned, frozen))| {
            (format!("week {}: loss learned and frozen", week + 1), format!("{learned:.3} and {frozen:.3}"))
        }));
        rows
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let losses: Vec<Value> = self
            .losses
            .iter()
            .map(|(learned, frozen)| json!({"learned": learned, "frozen": frozen}))
            .collect();
        let breaks: Vec<Value> = self
            .breaks
            .iter()
            .map(|(learned, frozen)| json!({"learned": learned, "frozen": frozen}))
            .collect();
        json!({"question": "dynamics", "turns": self.turns, "breaks": breaks, "lowest_break": self.lowest_break(),
            "auc": {"learned": self.areas.0, "frozen": self.areas.1},
            "named": {"breaks": self.named.0, "ordinary": self.named.1}, "ordinary": self.ordinary, "weeks": losses})
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

//! The cost of growth at the end of an exchange: entropy, standing and dynamics of each message while it is formed, and the line of
//! a turn that is over. A month of work is lived message by message, as a server would.

use crate::{
    corpus::working_month::{MonthBreaks, WorkingMonth},
    harness::{
        clock::SettableClock, percentiles::Percentiles, plain_home::plain_home, recorder::TimesRecorder,
        scratch::scratch_folder,
    },
};
use cairn_domain::AgentName;
use cairn_engine::{EngineError, Home, Missing};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// The most that growth may take at the end of an exchange.
const BUDGET: Duration = Duration::from_millis(5);
/// Turns before times are taken: by then turns are learned from.
const WARM_UP_TURNS: usize = 60;
/// The parts, each with the figure that tells its time.
const PARTS: [(&str, &str); 5] = [
    ("a message, in all", "cairn_growth_seconds/message"),
    ("entropy", "cairn_coherence_seconds"),
    ("standing", "cairn_standing_seconds"),
    ("dynamics", "cairn_dynamics_seconds/observe"),
    ("the line of a turn", "cairn_dynamics_seconds/log"),
];

/// The times of each part.
#[derive(Default)]
pub struct GrowthCost {
    parts: Vec<(&'static str, usize, Percentiles)>,
    exchanges: Percentiles,
    over_budget: usize,
    turns: usize,
}

/// Lives `turns` turns of a month in a scratch agent beside those of `home`. None if this process records times already.
pub async fn run(seed: u64, turns: usize, home: &Home) -> Result<Option<GrowthCost>, EngineError> {
    let Some(recorder) = TimesRecorder::install() else { return Ok(None) };
    let folder = scratch_folder(home.path())?;
    let month: Vec<_> =
        WorkingMonth::new(seed, MonthBreaks::None).turns().into_iter().take(WARM_UP_TURNS + turns).collect();
    let last = month.iter().flat_map(|turn| &turn.drafts).filter_map(|draft| draft.at).max();
    let clock = Arc::new(SettableClock::at(last.map_or(0, |at| at.millis())));
    let scratch = plain_home(folder.path(), home, clock, home.config().growth.clone())?;
    let name: AgentName = "eval".parse()?;
    let agent = scratch.agent(&name, Missing::Create).await?;
    let (mut of_exchanges, mut all) = (Vec::new(), vec![Vec::new(); PARTS.len()]);
    for (place, turn) in month.into_iter().enumerate() {
        recorder.clear();
        for draft in turn.drafts {
            let kept = agent.remember(draft).await?;
            agent.form_message(kept.message).await?;
        }
        if place < WARM_UP_TURNS {
            continue;
        }
        for (times, (_, figure)) in all.iter_mut().zip(PARTS) {
            times.extend(recorder.times(figure));
        }
        // The last message ends the exchange; what came before it was measured when it came.
        let ending = recorder.times(PARTS[0].1).last().copied().unwrap_or_default();
        of_exchanges.push(ending + recorder.times(PARTS[4].1).iter().sum::<Duration>());
    }
    Ok(Some(GrowthCost {
        turns: of_exchanges.len(),
        over_budget: of_exchanges.iter().filter(|took| **took > BUDGET).count(),
        exchanges: Percentiles::of(of_exchanges),
        parts: PARTS
            .into_iter()
            .zip(all)
            .map(|((part, _), times)| (part, times.len(), Percentiles::of(times)))
            .collect(),
    }))
}

impl GrowthCost {
    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let mut rows = vec![
            ("the end of an exchange".to_owned(), self.exchanges.show()),
            (
                format!("exchanges over {} ms", BUDGET.as_millis()),
                format!("{} of {}", self.over_budget, self.turns),
            ),
        ];
        rows.extend(
            self.parts.iter().map(|(part, times, took)| (format!("  {part} ({times}×)"), took.show())),
        );
        rows
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let part = |(part, times, took): &(&str, usize, Percentiles)| json!({"part": part, "times": times, "took": took.to_json()});
        json!({"question": "cost", "budget_ms": BUDGET.as_millis() as u64, "exchanges": self.turns,
            "over_budget": self.over_budget, "end_of_exchange": self.exchanges.to_json(),
            "parts": self.parts.iter().map(part).collect::<Vec<_>>()})
    }
}

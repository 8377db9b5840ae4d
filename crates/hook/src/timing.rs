//! How long hooks take, against what they may take. The last few hundred of each event are known.

use crate::{Event, state::folder};
use std::{fs, io::Write, path::Path, time::Duration};

const FILE: &str = "timings";
/// A file that has grown longer than this is cut in half.
const BYTES: u64 = 64 << 10;

/// How long the hooks of one event took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// Which.
    pub event: Event,
    /// How many are known.
    pub count: usize,
    /// Half took less.
    pub p50_ms: f64,
    /// All but one in twenty took less.
    pub p95_ms: f64,
    /// The slowest.
    pub max_ms: f64,
    /// Their time budget.
    pub budget_ms: f64,
}

/// Notes how long a hook of the agent in this folder took. A line that is lost costs nothing.
pub fn note(agent: &Path, event: Event, took: Duration) {
    let path = folder(agent).join(FILE);
    let line = format!("{event} {:.2}\n", took.as_secs_f64() * 1e3);
    let add = || -> std::io::Result<()> {
        if path.metadata().is_ok_and(|it| it.len() > BYTES) {
            let text = fs::read_to_string(&path)?;
            let half = text[text.len() / 2..].split_once('\n').map_or("", |(_, rest)| rest);
            fs::write(&path, half)?;
        }
        fs::OpenOptions::new().create(true).append(true).open(&path)?.write_all(line.as_bytes())
    };
    let _ = add();
}

/// How long hooks of the agent in this folder took lately, one figure for each event that happened.
pub fn timings(agent: &Path) -> Vec<Timing> {
    let text = fs::read_to_string(folder(agent).join(FILE)).unwrap_or_default();
    let timing = |event: Event| {
        let of_event = |line: &str| {
            let (name, took) = line.split_once(' ')?;
            if name == event.as_str() { took.parse::<f64>().ok() } else { None }
        };
        let mut all: Vec<f64> = text.lines().filter_map(of_event).collect();
        all.sort_by(f64::total_cmp);
        let at =
            |share: f64| all.get(((all.len() as f64 * share).ceil() as usize).saturating_sub(1)).copied();
        let (p50_ms, p95_ms, max_ms) = (at(0.5)?, at(0.95)?, *all.last()?);
        let budget_ms = event.budget().as_secs_f64() * 1e3;
        Some(Timing { event, count: all.len(), p50_ms, p95_ms, max_ms, budget_ms })
    };
    Event::ALL.into_iter().filter_map(timing).collect()
}

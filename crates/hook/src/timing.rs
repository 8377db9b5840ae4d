//! How long hooks, and the sections that they show, take against what they may take. The last few hundred of each are known.

use crate::{Event, state::folder};
use cairn_engine::SectionReport;
use std::{collections::BTreeMap, fs, io::Write, path::Path, time::Duration};

const FILE: &str = "timings";
/// A file that has grown longer than this is cut in half.
const MAX_BYTES: u64 = 256 << 10;
/// Stands before the name of a section.
const SECTION: &str = "section/";

/// How long the hooks of one event took, or one section of what they show.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// The event, or the section.
    pub name: String,
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
    add_lines(agent, &line(event.as_str(), took));
}

/// Notes how long the sections of a context took.
pub(crate) fn note_sections(agent: &Path, sections: &[SectionReport]) {
    let lines = sections.iter().map(|it| line(&format!("{SECTION}{}", it.name.replace(' ', "-")), it.took));
    add_lines(agent, &lines.collect::<String>());
}

fn line(name: &str, took: Duration) -> String {
    format!("{name} {:.2}\n", took.as_secs_f64() * 1e3)
}

fn add_lines(agent: &Path, lines: &str) {
    let path = folder(agent).join(FILE);
    let add = || -> std::io::Result<()> {
        if path.metadata().is_ok_and(|it| it.len() > MAX_BYTES) {
            let text = fs::read_to_string(&path)?;
            let half = text[text.len() / 2..].split_once('\n').map_or("", |(_, rest)| rest);
            fs::write(&path, half)?;
        }
        fs::OpenOptions::new().create(true).append(true).open(&path)?.write_all(lines.as_bytes())
    };
    let _ = add();
}

/// How long hooks of the agent in this folder took lately, one figure for each event that happened.
pub fn timings(agent: &Path) -> Vec<Timing> {
    let mut known = read(agent);
    let timing = |event: Event| timing(event.as_str(), known.remove(event.as_str())?, event.budget());
    Event::ALL.into_iter().filter_map(timing).collect()
}

/// The same of each section that a hook has shown, or had to look for: somebody waits for all of them together.
pub fn section_timings(agent: &Path) -> Vec<Timing> {
    let budget = Event::UserPromptSubmit.budget();
    let sections = read(agent).into_iter();
    sections.filter_map(|(name, all)| timing(name.strip_prefix(SECTION)?, all, budget)).collect()
}

/// Everything that was noted, by name.
fn read(agent: &Path) -> BTreeMap<String, Vec<f64>> {
    let text = fs::read_to_string(folder(agent).join(FILE)).unwrap_or_default();
    let mut known: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (name, took) in text.lines().filter_map(|line| line.split_once(' ')) {
        if let Ok(took) = took.parse::<f64>() {
            known.entry(name.to_owned()).or_default().push(took);
        }
    }
    known
}

fn timing(name: &str, mut all: Vec<f64>, budget: Duration) -> Option<Timing> {
    all.sort_by(f64::total_cmp);
    let at = |share: f64| all.get(((all.len() as f64 * share).ceil() as usize).saturating_sub(1)).copied();
    let (p50_ms, p95_ms, max_ms) = (at(0.5)?, at(0.95)?, *all.last()?);
    let budget_ms = budget.as_secs_f64() * 1e3;
    Some(Timing { name: name.to_owned(), count: all.len(), p50_ms, p95_ms, max_ms, budget_ms })
}

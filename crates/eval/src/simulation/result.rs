//! The result of a simulated life.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Bins of the retention histogram.
pub(crate) const RETENTION_BINS: usize = 20;

/// How memories stood on a day.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// The day, from 1 on.
    pub day: u32,
    /// Memories by how they are kept: working, episodic, semantic, dormant, superseded or deprecated.
    pub kept: [u64; 5],
    /// The mean retention, stability in days and utility of active memories.
    pub means: [f64; 3],
    /// Changes by rhythms since the last sample.
    pub changed: u64,
    /// Memories that went dormant, expired or became part of a theme since the last sample.
    pub let_go: u64,
}

/// Facts that were used at least three times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OftenUsedFacts {
    /// How many.
    pub facts: usize,
    /// How many of them stand as memories.
    pub standing: usize,
    /// How many are found among the first ten.
    pub found: usize,
}

/// Facts that were replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplacedFacts {
    /// How many.
    pub facts: usize,
    /// How many still stand as memories.
    pub standing: usize,
    /// How many are given as if they held.
    pub given: usize,
}

/// The record of a simulated life.
pub struct SimulatedLife {
    /// How memories stood, in the order of days.
    pub samples: Vec<Sample>,
    /// Active memories by retention, from 0 to 1.
    pub histogram: [u64; RETENTION_BINS],
    /// Messages said.
    pub messages: u64,
    /// How long it took.
    pub seconds: f64,
    /// Facts that hold and were used at least three times: how many, how many of them stand as memories, and how many are
    /// found among the first ten when they are asked for.
    pub often: OftenUsedFacts,
    /// Facts that were replaced, how many of their old values stand as memories as if they held, and how many are given as
    /// if they held when the fact is asked for.
    pub replaced: ReplacedFacts,
    /// Invariants that were violated; empty if all is well.
    pub broken: Vec<String>,
    /// How long a night took on average and how long the answers to the last questions did, in milliseconds.
    pub took_ms: (f64, f64),
    /// Active memories with a retention of at least 0.95, and below 0.05.
    pub extremes: (f64, f64),
    /// The number of changes by each step of the rhythms, over the whole life.
    pub steps: BTreeMap<String, u64>,
}

impl SimulatedLife {
    pub(crate) fn new() -> Self {
        Self {
            samples: Vec::new(),
            histogram: [0; RETENTION_BINS],
            messages: 0,
            seconds: 0.0,
            often: OftenUsedFacts::default(),
            replaced: ReplacedFacts::default(),
            broken: Vec::new(),
            took_ms: (0.0, 0.0),
            extremes: (0.0, 0.0),
            steps: BTreeMap::new(),
        }
    }

    /// For people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let last = self.samples.last().cloned().unwrap_or_default();
        let [working, episodic, semantic, dormant, over] = last.kept;
        let of = |some: usize, all: usize| {
            format!("{some} of {all} ({:.1} %)", 100.0 * some as f64 / all.max(1) as f64)
        };
        let (often, replaced) = (self.often, self.replaced);
        vec![
            ("messages".to_owned(), self.messages.to_string()),
            ("active memories".to_owned(), (working + episodic + semantic).to_string()),
            ("knowledge among them".to_owned(), semantic.to_string()),
            ("dormant".to_owned(), dormant.to_string()),
            ("replaced or deprecated".to_owned(), over.to_string()),
            ("active with retention ≥ 0.95".to_owned(), format!("{:.1} %", 100.0 * self.extremes.0)),
            ("active with retention < 0.05".to_owned(), format!("{:.1} %", 100.0 * self.extremes.1)),
            ("used three times and standing".to_owned(), of(often.standing, often.facts)),
            ("used three times and found in the first ten".to_owned(), of(often.found, often.facts)),
            ("replaced and standing".to_owned(), of(replaced.standing, replaced.facts)),
            ("replaced and given as if it held".to_owned(), of(replaced.given, replaced.facts)),
            ("a question took".to_owned(), format!("{:.1} ms", self.took_ms.1)),
            ("a night took".to_owned(), format!("{:.0} ms", self.took_ms.0)),
            ("invariants broken".to_owned(), self.broken.len().to_string()),
            ("took".to_owned(), format!("{:.1} s", self.seconds)),
        ]
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let sample = |sample: &Sample| {
            json!({"day": sample.day, "kept": sample.kept, "means": sample.means, "changed": sample.changed,
                   "let_go": sample.let_go})
        };
        json!({"messages": self.messages, "seconds": self.seconds, "histogram": self.histogram,
               "retention_top": self.extremes.0, "retention_bottom": self.extremes.1,
               "often": {"facts": self.often.facts, "standing": self.often.standing, "found": self.often.found},
               "replaced": {"facts": self.replaced.facts, "standing": self.replaced.standing,
                            "given": self.replaced.given},
               "night_ms": self.took_ms.0, "question_ms": self.took_ms.1, "broken": self.broken, "steps": self.steps,
               "samples": self.samples.iter().map(sample).collect::<Value>()})
    }
}

//! Whether friction is found that was planted in made-up transcripts, and nothing is found where none was: ten kinds, in
//! transcripts of ordinary work with a slip each, through the same handle that `cairn evolution` asks.

pub use crate::corpus::planted_friction::FrictionHalf;

use crate::{
    corpus::planted_friction::{Phrases, transcript},
    harness::{clock::StoppedClock, scratch::scratch_folder},
};
use cairn_domain::AgentName;
use cairn_engine::{EngineError, FrictionKind, Home, Missing};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// Transcripts of each kind, and clean ones.
const PLANTED_OF_EACH: usize = 4;
const CLEAN: usize = 10;

/// The counts of one half.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrictionFigures {
    /// Which half of the phrases.
    pub half: FrictionHalf,
    /// For each kind: transcripts with it, and those in which it was found.
    pub kinds: Vec<(FrictionKind, usize, usize)>,
    /// Friction of another kind than the planted one.
    pub beside: usize,
    /// Clean transcripts, and those in which something was found.
    pub clean: (usize, usize),
    /// Transcripts in which something else was found, one line each.
    pub wrong: Vec<String>,
}

/// The figures of both halves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrictionReport {
    /// One for each half.
    pub halves: Vec<FrictionFigures>,
}

/// Plants, takes in and asks, in a scratch agent beside those of `home`.
pub async fn run(
    seed: u64,
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<FrictionReport, EngineError> {
    let mut halves = Vec::new();
    for half in [FrictionHalf::Dev, FrictionHalf::Held] {
        on_stage(half.as_str());
        halves.push(figures(seed, half, home).await?);
    }
    Ok(FrictionReport { halves })
}

async fn figures(seed: u64, half: FrictionHalf, home: &Home) -> Result<FrictionFigures, EngineError> {
    let folder = scratch_folder(home.path())?;
    let scratch = home.elsewhere(folder.path(), Arc::new(StoppedClock))?;
    let name: AgentName = "eval".parse()?;
    let (phrases, mut random) = (Phrases::of(half), fastrand::Rng::with_seed(seed));
    let mut found: BTreeMap<Option<FrictionKind>, Vec<Vec<FrictionKind>>> = BTreeMap::new();
    let mut wrong = Vec::new();
    let clean = std::iter::repeat_n(None, CLEAN);
    let planted =
        FrictionKind::ALL.into_iter().flat_map(|kind| std::iter::repeat_n(Some(kind), PLANTED_OF_EACH));
    let agent = scratch.agent(&name, Missing::Create).await?;
    for (number, kind) in planted.chain(clean).enumerate() {
        let thread = format!("project-{number}");
        let word = kind.map(FrictionKind::as_str);
        agent.ingest_drafts(transcript(&phrases, &mut random, (thread.clone(), word))).await?;
        let report = agent.evolution(Some(&thread)).await?;
        let frictions: Vec<_> = report.projects.iter().flat_map(|project| &project.frictions).collect();
        let kinds: Vec<FrictionKind> = frictions.iter().map(|friction| friction.kind).collect();
        if kinds != kind.into_iter().collect::<Vec<_>>() {
            let told =
                frictions.iter().map(|one| format!("{} {} {}", one.kind.as_str(), one.subject, one.line));
            wrong.push(format!("{}: {:?}", word.unwrap_or("clean"), told.collect::<Vec<_>>()));
        }
        found.entry(kind).or_default().push(kinds);
    }
    let of = |kind| found.get(&kind).map_or(&[][..], Vec::as_slice);
    let count = |kind: FrictionKind| {
        let hits = of(Some(kind)).iter().filter(|kinds| kinds.contains(&kind)).count();
        (kind, of(Some(kind)).len(), hits)
    };
    let others = FrictionKind::ALL
        .into_iter()
        .flat_map(|kind| of(Some(kind)).iter().flatten().filter(move |found| **found != kind));
    Ok(FrictionFigures {
        half,
        beside: others.count(),
        kinds: FrictionKind::ALL.into_iter().map(count).collect(),
        clean: (CLEAN, of(None).iter().filter(|kinds| !kinds.is_empty()).count()),
        wrong,
    })
}

impl FrictionFigures {
    /// Transcripts with friction, and those in which it was found.
    pub fn planted(&self) -> (usize, usize) {
        self.kinds.iter().fold((0, 0), |(all, found), (_, of, hits)| (all + of, found + hits))
    }

    fn rows(&self) -> Vec<(String, String)> {
        let (half, (all, found)) = (self.half.as_str(), self.planted());
        let mut rows = vec![
            (format!("{half}: planted friction found"), format!("{found} of {all}")),
            (format!("{half}: of another kind beside it"), self.beside.to_string()),
            (
                format!("{half}: clean transcripts with friction"),
                format!("{} of {}", self.clean.1, self.clean.0),
            ),
        ];
        rows.extend(
            self.kinds
                .iter()
                .map(|(kind, of, hits)| (format!("  {}", kind.as_str()), format!("{hits} of {of}"))),
        );
        rows.extend(self.wrong.iter().map(|line| ("  wrong".to_owned(), line.clone())));
        rows
    }
}

impl FrictionReport {
    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        self.halves.iter().flat_map(FrictionFigures::rows).collect()
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let of_half = |figures: &FrictionFigures| {
            let (planted, found) = figures.planted();
            let kinds: Vec<Value> = figures
                .kinds
                .iter()
                .map(|(kind, of, hits)| json!({"kind": kind.as_str(), "planted": of, "found": hits}))
                .collect();
            json!({"half": figures.half.as_str(), "planted": planted, "found": found, "beside": figures.beside,
                "clean": figures.clean.0, "clean_with_friction": figures.clean.1, "kinds": kinds, "wrong": figures.wrong})
        };
        let halves: Vec<Value> = self.halves.iter().map(of_half).collect();
        json!({"question": "friction", "halves": halves})
    }
}

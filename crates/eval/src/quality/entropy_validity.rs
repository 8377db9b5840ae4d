//! Whether entropy finds the moments that a careful reader marked: the area under the curve of each exchange's entropy against
//! the label, beside the same of its length and of chance. Each conversation becomes a fresh agent.

use crate::{
    corpus::labeled::KeepLine,
    harness::{clock::SettableClock, scratch::scratch_folder},
};
use cairn_domain::{AgentName, EntropySource, ExchangeId};
use cairn_engine::{EngineError, Home, Missing};
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// The label of a message that must not be lost.
const MUST_NOT_BE_LOST: u8 = 2;
/// Exchanges of a conversation that are looked at.
const MAX_EXCHANGES: u32 = 100_000;
/// The area under the curve of a coin.
pub const CHANCE: f64 = 0.5;

/// One exchange with what was measured of it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LabeledExchange {
    keep: u8,
    chars: usize,
    entropy: f64,
}

/// The exchanges of a set.
#[derive(Debug, Default)]
pub struct EntropyFigures {
    exchanges: Vec<LabeledExchange>,
    sources: BTreeMap<EntropySource, usize>,
}

/// Figures, set by set and over all.
#[derive(Debug, Default)]
pub struct EntropyReport {
    sets: BTreeMap<String, EntropyFigures>,
}

/// Measures every exchange in scratch agents beside those of `home`.
///
/// # Errors
/// If an agent cannot be made or told.
pub async fn run(
    cases: &[KeepLine],
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<EntropyReport, EngineError> {
    let mut conversations: BTreeMap<(&str, &str), Vec<&KeepLine>> = BTreeMap::new();
    for case in cases {
        conversations.entry((&case.set, &case.conversation)).or_default().push(case);
    }
    let (mut report, all) = (EntropyReport::default(), conversations.len());
    for (at, ((set, _), cases)) in conversations.into_iter().enumerate() {
        on_stage(&format!("conversation {} of {all}", at + 1));
        let measured = measure_conversation(&cases, home).await?;
        for name in [set, "all"] {
            let figures = report.sets.entry(name.to_owned()).or_default();
            figures.exchanges.extend(&measured.exchanges);
            for (source, times) in &measured.sources {
                *figures.sources.entry(*source).or_default() += times;
            }
        }
    }
    Ok(report)
}

async fn measure_conversation(cases: &[&KeepLine], home: &Home) -> Result<EntropyFigures, EngineError> {
    let folder = scratch_folder(home.path())?;
    let last = cases.iter().map(|case| case.message.at.millis()).max().unwrap_or_default();
    let scratch = home.elsewhere(folder.path(), Arc::new(SettableClock::at(last)))?;
    let name: AgentName = "eval".parse()?;
    let agent = scratch.agent(&name, Missing::Create).await?;
    let mut labels: HashMap<ExchangeId, LabeledExchange> = HashMap::new();
    for case in cases {
        let kept = agent.remember(case.message.draft(case.id.clone())).await?;
        let labeled =
            labels.entry(kept.exchange).or_insert(LabeledExchange { keep: 0, chars: 0, entropy: 0.0 });
        labeled.keep = labeled.keep.max(case.keep);
        labeled.chars += case.message.text.chars().count();
    }
    agent.form(&mut |_| {}).await?;
    let mut figures = EntropyFigures::default();
    for measured in agent.coherence(None, MAX_EXCHANGES).await? {
        let mut sources: Vec<EntropySource> = measured.parts.iter().map(|part| part.source).collect();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            *figures.sources.entry(source).or_default() += 1;
        }
        if let Some(labeled) = labels.get_mut(&measured.exchange) {
            labeled.entropy = measured.entropy;
        }
    }
    figures.exchanges = labels.into_values().collect();
    Ok(figures)
}

/// The area under the curve: the chance that a marked one scores higher than one that is not, ties counted half.
///
/// AUC = Σ over pairs ((a > b) + ½·(a = b)) / (marked · others); none if either is empty
pub fn area_under_curve(scored: &[(f64, bool)]) -> Option<f64> {
    let (marked, others): (Vec<_>, Vec<_>) = scored.iter().partition(|(_, is_marked)| *is_marked);
    if marked.is_empty() || others.is_empty() {
        return None;
    }
    let wins = |(score, _): &(f64, bool)| -> f64 {
        let beats = |(other, _): &&(f64, bool)| match score.total_cmp(other) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        others.iter().map(|other| beats(&other)).sum()
    };
    let won: f64 = marked.iter().map(wins).sum();
    Some(won / (marked.len() * others.len()) as f64)
}

impl EntropyFigures {
    fn area(&self, score: impl Fn(&LabeledExchange) -> f64, least: u8) -> Option<f64> {
        let scored: Vec<(f64, bool)> =
            self.exchanges.iter().map(|it| (score(it), it.keep >= least)).collect();
        area_under_curve(&scored)
    }

    /// The area under the curve of entropy for exchanges that must not be lost.
    pub fn entropy_area(&self) -> Option<f64> {
        self.area(|it| it.entropy, MUST_NOT_BE_LOST)
    }

    /// The same of the length in characters.
    pub fn length_area(&self) -> Option<f64> {
        self.area(|it| it.chars as f64, MUST_NOT_BE_LOST)
    }

    fn marked(&self) -> usize {
        self.exchanges.iter().filter(|it| it.keep >= MUST_NOT_BE_LOST).count()
    }
}

impl EntropyReport {
    /// Figures of a set.
    pub fn set(&self, name: &str) -> Option<&EntropyFigures> {
        self.sets.get(name)
    }

    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let shown = |area: Option<f64>| area.map_or("–".to_owned(), |area| format!("{area:.3}"));
        let rows = |(set, figures): (&String, &EntropyFigures)| {
            let areas = [
                ("exchanges", figures.exchanges.len().to_string()),
                ("must not be lost", figures.marked().to_string()),
                ("AUC of entropy", shown(figures.entropy_area())),
                ("AUC of length", shown(figures.length_area())),
                ("AUC of chance", shown(Some(CHANCE))),
                ("useful or more: AUC of entropy", shown(figures.area(|it| it.entropy, 1))),
                ("useful or more: AUC of length", shown(figures.area(|it| it.chars as f64, 1))),
            ];
            areas.map(|(name, value)| (format!("{set}: {name}"), value))
        };
        let mut all: Vec<(String, String)> = self.sets.iter().flat_map(rows).collect();
        let sources = self.sets.get("all").map(|figures| &figures.sources);
        all.extend(
            sources
                .into_iter()
                .flatten()
                .map(|(source, times)| (format!("with {source}"), times.to_string())),
        );
        all
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let set = |(name, figures): (&String, &EntropyFigures)| {
            let sources: Map<String, Value> =
                figures.sources.iter().map(|(source, times)| (source.to_string(), json!(times))).collect();
            let told = json!({
                "exchanges": figures.exchanges.len(),
                "must_not_be_lost": figures.marked(),
                "auc": {"entropy": figures.entropy_area(), "length": figures.length_area(), "chance": CHANCE},
                "auc_useful": {
                    "entropy": figures.area(|it| it.entropy, 1),
                    "length": figures.area(|it| it.chars as f64, 1),
                },
                "sources": sources,
            });
            (name.clone(), told)
        };
        json!({"question": "entropy", "sets": self.sets.iter().map(set).collect::<Map<String, Value>>()})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_that_of_pairs_in_the_right_order() {
        let scored = |scores: &[(f64, bool)]| area_under_curve(scores);
        assert_eq!(scored(&[(0.9, true), (0.1, false)]), Some(1.0));
        assert_eq!(scored(&[(0.1, true), (0.9, false)]), Some(0.0));
        assert_eq!(scored(&[(0.5, true), (0.5, false)]), Some(0.5));
        assert_eq!(scored(&[(0.5, true), (0.4, false), (0.6, false), (0.1, false)]), Some(2.0 / 3.0));
        assert_eq!(scored(&[(0.5, true)]), None);
    }
}

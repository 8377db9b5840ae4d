//! Questions about growth that need people or real models: what to collect, and the figures of what was collected. A line of JSON an
//! answer; nothing is asked of anybody here.

use cairn_cognition::keywords::query_terms;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Shuffles of a permutation test.
const SHUFFLES: usize = 2_000;
/// Words in which somebody speaks of himself, in English and Turkish.
const SELF_WORDS: [&str; 16] = [
    "i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself", "we", "our", "ben", "benim", "bana",
    "beni", "kendim",
];

/// An answer of a model to the same probe under one of two framings.
#[derive(Debug, Clone, Deserialize)]
pub struct FramingLine {
    /// The framing of the context: `first_person` or `system`.
    pub framing: String,
    /// The model.
    pub model: String,
    /// Whether the probe was the first thing said.
    #[serde(default)]
    pub cold: bool,
    /// The answer.
    pub answer: String,
}

/// An answer of a model to a probe, given the same memory.
#[derive(Debug, Clone, Deserialize)]
pub struct SwapLine {
    /// The probe.
    pub probe: String,
    /// The model.
    pub model: String,
    /// The answer; several of one model to the same probe show how much it varies by itself.
    pub answer: String,
}

/// A decision of a person about a proposal.
#[derive(Debug, Clone, Deserialize)]
pub struct GateLine {
    /// `accept`, `reject`, `defer` or `expired`.
    pub verdict: String,
    /// Seconds that it took to decide.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// Whether the same person, asked a month later, would decide otherwise.
    #[serde(default)]
    pub regretted: Option<bool>,
    /// How far the agent is trusted afterwards, from 1 to 5.
    #[serde(default)]
    pub trust: Option<f64>,
}

/// The share of an answer's words in which its author speaks of himself.
pub fn self_reference(answer: &str) -> f64 {
    let words: Vec<String> = answer
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’'))
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect();
    let own = words.iter().filter(|word| SELF_WORDS.contains(&word.as_str())).count();
    own as f64 / words.len().max(1) as f64
}

/// Self-reference under each framing, for each model, at the first turn and later, with how likely a difference as large would be
/// by chance.
pub fn framing_figures(lines: &[FramingLine], seed: u64) -> Value {
    let mut groups: BTreeMap<(String, bool), Vec<(bool, f64)>> = BTreeMap::new();
    for line in lines {
        let of_line = (line.framing == "first_person", self_reference(&line.answer));
        groups.entry((line.model.clone(), line.cold)).or_default().push(of_line);
    }
    let figures = groups.into_iter().map(|((model, cold), answers)| {
        let (first, system) = means(&answers);
        json!({"model": model, "cold": cold, "answers": answers.len(), "first_person": first, "system": system,
            "difference": first - system, "by_chance": by_chance(&answers, seed)})
    });
    json!({"question": "framing", "groups": figures.collect::<Vec<_>>()})
}

/// The mean of those that are marked, and of the others.
fn means(answers: &[(bool, f64)]) -> (f64, f64) {
    let mean = |wanted: bool| {
        let of: Vec<f64> =
            answers.iter().filter(|(marked, _)| *marked == wanted).map(|(_, value)| *value).collect();
        of.iter().sum::<f64>() / of.len().max(1) as f64
    };
    (mean(true), mean(false))
}

/// The share of shuffles in which the difference is at least as large.
fn by_chance(answers: &[(bool, f64)], seed: u64) -> f64 {
    let difference = |answers: &[(bool, f64)]| {
        let (one, other) = means(answers);
        (one - other).abs()
    };
    let (actual, mut random) = (difference(answers), fastrand::Rng::with_seed(seed));
    let mut marks: Vec<bool> = answers.iter().map(|(marked, _)| *marked).collect();
    let as_large = (0..SHUFFLES).filter(|_| {
        random.shuffle(&mut marks);
        let shuffled: Vec<(bool, f64)> =
            marks.iter().copied().zip(answers.iter().map(|(_, value)| *value)).collect();
        difference(&shuffled) >= actual - 1e-12
    });
    as_large.count() as f64 / SHUFFLES as f64
}

/// How alike answers to the same probe are: of one model, and of each two. What is as alike across models as within one did not
/// depend on the model.
pub fn swap_figures(lines: &[SwapLine]) -> Value {
    let terms: Vec<BTreeSet<String>> =
        lines.iter().map(|line| query_terms(&line.answer).into_iter().collect()).collect();
    let mut pairs: BTreeMap<(&str, &str), (f64, usize)> = BTreeMap::new();
    for (one, line) in lines.iter().enumerate() {
        for (other, beside) in lines.iter().enumerate().skip(one + 1) {
            if line.probe != beside.probe {
                continue;
            }
            let (a, b) = (line.model.as_str(), beside.model.as_str());
            let pair = if a <= b { (a, b) } else { (b, a) };
            let all = terms[one].union(&terms[other]).count().max(1);
            let alike = terms[one].intersection(&terms[other]).count() as f64 / all as f64;
            let (sum, count) = pairs.entry(pair).or_default();
            (*sum, *count) = (*sum + alike, *count + 1);
        }
    }
    let figures = pairs.into_iter().map(|((one, other), (sum, count))| {
        json!({"models": [one, other], "pairs": count, "alike": sum / count.max(1) as f64})
    });
    json!({"question": "swap", "answers": lines.len(), "pairs": figures.collect::<Vec<_>>()})
}

/// The verdicts of people, how long it took them, whether they would do so again, and how far they trust the agent.
pub fn gate_figures(lines: &[GateLine]) -> Value {
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines {
        *verdicts.entry(line.verdict.as_str()).or_default() += 1;
    }
    let verdicts: Map<String, Value> =
        verdicts.into_iter().map(|(name, times)| (name.to_owned(), json!(times))).collect();
    let mut seconds: Vec<f64> = lines.iter().filter_map(|line| line.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    let middle = &seconds[seconds.len().saturating_sub(1) / 2..(seconds.len() / 2 + 1).min(seconds.len())];
    let median = (!middle.is_empty()).then(|| middle.iter().sum::<f64>() / middle.len() as f64);
    let asked: Vec<bool> = lines.iter().filter_map(|line| line.regretted).collect();
    let regretted = asked.iter().filter(|it| **it).count();
    let trust: Vec<f64> = lines.iter().filter_map(|line| line.trust).collect();
    let mean_trust = (!trust.is_empty()).then(|| trust.iter().sum::<f64>() / trust.len() as f64);
    json!({"question": "gate", "decisions": lines.len(), "verdicts": verdicts,
        "median_seconds": median, "asked_again": asked.len(), "regretted": regretted,
        "mean_trust": mean_trust})
}

/// The lines to collect to answer a question, for people.
pub fn what_to_collect(question: &str) -> &'static str {
    match question {
        "gate" => {
            "to measure people, collect a line for each decision about a proposal and name the file:\n\
             {\"verdict\":\"accept|reject|defer|expired\",\"seconds\":40,\"regretted\":false,\"trust\":4}\n\
             seconds to decide; regretted: whether the same person, asked a month later, would decide otherwise; trust from 1 to 5"
        }
        "swap" => {
            "to measure models, give each the same context (`cairn context`) and the same probes, three times each, and name the file:\n\
             {\"probe\":\"What do you keep in mind about me?\",\"model\":\"NAME\",\"answer\":\"…\"}\n\
             answers that are as alike across models as within one did not depend on the model"
        }
        _ => {
            "to measure models, ask each the same probes under both framings (`cairn context --framing first_person|system`), at the\n\
             first turn and after ten, at least twenty each, and name the file:\n\
             {\"framing\":\"first_person|system\",\"model\":\"NAME\",\"cold\":true,\"answer\":\"…\"}"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(framing: &str, answer: &str) -> FramingLine {
        FramingLine {
            framing: framing.to_owned(),
            model: "m".to_owned(),
            cold: true,
            answer: answer.to_owned(),
        }
    }

    /// covers: W-233
    #[test]
    fn a_framing_that_changes_how_a_model_speaks_of_itself_is_told_from_chance() {
        let lines: Vec<FramingLine> = (0..20)
            .flat_map(|_| {
                [
                    framed("first_person", "I keep my notes myself."),
                    framed("system", "The notes are kept there."),
                ]
            })
            .collect();
        let figures = framing_figures(&lines, 1);
        let group = &figures["groups"][0];
        assert!(
            group["difference"].as_f64() > Some(0.3) && group["by_chance"].as_f64() < Some(0.01),
            "{figures}"
        );
        let same: Vec<FramingLine> =
            (0..20).map(|at| framed(if at % 2 == 0 { "system" } else { "first_person" }, "I see.")).collect();
        assert_eq!(framing_figures(&same, 1)["groups"][0]["by_chance"], json!(1.0));
    }

    /// covers: W-228
    #[test]
    fn answers_are_compared_within_and_across_models() {
        let line = |model: &str, answer: &str| SwapLine {
            probe: "p".to_owned(),
            model: model.to_owned(),
            answer: answer.to_owned(),
        };
        let lines = [
            line("a", "the blue kiln"),
            line("a", "the blue kiln"),
            line("b", "the blue kiln"),
            line("b", "a ferry"),
        ];
        let figures = swap_figures(&lines);
        let alike = |at: usize| figures["pairs"][at]["alike"].as_f64().expect("a share");
        assert_eq!((alike(0), alike(1), alike(2)), (1.0, 0.5, 0.0), "{figures}");
    }

    /// covers: W-227
    #[test]
    fn decisions_of_people_are_counted() {
        let line = |verdict: &str, seconds: f64, regretted: bool| GateLine {
            verdict: verdict.to_owned(),
            seconds: Some(seconds),
            regretted: Some(regretted),
            trust: Some(4.0),
        };
        let figures = gate_figures(&[
            line("accept", 10.0, false),
            line("reject", 30.0, true),
            line("accept", 50.0, false),
        ]);
        assert_eq!(
            (&figures["verdicts"]["accept"], &figures["median_seconds"]),
            (&json!(2), &json!(30.0)),
            "{figures}"
        );
        assert_eq!((&figures["regretted"], &figures["mean_trust"]), (&json!(1), &json!(4.0)));
        let even = gate_figures(&[line("accept", 40.0, false), line("reject", 20.0, false)]);
        assert_eq!(
            (&even["median_seconds"], &gate_figures(&[])["median_seconds"]),
            (&json!(30.0), &Value::Null)
        );
    }
}

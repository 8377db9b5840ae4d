//! Runs of agents with tools: each run becomes a fresh agent, and questions of each class are asked of it. Beside Cairn the same
//! ranking without its knowledge of steps, plain BM25 and plain cosine answer in the same run.

use super::retrieval::{self, Method, RetrievalPlan};
use crate::corpus::dataset::DatasetConversation;
use cairn_engine::{EngineError, Home, Profile};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Which of the runs of a file are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunHalf {
    /// All of them.
    All,
    /// Every other one, from the first on.
    Tuned,
    /// Every other one, from the second on.
    Held,
}

impl RunHalf {
    fn holds(self, index: usize) -> bool {
        match self {
            Self::All => true,
            Self::Tuned => index.is_multiple_of(2),
            Self::Held => !index.is_multiple_of(2),
        }
    }
}

/// The methods that Cairn has to be better than.
const BASELINES: [&str; 2] = ["plain BM25", "plain cosine"];

/// Turn R@10 of each method by class of question.
pub struct RunsReport {
    methods: Vec<Method>,
}

/// Asks every question of every run of a half.
pub async fn run(
    conversations: Vec<DatasetConversation>,
    half: RunHalf,
    profile: Profile,
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<RunsReport, EngineError> {
    let chosen = conversations.into_iter().enumerate().filter(|(index, _)| half.holds(*index));
    let chosen: Vec<DatasetConversation> = chosen.map(|(_, conversation)| conversation).collect();
    let plan = RetrievalPlan {
        profile,
        beside: vec![("without steps".to_owned(), Profile { run: 0.0, ..profile })],
    };
    let report = retrieval::run(&chosen, home, &plan, on_stage).await?;
    Ok(RunsReport { methods: report.methods })
}

impl RunsReport {
    /// The head of the table.
    pub fn columns(&self) -> Vec<&str> {
        let methods = self.methods.iter().map(|method| method.name.as_str());
        ["class", "asked"].into_iter().chain(methods).chain(["above the better"]).collect()
    }

    /// Turn R@10 by class and over all questions.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let Some(first) = self.methods.first() else { return Vec::new() };
        let classes = first.categories.iter().map(|(name, figures)| (name.as_str(), figures.questions));
        let classes = classes.chain([("all", first.all.questions)]);
        let percent = |value: f64| format!("{value:.1}");
        classes
            .map(|(class, asked)| {
                let figures = self.methods.iter().map(|method| percent(turn_at_10(method, class)));
                let above = percent(self.above_baselines(class));
                [class.to_owned(), asked.to_string()].into_iter().chain(figures).chain([above]).collect()
            })
            .collect()
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let classes = self.methods.first().into_iter().flat_map(|first| first.categories.keys());
        let classes: BTreeMap<&str, Value> = classes
            .map(String::as_str)
            .chain(["all"])
            .map(|class| {
                let methods: BTreeMap<&str, f64> = self
                    .methods
                    .iter()
                    .map(|method| (method.name.as_str(), turn_at_10(method, class)))
                    .collect();
                (class, json!({"turn_r10": methods, "above_baselines": self.above_baselines(class)}))
            })
            .collect();
        json!({"classes": classes})
    }

    /// Points between Cairn and the better of the plain methods.
    fn above_baselines(&self, class: &str) -> f64 {
        let plain = self.methods.iter().filter(|method| BASELINES.contains(&method.name.as_str()));
        let better = plain.map(|method| turn_at_10(method, class)).fold(0.0, f64::max);
        self.methods.first().map_or(0.0, |cairn| turn_at_10(cairn, class)) - better
    }
}

fn turn_at_10(method: &Method, class: &str) -> f64 {
    let figures = method.categories.get(class).unwrap_or(&method.all);
    figures.turn[2]
}

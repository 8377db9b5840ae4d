//! Coverage: each conversation becomes a fresh agent, each question gets its context within a budget of tokens, and the
//! share of the evidence that the context contains is counted. A message is contained if its first 120 characters are.
//! For comparison, the same run fills the same budget without looking at the question, with the shortest messages of
//! the user. For questions about something that changed, it is counted whether the newest value is there and the older
//! ones are marked.
//!
//! How far the confidence of a hit can be trusted is measured on the same questions, and on those of another conversation, of
//! which nothing can be evidence.

use super::retrieval::first_source;
use crate::{
    corpus::dataset::{DatasetConversation, DatasetMessage, DatasetQuestion},
    harness::{clock::StoppedClock, scratch::scratch_folder},
};
use cairn_cognition::excerpt::{OPENING_CHARS, on_one_line};
use cairn_domain::{AgentName, Role};
use cairn_engine::{Agent, Briefing, Effects, EngineError, Home, Missing};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// Hits whose confidence is looked at: those that a user gets.
const HITS: usize = 10;
/// Steps into which confidence is divided.
const STEPS: usize = 10;
/// Marks a line that no longer holds.
const MARK: &str = "[superseded";
/// Marks one side of a dispute.
const CONFLICT: &str = "[conflicts";
/// Prefix of the categories of questions whose evidence contradicts itself.
const CONTRADICTION: &str = "contradiction";

/// The totals over some questions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Covered {
    /// Questions asked.
    pub questions: usize,
    /// The sum of the shares of evidence in the context.
    context: f64,
    /// The same for the packing that knows no question.
    blind: f64,
    /// Tokens used.
    tokens: usize,
    /// The most tokens that any context has.
    pub most_tokens: usize,
}

impl Covered {
    fn add(&mut self, context: f64, blind: f64, tokens: usize) {
        self.questions += 1;
        self.context += context;
        self.blind += blind;
        self.tokens += tokens;
        self.most_tokens = self.most_tokens.max(tokens);
    }

    /// The share of evidence in the context, in percent.
    pub fn context(&self) -> f64 {
        100.0 * self.context / self.questions.max(1) as f64
    }

    /// The share of evidence in the packing that knows no question, in percent.
    pub fn blind(&self) -> f64 {
        100.0 * self.blind / self.questions.max(1) as f64
    }

    /// Tokens of a context, on average.
    pub fn tokens(&self) -> f64 {
        self.tokens as f64 / self.questions.max(1) as f64
    }

    fn to_json(self) -> Value {
        json!({"questions": self.questions, "coverage": self.context(), "blind": self.blind(),
               "above_blind": self.context() - self.blind(), "tokens": self.tokens(), "most_tokens": self.most_tokens})
    }
}

/// The totals over questions about something that changed.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewestValueCoverage {
    /// Questions asked.
    pub questions: usize,
    /// Whose newest value is in the context, and not marked as replaced.
    pub there: usize,
    /// For which besides every older value in the context is marked.
    pub told_apart: usize,
}

/// The totals over questions whose evidence contradicts itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct ContradictionCoverage {
    /// Questions asked.
    pub questions: usize,
    /// For which all sides are in the context.
    pub there: usize,
    /// For which besides each is marked as one side of two.
    pub marked: usize,
}

/// Hits of about the same confidence.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConfidenceBin {
    /// Hits of questions about the conversation itself.
    pub own: usize,
    /// How many of them are evidence.
    pub evidence: usize,
    /// Hits of questions about another conversation.
    pub foreign: usize,
}

/// The figures of a measurement.
#[derive(Debug, Clone, Default)]
pub struct CoverageReport {
    /// The budget of each context.
    pub budget: usize,
    /// Over all questions.
    pub all: Covered,
    /// By category.
    pub categories: BTreeMap<String, Covered>,
    /// Questions about what has changed.
    pub newest: NewestValueCoverage,
    /// Questions whose evidence contradicts itself.
    pub contradicted: ContradictionCoverage,
    /// By confidence, the least first.
    pub confidence: [ConfidenceBin; STEPS],
    foreign_questions: usize,
}

impl CoverageReport {
    /// For programs.
    pub fn to_json(&self) -> Value {
        let categories: BTreeMap<&String, Value> =
            self.categories.iter().map(|(name, covered)| (name, covered.to_json())).collect();
        let NewestValueCoverage { questions, there, told_apart } = self.newest;
        let sides = self.contradicted;
        let steps: Vec<Value> = self
            .steps()
            .map(|row| {
                json!({"from": row.0, "hits": row.1.own,
            "evidence": row.1.evidence, "at_even_odds": row.2, "foreign": row.1.foreign})
            })
            .collect();
        json!({"budget": self.budget, "all": self.all.to_json(), "categories": categories,
               "newest": {"questions": questions, "there": there, "told_apart": told_apart},
               "contradicted": {"questions": sides.questions, "there": sides.there, "marked": sides.marked},
               "confidence": steps, "foreign_questions": self.foreign_questions})
    }

    /// Each step of confidence with where it begins, and with the share of evidence in it if of all hits as many were
    /// evidence as were not.
    pub fn steps(&self) -> impl Iterator<Item = (f64, ConfidenceBin, Option<f64>)> {
        let sum =
            |of: fn(&ConfidenceBin) -> usize| self.confidence.iter().map(of).sum::<usize>().max(1) as f64;
        let (evidence, rest) = (sum(|it| it.evidence), sum(|it| it.own - it.evidence + it.foreign));
        self.confidence.iter().enumerate().map(move |(i, step)| {
            let is = step.evidence as f64 / evidence;
            let is_not = (step.own - step.evidence + step.foreign) as f64 / rest;
            let even = (is + is_not > 0.0).then(|| is / (is + is_not));
            (i as f64 / STEPS as f64, *step, even)
        })
    }

    fn add_hits(&mut self, confidence: impl Iterator<Item = (f64, bool)>, foreign: bool) {
        for (confidence, evidence) in confidence {
            let step = &mut self.confidence[((confidence * STEPS as f64) as usize).min(STEPS - 1)];
            if foreign {
                step.foreign += 1;
            } else {
                step.own += 1;
                step.evidence += usize::from(evidence);
            }
        }
    }
}

/// Asks every question of every conversation, each conversation in an agent of its own, in a folder beside `home` that is
/// removed afterwards.
pub async fn run(
    conversations: &[DatasetConversation],
    home: &Home,
    budget: usize,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<CoverageReport, EngineError> {
    let folder = scratch_folder(home.path())?;
    let place = home.elsewhere(folder.path(), Arc::new(StoppedClock))?;
    let mut report = CoverageReport { budget, ..CoverageReport::default() };
    for (i, conversation) in conversations.iter().enumerate() {
        let name: AgentName = format!("conversation-{i}").parse()?;
        let agent = place.agent(&name, Missing::Create).await?;
        agent.remember_all(conversation.messages.iter().map(DatasetMessage::draft).collect()).await?;
        let stage = |what: &str| format!("{what} conversation {} of {}", i + 1, conversations.len());
        on_stage(&stage("embedding"));
        if let Err(error) = agent.embed(&mut |_| {}).await {
            on_stage(&format!("by keywords only: {error}"));
        }
        on_stage(&stage("forming"));
        agent.form(&mut |_| {}).await?;
        on_stage(&stage("asking about"));
        let blind = blind(&agent, conversation, budget);
        for question in &conversation.questions {
            ask(&agent, conversation, question, &blind, &mut report).await?;
        }
        let other = &conversations[(i + 1) % conversations.len()];
        if conversations.len() > 1 {
            for question in &other.questions {
                let hits = confidence(&agent, &question.question).await?;
                report.add_hits(hits.iter().map(|(_, confidence)| (*confidence, false)), true);
                report.foreign_questions += 1;
            }
        }
    }
    Ok(report)
}

async fn ask(
    agent: &Agent,
    conversation: &DatasetConversation,
    question: &DatasetQuestion,
    blind: &[&str],
    report: &mut CoverageReport,
) -> Result<(), EngineError> {
    let (query, tokens) = (Some(question.question.clone()), report.budget);
    let text = agent.context(&Briefing { query, tokens, ..Briefing::default() }, Effects::None).await?.text();
    let used = agent.count_tokens(&text);
    let flat = on_one_line(&text);
    let opening = |id: &String| conversation.messages.iter().find(|it| it.id == *id).map(opening_of);
    let there = |id: &String| opening(id).is_some_and(|opening| flat.contains(&opening));
    let share = |is: &dyn Fn(&String) -> bool| {
        let found = question.evidence.iter().filter(|id| is(id)).count();
        found as f64 / question.evidence.len().max(1) as f64
    };
    let (context, unasked) = (share(&there), share(&|id| blind.contains(&id.as_str())));
    let category = report.categories.entry(question.category.clone()).or_default();
    for covered in [&mut report.all, category] {
        covered.add(context, unasked, used);
    }
    let marked = |id: &String, mark: &str| {
        let line = |opening: String| text.lines().find(|line| on_one_line(line).contains(&opening));
        opening(id).and_then(line).is_some_and(|line| line.contains(mark))
    };
    if question.category.starts_with(CONTRADICTION) {
        let is_there = question.evidence.iter().all(there);
        let sides = &mut report.contradicted;
        sides.questions += 1;
        sides.there += usize::from(is_there);
        sides.marked += usize::from(is_there && question.evidence.iter().all(|id| marked(id, CONFLICT)));
    }
    if !question.latest.is_empty() {
        let is_there = question.latest.iter().all(|id| there(id) && !marked(id, MARK));
        let older = question.evidence.iter().filter(|id| !question.latest.contains(id));
        let told_apart = is_there && older.filter(|id| there(id)).all(|id| marked(id, MARK));
        report.newest.questions += 1;
        report.newest.there += usize::from(is_there);
        report.newest.told_apart += usize::from(told_apart);
    }
    let hits = confidence(agent, &question.question).await?;
    let is_evidence = |(id, confidence): &(Option<String>, f64)| {
        (*confidence, id.as_ref().is_some_and(|id| question.evidence.contains(id)))
    };
    report.add_hits(hits.iter().map(is_evidence), false);
    Ok(())
}

/// The confidence of each hit, with its caller's id.
async fn confidence(agent: &Agent, question: &str) -> Result<Vec<(Option<String>, f64)>, EngineError> {
    let profile = agent.config().recall;
    let asked = cairn_engine::Question { k: HITS, profile, ..cairn_engine::Question::new(question) };
    let hits = agent.answer(asked, Effects::None).await?.hits.into_iter();
    Ok(hits.map(|hit| (first_source(&hit.found).map(str::to_owned), hit.confidence)).collect())
}

/// The part of a message that must appear for it to count as contained.
fn opening_of(message: &DatasetMessage) -> String {
    on_one_line(&message.text).chars().take(OPENING_CHARS).collect()
}

/// The ids of the user's shortest messages that have room in the budget.
fn blind<'a>(agent: &Agent, conversation: &'a DatasetConversation, budget: usize) -> Vec<&'a str> {
    let users = conversation.messages.iter().filter(|message| message.role == Role::User);
    let mut costs: Vec<(usize, &str)> =
        users.map(|message| (agent.count_tokens(&on_one_line(&message.text)), message.id.as_str())).collect();
    costs.sort_unstable();
    let mut left = budget;
    let fits = |(cost, _): &(usize, &str)| {
        let fits = *cost <= left;
        left -= if fits { *cost } else { 0 };
        fits
    };
    costs.into_iter().take_while(fits).map(|(_, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_at_even_odds() {
        let mut report = CoverageReport::default();
        report.add_hits([(0.95, true), (0.9, false), (0.05, false), (1.0, true)].into_iter(), false);
        report.add_hits([(0.0, false), (0.31, false)].into_iter(), true);
        let steps: Vec<(f64, ConfidenceBin, Option<f64>)> = report.steps().collect();
        assert_eq!((steps[9].1.own, steps[9].1.evidence), (3, 2));
        assert_eq!(steps[0].2, Some(0.0));
        assert_eq!(steps[5].2, None);
        // All evidence, and one of four that are none.
        assert!((steps[9].2.expect("hits") - 0.8).abs() < 1e-12);
    }
}

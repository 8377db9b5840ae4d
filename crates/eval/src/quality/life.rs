//! Asking a life: it becomes a fresh agent, each question is asked at its time as a person would ask it, and it is counted
//! how many get a useful answer in the first hit and in the first three.

use crate::{
    corpus::dataset::DatasetQuestion,
    harness::{clock::SettableClock, scratch::scratch_folder, share::Share},
};
use cairn_domain::AgentName;
use cairn_engine::{Effects, EngineError, Found, Hit, Home, Missing, Question, Recall};
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path, sync::Arc};

/// Hits that are asked for.
const HITS: usize = 5;
/// The best hits, in which together the answer has to stand.
const BEST_HITS: usize = 3;

/// Counts over the questions that have an answer.
#[derive(Debug, Clone, Copy, Default)]
struct LifeFigures {
    /// The first hit has all of the answer.
    first: Share,
    /// The first three hits together have all of it, and no old value stands before it.
    three: Share,
    /// An old value stands before the answer, of the questions with an old value.
    old_first: Share,
}

/// How well a life answers.
#[derive(Debug, Default)]
pub struct LifeReport {
    all: LifeFigures,
    by_category: BTreeMap<String, LifeFigures>,
    /// The confidence of the best hit of each question that has no answer: the less, the better.
    absent: Vec<f64>,
    wrong: Vec<Value>,
}

/// Lives a life in a scratch agent beside those of `home` and asks it the questions.
///
/// # Errors
/// If the agent cannot be made, told or asked.
pub async fn run(
    life: &Path,
    questions: &[DatasetQuestion],
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<LifeReport, EngineError> {
    let folder = scratch_folder(home.path())?;
    let last = questions.iter().filter_map(|question| question.at).max();
    let clock = Arc::new(SettableClock::at(last.unwrap_or_else(|| home.now()).millis()));
    let scratch = home.elsewhere(folder.path(), clock.clone())?;
    let name: AgentName = "eval".parse()?;
    let agent = scratch.agent(&name, Missing::Create).await?;
    on_stage("ingesting");
    agent.ingest_file(life, None, &mut |_| {}).await?;
    on_stage("embedding");
    let embedded = agent.embed(&mut |_| {}).await;
    on_stage("forming memories");
    agent.form(&mut |_| {}).await?;
    match embedded {
        Ok(_) => drop(agent.embed(&mut |_| {}).await?),
        Err(error) => on_stage(&format!("by keywords only: {error}")),
    }
    on_stage(&format!("asking {} questions", questions.len()));
    let mut report = LifeReport::default();
    for question in questions {
        if let Some(at) = question.at {
            clock.set(at.millis());
        }
        let as_of = question.at.filter(|at| Some(*at) < last);
        let before = questions.iter().find(|other| Some(&other.id) == question.before.as_ref());
        let after = before.map(|before| before.question.clone());
        let asked = Question {
            k: HITS,
            profile: agent.config().recall,
            after,
            as_of,
            ..Question::new(&question.question)
        };
        report.count(question, &agent.answer(asked, Effects::None).await?);
    }
    Ok(report)
}

/// How a question was answered.
struct LifeOutcome {
    first: bool,
    three: bool,
    old_first: bool,
}

impl LifeOutcome {
    fn of(question: &DatasetQuestion, recall: &Recall) -> Self {
        let hits = &recall.hits[..recall.hits.len().min(BEST_HITS)];
        let computed: Vec<&str> = recall.aids.iter().map(|aid| aid.text.as_str()).collect();
        let texts: Vec<String> = hits.iter().map(|hit| comparable(hit.found.text())).collect();
        let has_any = |text: &str, words: &[String]| words.iter().any(|word| says(text, word));
        let has_all = |text: &str| question.answer.iter().all(|word| says(text, word));
        // Where no message spells the answer out, the message it follows from is as good.
        let holding = if question.latest.is_empty() { &question.evidence } else { &question.latest };
        let follows = |hit: &Hit| question.derived && sources(hit).iter().any(|id| holding.contains(id));
        let first = hits.first().is_some_and(|hit| follows(hit) || has_all(&texts[0]));
        let together = comparable(&format!("{} {}", texts.join(" "), computed.join(" ")));
        let right = texts.iter().position(|text| has_any(text, &question.answer));
        let old = texts
            .iter()
            .position(|text| has_any(text, &question.retired) && !has_any(text, &question.answer));
        let old_first = old.is_some_and(|old| right.is_none_or(|right| old < right));
        let three = first || hits.iter().any(follows) || has_all(&together);
        Self { first, three: three && !old_first, old_first }
    }
}

/// The caller's ids of the messages that a hit stands on.
fn sources(hit: &Hit) -> Vec<String> {
    let messages = match &hit.found {
        Found::Message(record) => std::slice::from_ref(record),
        Found::Memory(_, messages) | Found::Digest(_, messages) => messages,
        Found::Belief(_) | Found::Attachment(_) | Found::Shared(_) => &[],
    };
    messages.iter().filter_map(|record| record.message.source_id.clone()).collect()
}

/// A text in small letters, its numbers without points and commas.
fn comparable(text: &str) -> String {
    let letters: Vec<char> = text.to_lowercase().chars().filter(|c| *c != '\u{307}').collect();
    let digit = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_digit);
    let parts_number =
        |at: usize| matches!(letters[at], ',' | '.') && digit(at.checked_sub(1)) && digit(Some(at + 1));
    (0..letters.len()).filter(|at| !parts_number(*at)).map(|at| letters[at]).collect()
}

/// Whether a comparable text says a word: from the beginning of a word on, and a number to its end.
fn says(text: &str, word: &str) -> bool {
    let word = comparable(word);
    let ends_in_number = word.ends_with(|c: char| c.is_ascii_digit());
    text.match_indices(&word).any(|(at, _)| {
        let begins = !text[..at].ends_with(char::is_alphanumeric) || !word.starts_with(char::is_alphanumeric);
        let ends = !ends_in_number || !text[at + word.len()..].starts_with(|c: char| c.is_ascii_digit());
        begins && ends
    })
}

impl LifeReport {
    fn count(&mut self, question: &DatasetQuestion, recall: &Recall) {
        if question.answer.is_empty() {
            self.absent.push(recall.hits.first().map_or(0.0, |hit| hit.confidence));
            return;
        }
        let outcome = LifeOutcome::of(question, recall);
        let of_category = self.by_category.entry(question.category.clone()).or_default();
        for figures in [&mut self.all, of_category] {
            figures.first.count(outcome.first);
            figures.three.count(outcome.three);
            if !question.retired.is_empty() {
                figures.old_first.count(outcome.old_first);
            }
        }
        if !outcome.first || !outcome.three {
            let hit = |hit: &Hit| {
                json!({"text": hit.found.text(), "at": hit.found.at(), "source_ids": sources(hit), "score": hit.score,
                       "confidence": hit.confidence, "superseded": hit.replaced_by.is_some()})
            };
            let computed: Vec<&str> = recall.aids.iter().map(|aid| aid.text.as_str()).collect();
            self.wrong.push(json!({
                "id": question.id, "category": question.category, "question": question.question, "answer": question.answer,
                "retired": question.retired, "evidence": question.evidence, "in_first_three": outcome.three,
                "old_value_first": outcome.old_first, "computed": computed,
                "hits": recall.hits.iter().take(BEST_HITS).map(hit).collect::<Vec<_>>(),
            }));
        }
    }

    fn figures(&self) -> impl Iterator<Item = (&str, &LifeFigures)> {
        let categories = self.by_category.iter().map(|(name, figures)| (name.as_str(), figures));
        categories.chain([("all", &self.all)])
    }

    /// The figures for people: the category, questions asked, useful first hits, useful first threes, old values first.
    pub fn rows(&self) -> Vec<[String; 5]> {
        let row = |(name, figures): (&str, &LifeFigures)| {
            let LifeFigures { first, three, old_first } = figures;
            [name.to_owned(), first.all.to_string(), first.show(), three.show(), old_first.show()]
        };
        let absent = self.absent.iter().map(|it| format!("{it:.2}")).collect::<Vec<_>>().join(", ");
        let unanswerable = [
            "absent (confidence)".to_owned(),
            self.absent.len().to_string(),
            absent,
            String::new(),
            String::new(),
        ];
        self.figures().map(row).chain((!self.absent.is_empty()).then_some(unanswerable)).collect()
    }

    /// The figures for programs, with every question that the first hit does not answer.
    pub fn to_json(&self) -> Value {
        let figures = self.figures().map(|(name, LifeFigures { first, three, old_first })| {
            let figures = json!({"first_hit": first.to_json(), "first_three": three.to_json(),
                                 "old_value_first": old_first.to_json()});
            (name.to_owned(), figures)
        });
        let figures: serde_json::Map<String, Value> = figures.collect();
        json!({"figures": figures, "absent_confidence": self.absent, "wrong": self.wrong})
    }
}

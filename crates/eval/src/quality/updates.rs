//! Changes: whether a change told in people's own words is noticed, and whether what only looks like one is left alone.
//! Each case becomes a fresh agent whose clock stands at its last message; nothing is asked of a language model.

use crate::{
    corpus::labeled::{ChangeKind, ChangeLine},
    harness::{clock::SettableClock, scratch::scratch_folder, share::Share},
};
use cairn_domain::{AgentName, MessageId, RecordKind, RelationKind, Role, Status};
use cairn_engine::{Agent, Effects, EngineError, Found, Home, Missing, Question};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, sync::Arc};

/// Hits that are asked for; the first one is looked at.
const HITS: usize = 5;

/// Counts over all cases.
#[derive(Debug, Default)]
pub struct UpdateReport {
    /// Changes told by the user after which the older memory is superseded.
    pub noticed: Share,
    /// Near-misses after which a memory of the older message is superseded all the same.
    pub falsely_replaced: Share,
    /// Changes told by the agent after which the older memory is superseded: none may be.
    pub replaced_by_agent: Share,
    /// Changes told by the agent that leave a mark on the older memory.
    pub marked_by_agent: Share,
    /// Changes that are not noticed but leave a mark.
    pub doubted: Share,
    /// Near-misses that leave a mark.
    pub falsely_doubted: Share,
    /// Changes whose current value is the first hit, of all kinds and of memories alone.
    pub current_first: [Share; 2],
    /// Near-misses whose first hit is right, likewise.
    pub still_right: [Share; 2],
    /// For each way of telling: changes noticed, or near-misses left alone.
    pub by_why: BTreeMap<String, Share>,
    /// For each language likewise.
    pub by_language: BTreeMap<String, Share>,
    /// The cases that went wrong: name, and what did.
    pub wrong: Vec<(String, Vec<&'static str>)>,
}

/// Lives every case in a scratch agent beside those of `home`.
///
/// # Errors
/// If an agent cannot be made, told or asked.
pub async fn run(
    cases: &[ChangeLine],
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<UpdateReport, EngineError> {
    let vectors = match home.embed(vec!["Is there an embedder?".to_owned()]).await {
        Ok(_) => CaseVectors::Embedded,
        Err(error) => {
            on_stage(&format!("by keywords only: {error}"));
            CaseVectors::None
        }
    };
    let mut report = UpdateReport::default();
    for (at, case) in cases.iter().enumerate() {
        if at % 20 == 0 {
            on_stage(&format!("case {} of {}", at + 1, cases.len()));
        }
        report.count(case, &live(case, home, vectors).await?);
    }
    Ok(report)
}

/// Whether the messages of the cases get vectors.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CaseVectors {
    Embedded,
    None,
}

/// The outcome of one case.
struct Outcome {
    /// A memory of the older message is superseded.
    replaced: bool,
    /// A memory of the older message is marked as possibly changed.
    marked: bool,
    /// The first hit is right: of all kinds, and of memories alone.
    first: [bool; 2],
}

async fn live(case: &ChangeLine, home: &Home, vectors: CaseVectors) -> Result<Outcome, EngineError> {
    let folder = scratch_folder(home.path())?;
    let last = case.messages.iter().map(|message| message.at.millis()).max().unwrap_or_default();
    let scratch = home.elsewhere(folder.path(), Arc::new(SettableClock::at(last)))?;
    let name: AgentName = "eval".parse()?;
    let agent = scratch.agent(&name, Missing::Create).await?;
    let mut ids = Vec::with_capacity(case.messages.len());
    for (at, message) in case.messages.iter().enumerate() {
        ids.push(agent.remember(message.draft(at.to_string())).await?.message);
    }
    agent.form(&mut |_| {}).await?;
    if vectors == CaseVectors::Embedded {
        agent.embed(&mut |_| {}).await?;
    }
    let (replaced, marked) = fate(&agent, ids[case.old]).await?;
    let mut first = [false; 2];
    for (first, kinds) in first.iter_mut().zip([Vec::new(), vec![RecordKind::Memory]]) {
        let question =
            Question { k: HITS, profile: agent.config().recall, kinds, ..Question::new(&case.question) };
        let answer = agent.answer(question, Effects::None).await?;
        *first = answer.hits.first().is_some_and(|hit| {
            let text = hit.found.text().to_lowercase();
            let source = match &hit.found {
                Found::Message(record) => Some(record.message.id),
                Found::Memory(_, messages) | Found::Digest(_, messages) => {
                    messages.first().map(|record| record.message.id)
                }
                Found::Belief(_) | Found::Attachment(_) | Found::Shared(_) => None,
            };
            let is_old = case.kind == ChangeKind::Update && source == Some(ids[case.old]);
            !is_old && case.answer.iter().all(|word| text.contains(&word.to_lowercase()))
        });
    }
    Ok(Outcome { replaced, marked, first })
}

/// Whether a memory of a message is superseded, and whether one is marked by a later one.
async fn fate(agent: &Agent, message: MessageId) -> Result<(bool, bool), EngineError> {
    let (memories, _) = agent.formed_from(message).await?;
    let replaced = memories.iter().any(|record| record.memory.status == Status::Superseded);
    let mut marked = false;
    for record in &memories {
        let why = agent.why_memory(record.memory.id).await?;
        marked |= why
            .relations
            .iter()
            .any(|related| !related.outgoing && related.kind == RelationKind::Contradicts);
    }
    Ok((replaced, marked))
}

impl UpdateReport {
    fn count(&mut self, case: &ChangeLine, outcome: &Outcome) {
        let mut wrong = Vec::new();
        let by_agent = case.messages[case.new].role != Role::User;
        let change = case.kind == ChangeKind::Update;
        let mut expect = |holds: bool, otherwise: &'static str| {
            if !holds {
                wrong.push(otherwise);
            }
            holds
        };
        let right = match (change, by_agent) {
            (true, false) => {
                self.noticed.count(outcome.replaced);
                if !outcome.replaced {
                    self.doubted.count(outcome.marked);
                }
                expect(outcome.replaced, "not noticed")
            }
            (true, true) => {
                self.replaced_by_agent.count(outcome.replaced);
                self.marked_by_agent.count(outcome.marked);
                expect(!outcome.replaced, "replaced by the agent") & expect(outcome.marked, "not marked")
            }
            (false, _) => {
                self.falsely_replaced.count(outcome.replaced);
                self.falsely_doubted.count(outcome.marked);
                expect(!outcome.replaced, "falsely replaced")
            }
        };
        let shares = if change { &mut self.current_first } else { &mut self.still_right };
        for ((share, first), name) in shares.iter_mut().zip(outcome.first).zip(["first hit", "first memory"])
        {
            share.count(expect(first, name));
        }
        self.by_why.entry(case.why.clone()).or_default().count(right);
        self.by_language.entry(case.lang.clone()).or_default().count(right);
        if !wrong.is_empty() {
            self.wrong.push((case.id.clone(), wrong));
        }
    }

    fn figures(&self) -> [(&'static str, Share); 10] {
        [
            ("changes noticed", self.noticed),
            ("near-misses replaced", self.falsely_replaced),
            ("changes only marked", self.doubted),
            ("near-misses marked", self.falsely_doubted),
            ("agent's reports marked", self.marked_by_agent),
            ("agent's reports that replaced", self.replaced_by_agent),
            ("current value first", self.current_first[0]),
            ("near-miss still right", self.still_right[0]),
            ("current value first, memories", self.current_first[1]),
            ("near-miss still right, memories", self.still_right[1]),
        ]
    }

    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let figures = self.figures().map(|(name, share)| (name.to_owned(), share.show()));
        let whys = self.by_why.iter().map(|(why, share)| (format!("  right: {why}"), share.show()));
        let languages =
            self.by_language.iter().map(|(language, share)| (format!("  right: {language}"), share.show()));
        figures.into_iter().chain(whys).chain(languages).collect()
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let map = |shares: &BTreeMap<String, Share>| -> Map<String, Value> {
            shares.iter().map(|(name, share)| (name.clone(), share.to_json())).collect()
        };
        let figures: Map<String, Value> =
            self.figures().into_iter().map(|(name, share)| (name.to_owned(), share.to_json())).collect();
        json!({"figures": figures, "by_why": map(&self.by_why), "by_language": map(&self.by_language), "wrong": self.wrong})
    }
}

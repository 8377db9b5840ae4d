//! The share of labeled messages that is kept: of those that must not be lost, of the useful ones, and of chatter. Each
//! conversation becomes a fresh agent; a message counts as kept if a memory that is active or superseded rests on it.

use crate::{
    corpus::labeled::KeepLine,
    harness::{clock::SettableClock, scratch::scratch_folder, share::Share},
};
use cairn_cognition::keywords::unique_terms;
use cairn_domain::{AgentName, Category, MessageId};
use cairn_engine::{Agent, EngineError, Home, Missing};
use cairn_store::MemoryRecord;
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

/// A note is matched if the memories of its message hold this share of its terms.
const MATCHED_SHARE: f64 = 0.6;

/// Counts over the messages of a set.
#[derive(Debug, Default)]
pub struct KeepFigures {
    /// Kept messages among those that must not be lost.
    pub must_keep: Share,
    /// Of the useful, those kept.
    pub useful: Share,
    /// Kept messages among those that are worth nothing.
    pub chatter: Share,
    /// Of the memories that are called preferences, those whose message holds a wish.
    pub preference_precision: Share,
    /// Of the ideal notes, those whose words are in a memory of their message.
    pub notes_matched: Share,
    /// Memories that were made.
    pub memories: usize,
    /// Messages that were looked at.
    pub messages: usize,
}

/// Counts, set by set.
#[derive(Debug, Default)]
pub struct FormingQualityReport {
    /// By the name of the set.
    pub sets: BTreeMap<String, KeepFigures>,
    /// Messages that were judged wrong: the set, what went wrong, the words.
    pub wrong: Vec<(String, &'static str, String)>,
    /// The texts of the memories, in the order of the messages.
    pub texts: Vec<String>,
}

/// Forms every conversation in a scratch agent beside those of `home`.
///
/// # Errors
/// If an agent cannot be made or told.
pub async fn run(
    cases: &[KeepLine],
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<FormingQualityReport, EngineError> {
    let mut conversations: BTreeMap<(&str, &str), Vec<&KeepLine>> = BTreeMap::new();
    for case in cases {
        conversations.entry((&case.set, &case.conversation)).or_default().push(case);
    }
    let mut report = FormingQualityReport::default();
    let all = conversations.len();
    for (at, ((set, _), cases)) in conversations.into_iter().enumerate() {
        on_stage(&format!("conversation {} of {all}", at + 1));
        let folder = scratch_folder(home.path())?;
        let last = cases.iter().map(|case| case.message.at.millis()).max().unwrap_or_default();
        let scratch = home.elsewhere(folder.path(), Arc::new(SettableClock::at(last)))?;
        let name: AgentName = "eval".parse()?;
        let agent = scratch.agent(&name, Missing::Create).await?;
        let mut ids = Vec::with_capacity(cases.len());
        for case in &cases {
            ids.push(agent.remember(case.message.draft(case.id.clone())).await?.message);
        }
        agent.form(&mut |_| {}).await?;
        for (case, id) in cases.into_iter().zip(ids) {
            report.count(set, case, &memories_of(&agent, id).await?);
        }
    }
    Ok(report)
}

async fn memories_of(agent: &Agent, id: MessageId) -> Result<Vec<MemoryRecord>, EngineError> {
    Ok(agent.formed_from(id).await?.0)
}

impl FormingQualityReport {
    fn count(&mut self, set: &str, case: &KeepLine, memories: &[MemoryRecord]) {
        let figures = self.sets.entry(set.to_owned()).or_default();
        let kept = !memories.is_empty();
        let (share, wrong) = match case.keep {
            0 => (&mut figures.chatter, kept.then_some("chatter kept")),
            1 => (&mut figures.useful, None),
            _ => (&mut figures.must_keep, (!kept).then_some("lost")),
        };
        share.count(kept);
        figures.memories += memories.len();
        figures.messages += 1;
        let wishes = |kind: &str| matches!(kind, "preference" | "instruction");
        let wish = case.notes.iter().any(|note| wishes(&note.kind));
        for record in memories {
            if record.memory.category == Category::Preference {
                figures.preference_precision.count(wish);
                if !wish {
                    self.wrong.push((set.to_owned(), "no preference", record.memory.text.clone()));
                }
            }
            self.texts.push(record.memory.text.clone());
        }
        let told: HashSet<String> =
            memories.iter().flat_map(|record| unique_terms(&record.memory.text)).collect();
        for note in &case.notes {
            let wanted = unique_terms(&note.text);
            let held = wanted.iter().filter(|term| told.contains(*term)).count();
            figures.notes_matched.count(held as f64 >= MATCHED_SHARE * wanted.len() as f64);
        }
        if let Some(wrong) = wrong {
            self.wrong.push((set.to_owned(), wrong, case.message.text.clone()));
        }
    }

    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let rows = |(set, figures): (&String, &KeepFigures)| {
            let shares = figures.named().map(|(name, share)| (format!("{set}: {name}"), share.show()));
            let made = (format!("{set}: memories per message"), format!("{:.2}", figures.per_message()));
            shares.into_iter().chain([made])
        };
        self.sets.iter().flat_map(rows).collect()
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let set = |(name, figures): (&String, &KeepFigures)| {
            let named = figures.named().into_iter().map(|(name, share)| (name.to_owned(), share.to_json()));
            let made = ("memories per message".to_owned(), figures.per_message().into());
            (name.clone(), Value::Object(named.chain([made]).collect::<Map<_, _>>()))
        };
        let sets: Map<String, Value> = self.sets.iter().map(set).collect();
        json!({"sets": sets, "wrong": self.wrong, "texts": self.texts})
    }
}

impl KeepFigures {
    /// Memories for each message.
    pub fn per_message(&self) -> f64 {
        self.memories as f64 / self.messages.max(1) as f64
    }

    fn named(&self) -> [(&'static str, Share); 5] {
        [
            ("must-keep kept", self.must_keep),
            ("useful kept", self.useful),
            ("chatter kept", self.chatter),
            ("preference precision", self.preference_precision),
            ("notes matched", self.notes_matched),
        ]
    }
}

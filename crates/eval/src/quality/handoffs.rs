//! The quality of handoffs on labeled sessions: the share of plans, decisions and corrections that a careful reader marked and that
//! stand in the handoff, and the share of its lines that quote what nobody would write down. Each conversation becomes a fresh
//! agent; the handoff of a session is written at its end.

use crate::{
    corpus::labeled::{KeepLine, KeepNote},
    harness::{clock::SettableClock, scratch::scratch_folder, share::Share},
};
use cairn_cognition::keywords::unique_terms;
use cairn_domain::{AgentName, Handoff, HandoffPart, HandoffReason, MessageId};
use cairn_engine::{Agent, EngineError, Home, Missing};
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

/// Kinds of notes that a handoff must tell.
const WANTED: [&str; 3] = ["plan", "decision", "correction"];
/// The sections that tell them.
const PARTS: [HandoffPart; 3] = [HandoffPart::WhereWeAre, HandoffPart::OpenThreads, HandoffPart::Dates];
/// A note is told in words if the lines of its message hold this share of its terms.
const TOLD_SHARE: f64 = 0.4;

/// Counts over the sessions of a set.
#[derive(Debug, Default)]
pub struct HandoffFigures {
    /// Of the plans, decisions and corrections, those whose message is quoted.
    pub found: Share,
    /// Of the same, those whose words stand in what is quoted of it.
    pub found_in_words: Share,
    /// Lines that quote a message of which nothing is worth writing down.
    pub noise: Share,
    /// Lines that quote a message with a plan, a decision or a correction.
    pub to_the_point: Share,
    /// Handoffs that were written.
    pub handoffs: usize,
}

/// Counts, set by set.
#[derive(Debug, Default)]
pub struct HandoffQualityReport {
    /// By the name of the set.
    pub sets: BTreeMap<String, HandoffFigures>,
    /// Notes that no line tells: the set, the note, the words of its message.
    pub missed: Vec<(String, String, String)>,
    /// Lines that tell nothing: the set, the line.
    pub noise: Vec<(String, String)>,
}

/// Writes the handoff of every session in scratch agents beside those of `home`.
///
/// # Errors
/// If an agent cannot be made or told.
pub async fn run(
    cases: &[KeepLine],
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<HandoffQualityReport, EngineError> {
    let mut conversations: BTreeMap<(&str, &str), Vec<&KeepLine>> = BTreeMap::new();
    for case in cases {
        conversations.entry((&case.set, &case.conversation)).or_default().push(case);
    }
    let (mut report, all) = (HandoffQualityReport::default(), conversations.len());
    for (at, ((set, _), cases)) in conversations.into_iter().enumerate() {
        on_stage(&format!("conversation {} of {all}", at + 1));
        let folder = scratch_folder(home.path())?;
        let clock = Arc::new(SettableClock::at(0));
        let scratch = home.elsewhere(folder.path(), Arc::<SettableClock>::clone(&clock))?;
        let name: AgentName = "eval".parse()?;
        let agent = scratch.agent(&name, Missing::Create).await?;
        let mut sessions: Vec<(&str, Vec<&KeepLine>)> = Vec::new();
        for case in cases {
            match sessions.iter_mut().find(|(session, _)| *session == case.message.session) {
                Some((_, said)) => said.push(case),
                None => sessions.push((&case.message.session, vec![case])),
            }
        }
        for (session, cases) in sessions {
            let last = cases.iter().map(|case| case.message.at.millis()).max().unwrap_or_default();
            clock.set(last);
            report.count_session(&agent, set, session, &cases).await?;
        }
    }
    Ok(report)
}

impl HandoffQualityReport {
    async fn count_session(
        &mut self,
        agent: &Agent,
        set: &str,
        session: &str,
        cases: &[&KeepLine],
    ) -> Result<(), EngineError> {
        let mut by_message: HashMap<MessageId, &KeepLine> = HashMap::new();
        for case in cases {
            let kept = agent.remember(case.message.draft(case.id.clone())).await?;
            by_message.insert(kept.message, case);
        }
        agent.form(&mut |_| {}).await?;
        let written = agent.write_handoff(session, HandoffReason::Requested).await?;
        let Some(handoff) = written.into_iter().find_map(|stored| stored.handoff) else { return Ok(()) };
        let lines = quoting_lines(&handoff, &by_message);
        let figures = self.sets.entry(set.to_owned()).or_default();
        figures.handoffs += 1;
        for (text, messages) in &lines {
            let labels: Vec<&&KeepLine> = messages.iter().filter_map(|id| by_message.get(id)).collect();
            let is_noise = labels.iter().all(|case| case.notes.is_empty());
            figures.noise.count(is_noise);
            figures.to_the_point.count(labels.iter().any(|case| case.notes.iter().any(is_wanted)));
            if is_noise {
                self.noise.push((set.to_owned(), text.clone()));
            }
        }
        for (id, case) in &by_message {
            let quoted = lines.iter().filter(|(_, messages)| messages.contains(id));
            let told: HashSet<String> = quoted.flat_map(|(text, _)| unique_terms(text)).collect();
            for note in case.notes.iter().filter(|note| is_wanted(note)) {
                let wanted: Vec<String> = unique_terms(&note.text).into_iter().collect();
                let held = wanted.iter().filter(|term| told.contains(*term)).count();
                figures.found.count(!told.is_empty());
                figures.found_in_words.count(held as f64 >= TOLD_SHARE * wanted.len() as f64);
                if told.is_empty() {
                    self.missed.push((set.to_owned(), note.text.clone(), case.message.text.clone()));
                }
            }
        }
        Ok(())
    }

    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let rows = |(set, figures): (&String, &HandoffFigures)| {
            let shares = figures.named().map(|(name, share)| (format!("{set}: {name}"), share.show()));
            shares.into_iter().chain([(format!("{set}: handoffs"), figures.handoffs.to_string())])
        };
        self.sets.iter().flat_map(rows).collect()
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let set = |(name, figures): (&String, &HandoffFigures)| {
            let named = figures.named().into_iter().map(|(name, share)| (name.to_owned(), share.to_json()));
            let written = ("handoffs".to_owned(), figures.handoffs.into());
            (name.clone(), Value::Object(named.chain([written]).collect::<Map<_, _>>()))
        };
        let sets: Map<String, Value> = self.sets.iter().map(set).collect();
        json!({"sets": sets, "missed": self.missed, "noise": self.noise})
    }
}

/// The lines of a handoff that quote messages of these, each once, with the messages.
fn quoting_lines(handoff: &Handoff, known: &HashMap<MessageId, &KeepLine>) -> Vec<(String, Vec<MessageId>)> {
    let mut lines: Vec<(String, Vec<MessageId>)> = Vec::new();
    for line in PARTS.iter().flat_map(|part| handoff.lines(*part)) {
        let messages: Vec<MessageId> = line.refs.iter().filter_map(|it| it.parse().ok()).collect();
        let is_question = line.text().contains(" asked: “");
        let is_known = messages.iter().any(|id| known.contains_key(id));
        if is_known && !is_question && !lines.iter().any(|(text, _)| text == line.text()) {
            lines.push((line.text().to_owned(), messages));
        }
    }
    lines
}

fn is_wanted(note: &KeepNote) -> bool {
    WANTED.contains(&note.kind.as_str())
}

impl HandoffFigures {
    fn named(&self) -> [(&'static str, Share); 4] {
        [
            ("plans, decisions and corrections found", self.found),
            ("found in words", self.found_in_words),
            ("lines that are noise", self.noise),
            ("lines to the point", self.to_the_point),
        ]
    }
}

//! Capture: each conversation becomes a fresh agent, every message is formed, and it is counted how many of the
//! messages that questions rest on became or strengthened a memory, and how many memories that took.

use crate::{
    corpus::dataset::DatasetConversation,
    harness::{clock::StoppedClock, percentiles::Percentiles, scratch::scratch_folder},
};
use cairn_domain::{AgentName, Verdict};
use cairn_engine::{EngineError, Home, Missing};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Instant,
};

/// Reasons shown, the most frequent first.
const REASONS: usize = 12;

/// The counts of a measurement.
#[derive(Default)]
pub struct CaptureReport {
    /// Messages in all.
    pub messages: usize,
    /// Memories made of them.
    pub memories: usize,
    /// Messages that questions rest on.
    pub evidence: usize,
    /// Those of them that a memory rests on.
    pub captured: usize,
    /// Messages that a memory rests on.
    pub kept: usize,
    /// For each role: messages, kept ones, those that questions rest on, and how many of these were kept.
    pub roles: BTreeMap<&'static str, [usize; 4]>,
    /// How often each verdict was given.
    pub verdicts: BTreeMap<&'static str, usize>,
    /// Why messages were skipped, how often; and of those that questions rest on.
    pub skipped: BTreeMap<String, (usize, usize)>,
    /// Messages that questions rest on and that were skipped: why, and what they say.
    pub missed: Vec<(String, String)>,
    latency: Percentiles,
}

/// Forms every message of every conversation in scratch agents beside those of `home`.
pub async fn run(
    conversations: &[DatasetConversation],
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<CaptureReport, EngineError> {
    let (mut report, mut times) = (CaptureReport::default(), Vec::new());
    for (at, conversation) in conversations.iter().enumerate() {
        on_stage(&format!("conversation {} of {}", at + 1, conversations.len()));
        let folder = scratch_folder(home.path())?;
        let scratch = home.elsewhere(folder.path(), Arc::new(StoppedClock))?;
        let name: AgentName = "eval".parse()?;
        let agent = scratch.agent(&name, Missing::Create).await?;
        let evidence: BTreeSet<&str> = conversation
            .questions
            .iter()
            .flat_map(|question| &question.evidence)
            .map(String::as_str)
            .collect();
        for message in &conversation.messages {
            let kept = agent.remember(message.draft()).await?;
            let begun = Instant::now();
            let formed = agent.form_message(kept.message).await?;
            times.push(begun.elapsed());
            let asked = evidence.contains(message.id.as_str());
            report.messages += 1;
            let is_kept = formed.decisions.iter().any(|decision| decision.memory.is_some());
            report.evidence += usize::from(asked);
            report.kept += usize::from(is_kept);
            report.captured += usize::from(asked && is_kept);
            let role = report.roles.entry(message.role.as_str()).or_default();
            for (count, counts) in role.iter_mut().zip([true, is_kept, asked, asked && is_kept]) {
                *count += usize::from(counts);
            }
            for decision in &formed.decisions {
                *report.verdicts.entry(decision.verdict.as_str()).or_default() += 1;
                if decision.verdict == Verdict::Skip {
                    let counts = report.skipped.entry(short(&decision.reason)).or_default();
                    counts.0 += 1;
                    counts.1 += usize::from(asked);
                    if asked && !is_kept {
                        report.missed.push((decision.reason.clone(), message.text.clone()));
                    }
                }
            }
        }
        report.memories += agent.stats().await?.counts.memories as usize;
    }
    report.latency = Percentiles::of(times);
    Ok(report)
}

/// A reason without what belongs to one message alone.
fn short(reason: &str) -> String {
    reason.split([':', '(']).next().unwrap_or_default().trim().to_owned()
}

impl CaptureReport {
    /// Share of what questions rest on that was kept, in percent.
    pub fn share(&self) -> f64 {
        100.0 * self.captured as f64 / self.evidence.max(1) as f64
    }

    /// Memories for each message.
    pub fn per_message(&self) -> f64 {
        self.memories as f64 / self.messages.max(1) as f64
    }

    /// The figures for people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let verdicts: Vec<String> =
            self.verdicts.iter().map(|(verdict, times)| format!("{verdict} {times}")).collect();
        let mut rows = vec![
            ("messages".to_owned(), self.messages.to_string()),
            ("that questions rest on".to_owned(), self.evidence.to_string()),
            ("  of these kept".to_owned(), format!("{} ({:.1} %)", self.captured, self.share())),
            (
                "messages kept".to_owned(),
                format!("{:.1} %", 100.0 * self.kept as f64 / self.messages.max(1) as f64),
            ),
            ("memories per message".to_owned(), format!("{:.2}", self.per_message())),
            ("decisions".to_owned(), verdicts.join(", ")),
            ("forming one message".to_owned(), self.latency.show()),
        ];
        for (role, [messages, kept, evidence, captured]) in &self.roles {
            let told = format!("{kept} of {messages} kept, {captured} of {evidence} that questions rest on");
            rows.push((format!("  said by {role}"), told));
        }
        let mut skipped: Vec<_> = self.skipped.iter().collect();
        skipped.sort_by_key(|(_, (times, _))| std::cmp::Reverse(*times));
        for (reason, (times, asked)) in skipped.into_iter().take(REASONS) {
            rows.push((format!("skipped: {reason}"), format!("{times}, {asked} of them asked for")));
        }
        rows
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        json!({"messages": self.messages, "evidence": self.evidence, "captured": self.captured, "share": self.share(),
               "kept": self.kept, "roles": self.roles, "memories": self.memories, "memories_per_message": self.per_message(),
               "verdicts": self.verdicts, "skipped": self.skipped, "latency": self.latency.to_json(),
               "missed": self.missed})
    }
}

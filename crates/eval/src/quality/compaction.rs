//! After how many compactions a thread is better begun anew: what a fresh session is given of the decisions and promises of a
//! thread, by its context, by its handoff alone, and by the end of the raw conversation in the same number of characters.

use crate::{
    corpus::long_thread::{StandingMatter, ThreadStretch, stretches},
    harness::{clock::SettableClock, scratch::scratch_folder, share::Share},
};
use cairn_domain::{AgentName, HandoffReason, MILLIS_PER_HOUR};
use cairn_engine::{Agent, Briefing, ContextOccasion, Effects, EngineError, Home, Missing};
use serde_json::{Value, json};
use std::sync::Arc;

/// Compactions that are looked at.
const MAX_COMPACTIONS: usize = 8;

/// All that is told of the standing matters after some compactions.
#[derive(Debug, Clone, Copy, Default)]
pub struct WarmStart {
    /// Compactions so far.
    pub compactions: usize,
    /// By the context of a session that begins.
    pub context: Share,
    /// By the context of a thread that is begun anew, which is its handoff.
    pub handoff: Share,
    /// By the end of the conversation, as many characters as the context has.
    pub raw: Share,
    /// The characters.
    pub chars: usize,
}

/// The figures after each compaction.
#[derive(Debug, Clone, Default)]
pub struct CompactionReport {
    /// In order.
    pub starts: Vec<WarmStart>,
    /// Tokens that a context may have.
    pub tokens: usize,
}

/// Lives a thread in a scratch agent beside those of `home`, with contexts of so many tokens.
///
/// # Errors
/// If an agent cannot be made or told.
pub async fn run(seed: u64, tokens: usize, home: &Home) -> Result<CompactionReport, EngineError> {
    let folder = scratch_folder(home.path())?;
    let clock = Arc::new(SettableClock::at(0));
    let scratch = home.elsewhere(folder.path(), Arc::<SettableClock>::clone(&clock))?;
    let name: AgentName = "eval".parse()?;
    let agent = scratch.agent(&name, Missing::Create).await?;
    let mut report = CompactionReport { starts: Vec::new(), tokens };
    let (mut said, mut matters) = (String::new(), Vec::new());
    for ThreadStretch { session, drafts, matters: more, ends_at } in stretches(seed, MAX_COMPACTIONS) {
        clock.set(ends_at.millis());
        for draft in &drafts {
            said.push_str(&draft.text);
            said.push('\n');
        }
        agent.remember_all(drafts).await?;
        agent.form(&mut |_| {}).await?;
        agent.write_handoff(&session, HandoffReason::Compaction).await?;
        matters.extend(more);
        clock.set(ends_at.millis() + MILLIS_PER_HOUR);
        report.starts.push(warm_start(&agent, tokens, &said, &matters, report.starts.len() + 1).await?);
    }
    Ok(report)
}

async fn warm_start(
    agent: &Agent,
    tokens: usize,
    said: &str,
    matters: &[StandingMatter],
    compactions: usize,
) -> Result<WarmStart, EngineError> {
    let mut texts = Vec::new();
    for occasion in [ContextOccasion::Ongoing, ContextOccasion::Restart] {
        let briefing = Briefing {
            thread: Some("pottery".to_owned()),
            session: Some(format!("after-{compactions}")),
            tokens,
            occasion,
            ..Briefing::default()
        };
        texts.push(agent.context(&briefing, Effects::None).await?.lines.join("\n"));
    }
    let chars = texts[0].chars().count();
    let skipped = said.chars().count().saturating_sub(chars);
    let raw: String = said.chars().skip(skipped).collect();
    let told = |text: &str| {
        let mut share = Share::default();
        for matter in matters {
            share.count(matter.is_told_in(text));
        }
        share
    };
    Ok(WarmStart { compactions, context: told(&texts[0]), handoff: told(&texts[1]), raw: told(&raw), chars })
}

impl CompactionReport {
    /// The first number of compactions from which on what is kept tells more than the end of the conversation.
    pub fn crossing(&self, kept: impl Fn(&WarmStart) -> Share) -> Option<usize> {
        let worse = self.starts.iter().rposition(|start| kept(start).percent() <= start.raw.percent());
        self.starts.get(worse.map_or(0, |at| at + 1)).map(|start| start.compactions)
    }

    /// The columns of [`Self::rows`].
    pub fn columns(&self) -> [&'static str; 5] {
        ["compactions", "context", "handoff alone", "end of the conversation", "characters"]
    }

    /// The figures for people.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let row = |start: &WarmStart| {
            let shares = [start.context, start.handoff, start.raw].map(Share::show);
            std::iter::once(start.compactions.to_string())
                .chain(shares)
                .chain([start.chars.to_string()])
                .collect()
        };
        self.starts.iter().map(row).collect()
    }

    /// The figures for programs.
    pub fn to_json(&self) -> Value {
        let start = |start: &WarmStart| {
            json!({"compactions": start.compactions, "context": start.context.to_json(),
                "handoff": start.handoff.to_json(), "raw": start.raw.to_json(), "chars": start.chars})
        };
        json!({"question": "compaction", "tokens": self.tokens,
            "starts": self.starts.iter().map(start).collect::<Vec<_>>(),
            "context_tells_more_from": self.crossing(|start| start.context),
            "handoff_tells_more_from": self.crossing(|start| start.handoff)})
    }
}

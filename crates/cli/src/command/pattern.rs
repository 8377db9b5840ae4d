//! `cairn patterns` and `cairn reflect`: what repeats, and what the agent makes of what it remembers.

use super::{invocation::Invocation, remember::read_stdin};
use crate::{
    args::{EvolutionFilter, ReflectArgs},
    failure::Failure,
    show::{self, CYAN, DIM, YELLOW},
};
use cairn_engine::{Audience, Missing, ObservedPattern, ReflectionDraft};
use cairn_wire as wire;

pub(super) async fn patterns(invocation: &Invocation, of: EvolutionFilter) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let found = agent.patterns(of.thread.as_deref(), of.limit.limit).await?;
    invocation.answer(|| found.iter().collect::<wire::Patterns>(), || print_patterns(&found));
    Ok(())
}

pub(super) async fn reflect(invocation: &Invocation, args: ReflectArgs) -> Result<(), Failure> {
    let ReflectArgs { text, on, session, thread } = args;
    let text = if text == "-" { read_stdin()? } else { text };
    let agent = invocation.open(Missing::Refuse).await?;
    let reflection = agent.reflect(ReflectionDraft { text, on, session, thread }, Audience::Operator).await?;
    let (kept, decisions) = (&reflection.message, &reflection.formed.decisions);
    let mut known = Vec::new();
    for id in decisions.iter().filter_map(|decision| decision.memory) {
        known.push(agent.memory(id).await?);
    }
    invocation.answer(
        || wire::Remembered::from(&reflection),
        || {
            let (green, dim) = (show::GREEN, show::DIM);
            let word = if kept.duplicate { "already reflected" } else { "reflected" };
            out!("{green}{word}{green:#}  {}  {dim}{}{dim:#}", kept.message, kept.exchange);
            for decision in decisions {
                show::decision(decision, &known);
            }
        },
    );
    Ok(agent.tidy_up().await?)
}

fn print_patterns(patterns: &[ObservedPattern]) {
    if patterns.is_empty() {
        err!(
            "nothing repeats yet; `cairn rhythms run digests`, `cairn dream` and work with tools make patterns"
        );
    }
    for ObservedPattern { source, text, times, thread, evidence, proposal, .. } in patterns {
        let place = thread.as_deref().map_or_else(String::new, |thread| format!("  {thread}"));
        out!("{YELLOW}{}{YELLOW:#}  {times}×  {text}{DIM}{place}{DIM:#}", source.as_str());
        if let Some((id, status)) = proposal {
            out!("  {CYAN}{id}{CYAN:#} {status}");
        }
        out!("  {DIM}{}{DIM:#}", evidence.join(" "));
    }
}

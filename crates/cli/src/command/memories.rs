//! `cairn memories`, `entities`, `form`, and `cairn why mem_…`.

use super::{invocation::Invocation, look};
use crate::{
    args::{LimitArgs, MemoriesCommand},
    failure::Failure,
    show,
};
use cairn_domain::RelationKind;
use cairn_engine::{Agent, Forming, Hub, MemoryScope, Missing, Reached, Refining};
use cairn_wire as wire;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::time::Duration;

pub(crate) async fn memories(invocation: &Invocation, what: MemoriesCommand) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let changed = match what {
        MemoriesCommand::List { session, all, tip_of_the_tongue, limit } => {
            let limit = limit.limit as u32;
            let mut memories = if tip_of_the_tongue {
                agent.on_the_tip_of_the_tongue(limit).await?
            } else {
                agent.memories(session, memory_scope(all), limit).await?
            };
            // What was made of memories stands behind what was said.
            memories.sort_by_key(|record| !record.memory.form.is_told());
            invocation.answer(
                || memories.iter().collect::<wire::Memories>(),
                || {
                    if memories.is_empty() {
                        err!(
                            "no memories; `cairn form` forms them from messages, `--all` shows replaced and dormant ones"
                        );
                    }
                    memories.iter().for_each(show::memory_line);
                },
            );
            return Ok(());
        }
        MemoriesCommand::Related { reference, hops, relation } => {
            let id = agent.resolve_memory(&reference).await?;
            let kinds = if relation.is_empty() { RelationKind::ALL.to_vec() } else { relation };
            let reached = agent.traverse(id, hops, &kinds).await?;
            invocation.answer(
                || reached.iter().collect::<wire::ReachedMemories>(),
                || {
                    if reached.is_empty() {
                        anstream::eprintln!(
                            "it leads to no other memory; `--hops` and `--relation` say how far"
                        );
                    }
                    reached.iter().for_each(show_reached);
                },
            );
            return Ok(());
        }
        MemoriesCommand::Show { reference } => {
            let id = agent.resolve_memory(&reference).await?;
            return look::explain(invocation, &agent, &id.to_string()).await.map(drop);
        }
        MemoriesCommand::Pin { reference } => {
            agent.pin_memory(agent.resolve_memory(&reference).await?).await?
        }
        MemoriesCommand::Unpin { reference } => {
            agent.unpin_memory(agent.resolve_memory(&reference).await?).await?
        }
        MemoriesCommand::Forget { reference } => {
            agent.forget_memory(agent.resolve_memory(&reference).await?).await?
        }
        MemoriesCommand::Undo { reference } => {
            let changed = agent.undo_decision(agent.resolve_memory(&reference).await?).await?;
            invocation.answer(
                || changed.iter().collect::<wire::Memories>(),
                || changed.iter().for_each(show::memory),
            );
            return Ok(());
        }
        MemoriesCommand::Wake { reference } => {
            agent.wake_memory(agent.resolve_memory(&reference).await?).await?
        }
    };
    invocation.answer(|| wire::Memory::from(&changed), || show::memory(&changed));
    Ok(())
}

fn show_reached(reached: &Reached) {
    let (dim, memory) = (show::DIM, &reached.record.memory);
    let known = reached
        .way_yield
        .map_or(String::new(), |known| format!(", leads on {:.0} % of the time", known * 100.0));
    out!("{}  {}", memory.valid_from.minute(), memory.text);
    out!("    {dim}{}  over {}{known}{dim:#}", memory.id, reached.way.replace('>', ", then "));
}

fn memory_scope(all: bool) -> MemoryScope {
    if all { MemoryScope::All } else { MemoryScope::Active }
}

/// Who and what memories are about.
pub(crate) async fn entities(
    invocation: &Invocation,
    name: Option<String>,
    limit: &LimitArgs,
) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let Some(name) = name.as_deref() else {
        let entities = agent.entities(limit.limit as u32).await?;
        invocation.answer(
            || entities.iter().collect::<wire::Entities>(),
            || {
                let mut table = show::table(&["name", "kind", "memories", "first seen"]);
                for entity in &entities {
                    let (kind, seen) = (entity.kind.to_string(), entity.first_seen.minute());
                    table.add_row([entity.name.clone(), kind, entity.mentions.to_string(), seen]);
                }
                out!("{table}");
            },
        );
        return Ok(());
    };
    let hub = agent.hub(name, limit.limit as u32).await?;
    invocation.answer(|| wire::Hub::from(&hub), || show_hub(&hub));
    Ok(())
}

fn show_hub(hub: &Hub) {
    let (bold, dim, entity) = (show::BOLD, show::DIM, &hub.entity);
    out!("{bold}{}{bold:#}  {}, in {} memories", entity.name, entity.kind, entity.mentions);
    if !hub.aliases.is_empty() {
        out!("  {dim}also {}{dim:#}", hub.aliases.join(", "));
    }
    if !hub.together.is_empty() {
        let together: Vec<String> =
            hub.together.iter().map(|(other, times)| format!("{} ({times})", other.name)).collect();
        out!("  {dim}with {}{dim:#}", together.join(", "));
    }
    hub.memories.iter().for_each(show::memory_line);
}

pub(crate) async fn form(invocation: &Invocation) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let forming = catch_up(&agent).await?;
    let stopped = refine(&agent).await?.stopped;
    let all = agent.stats().await?;
    let (stats, pending) = (all.counts, all.pending_refinements);
    invocation.answer(
        || {
            json!({"formed": forming.done, "messages": forming.messages, "memories": stats.memories,
                   "refined": stats.refined, "pending_refinements": pending})
        },
        || {
            let (green, Forming { done, messages }) = (show::GREEN, forming);
            out!(
                "{green}ready{green:#}  {done} of {messages} messages processed, {} memories",
                stats.memories
            );
            if stats.refined + pending > 0 && agent.has_language_model() {
                let waiting = stopped.map_or(String::new(), |why| format!(": {why}"));
                out!(
                    "       {} messages refined by a language model, {pending} waiting{waiting}",
                    stats.refined
                );
            }
        },
    );
    Ok(())
}

/// Forms every message, with progress.
pub(crate) async fn catch_up(agent: &Agent) -> Result<Forming, Failure> {
    let bar = ProgressBar::new(0);
    let style = "forming memories {bar:30} {percent}% {human_pos} messages, {per_sec}, {eta} left";
    bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(100));
    let formed = agent
        .form(&mut |forming| {
            bar.set_length(u64::from(forming.messages));
            bar.set_position(u64::from(forming.done));
        })
        .await;
    bar.finish_and_clear();
    Ok(formed?)
}

/// Refines memories with a language model, if there is one, with progress.
pub(crate) async fn refine(agent: &Agent) -> Result<Refining, Failure> {
    let bar = ProgressBar::no_length();
    let style = "asking a language model {spinner} {human_pos} messages, {msg} {elapsed}";
    bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
    if agent.has_language_model() {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    let refined = agent
        .refine(&mut |refining| {
            bar.set_position(u64::from(refining.asked));
            bar.set_message(format!("{} waiting", refining.pending));
        })
        .await;
    bar.finish_and_clear();
    Ok(refined?)
}

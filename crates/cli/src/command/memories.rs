//! `cairn memories` and `cairn form`: what was worth keeping, and why.

use super::Setting;
use crate::{args::MemoriesCommand, failure::Failure, show};
use cairn_domain::{Invalid, MemoryId, Ref};
use cairn_engine::{Agent, Forming, Hub, Missing, Refining, WhyMemory};
use cairn_wire as wire;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::time::Duration;

pub(crate) async fn memories(setting: &Setting, what: MemoriesCommand) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let changed = match what {
        MemoriesCommand::List { session, all, limit } => {
            let memories = agent.memories(session, all, limit.limit as u32).await?;
            setting.answer(
                || memories.iter().collect::<wire::Memories>(),
                || {
                    if memories.is_empty() {
                        anstream::eprintln!(
                            "no memories; `cairn form` looks at what came in, `--all` shows what no longer holds"
                        );
                    }
                    memories.iter().for_each(show::memory_line);
                },
            );
            return Ok(());
        }
        MemoriesCommand::Show { reference } => {
            return why(setting, &agent, memory_id(&agent, &reference).await?, false).await;
        }
        MemoriesCommand::Pin { reference } => {
            agent.pin_memory(memory_id(&agent, &reference).await?, true).await?
        }
        MemoriesCommand::Unpin { reference } => {
            agent.pin_memory(memory_id(&agent, &reference).await?, false).await?
        }
        MemoriesCommand::Forget { reference } => {
            agent.rest_memory(memory_id(&agent, &reference).await?, true).await?
        }
        MemoriesCommand::Wake { reference } => {
            agent.rest_memory(memory_id(&agent, &reference).await?, false).await?
        }
    };
    setting.answer(|| wire::Memory::from(&changed), || show::memory(&changed));
    Ok(())
}

async fn memory_id(agent: &Agent, reference: &str) -> Result<MemoryId, Failure> {
    match agent.resolve(reference).await? {
        Ref::Memory(id) => Ok(id),
        other => {
            Err(Invalid::new(format!("{other} is no memory"), "name one that `cairn memories list` prints")
                .into())
        }
    }
}

/// What a memory is, what led to it and what it rests on.
pub(crate) async fn why(setting: &Setting, agent: &Agent, id: MemoryId, verify: bool) -> Result<(), Failure> {
    let why = agent.why_memory(id).await?;
    setting.answer(|| wire::WhyMemory::from(&why), || show_why(&why));
    if verify && !why.evidence.iter().all(|source| source.holds) {
        return Err(Failure::new(
            "a source no longer says the same",
            "`cairn verify` shows all that does not fit",
        ));
    }
    Ok(())
}

fn show_why(why: &WhyMemory) {
    let (bold, dim) = (show::BOLD, show::DIM);
    show::memory(&why.record);
    out!("{bold}rests on{bold:#}");
    for source in &why.evidence {
        let (colour, verdict) = if source.holds {
            (show::GREEN, "still says so")
        } else {
            (show::RED, "says something else now")
        };
        let said = source.message.as_ref().map_or(String::new(), |record| {
            format!("{} {}  ", record.message.at.minute(), record.message.speaker)
        });
        out!("  {}  {said}{colour}{verdict}{colour:#}", source.evidence.source);
        out!("    “{}”", source.evidence.excerpt.trim());
        if let Some((file, record)) = source.archive_file.as_ref().zip(source.message.as_ref()) {
            out!("    {dim}archive {file} line {}{dim:#}", record.archive_line);
        }
    }
    show::reasons(&why.reasons);
    if why.revisions.len() > 1 {
        out!("{bold}it has said{bold:#}");
        for revision in &why.revisions {
            out!(
                "  {} {}  {dim}{}: {}{dim:#}",
                revision.written_at.minute(),
                revision.text,
                revision.verdict,
                revision.reason
            );
        }
    }
    if !why.relations.is_empty() {
        out!("{bold}belongs to{bold:#}");
        for related in &why.relations {
            let arrow = if related.outgoing { "→" } else { "←" };
            out!("  {} {arrow} {}  {dim}{}{dim:#}", related.kind, related.other.memory.text, related.reason);
            out!("    {dim}{}{dim:#}", related.other.memory.id);
        }
    }
}

/// Who and what memories are about.
pub(crate) async fn entities(setting: &Setting, name: Option<&str>, limit: u32) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let Some(name) = name else {
        let entities = agent.entities(limit).await?;
        setting.answer(
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
    let hub = agent.hub(name, limit).await?;
    setting.answer(|| wire::Hub::from(&hub), || show_hub(&hub));
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

pub(crate) async fn form(setting: &Setting) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let forming = catch_up(&agent).await?;
    let stopped = refine(&agent).await?.stopped;
    let all = agent.stats().await?;
    let (stats, pending) = (all.counts, all.pending_refinements);
    setting.answer(
        || {
            json!({"formed": forming.done, "messages": forming.messages, "memories": stats.memories,
                   "refined": stats.refined, "pending_refinements": pending})
        },
        || {
            let (green, Forming { done, messages }) = (show::GREEN, forming);
            out!(
                "{green}ready{green:#}  {done} of {messages} messages looked at, {} memories",
                stats.memories
            );
            if stats.refined + pending > 0 && agent.has_language_model() {
                let waiting = stopped.map_or(String::new(), |why| format!(": {why}"));
                out!("       {} messages put to a language model, {pending} wait{waiting}", stats.refined);
            }
        },
    );
    Ok(())
}

/// Forms every message, with progress.
pub(crate) async fn catch_up(agent: &Agent) -> Result<Forming, Failure> {
    let bar = ProgressBar::new(0);
    let style = "remembering {bar:30} {percent}% {human_pos} messages, {per_sec}, {eta} left";
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

/// Lets a language model, if there is one, say more clearly what was formed, with progress.
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
            bar.set_message(format!("{} wait", refining.pending));
        })
        .await;
    bar.finish_and_clear();
    Ok(refined?)
}

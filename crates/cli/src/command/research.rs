//! `cairn research`: the work of sessions as research may see it.

use super::invocation::Invocation;
use crate::{
    args::{EvolutionFilter, ResearchCommand},
    failure::Failure,
    show::{self, DIM, YELLOW},
};
use cairn_engine::{Missing, ReplaceAccess, ReplaceSync, ResearchShard, ShardId, replace_file};
use cairn_wire as wire;
use serde_json::json;
use std::{fmt::Write, path::Path};

pub(crate) async fn research(invocation: &Invocation, what: ResearchCommand) -> Result<(), Failure> {
    match what {
        ResearchCommand::List(of) => list(invocation, of).await,
        ResearchCommand::Show { shard } => show_shard(invocation, &shard).await,
        ResearchCommand::Export { file } => export(invocation, &file).await,
    }
}

async fn list(invocation: &Invocation, of: EvolutionFilter) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let mut shards = agent.research_shards(of.thread.as_deref()).await?;
    shards.truncate(of.limit.limit);
    invocation.answer(|| wire::ResearchShards::from_iter(&shards), || print_shards(&shards));
    Ok(())
}

fn print_shards(shards: &[ResearchShard]) {
    if shards.is_empty() {
        err!("no tool was used yet");
        return;
    }
    let mut table = show::table(&["ref", "class", "from", "source", "steps", "score", "masked", "approved"]);
    for shard in shards {
        let summary = wire::ResearchShard::from(shard);
        table.add_row([
            summary.reference,
            summary.class.to_owned(),
            shard.span.0.minute(),
            summary.source,
            summary.steps.to_string(),
            summary.score.map_or_else(String::new, |score| format!("{score:.2}")),
            summary.masked.to_string(),
            summary.receipt.map_or_else(|| "no".to_owned(), |receipt| format!("receipt {receipt}")),
        ]);
    }
    out!("{table}");
    out!(
        "{DIM}nothing leaves unless an operator approves it: look through it with `cairn research show SHARD`, then \
         `cairn operator training SHARD --approve`{DIM:#}"
    );
}

async fn show_shard(invocation: &Invocation, id: &ShardId) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let shard = agent.research_shard(id).await?;
    invocation.answer(|| wire::ExportedShard::from(&shard), || print_shard(&shard));
    Ok(())
}

/// The shard as an export would write it, one field a line, and what to look for in it.
fn print_shard(shard: &ResearchShard) {
    let exported = json!(wire::ExportedShard::from(shard));
    for line in format!("{exported:#}").lines() {
        out!("{}", with_marked_masks(line));
    }
    match shard.masked {
        0 => err!("nothing is masked in it; a name that no rule knows stays"),
        1 => err!("1 place is masked, in brackets; a name that no rule knows stays"),
        places => err!("{places} places are masked, in brackets; a name that no rule knows stays"),
    }
    if shard.gives_orders {
        err!("words in it give orders to whoever reads them: it is never exported");
    }
}

/// A line in which what stands for something masked is colored: `[person]`, `[secret: token]`.
fn with_marked_masks(line: &str) -> String {
    let mut shown = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('[') {
        let inside = |c: char| c.is_ascii_lowercase() || c == ' ' || c == ':';
        let words = rest[at + 1..].find(|c| !inside(c)).unwrap_or(rest.len() - at - 1);
        let end = at + 1 + words;
        shown.push_str(&rest[..at]);
        if words > 0 && rest[end..].starts_with(']') {
            let _ = write!(shown, "{YELLOW}{}{YELLOW:#}", &rest[at..=end]);
            rest = &rest[end + 1..];
        } else {
            shown.push('[');
            rest = &rest[at + 1..];
        }
    }
    shown + rest
}

async fn export(invocation: &Invocation, file: &Path) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let shards = agent.research_export().await?;
    if file.symlink_metadata().is_ok() {
        return Err(Failure::new(
            format!("{} already exists", file.display()),
            "name a new file; nothing was written",
        ));
    }
    let lines = shards.iter().map(|shard| json!(wire::ExportedShard::from(shard)).to_string() + "\n");
    let text: String = lines.collect();
    replace_file(file, text.as_bytes(), ReplaceSync::Durable, ReplaceAccess::Private).map_err(|error| {
        Failure::new(format!("cannot write {}: {error}", file.display()), "check the path and the disk")
    })?;
    invocation.answer(
        || json!({"file": file, "shards": shards.len()}),
        || out!("{} shard(s) written to {}", shards.len(), file.display()),
    );
    Ok(())
}

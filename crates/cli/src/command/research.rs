//! `cairn research`: the work of sessions as research may see it.

use super::invocation::Invocation;
use crate::{
    args::{EvolutionFilter, ResearchCommand},
    failure::Failure,
    show::{self, DIM},
};
use cairn_engine::{Missing, ReplaceAccess, ReplaceSync, ResearchShard, replace_file};
use cairn_wire as wire;
use serde_json::json;
use std::path::Path;

pub(crate) async fn research(invocation: &Invocation, what: ResearchCommand) -> Result<(), Failure> {
    match what {
        ResearchCommand::List(of) => list(invocation, of).await,
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
        "{DIM}nothing leaves unless an operator approves it: `cairn operator training SHARD --approve`{DIM:#}"
    );
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

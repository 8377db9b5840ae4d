//! `cairn embed`: embeds messages or changes the embedder; also installs the model for `cairn init`.

use super::invocation::Invocation;
use crate::{failure::Failure, show};
use cairn_engine::{Agent, Embedding, Missing, models::InstallProgress};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use serde_json::json;
use std::{path::PathBuf, time::Duration};

/// Installs the embedding model; returns whether it is installed now. Everything works without it, by keyword.
pub(crate) async fn install(invocation: &Invocation, from: Option<PathBuf>) -> Result<bool, Failure> {
    let asked = from.is_some();
    let bar = bar("{msg} {bar:30} {bytes}/{total_bytes}");
    let installed = invocation
        .home
        .install_model(from, &|progress| match progress {
            InstallProgress::Trying { what } => bar.set_message(format!("downloading the model: {what}")),
            InstallProgress::Bytes { done, total } => {
                bar.set_length(total);
                bar.set_position(done);
            }
            InstallProgress::Checking => bar.set_message("checking the model"),
            InstallProgress::Done => {}
        })
        .await;
    bar.finish_and_clear();
    match installed {
        // A named file that is invalid is an error; a failed download is not.
        Err(error) if !asked => {
            let (yellow, cyan) = (show::YELLOW, show::CYAN);
            err!("{yellow}by keywords only:{yellow:#} {error}");
            err!("{cyan}hint:{cyan:#} {}", error.hint());
            Ok(false)
        }
        installed => Ok(installed?),
    }
}

pub(crate) async fn embed(invocation: &Invocation, change: bool, yes: bool) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    if change {
        return change_embedder(invocation, &agent, yes).await;
    }
    let Embedding { done, messages } = catch_up(&agent).await?;
    invocation.answer(
        || json!({"embedded": done, "messages": messages}),
        || out!("{}ready{:#}  {done} of {messages} messages are embedded", show::GREEN, show::GREEN),
    );
    Ok(())
}

/// Embeds every message, with progress.
pub(crate) async fn catch_up(agent: &Agent) -> Result<Embedding, Failure> {
    let bar = bar("embedding {bar:30} {percent}% {human_pos} messages, {per_sec}, {eta} left");
    let embedding = agent.embed(&mut |embedding| advance(&bar, embedding)).await;
    bar.finish_and_clear();
    Ok(embedding?)
}

fn advance(bar: &ProgressBar, embedding: Embedding) {
    if bar.length() != Some(u64::from(embedding.messages)) {
        bar.set_length(u64::from(embedding.messages));
        bar.set_position(u64::from(embedding.done));
        bar.reset_eta();
    }
    bar.set_position(u64::from(embedding.done));
}

/// Shows what a change would take and, with `yes`, carries it out.
async fn change_embedder(invocation: &Invocation, agent: &Agent, yes: bool) -> Result<(), Failure> {
    let Some(plan) = agent.plan_embedder_change().await? else {
        if yes {
            // Cleans up after a change that was interrupted at its very end.
            agent.change_embedder(&mut |_| {}).await?;
        }
        invocation.answer(
            || json!({"change": false}),
            || out!("nothing to change: the configured embedder is already in use"),
        );
        return Ok(());
    };
    let Embedding { done, messages } = plan.embedding;
    let from = plan.from.as_deref().unwrap_or("none");
    if yes {
        let bar = bar("embedding {bar:30} {percent}% {human_pos} messages, {per_sec}, {eta} left");
        let changed = agent.change_embedder(&mut |embedding| advance(&bar, embedding)).await;
        bar.finish_and_clear();
        changed?;
    }
    invocation.answer(
        || {
            json!({"change": true, "done": yes, "from": plan.from, "to": plan.to, "dimension": plan.dimension,
                   "messages": messages, "embedded": if yes { messages } else { done }, "seconds": plan.seconds})
        },
        || {
            let (green, dim) = (show::GREEN, show::DIM);
            if yes {
                return out!("{green}changed{green:#}  from {from} to {}", plan.to);
            }
            out!("from {from}\n  to {} ({} dimensions)", plan.to, plan.dimension);
            let left = HumanDuration(Duration::from_secs_f64(plan.seconds));
            out!("{} messages to embed, about {left}; the old vectors are used until then", messages - done);
            out!("{dim}nothing was changed; run `cairn embed --change --yes` to change it (it can be interrupted){dim:#}");
        },
    );
    Ok(())
}

fn bar(style: &str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

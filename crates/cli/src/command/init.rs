//! `cairn init`: the home, the agent with its identity templates, and the embedding model.

use super::{embed, invocation::Invocation};
use crate::{failure::Failure, show};
use serde_json::json;
use std::path::PathBuf;

pub(crate) async fn init(
    invocation: &Invocation,
    from: Option<PathBuf>,
    no_model: bool,
) -> Result<(), Failure> {
    let made = invocation.home.init(&invocation.agent).await?;
    let folder = invocation.home.folder(&invocation.agent);
    let model = if no_model { false } else { embed::install(invocation, from).await? };
    invocation.answer(
        || {
            json!({"home": invocation.home.path(), "agent": invocation.agent, "folder": folder,
                "server": invocation.home.server().map(ToString::to_string), "made": made, "model": model})
        },
        || {
            let (green, agent) = (show::GREEN, &invocation.agent);
            let place =
                invocation.home.server().map_or_else(|| folder.display().to_string(), ToString::to_string);
            out!("{green}ready{green:#}  agent {agent} is in {place}");
            for path in &made {
                out!("  created {}", path.display());
            }
            err!("try: cairn remember \"I moved to Lisbon.\" && cairn recall \"where do I live? Lisbon?\"");
        },
    );
    Ok(())
}

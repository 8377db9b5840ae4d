//! Operations for operators: agents, health, rebuild, backup and keys.

use super::lists::PageParameters;
use crate::{
    failure::RequestFailure,
    request::{
        access::{Caller, ExistingAgent},
        body::{Body, Parameters},
    },
    state::SharedState,
};
use axum::{Extension, Json, extract::Path};
use cairn_engine::{Health, Missing, limits::page_size};
use cairn_operator::{add_key, list_keys, revoke_key};
use cairn_wire as wire;

/// The agents that the caller may know of, sorted by name.
pub(crate) async fn agents(
    Extension(app): SharedState,
    Extension(caller): Extension<Caller>,
    Parameters(page): Parameters<PageParameters>,
) -> Result<Json<wire::Agents>, RequestFailure> {
    let limit = page_size(page.limit)? as usize;
    let asking = "main".parse()?;
    let names = app.home.agents(&asking).await?;
    let after = |name: &str| page.cursor.as_deref().is_none_or(|cursor| name > cursor);
    let mut names = names.into_iter().filter(|name| caller.knows(name) && after(name.as_str()));
    let mut agents = Vec::new();
    for name in names.by_ref().take(limit) {
        let open_agent = app.agents.open(&name, Missing::Refuse).await?;
        agents.push(wire::Stats::new(&name, &open_agent.agent.stats().await?));
    }
    let next = agents.last().filter(|_| names.next().is_some()).map(|last| last.agent.to_string());
    Ok(Json(wire::Agents { next, agents }))
}

/// Runs every health check on the agent.
pub(crate) async fn health(
    Extension(app): SharedState,
    ExistingAgent(open_agent): ExistingAgent,
) -> Result<Json<wire::Checkup>, RequestFailure> {
    let checks = app.home.examine(open_agent.agent.name()).await?;
    let ok = checks.iter().all(|check| check.health != Health::Bad);
    Ok(Json(wire::Checkup { ok, checks: checks.iter().map(wire::Check::from).collect() }))
}

/// The configuration in force.
pub(crate) async fn configuration(
    Extension(app): SharedState,
) -> Result<Json<wire::Configuration>, RequestFailure> {
    let file = app.home.path().join("config.toml").display().to_string();
    Ok(Json(wire::Configuration { file, toml: app.home.config().to_toml()? }))
}

/// Rebuilds everything derived from the archive.
pub(crate) async fn rebuild(
    ExistingAgent(open_agent): ExistingAgent,
) -> Result<Json<wire::Rebuilt>, RequestFailure> {
    let rebuilt = open_agent.agent.rebuild().await?;
    Ok(Json(wire::Rebuilt { messages: rebuilt.messages, files: rebuilt.files, notes: rebuilt.notes }))
}

/// Backs up the agent.
pub(crate) async fn backup(
    ExistingAgent(open_agent): ExistingAgent,
) -> Result<Json<wire::BackedUp>, RequestFailure> {
    let folder = open_agent.agent.backup(None).await?;
    Ok(Json(wire::BackedUp { folder: folder.display().to_string() }))
}

/// Lists the agent's own backups.
pub(crate) async fn backups(
    ExistingAgent(open_agent): ExistingAgent,
) -> Result<Json<wire::Backups>, RequestFailure> {
    let found = open_agent.agent.backups()?;
    let keep = open_agent.agent.config().backup.keep;
    Ok(Json(wire::Backups { backups: found.iter().map(wire::Backup::from).collect(), keep }))
}

/// Lists the keys that the caller's grant reaches, without their secrets.
pub(crate) async fn keys(
    Extension(app): SharedState,
    Extension(caller): Extension<Caller>,
) -> Result<Json<wire::Keys>, RequestFailure> {
    Ok(Json(list_keys(caller.grant()?, &app.keys).await?.iter().collect()))
}

/// Creates a key; its secret is shown only in this answer.
pub(crate) async fn create_key(
    Extension(app): SharedState,
    Extension(caller): Extension<Caller>,
    Body { value: request, .. }: Body<wire::KeyRequest>,
) -> Result<Json<wire::NewKey>, RequestFailure> {
    let wire::KeyRequest { name, scope, agents } = request;
    let (key, secret) = add_key(caller.grant()?, &app.keys, &name, scope, agents).await?;
    Ok(Json(wire::NewKey { key: (&key).into(), secret }))
}

/// Revokes a key.
pub(crate) async fn delete_key(
    Extension(app): SharedState,
    Extension(caller): Extension<Caller>,
    Path(key): Path<String>,
) -> Result<Json<wire::Key>, RequestFailure> {
    Ok(Json((&revoke_key(caller.grant()?, &app.keys, &key).await?).into()))
}

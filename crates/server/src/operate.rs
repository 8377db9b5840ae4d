//! What only an operator may.

use crate::{
    access::{Caller, Reading},
    app::Here,
    body::{Body, Parameters},
    failure::Failed,
    lists::{Page, limit},
};
use axum::{Extension, Json, extract::Path};
use cairn_engine::{Health, Missing};
use cairn_wire as wire;

/// The agents that a key may know of, by name.
pub(crate) async fn agents(
    Extension(app): Here,
    Extension(caller): Extension<Caller>,
    Parameters(page): Parameters<Page>,
) -> Result<Json<wire::Agents>, Failed> {
    let limit = limit(page.limit)? as usize;
    let asking = "main".parse()?;
    let names = app.home.agents(&asking).await?;
    let after = |name: &str| page.cursor.as_deref().is_none_or(|cursor| name > cursor);
    let mut names = names.into_iter().filter(|name| caller.knows(name) && after(name.as_str()));
    let mut agents = Vec::new();
    for name in names.by_ref().take(limit) {
        let kept = app.agents.open(&name, Missing::Refuse).await?;
        agents.push(wire::Stats::new(&name, &kept.agent.stats().await?));
    }
    let next = agents.last().filter(|_| names.next().is_some()).map(|last| last.agent.to_string());
    Ok(Json(wire::Agents { next, agents }))
}

/// Whether everything is in order.
pub(crate) async fn health(
    Extension(app): Here,
    Reading(kept): Reading,
) -> Result<Json<wire::Checkup>, Failed> {
    let checks = app.home.examine(kept.agent.name()).await?;
    let ok = checks.iter().all(|check| check.health != Health::Bad);
    Ok(Json(wire::Checkup { ok, checks: checks.iter().map(wire::Check::from).collect() }))
}

/// Builds everything derived anew from the archive.
pub(crate) async fn rebuild(Reading(kept): Reading) -> Result<Json<wire::Rebuilt>, Failed> {
    let rebuilt = kept.agent.rebuild().await?;
    Ok(Json(wire::Rebuilt { messages: rebuilt.messages, files: rebuilt.files, notes: rebuilt.notes }))
}

/// Copies the agent as it is now.
pub(crate) async fn backup(Reading(kept): Reading) -> Result<Json<wire::BackedUp>, Failed> {
    let folder = kept.agent.backup(None).await?;
    Ok(Json(wire::BackedUp { folder: folder.display().to_string() }))
}

/// The keys.
pub(crate) async fn keys(Extension(app): Here) -> Result<Json<wire::Keys>, Failed> {
    Ok(Json(app.keys.list().await?.iter().collect()))
}

/// Makes a key.
pub(crate) async fn add_key(
    Extension(app): Here,
    Extension(caller): Extension<Caller>,
    Body { value: request, .. }: Body<wire::KeyRequest>,
) -> Result<Json<wire::NewKey>, Failed> {
    let wire::KeyRequest { name, scope, agents } = request;
    let (key, secret) = app.keys.add(&name, scope, agents, caller.name()).await?;
    Ok(Json(wire::NewKey { key: (&key).into(), secret }))
}

/// Lets a key open nothing any more.
pub(crate) async fn revoke_key(
    Extension(app): Here,
    Extension(caller): Extension<Caller>,
    Path(key): Path<String>,
) -> Result<Json<wire::Key>, Failed> {
    Ok(Json((&app.keys.revoke(&key, caller.name()).await?).into()))
}

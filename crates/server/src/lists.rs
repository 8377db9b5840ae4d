//! What there is, part by part. A cursor names the last of a part, so that what comes in meanwhile neither repeats nor
//! hides anything.

use crate::{access::Reading, body::Parameters, failure::Failed, verbs::memory_id};
use axum::{Json, extract::Path};
use cairn_domain::Invalid;
use cairn_engine::After;
use cairn_wire as wire;
use schemars::JsonSchema;
use serde::Deserialize;

/// How many, if not said, and at most.
const USUAL: u32 = 50;
const MOST: u32 = 500;

/// Which part of a list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Page {
    /// How many, at most; 50 if not said.
    #[schemars(range(min = 1, max = 500))]
    pub(crate) limit: Option<u32>,
    /// What an earlier part gave as `next`.
    pub(crate) cursor: Option<String>,
}

/// Which memories.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct MemoriesPage {
    /// Only those of this session.
    session: Option<String>,
    /// Replaced and dormant ones, too.
    all: bool,
    /// How many, at most; 50 if not said.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    /// What an earlier part gave as `next`.
    cursor: Option<String>,
}

/// So many, within bounds.
pub(crate) fn limit(asked: Option<u32>) -> Result<u32, Invalid> {
    match asked.unwrap_or(USUAL) {
        limit @ 1..=MOST => Ok(limit),
        limit => Err(Invalid::new(
            format!("{limit} at once cannot be had"),
            format!("give a number from 1 to {MOST}"),
        )),
    }
}

fn unreadable() -> Invalid {
    Invalid::new("this cursor is none", "send what an earlier answer gave as `next`, or leave it out")
}

/// A cursor: a number and what comes after it among those with the same.
fn after(cursor: Option<&str>) -> Result<Option<After>, Invalid> {
    let Some(cursor) = cursor else { return Ok(None) };
    let (number, name) = cursor.split_once('~').ok_or_else(unreadable)?;
    let number = number.parse().map_err(|_| unreadable())?;
    Ok(Some(After { number, name: name.to_owned() }))
}

fn cursor(after: &After) -> String {
    format!("{}~{}", after.number, after.name)
}

/// Where the next part begins, if this one is full.
fn next<T>(items: &[T], limit: u32, place: impl FnOnce(&T) -> After) -> Option<String> {
    items.last().filter(|_| items.len() >= limit as usize).map(|last| cursor(&place(last)))
}

pub(crate) async fn memories(
    Reading(kept): Reading,
    Parameters(page): Parameters<MemoriesPage>,
) -> Result<Json<wire::Memories>, Failed> {
    let (limit, after) = (limit(page.limit)?, after(page.cursor.as_deref())?);
    let before = after.map(|after| u32::try_from(after.number).map_err(|_| unreadable())).transpose()?;
    let memories = kept.agent.memories_before(page.session, page.all, before, limit).await?;
    let next = next(&memories, limit, |last| After { number: i64::from(last.number), name: String::new() });
    Ok(Json(wire::Memories { next, ..memories.iter().collect() }))
}

pub(crate) async fn memory(
    Reading(kept): Reading,
    Path((_, reference)): Path<(String, String)>,
) -> Result<Json<wire::Memory>, Failed> {
    let record = kept.agent.memory(memory_id(&kept.agent, &reference).await?).await?;
    Ok(Json((&record).into()))
}

pub(crate) async fn entities(
    Reading(kept): Reading,
    Parameters(page): Parameters<Page>,
) -> Result<Json<wire::Entities>, Failed> {
    let limit = limit(page.limit)?;
    let entities = kept.agent.entities_after(after(page.cursor.as_deref())?, limit).await?;
    let next =
        next(&entities, limit, |last| After { number: i64::from(last.mentions), name: last.slug.clone() });
    Ok(Json(wire::Entities { next, ..entities.iter().collect() }))
}

pub(crate) async fn entity(
    Reading(kept): Reading,
    Path((_, name)): Path<(String, String)>,
) -> Result<Json<wire::Hub>, Failed> {
    Ok(Json((&kept.agent.hub(&name, USUAL).await?).into()))
}

pub(crate) async fn threads(
    Reading(kept): Reading,
    Parameters(page): Parameters<Page>,
) -> Result<Json<wire::Threads>, Failed> {
    let limit = limit(page.limit)?;
    let threads = kept.agent.threads_after(after(page.cursor.as_deref())?, limit).await?;
    let next = next(&threads, limit, |last| After { number: last.last_at.millis(), name: last.name.clone() });
    Ok(Json(wire::Threads { next, ..threads.iter().collect() }))
}

pub(crate) async fn sessions(
    Reading(kept): Reading,
    Parameters(page): Parameters<Page>,
) -> Result<Json<wire::Sessions>, Failed> {
    let limit = limit(page.limit)?;
    let sessions = kept.agent.sessions_after(after(page.cursor.as_deref())?, limit).await?;
    let next = next(&sessions, limit, |last| After {
        number: last.last_at.millis(),
        name: last.last_seq.to_string(),
    });
    Ok(Json(wire::Sessions { next, ..sessions.iter().collect() }))
}

pub(crate) async fn session(
    Reading(kept): Reading,
    Path((_, name)): Path<(String, String)>,
    Parameters(page): Parameters<Page>,
) -> Result<Json<wire::Messages>, Failed> {
    let limit = limit(page.limit)?;
    let before = page.cursor.map(|cursor| cursor.parse().map_err(|_| unreadable())).transpose()?;
    let messages = kept.agent.session(&name, before, limit).await?;
    let next = messages.last().filter(|_| messages.len() >= limit as usize).map(|last| last.seq.to_string());
    Ok(Json(wire::Messages { next, ..messages.iter().collect() }))
}

pub(crate) async fn stats(Reading(kept): Reading) -> Result<Json<wire::Stats>, Failed> {
    Ok(Json(wire::Stats::new(kept.agent.name(), &kept.agent.stats().await?)))
}

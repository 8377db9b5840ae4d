//! Lists, page by page. A cursor names the last item of a page, so that new items neither repeat nor hide anything.

use crate::{
    failure::RequestFailure,
    request::{access::ExistingAgent, body::Parameters},
};
use axum::{Json, extract::Path};
use cairn_domain::{Category, Form, Invalid, Tier, Time};
use cairn_engine::{
    After, MemoryListing, MemoryScope,
    limits::{DEFAULT_PAGE_ITEMS, MAX_GRAPH_ENTITIES, MAX_PAGE_ITEMS, page_size},
};
use cairn_wire as wire;
use schemars::JsonSchema;
use serde::Deserialize;

/// Which page of a list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PageParameters {
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    pub(crate) limit: Option<u32>,
    /// The `next` of an earlier page.
    pub(crate) cursor: Option<String>,
}

/// Which memories.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct MemoryPageParameters {
    /// Only memories of this session.
    session: Option<String>,
    /// Only memories of this thread.
    thread: Option<String>,
    /// Only memories that name this entity: a name, or an address such as `entity://place/lisbon`.
    entity: Option<String>,
    /// Only memories that say this kind of thing.
    category: Option<Category>,
    /// Only memories that came to be this way.
    form: Option<Form>,
    /// Only memories kept this way.
    tier: Option<Tier>,
    /// Include replaced and dormant memories.
    all: bool,
    /// Only what held or had been said by then; what was replaced later is among it.
    as_of: Option<Time>,
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
    /// The `next` of an earlier page.
    cursor: Option<String>,
}

/// Which days.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DayParameters {
    /// Only what had been said by then.
    as_of: Option<Time>,
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
    /// The `next` of an earlier page.
    cursor: Option<String>,
}

/// Which part of the graph.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GraphParameters {
    /// Only entities that had been seen by then; how they belong together is as it is now.
    as_of: Option<Time>,
    /// Maximum number of entities; 500 if not given.
    #[schemars(range(min = 1, max = MAX_GRAPH_ENTITIES))]
    limit: Option<u32>,
}

/// Which handoffs.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct HandoffParameters {
    /// Only that of this thread.
    thread: Option<String>,
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

fn unreadable() -> Invalid {
    Invalid::new("this cursor is invalid", "send the `next` of an earlier page, or omit it")
}

/// Parses a cursor: a number, and a name to order items with the same number.
fn after(cursor: Option<&str>) -> Result<Option<After>, Invalid> {
    let Some(cursor) = cursor else { return Ok(None) };
    let (number, name) = cursor.split_once('~').ok_or_else(unreadable)?;
    let number = number.parse().map_err(|_| unreadable())?;
    Ok(Some(After { number, name: name.to_owned() }))
}

fn cursor(after: &After) -> String {
    format!("{}~{}", after.number, after.name)
}

/// The cursor of the next page, if this one is full.
fn next<T>(items: &[T], limit: u32, place: impl FnOnce(&T) -> After) -> Option<String> {
    items.last().filter(|_| items.len() >= limit as usize).map(|last| cursor(&place(last)))
}

pub(crate) async fn memories(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(page): Parameters<MemoryPageParameters>,
) -> Result<Json<wire::Memories>, RequestFailure> {
    let (limit, after) = (page_size(page.limit)?, after(page.cursor.as_deref())?);
    let before = after.map(|after| u32::try_from(after.number).map_err(|_| unreadable())).transpose()?;
    let listing = MemoryListing {
        session: page.session,
        thread: page.thread,
        entity: page.entity,
        category: page.category,
        form: page.form,
        tier: page.tier,
        scope: if page.all { MemoryScope::All } else { MemoryScope::Active },
        as_of: page.as_of,
        before,
    };
    let memories = open_agent.agent.list_memories(&listing, limit).await?;
    let next = next(&memories, limit, |last| After { number: i64::from(last.number), name: String::new() });
    Ok(Json(wire::Memories { next, ..memories.iter().collect() }))
}

pub(crate) async fn memory(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, reference)): Path<(String, String)>,
) -> Result<Json<wire::Memory>, RequestFailure> {
    let record = open_agent.agent.memory(open_agent.agent.resolve_memory(&reference).await?).await?;
    Ok(Json((&record).into()))
}

/// How rhythms have changed one memory, and how it fades.
pub(crate) async fn memory_history(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, reference)): Path<(String, String)>,
) -> Result<Json<wire::ExplainedMemory>, RequestFailure> {
    let explained =
        open_agent.agent.explain_memory(open_agent.agent.resolve_memory(&reference).await?).await?;
    Ok(Json(wire::ExplainedMemory::new(&explained)))
}

pub(crate) async fn days(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(page): Parameters<DayParameters>,
) -> Result<Json<wire::Days>, RequestFailure> {
    let limit = page_size(page.limit)?;
    let before = page.cursor.map(|cursor| cursor.parse().map(Time::from_millis).map_err(|_| unreadable()));
    let days = open_agent.agent.days(before.transpose()?, page.as_of, limit).await?;
    let last = days.last().filter(|_| days.len() >= limit as usize);
    let next = last.map(|last| last.begins_at.millis().to_string());
    Ok(Json(wire::Days { next, ..days.iter().collect() }))
}

pub(crate) async fn entities(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(page): Parameters<PageParameters>,
) -> Result<Json<wire::Entities>, RequestFailure> {
    let limit = page_size(page.limit)?;
    let entities = open_agent.agent.entities_after(after(page.cursor.as_deref())?, limit).await?;
    let next =
        next(&entities, limit, |last| After { number: i64::from(last.mentions), name: last.slug.clone() });
    Ok(Json(wire::Entities { next, ..entities.iter().collect() }))
}

pub(crate) async fn entity(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, name)): Path<(String, String)>,
) -> Result<Json<wire::Hub>, RequestFailure> {
    Ok(Json((&open_agent.agent.hub(&name, DEFAULT_PAGE_ITEMS).await?).into()))
}

pub(crate) async fn graph(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(GraphParameters { as_of, limit }): Parameters<GraphParameters>,
) -> Result<Json<wire::EntityGraph>, RequestFailure> {
    let limit = limit.unwrap_or(MAX_PAGE_ITEMS);
    if !(1..=MAX_GRAPH_ENTITIES).contains(&limit) {
        let hint = format!("give a number from 1 to {MAX_GRAPH_ENTITIES}");
        return Err(Invalid::new(format!("{limit} is not a valid limit"), hint).into());
    }
    Ok(Json((&open_agent.agent.entity_graph(as_of, limit).await?).into()))
}

pub(crate) async fn threads(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(page): Parameters<PageParameters>,
) -> Result<Json<wire::Threads>, RequestFailure> {
    let limit = page_size(page.limit)?;
    let threads = open_agent.agent.threads_after(after(page.cursor.as_deref())?, limit).await?;
    let next = next(&threads, limit, |last| After { number: last.last_at.millis(), name: last.name.clone() });
    Ok(Json(wire::Threads { next, ..threads.iter().collect() }))
}

pub(crate) async fn sessions(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(page): Parameters<PageParameters>,
) -> Result<Json<wire::Sessions>, RequestFailure> {
    let limit = page_size(page.limit)?;
    let sessions = open_agent.agent.sessions_after(after(page.cursor.as_deref())?, limit).await?;
    let next = next(&sessions, limit, |last| After {
        number: last.last_at.millis(),
        name: last.last_seq.to_string(),
    });
    Ok(Json(wire::Sessions { next, ..sessions.iter().collect() }))
}

pub(crate) async fn session(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, name)): Path<(String, String)>,
    Parameters(page): Parameters<PageParameters>,
) -> Result<Json<wire::Messages>, RequestFailure> {
    let limit = page_size(page.limit)?;
    let before = page.cursor.map(|cursor| cursor.parse().map_err(|_| unreadable())).transpose()?;
    let messages = open_agent.agent.session(&name, before, limit).await?;
    let next = messages.last().filter(|_| messages.len() >= limit as usize).map(|last| last.seq.to_string());
    Ok(Json(wire::Messages { next, ..messages.iter().collect() }))
}

pub(crate) async fn session_key(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, name)): Path<(String, String)>,
) -> Result<Json<wire::KeyOfSession>, RequestFailure> {
    Ok(Json(open_agent.agent.session_key(&name).await?.into()))
}

pub(crate) async fn handoffs(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<HandoffParameters>,
) -> Result<Json<wire::Handoffs>, RequestFailure> {
    let stored = match asked.thread {
        Some(thread) => open_agent.agent.handoff(Some(&thread)).await?.into_iter().collect(),
        None => open_agent.agent.handoffs(page_size(asked.limit)?).await?,
    };
    Ok(Json(stored.iter().collect()))
}

pub(crate) async fn stats(
    ExistingAgent(open_agent): ExistingAgent,
) -> Result<Json<wire::Stats>, RequestFailure> {
    Ok(Json(wire::Stats::new(open_agent.agent.name(), &open_agent.agent.stats().await?)))
}

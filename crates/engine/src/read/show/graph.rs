//! The graph: who and what memories are about, how they belong together, and where a memory leads.

use crate::{
    Agent, EngineError, Result,
    limits::MAX_GRAPH_EDGES,
    read::lane::{RelationWalk, way_name},
};
use cairn_cognition::entity::slug;
use cairn_domain::{MemoryId, RelationKind, Time};
use cairn_store::{After, EntityRecord, FollowedPattern, MemoryRecord, View};
use std::{cmp::Reverse, collections::HashMap};

/// Maximum entities shown as appearing together with one.
const MAX_CO_MENTIONED_ENTITIES: u32 = 12;
/// Ways through the graph that are known to be worth going; others are discovered.
const STATIC_PATTERNS: [&str; 5] = ["causes", "causes>causes", "elaborates", "same_entity", "supersedes"];
/// The yield that a way counts with before it was gone for the first time.
const UNTRIED_WAY_YIELD: f64 = 0.5;

/// The kind of edge between entities that stand in the same memories.
const TOGETHER_EDGE: &str = "together";
/// The kind of edge from an entity to what it belongs to.
const TOPIC_EDGE: &str = "topic";

/// An entity and all that is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Hub {
    /// The entity.
    pub entity: EntityRecord,
    /// The addresses of its other names.
    pub aliases: Vec<String>,
    /// The memories that name it, the newest first.
    pub memories: Vec<MemoryRecord>,
    /// Who and what stands in memories together with it, with how often.
    pub together: Vec<(EntityRecord, u32)>,
}

/// Entities and how they belong together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntityGraph {
    /// The entities, those with the most mentions first.
    pub entities: Vec<EntityRecord>,
    /// The edges between them, the closest first.
    pub edges: Vec<EntityEdge>,
    /// Whether there are more edges than are given.
    pub cut: bool,
}

/// One thing that joins two entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityEdge {
    /// The place of the one among the entities.
    pub one: usize,
    /// The place of the other.
    pub other: usize,
    /// Its kind: `together` for standing in the same memories, `parent` if the other is what the one belongs to, or the
    /// attribute of a statement about the one whose value is the other.
    pub kind: String,
    /// In how many memories; 1 for a statement.
    pub times: u32,
}

/// A memory that another leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// The memory.
    pub record: MemoryRecord,
    /// Over how many relations.
    pub hops: u32,
    /// The kinds of relation on the way, such as `causes>elaborates`.
    pub way: String,
    /// How often that way has led to a new memory before, 0 to 1; none if it was never gone.
    pub way_yield: Option<f64>,
}

/// The address of an entity, by its name, its address or another name.
pub(super) fn entity_slug(name: &str) -> String {
    slug(name.rsplit('/').next().unwrap_or(name))
}

impl Agent {
    /// The entities with the most mentions.
    pub async fn entities(&self, limit: u32) -> Result<Vec<EntityRecord>> {
        self.entities_after(None, limit).await
    }

    /// The same after the last of an earlier part.
    pub async fn entities_after(&self, after: Option<After>, limit: u32) -> Result<Vec<EntityRecord>> {
        Ok(self.store.read(|view| view.entities(after.as_ref(), limit)).await?)
    }

    /// Everything about an entity, by its name, its address or another name.
    pub async fn hub(&self, name: &str, limit: u32) -> Result<Hub> {
        let address = entity_slug(name);
        let hub = self
            .store
            .read(|view| {
                let Some(entity) = view.entity(&address)? else { return Ok(None) };
                let numbers = view.hub(&entity.slug, limit)?;
                Ok(Some(Hub {
                    aliases: view.aliases(entity.id)?,
                    memories: view.memories_at(&numbers)?,
                    together: view.together_with(entity.id, MAX_CO_MENTIONED_ENTITIES)?,
                    entity,
                }))
            })
            .await?;
        hub.ok_or_else(|| EngineError::NotFound(name.to_owned()))
    }

    /// At most `limit` entities that had been seen by a moment, those with the most mentions, and how they belong together.
    pub async fn entity_graph(&self, as_of: Option<Time>, limit: u32) -> Result<EntityGraph> {
        let (mut entities, pairs, parents, statements) = self
            .store
            .read(|view| {
                Ok((
                    view.entities(None, limit)?,
                    view.cooccurrences(1)?,
                    view.entity_parents()?,
                    view.held_statements(MAX_GRAPH_EDGES)?,
                ))
            })
            .await?;
        entities.retain(|entity| as_of.is_none_or(|moment| entity.first_seen <= moment));
        let by_id: HashMap<u32, usize> =
            entities.iter().enumerate().map(|(at, entity)| (entity.id, at)).collect();
        let by_slug: HashMap<&str, usize> =
            entities.iter().enumerate().map(|(at, entity)| (entity.slug.as_str(), at)).collect();
        let ends = |one: Option<&usize>, other: Option<&usize>| {
            Some((*one?, *other?)).filter(|(one, other)| one != other)
        };
        let mut edges = Vec::new();
        for statement in &statements {
            let (one, other) = (slug(&statement.subject), slug(&statement.value));
            let found = ends(by_slug.get(one.as_str()), by_slug.get(other.as_str()));
            let kind = statement.attribute.clone();
            edges.extend(found.map(|(one, other)| EntityEdge { one, other, kind, times: 1 }));
        }
        for parent in &parents {
            let found = ends(by_id.get(&parent.entity), by_id.get(&parent.parent));
            edges.extend(found.map(|(one, other)| {
                let times = (parent.share * f64::from(entities[one].mentions)).round() as u32;
                EntityEdge { one, other, kind: TOPIC_EDGE.to_owned(), times }
            }));
        }
        let mut together: Vec<EntityEdge> = pairs
            .iter()
            .filter_map(|(one, other, times)| {
                let (one, other) = ends(by_id.get(one), by_id.get(other))?;
                Some(EntityEdge { one, other, kind: TOGETHER_EDGE.to_owned(), times: *times })
            })
            .collect();
        together.sort_by_key(|edge| (Reverse(edge.times), edge.one, edge.other));
        edges.extend(together);
        let cut = edges.len() > MAX_GRAPH_EDGES as usize;
        edges.truncate(MAX_GRAPH_EDGES as usize);
        Ok(EntityGraph { entities, edges, cut })
    }

    /// Where a memory leads over relations of these kinds, nearest first; of those that are as near, first what lies on ways
    /// that have led somewhere before. Which ways were gone, and which of them led somewhere, is counted for the next time.
    pub async fn traverse(&self, id: MemoryId, hops: u32, kinds: &[RelationKind]) -> Result<Vec<Reached>> {
        let start = self.memory(id).await?.number;
        let (mut reached, gone) = self
            .store
            .read(|view| {
                let walk = RelationWalk::from_memory(view, start, hops, kinds)?;
                let yields = way_yields(view)?;
                let numbers: Vec<u32> = walk.reached.iter().map(|walked| walked.memory as u32).collect();
                let records = view.memories_at(&numbers)?;
                let reached = records.into_iter().zip(&walk.reached).map(|(record, walked)| {
                    let way = way_name(&walked.way);
                    let way_yield = yields.get(&way).copied();
                    Reached { record, hops: walked.way.len() as u32, way, way_yield }
                });
                Ok((reached.collect::<Vec<_>>(), walk.gone))
            })
            .await?;
        let worth = |reached: &Reached| reached.way_yield.unwrap_or(UNTRIED_WAY_YIELD);
        reached.sort_by(|a, b| a.hops.cmp(&b.hops).then(worth(b).total_cmp(&worth(a))));
        let origin = |way: &str| if STATIC_PATTERNS.contains(&way) { "static" } else { "discovered" };
        let counted = gone.into_iter().map(|(pattern, yielded)| {
            let origin = origin(&pattern);
            FollowedPattern { pattern, origin, yielded }
        });
        self.store.count_patterns(counted.collect()).await?;
        Ok(reached)
    }
}

/// The share of the times that each way was gone in which it led somewhere.
fn way_yields(view: &mut View<'_>) -> cairn_store::Result<HashMap<String, f64>> {
    let share =
        |(way, tried, yielded): (String, u32, u32)| (way, f64::from(yielded) / f64::from(tried.max(1)));
    Ok(view.traversal_patterns()?.into_iter().map(share).collect())
}

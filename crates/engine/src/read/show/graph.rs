//! The graph: who and what memories are about, and where a memory leads.

use crate::{
    Agent, EngineError, Result,
    read::lane::{RelationWalk, way_name},
};
use cairn_cognition::entity::slug;
use cairn_domain::{MemoryId, RelationKind};
use cairn_store::{After, EntityRecord, FollowedPattern, MemoryRecord, View};
use std::collections::HashMap;

/// Maximum entities shown as appearing together with one.
const MAX_CO_MENTIONED_ENTITIES: u32 = 12;
/// Ways through the graph that are known to be worth going; others are discovered.
const STATIC_PATTERNS: [&str; 5] = ["causes", "causes>causes", "elaborates", "same_entity", "supersedes"];
/// The yield that a way counts with before it was gone for the first time.
const UNTRIED_WAY_YIELD: f64 = 0.5;

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
        let address = slug(name.rsplit('/').next().unwrap_or(name));
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

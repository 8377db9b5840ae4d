//! The graph: who and what memories are about, and where a memory leads.

use crate::{Agent, EngineError, Result};
use cairn_cognition::{entity::slug, relation::reachable_memories};
use cairn_domain::{MemoryId, RelationKind};
use cairn_store::{After, EntityRecord, FollowedPattern, MemoryRecord};
use std::collections::HashMap;

/// Maximum entities shown as appearing together with one.
const MAX_CO_MENTIONED_ENTITIES: u32 = 12;
/// Ways through the graph that are known to be worth going; others are discovered.
const STATIC_PATTERNS: [&str; 5] = ["causes", "causes>causes", "elaborates", "same_entity", "supersedes"];

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

    /// Where a memory leads over relations of these kinds, nearest first. Which ways were gone, and which of them led
    /// somewhere, is counted: ways with a good yield are worth going again.
    pub async fn traverse(&self, id: MemoryId, hops: u32, kinds: &[RelationKind]) -> Result<Vec<Reached>> {
        let start = self.memory(id).await?.number;
        let (reached, patterns) = self
            .store
            .read(|view| {
                // How each memory was reached: the kinds on the way.
                let mut ways: HashMap<u64, String> = HashMap::from([(u64::from(start), String::new())]);
                let (mut gone, mut failed) = (Vec::new(), None);
                let found = reachable_memories(u64::from(start), hops, kinds, |memory| {
                    let relations = match view.relations(memory as u32) {
                        Ok(relations) => relations,
                        Err(error) => {
                            failed.get_or_insert(error);
                            return Vec::new();
                        }
                    };
                    let way = ways.get(&memory).cloned().unwrap_or_default();
                    let ends = relations.into_iter().map(|relation| {
                        let other =
                            if u64::from(relation.from) == memory { relation.to } else { relation.from };
                        (u64::from(other), relation.kind)
                    });
                    let ends: Vec<(u64, RelationKind)> = ends.collect();
                    for (other, kind) in ends.iter().filter(|(_, kind)| kinds.contains(kind)) {
                        let longer = if way.is_empty() { kind.to_string() } else { format!("{way}>{kind}") };
                        gone.push((longer.clone(), !ways.contains_key(other)));
                        ways.entry(*other).or_insert(longer);
                    }
                    ends
                });
                if let Some(error) = failed {
                    return Err(error);
                }
                let numbers: Vec<u32> = found.iter().map(|(number, _)| *number as u32).collect();
                let records = view.memories_at(&numbers)?;
                let reached =
                    records.into_iter().zip(found).map(|(record, (_, hops))| Reached { record, hops });
                Ok((reached.collect::<Vec<_>>(), gone))
            })
            .await?;
        let origin = |way: &str| if STATIC_PATTERNS.contains(&way) { "static" } else { "discovered" };
        let counted = patterns.into_iter().map(|(pattern, yielded)| {
            let origin = origin(&pattern);
            FollowedPattern { pattern, origin, yielded }
        });
        self.store.count_patterns(counted.collect()).await?;
        Ok(reached)
    }

    /// Ways through the graph, the best yield first: the kinds on the way, how often it was gone, and its yield.
    pub async fn traversal_patterns(&self) -> Result<Vec<(String, u32, f64)>> {
        let patterns = self.store.read(|view| view.traversal_patterns()).await?;
        let mut scored: Vec<(String, u32, f64)> = patterns
            .into_iter()
            .map(|(pattern, tried, yielded)| (pattern, tried, f64::from(yielded) / f64::from(tried.max(1))))
            .collect();
        scored.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
        Ok(scored)
    }
}

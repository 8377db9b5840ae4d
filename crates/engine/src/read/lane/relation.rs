//! Walks along relations: where one memory leads to, and over which kinds of relation.

use cairn_cognition::relation::{WalkedMemory, reachable_memories};
use cairn_domain::RelationKind;
use cairn_store::{RelationRecord, Result, View};
use std::collections::HashMap;

/// A walk along relations.
pub(crate) struct RelationWalk {
    /// The memories it came to, nearest first.
    pub(crate) reached: Vec<WalkedMemory>,
    /// The ways that were gone, and whether each led to a memory that none before it had led to.
    pub(crate) gone: Vec<(String, bool)>,
}

impl RelationWalk {
    /// Walks from a memory over relations of these kinds, so many hops at most.
    pub(crate) fn from_memory(
        view: &mut View<'_>,
        start: u32,
        hops: u32,
        kinds: &[RelationKind],
    ) -> Result<Self> {
        // How each memory was reached: the kinds on the way.
        let mut ways: HashMap<u64, String> = HashMap::from([(u64::from(start), String::new())]);
        let (mut gone, mut failed) = (Vec::new(), None);
        let reached = reachable_memories(u64::from(start), hops, kinds, |memory| {
            let relations = match view.relations(memory as u32) {
                Ok(relations) => relations,
                Err(error) => {
                    failed.get_or_insert(error);
                    return Vec::new();
                }
            };
            let way = ways.get(&memory).cloned().unwrap_or_default();
            let mut ends = Vec::with_capacity(relations.len());
            for RelationRecord { from, to, kind, confidence, .. } in relations {
                let other = u64::from(if u64::from(from) == memory { to } else { from });
                if kinds.contains(&kind) {
                    let longer = if way.is_empty() { kind.to_string() } else { format!("{way}>{kind}") };
                    gone.push((longer.clone(), !ways.contains_key(&other)));
                    ways.entry(other).or_insert(longer);
                }
                ends.push((other, kind, confidence));
            }
            ends
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(Self { reached, gone }),
        }
    }
}

/// The name of a way: its kinds in their order.
pub(crate) fn way_name(way: &[(RelationKind, f64)]) -> String {
    way.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>().join(">")
}

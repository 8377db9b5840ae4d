//! The graph lane: memories that a walk keeps coming back to which begins at the names in a question and goes from names to
//! the memories that name them, along relations to others, and from those to the names they hold.

use cairn_cognition::{entity::entities, pagerank::WalkGraph};
use cairn_store::{Result, View};
use std::collections::HashMap;

/// A name that more memories hold stands everywhere, and leads nowhere in particular.
const MAX_MENTIONS_OF_SEED: u32 = 40;
/// Names from which a walk goes on, beyond those of the question, and memories that each of them leads to.
const MAX_FURTHER_NAMES: usize = 30;
const MAX_MEMORIES_PER_FURTHER_NAME: u32 = 20;
/// Weight of an edge along a relation; one between a name and a memory weighs 1.
const RELATION_EDGE_WEIGHT: f64 = 0.5;

/// The memories that a walk from the names of a question reached.
#[derive(Default)]
pub(crate) struct GraphWalk {
    /// How often it was at each memory, beside the one where it was most often.
    shares: HashMap<u32, f64>,
}

/// A node of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum GraphNode {
    Name(u32),
    Memory(u32),
}

/// The part of the graph that is near.
#[derive(Default)]
struct NearbyGraph {
    places: HashMap<GraphNode, u32>,
    edges: Vec<(u32, u32, f64)>,
}

impl NearbyGraph {
    fn place(&mut self, node: GraphNode) -> u32 {
        let next = self.places.len() as u32;
        *self.places.entry(node).or_insert(next)
    }

    fn join(&mut self, one: GraphNode, other: GraphNode, weight: f64) {
        let edge = (self.place(one), self.place(other), weight);
        self.edges.push(edge);
    }
}

impl GraphWalk {
    /// Walks from the names in a text.
    pub(crate) fn from_names_in(view: &mut View<'_>, text: &str) -> Result<Self> {
        let (mut near, mut seeds, mut memories) = (NearbyGraph::default(), Vec::new(), Vec::new());
        for mention in entities(text) {
            let Some(entity) = view.entity(&mention.slug)?.filter(|it| it.mentions <= MAX_MENTIONS_OF_SEED)
            else {
                continue;
            };
            seeds.push((near.place(GraphNode::Name(entity.id)), 1.0 / f64::from(entity.mentions.max(1))));
            for number in view.hub(&entity.slug, MAX_MENTIONS_OF_SEED)? {
                near.join(GraphNode::Name(entity.id), GraphNode::Memory(number), 1.0);
                memories.push(number);
            }
        }
        if memories.is_empty() {
            return Ok(Self::default());
        }
        memories.sort_unstable();
        memories.dedup();
        for (from, to) in view.related_to(&memories)? {
            near.join(GraphNode::Memory(from), GraphNode::Memory(to), RELATION_EDGE_WEIGHT);
        }
        let mut more: Vec<u32> = Vec::new();
        for (number, name) in view.names_in(&memories)? {
            if !near.places.contains_key(&GraphNode::Name(name)) {
                more.push(name);
            }
            near.join(GraphNode::Memory(number), GraphNode::Name(name), 1.0);
        }
        more.dedup();
        more.truncate(MAX_FURTHER_NAMES);
        for (name, number) in view.naming(&more, MAX_MEMORIES_PER_FURTHER_NAME)? {
            near.join(GraphNode::Name(name), GraphNode::Memory(number), 1.0);
        }
        Ok(Self::rank(&near, &seeds))
    }

    fn rank(near: &NearbyGraph, seeds: &[(u32, f64)]) -> Self {
        let graph = WalkGraph::new(near.places.len(), &near.edges);
        let ranks: HashMap<u32, f64> = graph.rank(seeds).into_iter().collect();
        let memories = near.places.iter().filter_map(|(node, place)| match node {
            GraphNode::Memory(number) => Some((*number, *ranks.get(place)?)),
            GraphNode::Name(_) => None,
        });
        let mut shares: HashMap<u32, f64> = memories.collect();
        let most = shares.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        for share in shares.values_mut() {
            *share /= most;
        }
        Self { shares }
    }

    /// The memories it came to, the most often first, at most so many.
    pub(crate) fn best_memories(&self, n: usize) -> Vec<u32> {
        let mut best: Vec<(u32, f64)> = self.shares.iter().map(|(number, share)| (*number, *share)).collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        best.into_iter().take(n).map(|(number, _)| number).collect()
    }

    /// How often it was at a memory, beside the one where it was most often.
    pub(crate) fn visit_share(&self, number: u32) -> f64 {
        self.shares.get(&number).copied().unwrap_or_default()
    }
}

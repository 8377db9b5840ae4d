//! The graph lane: memories that a walk keeps coming back to which begins at the names in a question and goes from names to
//! the memories that name them, along relations to others, and from those to the names they hold.

use cairn_cognition::{entity::entities, pagerank::Graph};
use cairn_store::{Result, View};
use std::collections::HashMap;

/// A name that more memories hold stands everywhere, and leads nowhere in particular.
const HUB: u32 = 40;
/// Names from which a walk goes on, beyond those of the question, and memories that each of them leads to.
const MORE_NAMES: usize = 30;
const MORE_HUB: u32 = 20;
/// What an edge along a relation weighs beside one between a name and a memory.
const RELATION: f64 = 0.5;

/// What a walk from the names of a question came to.
#[derive(Default)]
pub(super) struct Walked {
    /// How often it was at each memory, beside the one where it was most often.
    shares: HashMap<u32, f64>,
}

/// A node of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Name(u32),
    Memory(u32),
}

/// The part of the graph that is near.
#[derive(Default)]
struct Near {
    places: HashMap<Node, u32>,
    edges: Vec<(u32, u32, f64)>,
}

impl Near {
    fn place(&mut self, node: Node) -> u32 {
        let next = self.places.len() as u32;
        *self.places.entry(node).or_insert(next)
    }

    fn join(&mut self, one: Node, other: Node, weight: f64) {
        let edge = (self.place(one), self.place(other), weight);
        self.edges.push(edge);
    }
}

impl Walked {
    /// Walks from the names in a text.
    pub(super) fn from(view: &mut View<'_>, text: &str) -> Result<Self> {
        let (mut near, mut seeds, mut memories) = (Near::default(), Vec::new(), Vec::new());
        for mention in entities(text) {
            let Some(entity) = view.entity(&mention.slug)?.filter(|it| it.mentions <= HUB) else { continue };
            seeds.push((near.place(Node::Name(entity.id)), 1.0 / f64::from(entity.mentions.max(1))));
            for number in view.hub(&entity.slug, HUB)? {
                near.join(Node::Name(entity.id), Node::Memory(number), 1.0);
                memories.push(number);
            }
        }
        if memories.is_empty() {
            return Ok(Self::default());
        }
        memories.sort_unstable();
        memories.dedup();
        for (from, to) in view.related_to(&memories)? {
            near.join(Node::Memory(from), Node::Memory(to), RELATION);
        }
        let mut more: Vec<u32> = Vec::new();
        for (number, name) in view.names_in(&memories)? {
            if !near.places.contains_key(&Node::Name(name)) {
                more.push(name);
            }
            near.join(Node::Memory(number), Node::Name(name), 1.0);
        }
        more.dedup();
        more.truncate(MORE_NAMES);
        for (name, number) in view.naming(&more, MORE_HUB)? {
            near.join(Node::Name(name), Node::Memory(number), 1.0);
        }
        Ok(Self::rank(&near, &seeds))
    }

    fn rank(near: &Near, seeds: &[(u32, f64)]) -> Self {
        let graph = Graph::new(near.places.len(), &near.edges);
        let ranks: HashMap<u32, f64> = graph.rank(seeds).into_iter().collect();
        let memories = near.places.iter().filter_map(|(node, place)| match node {
            Node::Memory(number) => Some((*number, *ranks.get(place)?)),
            Node::Name(_) => None,
        });
        let mut shares: HashMap<u32, f64> = memories.collect();
        let most = shares.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        for share in shares.values_mut() {
            *share /= most;
        }
        Self { shares }
    }

    /// The memories it came to, the most often first, at most so many.
    pub(super) fn best(&self, n: usize) -> Vec<u32> {
        let mut best: Vec<(u32, f64)> = self.shares.iter().map(|(number, share)| (*number, *share)).collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        best.into_iter().take(n).map(|(number, _)| number).collect()
    }

    /// How often it was at a memory, beside the one where it was most often.
    pub(super) fn share(&self, number: u32) -> f64 {
        self.shares.get(&number).copied().unwrap_or_default()
    }
}

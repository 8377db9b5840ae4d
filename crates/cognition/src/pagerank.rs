//! Personalised page rank: what a walk finds that begins at the entities of a question and keeps going back to them. It
//! touches only what is near, so a large graph costs no more than a small one.

use std::collections::VecDeque;

/// Probability that a walk goes on instead of returning to a seed.
pub const CONTINUE_PROBABILITY: f64 = 0.5;
/// A node's residual per edge is not followed below this.
pub const MIN_RESIDUAL: f64 = 1e-5;
/// Maximum edges followed.
const MAX_FOLLOWED_EDGES: usize = 1_000_000;

/// An undirected graph of nodes numbered from 0.
#[derive(Debug, Clone, Default)]
pub struct WalkGraph {
    /// Where the edges of each node begin, and where the last end.
    starts: Vec<usize>,
    edges: Vec<(u32, f64)>,
    /// The weight of all edges of each node.
    weights: Vec<f64>,
}

impl WalkGraph {
    /// A graph of this many nodes. Edges to missing nodes, to oneself and without weight are left out.
    pub fn new(nodes: usize, edges: &[(u32, u32, f64)]) -> Self {
        let real = |(a, b, weight): &&(u32, u32, f64)| {
            a != b && (*a as usize) < nodes && (*b as usize) < nodes && *weight > 0.0 && weight.is_finite()
        };
        let mut starts = vec![0_usize; nodes + 1];
        for (a, b, _) in edges.iter().filter(real) {
            starts[*a as usize + 1] += 1;
            starts[*b as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut both = vec![(0, 0.0); starts[nodes]];
        let mut weights = vec![0.0; nodes];
        for (a, b, weight) in edges.iter().filter(real) {
            for (from, to) in [(*a, *b), (*b, *a)] {
                both[next[from as usize]] = (to, *weight);
                next[from as usize] += 1;
                weights[from as usize] += weight;
            }
        }
        Self { starts, edges: both, weights }
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.weights.len()
    }

    /// How likely a walk is at each node that begins at the seeds by their weight and goes on by that of the edges:
    ///
    /// p = (1 − d)·seeds + d·Σ p·weight / weights
    ///
    /// Only nodes that are reached are given, by number. The same graph and seeds give the same bits.
    pub fn rank(&self, seeds: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let real = |(node, weight): &&(u32, f64)| {
            (*node as usize) < self.nodes() && *weight > 0.0 && weight.is_finite()
        };
        let all: f64 = seeds.iter().filter(real).map(|(_, weight)| weight).sum();
        let mut rank = vec![0.0_f64; self.nodes()];
        let mut left = vec![0.0_f64; self.nodes()];
        let mut waits = vec![false; self.nodes()];
        let mut open = VecDeque::new();
        for (node, weight) in seeds.iter().filter(real) {
            left[*node as usize] += weight / all;
            if !std::mem::replace(&mut waits[*node as usize], true) {
                open.push_back(*node as usize);
            }
        }
        let mut reached: Vec<usize> = open.iter().copied().collect();
        let mut steps = 0;
        while let Some(node) = open.pop_front() {
            waits[node] = false;
            let here = std::mem::take(&mut left[node]);
            let edges = &self.edges[self.starts[node]..self.starts[node + 1]];
            if edges.is_empty() || steps + edges.len() > MAX_FOLLOWED_EDGES {
                rank[node] += here;
                continue;
            }
            rank[node] += (1.0 - CONTINUE_PROBABILITY) * here;
            steps += edges.len();
            for (to, weight) in edges {
                let to = *to as usize;
                if left[to] == 0.0 && rank[to] == 0.0 {
                    reached.push(to);
                }
                left[to] += CONTINUE_PROBABILITY * here * weight / self.weights[node];
                let degree = (self.starts[to + 1] - self.starts[to]) as f64;
                if !waits[to] && left[to] > MIN_RESIDUAL * degree {
                    waits[to] = true;
                    open.push_back(to);
                }
            }
        }
        reached.sort_unstable();
        reached.dedup();
        // What was not followed any further is where it was left.
        let found = reached.into_iter().map(|node| (node as u32, rank[node] + left[node]));
        found.filter(|(_, rank)| *rank > 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(found: &[(u32, f64)], node: u32) -> f64 {
        found.iter().find(|(it, _)| *it == node).map_or(0.0, |(_, rank)| *rank)
    }

    /// covers: C-260
    #[test]
    fn a_walk_is_where_it_began_or_near() {
        let pair = WalkGraph::new(2, &[(0, 1, 1.0)]).rank(&[(0, 1.0)]);
        assert!((at(&pair, 0) - 2.0 / 3.0).abs() < 1e-4 && (at(&pair, 1) - 1.0 / 3.0).abs() < 1e-4);
        // 0 — 1 — 2 — 3, and 4 alone.
        let line = WalkGraph::new(5, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]);
        let found = line.rank(&[(0, 2.0)]);
        assert!(
            at(&found, 0) > at(&found, 1) && at(&found, 1) > at(&found, 2) && at(&found, 2) > at(&found, 3)
        );
        assert!(found.iter().all(|(node, _)| *node != 4));
        assert_eq!(line.rank(&[(4, 1.0)]), [(4, 1.0)]);
        // What two seeds lead to is worth more than what one does.
        let bridge = WalkGraph::new(4, &[(0, 2, 1.0), (1, 2, 1.0), (1, 3, 1.0)]).rank(&[(0, 1.0), (1, 1.0)]);
        assert!(at(&bridge, 2) > 2.0 * at(&bridge, 3));
    }

    #[test]
    fn a_heavier_edge_leads_more_often() {
        let found = WalkGraph::new(3, &[(0, 1, 3.0), (0, 2, 1.0)]).rank(&[(0, 1.0)]);
        assert!((at(&found, 1) / at(&found, 2) - 3.0).abs() < 0.01);
    }

    #[test]
    fn odd_edges_and_seeds_are_left_out() {
        let odd = [(0, 9, 1.0), (1, 1, 1.0), (0, 1, f64::NAN), (0, 1, -1.0), (0, 1, 0.0)];
        assert_eq!(WalkGraph::new(2, &odd).rank(&[(0, 1.0), (7, 1.0), (1, f64::INFINITY)]), [(0, 1.0)]);
        assert!(WalkGraph::new(0, &[]).rank(&[(0, 1.0)]).is_empty());
        assert!(WalkGraph::new(3, &[(0, 1, 1.0)]).rank(&[]).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn all_of_the_walk_is_somewhere_and_always_in_the_same_place(
            edges in prop::collection::vec((0_u32..30, 0_u32..30, 0.1_f64..2.0), 0..80),
            seeds in prop::collection::vec((0_u32..30, 0.1_f64..2.0), 1..5),
        ) {
            let graph = WalkGraph::new(30, &edges);
            let found = graph.rank(&seeds);
            let sum: f64 = found.iter().map(|(_, rank)| rank).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{}", sum);
            prop_assert_eq!(found, graph.rank(&seeds));
        }
    }
}

//! Clusters: memories that belong together, by an entity they share or by a relation between two of a kind. A memory is in
//! one cluster at most, so that nothing is told twice.

use cairn_domain::Category;
use std::collections::{BTreeMap, BTreeSet};

/// Minimum memories of a cluster.
pub const MIN_CLUSTER_SIZE: usize = 3;
/// Maximum memories of a cluster.
pub const MAX_CLUSTER_SIZE: usize = 50;
/// Maximum difference in importance between two memories of a category that belong together.
pub const MAX_IMPORTANCE_GAP: f64 = 0.3;
/// Minimum share of common words of two texts that say about the same.
const MIN_SHARED_WORDS: f64 = 0.6;

/// A memory that may belong to a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterMember {
    /// Its number.
    pub number: u32,
    /// Its category.
    pub category: Category,
    /// How much it matters.
    pub importance: f64,
    /// The entities it names.
    pub entities: Vec<u32>,
}

/// The reason that memories of a cluster belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bond {
    /// An entity.
    Entity(u32),
    /// Relations between memories of one category; the first of them.
    Kind(Category, u32),
}

/// The clusters of these memories, the largest first: those that share an entity (the entity with the most memories
/// first), then of the rest those of one category that matter about as much and are related. `related` are pairs.
pub fn clusters(items: &[ClusterMember], related: &[(u32, u32)]) -> Vec<(Bond, Vec<u32>)> {
    let mut found = Vec::new();
    let mut free: BTreeSet<u32> = items.iter().map(|item| item.number).collect();
    let mut of: BTreeMap<u32, Vec<&ClusterMember>> = BTreeMap::new();
    for item in items {
        for entity in item.entities.iter().collect::<BTreeSet<_>>() {
            of.entry(*entity).or_default().push(item);
        }
    }
    let mut entities: Vec<(usize, u32)> = of.iter().map(|(entity, named)| (named.len(), *entity)).collect();
    entities.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, entity) in entities {
        let mut members: Vec<&ClusterMember> =
            of[&entity].iter().copied().filter(|item| free.contains(&item.number)).collect();
        members.sort_by(|a, b| b.importance.total_cmp(&a.importance).then(b.number.cmp(&a.number)));
        members.truncate(MAX_CLUSTER_SIZE);
        if members.len() >= MIN_CLUSTER_SIZE {
            found.push((Bond::Entity(entity), take_free(&mut free, members.iter().map(|item| item.number))));
        }
    }
    found.extend(clusters_of_a_kind(items, related, &mut free));
    found.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(&b.0)));
    found
}

fn take_free(free: &mut BTreeSet<u32>, members: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut taken: Vec<u32> = members.filter(|number| free.remove(number)).collect();
    taken.sort_unstable();
    taken
}

/// Memories of one category that matter about as much and hang together by relations.
fn clusters_of_a_kind(
    items: &[ClusterMember],
    related: &[(u32, u32)],
    free: &mut BTreeSet<u32>,
) -> Vec<(Bond, Vec<u32>)> {
    let known: BTreeMap<u32, &ClusterMember> = items.iter().map(|item| (item.number, item)).collect();
    let mut beside: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (one, other) in related {
        let (Some(a), Some(b)) = (known.get(one), known.get(other)) else { continue };
        if a.category == b.category && (a.importance - b.importance).abs() < MAX_IMPORTANCE_GAP {
            beside.entry(*one).or_default().push(*other);
            beside.entry(*other).or_default().push(*one);
        }
    }
    let mut found = Vec::new();
    for start in beside.keys() {
        let (mut open, mut members) = (vec![*start], BTreeSet::new());
        while let Some(number) = open.pop() {
            if members.len() < MAX_CLUSTER_SIZE && free.contains(&number) && members.insert(number) {
                open.extend(beside.get(&number).into_iter().flatten());
            }
        }
        if members.len() >= MIN_CLUSTER_SIZE {
            let bond = Bond::Kind(known[start].category, *start);
            found.push((bond, take_free(free, members.into_iter())));
        }
    }
    found
}

/// The memory that most others say about the same as, and those others, itself among them, if there are at least three on
/// at least three days: what happens again and again. Words of each are sorted, each once.
pub fn recurring(said: &[(i64, Vec<String>)]) -> Option<(usize, Vec<usize>)> {
    let like = |a: &[String], b: &[String]| {
        let both = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
        2.0 * both as f64 >= MIN_SHARED_WORDS * (a.len() + b.len()) as f64 && both > 0
    };
    let around = |at: usize| -> Vec<usize> {
        (0..said.len()).filter(|other| like(&said[at].1, &said[*other].1)).collect()
    };
    let groups = (0..said.len()).map(|at| (at, around(at)));
    let best = groups.max_by(|a, b| a.1.len().cmp(&b.1.len()).then(b.0.cmp(&a.0)))?;
    let days: BTreeSet<i64> = best.1.iter().map(|at| said[*at].0).collect();
    (best.1.len() >= MIN_CLUSTER_SIZE && days.len() >= MIN_CLUSTER_SIZE).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn item(number: u32, importance: f64, entities: &[u32]) -> ClusterMember {
        ClusterMember { number, category: Category::Fact, importance, entities: entities.to_vec() }
    }

    /// covers: C-81, C-82
    #[test]
    fn what_shares_an_entity_or_is_related_and_of_a_kind_belongs_together() {
        let items = [
            item(1, 0.5, &[7]),
            item(2, 0.5, &[7, 8]),
            item(3, 0.5, &[7]),
            item(4, 0.5, &[8]),
            item(5, 0.5, &[8]),
            item(6, 0.4, &[]),
            item(7, 0.5, &[]),
            item(8, 0.6, &[]),
            item(9, 0.95, &[]),
        ];
        let related = [(6, 7), (7, 8), (8, 9)];
        let found = clusters(&items, &related);
        assert_eq!(
            found,
            [(Bond::Entity(7), vec![1, 2, 3]), (Bond::Kind(Category::Fact, 6), vec![6, 7, 8])],
            "two are too few, and what matters far more stands apart"
        );
    }

    /// covers: C-87
    #[test]
    fn what_is_said_on_three_days_in_about_the_same_words_recurs() {
        let words = |text: &str| {
            let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            words.sort_unstable();
            words
        };
        let said = |days: [i64; 4]| -> Vec<(i64, Vec<String>)> {
            let texts =
                ["user runs in park", "user runs in park early", "user runs in wet park", "user ate soup"];
            days.into_iter().zip(texts.map(words)).collect()
        };
        assert_eq!(recurring(&said([1, 2, 3, 4])), Some((0, vec![0, 1, 2])));
        assert_eq!(recurring(&said([1, 1, 3, 4])), None, "twice on one day is one day");
        assert_eq!(recurring(&[]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_memory_is_in_two_clusters(
            entities in proptest::collection::vec(proptest::collection::vec(0_u32..6, 0..3), 0..60),
            related in proptest::collection::vec((0_u32..60, 0_u32..60), 0..60),
        ) {
            let items: Vec<ClusterMember> =
                entities.iter().enumerate().map(|(at, entities)| item(at as u32, at as f64 / 60.0, entities)).collect();
            let mut seen = BTreeSet::new();
            for (_, members) in clusters(&items, &related) {
                prop_assert!((MIN_CLUSTER_SIZE..=MAX_CLUSTER_SIZE).contains(&members.len()));
                for member in members {
                    prop_assert!(seen.insert(member));
                }
            }
        }
    }
}

//! Parent entities: what an entity is a part of, inferred from how often entities stand together.

use std::collections::BTreeMap;

/// Minimum share of an entity's memories that name its parent.
const MIN_PARENT_SHARE: f64 = 0.5;
/// A parent has at least this many times as many memories as its part.
const MIN_PARENT_MENTIONS_FACTOR: u32 = 2;

/// An entity and the entity that it is a part of, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParentEntity {
    /// The part.
    pub entity: u32,
    /// The whole.
    pub parent: u32,
    /// The share of the entity's memories that name the parent.
    pub share: f64,
}

/// The parent of each entity that has one. Of several that qualify the one with the largest share, then the narrowest. A parent is named more often than its parts,
/// so that nothing is a part of itself.
///
/// share = times together / mentions
pub fn entity_parents(together: &[(u32, u32, u32)], mentions: &BTreeMap<u32, u32>) -> Vec<ParentEntity> {
    let mut best: BTreeMap<u32, (f64, u32, u32)> = BTreeMap::new();
    let pairs =
        together.iter().flat_map(|(one, other, times)| [(*one, *other, *times), (*other, *one, *times)]);
    for (part, parent, times) in pairs {
        let (Some(own), Some(all)) = (mentions.get(&part), mentions.get(&parent)) else { continue };
        let share = f64::from(times) / f64::from((*own).max(1));
        if share < MIN_PARENT_SHARE || *all < own.saturating_mul(MIN_PARENT_MENTIONS_FACTOR) {
            continue;
        }
        let better = best.get(&part).is_none_or(|(known, narrow, id)| {
            share.total_cmp(known).then(narrow.cmp(all)).then(id.cmp(&parent)).is_gt()
        });
        if better {
            best.insert(part, (share.min(1.0), *all, parent));
        }
    }
    best.into_iter().map(|(entity, (share, _, parent))| ParentEntity { entity, parent, share }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-13
    #[test]
    fn what_mostly_stands_beside_something_broader_is_a_part_of_it() {
        let mentions = BTreeMap::from([(1, 10), (2, 4), (3, 4), (4, 9), (5, 40)]);
        let together = [(1, 2, 3), (1, 3, 1), (1, 4, 9), (2, 5, 3), (1, 5, 6)];
        let parents = [(1, 5, 0.6), (2, 1, 0.75)];
        let parents = parents.map(|(entity, parent, share)| ParentEntity { entity, parent, share });
        assert_eq!(entity_parents(&together, &mentions), parents);
    }
}

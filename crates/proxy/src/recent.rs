//! A map that forgets what came first when it is full.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
};

/// A map that forgets what came first when it is full.
#[derive(Debug)]
pub(crate) struct RecentMap<K, V> {
    most: usize,
    values: HashMap<K, V>,
    order: VecDeque<K>,
}

impl<K: Hash + Eq + Clone, V> RecentMap<K, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, values: HashMap::new(), order: VecDeque::new() }
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.values.get(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.values.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > self.most {
            if let Some(oldest) = self.order.pop_front() {
                self.values.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_first_is_forgotten_first() {
        let mut map = RecentMap::new(2);
        for key in [1, 2, 1, 3] {
            map.insert(key, key * 10);
        }
        assert_eq!((map.get(&1), map.get(&2), map.get(&3)), (None, Some(&20), Some(&30)));
    }
}

//! The skills that were worked out last, for a process that is asked again and again: they follow from the messages of tools and from
//! receipts, so they stand until there is one more of either.

use super::project_skills::ProjectSkills;
use std::sync::{Arc, Mutex, PoisonError};

/// Questions whose answers are kept: one for each project that somebody works in at a time.
const MAX_KEPT: usize = 4;

/// Everything that skills follow from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SkillKey {
    pub(super) thread: Option<String>,
    pub(super) newest: u32,
    pub(super) among: u32,
    /// The messages that there are.
    pub(super) messages: u32,
    /// The number of the last receipt: an erasure and an outcome leave one.
    pub(super) receipt: u64,
}

/// The skills that were worked out last, the last first.
#[derive(Default)]
pub(crate) struct SkillCache(Mutex<Vec<(SkillKey, Arc<Vec<ProjectSkills>>)>>);

impl SkillCache {
    pub(super) fn get(&self, key: &SkillKey) -> Option<Arc<Vec<ProjectSkills>>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(of, _)| of == key).map(|(_, skills)| Arc::clone(skills))
    }

    pub(super) fn keep(&self, key: SkillKey, skills: &Arc<Vec<ProjectSkills>>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(of, _)| of.thread != key.thread || of.newest != key.newest);
        kept.insert(0, (key, Arc::clone(skills)));
        kept.truncate(MAX_KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_stand_until_there_is_another_message_or_receipt() {
        let cache = SkillCache::default();
        let key = |messages, receipt| SkillKey { thread: None, newest: 9, among: 9, messages, receipt };
        cache.keep(key(7, 1), &Arc::default());
        assert!(cache.get(&key(7, 1)).is_some());
        assert!(cache.get(&key(8, 1)).is_none() && cache.get(&key(7, 2)).is_none());
        cache.keep(key(8, 1), &Arc::default());
        assert!(cache.get(&key(7, 1)).is_none(), "of one question the last answer is kept");
    }
}

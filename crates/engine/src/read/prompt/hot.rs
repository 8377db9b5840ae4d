//! The hot tier: the few memories that come with every question, whatever it is about. Which they are is worked out anew
//! after five minutes.

use crate::{Agent, Result};
use cairn_cognition::hot::{
    HOT_CACHE_SECONDS, HotCandidate, MAX_HOT_AGE_DAYS, MIN_HOT_ACCESSES, MIN_HOT_UTILITY, hot_memories,
};
use cairn_domain::{MILLIS_PER_DAY, Time};
use cairn_store::{HotThresholds, MemoryRecord};
use std::sync::{Arc, PoisonError};

impl Agent {
    /// The hot memories, the most useful first.
    pub async fn hot(&self) -> Result<Arc<[MemoryRecord]>> {
        let now = self.now();
        let known = self.hot.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let fresh = |at: Time| (0..HOT_CACHE_SECONDS as i64 * 1_000).contains(&(now.millis() - at.millis()));
        if let Some((_, hot)) = known.filter(|(at, _)| fresh(*at)) {
            return Ok(hot);
        }
        let since = Time::from_millis(now.millis() - (MAX_HOT_AGE_DAYS * MILLIS_PER_DAY as f64) as i64);
        let thresholds = HotThresholds { utility: MIN_HOT_UTILITY, accesses: MIN_HOT_ACCESSES, since };
        let mut records = self.store.read(|view| view.hot_memories(&thresholds)).await?;
        let candidates: Vec<HotCandidate> =
            records.iter().map(|record| HotCandidate::of(&record.memory, now)).collect();
        let places = hot_memories(&candidates);
        let mut records: Vec<Option<MemoryRecord>> = records.drain(..).map(Some).collect();
        let hot: Arc<[MemoryRecord]> = places.into_iter().filter_map(|place| records[place].take()).collect();
        *self.hot.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, Arc::clone(&hot)));
        Ok(hot)
    }

    /// Lets the hot memories be worked out anew: one of them may be so no longer.
    pub(crate) fn reset_hot_memories(&self) {
        *self.hot.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

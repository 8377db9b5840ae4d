//! The vectors of a session's recent questions, so that the same words are embedded once.

use cairn_domain::Time;
use sha2::{Digest, Sha256};
use std::{collections::VecDeque, sync::Arc};

/// Maximum vectors cached, over all sessions.
const MAX_ENTRIES: usize = 200;
/// 30 minutes.
const EXPIRES_AFTER_MS: i64 = 30 * 60 * 1_000;

/// The vectors of recent questions; the least recently used one is evicted first.
#[derive(Debug, Default)]
pub struct QueryVectorCache {
    /// Most recently used first. A linear search through so few costs far less than an embedding.
    entries: VecDeque<CachedVector>,
}

#[derive(Debug)]
struct CachedVector {
    session: String,
    key: [u8; 32],
    stored: Time,
    vector: Arc<[f32]>,
}

/// Texts are keyed by their SHA-256: the cache holds no words.
fn key_of(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

impl QueryVectorCache {
    /// The vector this session stored for this text less than half an hour before `now`.
    pub fn get(&mut self, session: &str, text: &str, now: Time) -> Option<Arc<[f32]>> {
        let entry = self.take(session, &key_of(text))?;
        if !(0..EXPIRES_AFTER_MS).contains(&(now.millis() - entry.stored.millis())) {
            return None;
        }
        let vector = Arc::clone(&entry.vector);
        self.entries.push_front(entry);
        Some(vector)
    }

    /// Stores a vector for this session.
    pub fn put(&mut self, session: &str, text: &str, vector: Arc<[f32]>, now: Time) {
        let key = key_of(text);
        self.take(session, &key);
        self.entries.truncate(MAX_ENTRIES - 1);
        self.entries.push_front(CachedVector { session: session.to_owned(), key, stored: now, vector });
    }

    /// Drops the vectors of this session.
    pub fn end_session(&mut self, session: &str) {
        self.entries.retain(|entry| entry.session != session);
    }

    /// Drops everything.
    pub fn clear(&mut self) {
        self.entries = VecDeque::new();
    }

    fn take(&mut self, session: &str, key: &[u8; 32]) -> Option<CachedVector> {
        let at = self.entries.iter().position(|entry| entry.key == *key && entry.session == session)?;
        self.entries.remove(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    fn at(ms: i64) -> Time {
        Time::from_millis(1_794_736_800_000 + ms)
    }

    fn vector(x: f32) -> Arc<[f32]> {
        Arc::from([x])
    }

    /// covers: C-171
    #[test]
    fn at_most_200_vectors_are_kept_and_the_one_used_longest_ago_goes_first() {
        let mut cache = QueryVectorCache::default();
        for n in 0..200_u8 {
            cache.put("s", &n.to_string(), vector(f32::from(n)), at(0));
        }
        assert_eq!(cache.get("s", "0", at(1)), Some(vector(0.0)), "200 fit, and this one is used again");
        cache.put("s", "new", vector(-1.0), at(2));
        assert_eq!(cache.entries.len(), 200);
        assert_eq!(cache.get("s", "0", at(3)), Some(vector(0.0)));
        assert_eq!(cache.get("s", "1", at(3)), None);
        assert_eq!(cache.get("s", "2", at(3)), Some(vector(2.0)));
    }

    /// covers: C-172
    #[test]
    fn a_vector_is_good_for_30_minutes_however_often_it_is_used() {
        let mut cache = QueryVectorCache::default();
        cache.put("s", "text", vector(1.0), at(0));
        assert_eq!(cache.get("s", "text", at(29 * MINUTE)), Some(vector(1.0)));
        assert_eq!(cache.get("s", "text", at(30 * MINUTE - 1)), Some(vector(1.0)));
        assert_eq!(cache.get("s", "text", at(30 * MINUTE)), None);
        assert!(cache.entries.is_empty(), "what is too old is let go");
        cache.put("s", "text", vector(2.0), at(0));
        assert_eq!(cache.get("s", "text", at(-1)), None, "a clock that was set back trusts nothing");
    }

    /// covers: C-173
    #[test]
    fn texts_are_known_by_their_sha_256() {
        let mut cache = QueryVectorCache::default();
        cache.put("s", "abc", vector(1.0), at(0));
        let published = [0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea];
        assert_eq!(cache.entries[0].key[..8], published);
        assert_eq!(cache.get("s", "abc ", at(0)), None);
        cache.put("s", "abc", vector(2.0), at(0));
        assert_eq!(cache.entries.len(), 1, "the same text is kept once");
        assert_eq!(cache.get("s", "abc", at(0)), Some(vector(2.0)));
    }

    /// covers: C-174
    #[test]
    fn vectors_belong_to_a_session_and_go_with_it() {
        let mut cache = QueryVectorCache::default();
        cache.put("a", "text", vector(1.0), at(0));
        assert_eq!(cache.get("b", "text", at(0)), None, "another session has not asked");
        cache.put("b", "text", vector(1.0), at(0));
        cache.end_session("a");
        assert_eq!(cache.get("a", "text", at(0)), None);
        assert_eq!(cache.get("b", "text", at(0)), Some(vector(1.0)));
        cache.clear();
        assert_eq!(cache.get("b", "text", at(0)), None);
    }
}

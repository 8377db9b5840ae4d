//! Readings: what was read in the texts of memories. A revision never changes, so that what was found in it once holds for
//! as long as a process lives; the same few memories are around most of what is said.

use cairn_cognition::{
    keywords::{query_terms, unique_terms},
    statement::{Statement, statements},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// Readings that are young at most; when there are as many, they grow old, and what was old and not asked for is let go. Each
/// takes less than a KiB.
const MAX_YOUNG_REVISIONS: usize = 16_384;
/// Whom a first person in a memory would mean: memories speak in the third.
const MEMORY_SPEAKER: &str = "user";

/// Analyses of the revisions of one agent's memories.
#[derive(Default)]
pub(crate) struct AnalysisCache(Mutex<CacheGenerations>);

/// By revision. What is asked for is young again.
#[derive(Default)]
struct CacheGenerations {
    young: HashMap<u32, Arc<RevisionAnalysis>>,
    old: HashMap<u32, Arc<RevisionAnalysis>>,
}

/// The analysis of one text, each part made when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct RevisionAnalysis {
    words: OnceLock<Vec<String>>,
    content: OnceLock<Vec<String>>,
    statements: OnceLock<Vec<Statement>>,
    /// The slugs of the entities that its memory names since it says this, sorted.
    slugs: OnceLock<Vec<String>>,
}

impl AnalysisCache {
    pub(crate) fn analysis_of(&self, revision: u32) -> Arc<RevisionAnalysis> {
        let mut analysis_cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let CacheGenerations { young, old } = &mut *analysis_cache;
        if young.len() >= MAX_YOUNG_REVISIONS && !young.contains_key(&revision) {
            *old = std::mem::take(young);
        }
        let known = young.entry(revision).or_insert_with(|| old.remove(&revision).unwrap_or_default());
        Arc::clone(known)
    }
}

impl RevisionAnalysis {
    /// The terms of its text, each once, sorted.
    pub(crate) fn unique_terms(&self, text: &str) -> &[String] {
        self.words.get_or_init(|| unique_terms(text))
    }

    /// The terms that carry content.
    pub(crate) fn content_terms(&self, text: &str) -> &[String] {
        self.content.get_or_init(|| query_terms(text))
    }

    /// The slugs of its entities, if somebody has read them.
    pub(crate) fn entity_slugs(&self) -> Option<&[String]> {
        self.slugs.get().map(Vec::as_slice)
    }

    /// Somebody has read the slugs of its entities.
    pub(crate) fn set_entity_slugs(&self, slugs: Vec<String>) {
        let _ = self.slugs.set(slugs);
    }

    /// Its statements.
    pub(crate) fn statements(&self, text: &str) -> &[Statement] {
        self.statements.get_or_init(|| statements(text, MEMORY_SPEAKER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_read_once_and_readings_are_bounded() {
        let analysis_cache = AnalysisCache::default();
        let read = analysis_cache.analysis_of(7);
        assert_eq!(read.statements("User lives in Rome.")[0].value, "rome");
        // Whatever is given for it: a revision never changes.
        assert_eq!(analysis_cache.analysis_of(7).statements("User lives in Oslo.")[0].value, "rome");
        for revision in 0..4 * MAX_YOUNG_REVISIONS as u32 {
            analysis_cache.analysis_of(revision);
            analysis_cache.analysis_of(7);
        }
        let CacheGenerations { young, old } = &*analysis_cache.0.lock().expect("locked");
        assert!(young.len().max(old.len()) <= MAX_YOUNG_REVISIONS);
        assert!(Arc::ptr_eq(&read, &young[&7]), "what is asked for stays");
        assert!(!young.contains_key(&8) && !old.contains_key(&8), "what is not goes");
        assert_eq!(
            read.unique_terms("User lives in Rome."),
            unique_terms("User lives in Rome."),
            "what is held stays"
        );
    }
}

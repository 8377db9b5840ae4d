//! The neighbourhood of a statement: what is known that is like it, that is about the same thing, or that its session has
//! in mind. One read of the store; everything after it is computed.

use crate::write::prepare::analysis_cache::{AnalysisCache, RevisionAnalysis};
use cairn_cognition::{
    cosine::cosine, keywords::unique_terms, prediction_error::FAMILIAR_SIMILARITY, statement::Statement,
};
use cairn_domain::{Mode, Status, Time};
use cairn_store::{MemoryFilter, MemoryRecord, Result, View, WorkingRecord};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

/// A word that no more memories hold than these is a rare one.
const RARE_TERM_MAX_MEMORIES: u32 = 4;
/// Two texts that share this much of their words may be about the same thing. Texts that mean the same share more.
const FAMILIAR_TERM_OVERLAP: f64 = 0.5;
/// Memories that are compared by meaning.
const MAX_NEAREST_MEMORIES: usize = 8;
/// Statements about one thing that are looked at.
const MAX_MEMORIES_PER_STATEMENT: u32 = 8;
/// Rare words by which memories are found where there are no vectors …
const MAX_RARE_TERMS: usize = 4;
/// … and memories looked at for each.
const MAX_MEMORIES_PER_TERM: u32 = 24;
/// The latest memories of a session that are compared: they tell what it is about.
const MAX_RECENT_MEMORIES: u32 = 8;

/// A memory near a statement.
#[derive(Debug, Clone)]
pub(crate) struct Neighbor {
    pub(crate) record: MemoryRecord,
    /// The cosine, or, without vectors, the share of words in common.
    pub(crate) similarity: f64,
    /// The slugs of its entities, sorted.
    pub(crate) entities: Vec<String>,
    analysis: Arc<RevisionAnalysis>,
    /// Whether it is about the same, or like enough to be compared.
    pub(crate) compared: bool,
    /// The vector of its text, if it has one.
    pub(crate) vector: Option<Vec<f32>>,
}

impl Neighbor {
    /// A memory that was named, however unlike it is.
    pub(crate) fn named(record: MemoryRecord, analysis_cache: &AnalysisCache) -> Self {
        let analysis = analysis_cache.analysis_of(record.revision);
        Self { record, similarity: 0.0, entities: Vec::new(), analysis, compared: false, vector: None }
    }

    /// Its statements; none if it is not to be compared.
    pub(crate) fn statements(&self) -> &[Statement] {
        if self.compared { self.analysis.statements(&self.record.memory.text) } else { &[] }
    }
    /// Its terms that carry content.
    pub(crate) fn content_terms(&self) -> &[String] {
        self.analysis.content_terms(&self.record.memory.text)
    }
}

/// The memories around a statement.
#[derive(Debug, Clone, Default)]
pub(crate) struct Neighborhood {
    /// Only what holds: what was found because it is like it, the most like it first, then what its session has just made.
    pub(crate) near: Vec<Neighbor>,
    /// How many of these were found because they are like it.
    like_count: usize,
    /// Whether similarities are those of words.
    pub(crate) by_words: bool,
    /// The average similarity to the latest memories of its session; `None` if there are none.
    pub(crate) attention: Option<f64>,
    /// About how many memories there are in all.
    pub(crate) known_memories: u32,
}

/// The latest memories of a session, and its working memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionState {
    /// Its latest memories, each with its analysis.
    recent: Vec<(MemoryRecord, Arc<RevisionAnalysis>)>,
    /// Its working memory.
    pub(crate) working: Vec<(WorkingRecord, MemoryRecord)>,
}

/// The statement whose neighborhood is wanted, and how to search it.
pub(crate) struct NeighborhoodQuery<'a> {
    pub(crate) text: &'a str,
    pub(crate) vector: Option<&'a [f32]>,
    pub(crate) statements: &'a [Statement],
    pub(crate) session: Option<&'a SessionState>,
    pub(crate) analysis_cache: &'a AnalysisCache,
    pub(crate) mode: Mode,
    /// When it was said.
    pub(crate) at: Time,
}

impl SessionState {
    pub(crate) fn read(view: &mut View<'_>, session: &str, analysis_cache: &AnalysisCache) -> Result<Self> {
        let filter = MemoryFilter { session: Some(session), ..MemoryFilter::default() };
        let recent = view.memories(filter, u32::MAX, MAX_RECENT_MEMORIES)?;
        let items = view.working(session)?;
        // Most of what a session has in mind it has just made.
        let is_recent = |number: &u32| recent.iter().any(|record| record.number == *number);
        let older: Vec<u32> = items.iter().map(|item| item.number).filter(|it| !is_recent(it)).collect();
        let older = view.memories_at(&older)?;
        let record = |number: u32| recent.iter().chain(&older).find(|record| record.number == number);
        let mut working = Vec::with_capacity(items.len());
        for item in items {
            working.extend(record(item.number).map(|record| (item.clone(), record.clone())));
        }
        let read = |record: MemoryRecord| {
            let analysis = analysis_cache.analysis_of(record.revision);
            (record, analysis)
        };
        Ok(Self { recent: recent.into_iter().map(read).collect(), working })
    }
}

impl Neighborhood {
    pub(crate) fn read(view: &mut View<'_>, around: &NeighborhoodQuery<'_>) -> Result<Self> {
        let own = unique_terms(around.text);
        let mut likeness: BTreeMap<u32, f64> = BTreeMap::new();
        let nearest = match around.vector {
            Some(vector) => view.memories_near(vector, MAX_NEAREST_MEMORIES)?,
            None => Vec::new(),
        };
        let by_words = nearest.is_empty();
        likeness.extend(nearest.iter().map(|(record, cosine)| (record.number, f64::from(*cosine))));
        let (sharing, known_memories) = memories_sharing_rare_terms(view, &own, around.analysis_cache)?;
        for (number, overlap) in sharing {
            // A change is often told in other words than what it changes, but with the same name or thing in it.
            likeness.entry(number).or_insert(if by_words { overlap } else { f64::NAN });
        }
        let mut shares = Vec::new();
        for statement in around.statements {
            for number in
                view.numbers_about(&statement.subject, &statement.attribute, MAX_MEMORIES_PER_STATEMENT)?
            {
                likeness.entry(number).or_insert(f64::NAN);
                shares.push(number);
            }
        }
        let like: BTreeSet<u32> = likeness.keys().copied().collect();
        // "It's the 9th now" names nothing of what it changes: that was said just before.
        for (record, _) in around.session.iter().flat_map(|session| &session.recent) {
            likeness.entry(record.number).or_insert(f64::NAN);
        }
        let familiar = if by_words { FAMILIAR_TERM_OVERLAP } else { FAMILIAR_SIMILARITY };
        let mut records: Vec<MemoryRecord> = nearest.into_iter().map(|(record, _)| record).collect();
        let is_read = |number: &u32| records.iter().any(|record| record.number == *number);
        let others: Vec<u32> = likeness.keys().copied().filter(|number| !is_read(number)).collect();
        records.extend(view.memories_at(&others)?);
        let revisions: Vec<u32> = match around.vector {
            Some(_) => records.iter().map(|record| record.revision).collect(),
            None => Vec::new(),
        };
        let mut vectors: HashMap<u32, Vec<f32>> = view.revision_vectors(&revisions)?.into_iter().collect();
        let mut near = Vec::with_capacity(records.len());
        for record in records {
            let known = &record.memory;
            let stands =
                known.status != Status::Superseded && known.valid_until.is_none_or(|until| until > around.at);
            if stands && known.mode.shares_with(around.mode) {
                let analysis = around.analysis_cache.analysis_of(record.revision);
                let vector = vectors.remove(&record.revision);
                let cosine =
                    around.vector.zip(vector.as_deref()).map(|(new, known)| f64::from(cosine(new, known)));
                let similarity = Some(likeness[&record.number]).filter(|found| !found.is_nan()).or(cosine);
                // What has no vector yet is as near as its words.
                let similarity =
                    similarity.unwrap_or_else(|| term_overlap(&own, analysis.unique_terms(&known.text)));
                let compared = shares.contains(&record.number) || similarity >= familiar;
                let entities = Vec::new();
                near.push(Neighbor { record, similarity, entities, analysis, compared, vector });
            }
        }
        read_entity_slugs(view, &mut near)?;
        let is_like = |near: &Neighbor| like.contains(&near.record.number);
        near.sort_by(|a, b| {
            let likest = is_like(b).cmp(&is_like(a)).then(b.similarity.total_cmp(&a.similarity));
            likest.then(a.record.number.cmp(&b.record.number))
        });
        let like_count = near.iter().filter(|near| is_like(near)).count();
        let attention = around.session.and_then(|session| session_attention(&near, &own, session));
        Ok(Self { near, like_count, by_words, attention, known_memories })
    }

    /// The neighbors found by similarity, the most similar first.
    pub(crate) fn like(&self) -> &[Neighbor] {
        &self.near[..self.like_count]
    }
}

/// Reads which entities neighbours name, as far as that was not read before.
fn read_entity_slugs(view: &mut View<'_>, near: &mut [Neighbor]) -> Result<()> {
    let unread: Vec<&Neighbor> = near.iter().filter(|near| near.analysis.entity_slugs().is_none()).collect();
    let numbers: Vec<u32> = unread.iter().map(|near| near.record.number).collect();
    for (near, slugs) in unread.into_iter().zip(view.slugs_of_each(&numbers)?) {
        near.analysis.set_entity_slugs(slugs);
    }
    for near in near {
        near.entities = near.analysis.entity_slugs().unwrap_or_default().to_vec();
    }
    Ok(())
}

/// The average similarity of a text to the latest memories of its session.
fn session_attention(near: &[Neighbor], own: &[String], session: &SessionState) -> Option<f64> {
    let like = session.recent.iter().map(|(record, analysis)| {
        let near = near.iter().find(|near| near.record.number == record.number);
        near.map_or_else(
            || term_overlap(own, analysis.unique_terms(&record.memory.text)),
            |near| near.similarity,
        )
    });
    (!session.recent.is_empty()).then(|| like.sum::<f64>() / session.recent.len() as f64)
}

/// Memories that share rare words with a text: number and share of words in common; and how many there are in all.
fn memories_sharing_rare_terms(
    view: &mut View<'_>,
    own: &[String],
    analysis_cache: &AnalysisCache,
) -> Result<(Vec<(u32, f64)>, u32)> {
    let (holding, known_memories) = view.memory_terms(own)?;
    let mut rare: Vec<(u32, &String)> =
        holding.into_iter().zip(own).filter(|(holding, _)| *holding > 0).collect();
    rare.sort_unstable();
    let (mut candidates, mut few) = (Vec::new(), Vec::new());
    for (holding, term) in rare.into_iter().take(MAX_RARE_TERMS) {
        let found = view.memories_holding(&[term], MAX_MEMORIES_PER_TERM)?;
        if holding <= RARE_TERM_MAX_MEMORIES {
            few.extend_from_slice(&found);
        }
        candidates.extend(found);
    }
    candidates.sort_unstable();
    candidates.dedup();
    let records = view.memories_at(&candidates)?;
    let like = |record: &MemoryRecord| {
        term_overlap(own, analysis_cache.analysis_of(record.revision).unique_terms(&record.memory.text))
    };
    let mut alike: Vec<(u32, f64)> = records.iter().map(|record| (record.number, like(record))).collect();
    // What shares a word that hardly any other has is compared, however much others share of the rest.
    let shares_rare = |number: u32| few.contains(&number);
    alike.sort_by(|a, b| {
        let (a, b) = ((shares_rare(a.0), a.1, a.0), (shares_rare(b.0), b.1, b.0));
        b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2))
    });
    alike.truncate(MAX_NEAREST_MEMORIES);
    Ok((alike, known_memories))
}

/// The share of the terms of two texts that both have: 2·|A ∩ B| / (|A| + |B|).
fn term_overlap(one: &[String], other: &[String]) -> f64 {
    let (mut both, mut rest) = (0, other.iter().peekable());
    for term in one {
        while rest.next_if(|other| *other < term).is_some() {}
        both += usize::from(rest.next_if_eq(&term).is_some());
    }
    let all = one.len() + other.len();
    if all == 0 { 0.0 } else { 2.0 * both as f64 / all as f64 }
}

/// The same of the texts themselves.
pub(crate) fn text_overlap(one: &str, other: &str) -> f64 {
    term_overlap(&unique_terms(one), &unique_terms(other))
}

//! One question's access to the indexes. In a folder they are in this process and whole; from a database server the part that
//! matters to the question is fetched, so that the same code ranks it.

use crate::{
    context::{AgentFiles, View},
    error::Result,
    index::{
        keyword::{Document, KeywordIndex, table::IndexSlice},
        query::{IndexQuery, MessageFilter, NearestQuery},
        vector::{VectorIndex, table},
    },
    record::{StoredEmbedder, active_embedder},
    transaction::Tx,
};
use std::sync::{Mutex, PoisonError, RwLockReadGuard};

/// Both indexes, ready for one question.
pub struct IndexSearcher<'a>(SearchedIndex<'a>);

enum SearchedIndex<'a> {
    Local(LocalIndexes<'a>),
    Server(Box<ServerIndexes<'a>>),
}

/// The whole indexes, in this process.
struct LocalIndexes<'a> {
    keywords: RwLockReadGuard<'a, KeywordIndex>,
    vectors: Option<RwLockReadGuard<'a, VectorIndex>>,
}

/// The part of a database server's indexes that matters to the question.
struct ServerIndexes<'a> {
    tx: Mutex<Tx<'a>>,
    keywords: KeywordIndex,
    embedder: Option<StoredEmbedder>,
    nearest: Vec<(u32, f32)>,
}

impl<'a> View<'a> {
    /// The indexes with everything this view holds that matters to a question.
    pub fn search(&mut self, wanted: &IndexQuery<'_>) -> Result<IndexSearcher<'_>> {
        if let Some(here) = self.local_indexes()? {
            return Ok(IndexSearcher(SearchedIndex::Local(here)));
        }
        ServerIndexes::search(self.tx.reborrow(), wanted)
            .map(Box::new)
            .map(SearchedIndex::Server)
            .map(IndexSearcher)
    }

    /// The whole indexes, to be searched while the view answers something else; `None` on a database server, where the view
    /// itself searches. Until they are dropped this view must not be asked for them again.
    pub fn whole_indexes(&mut self) -> Result<Option<IndexSearcher<'a>>> {
        Ok(self.local_indexes()?.map(|here| IndexSearcher(SearchedIndex::Local(here))))
    }

    fn local_indexes(&mut self) -> Result<Option<LocalIndexes<'a>>> {
        let Some(AgentFiles { keywords, vectors, .. }) = self.context.files() else { return Ok(None) };
        // The keyword index first: it must hold every message that the vector index finds.
        let keywords = keywords.caught_up(self)?;
        let vectors = vectors.caught_up(self)?;
        Ok(Some(LocalIndexes { keywords, vectors }))
    }
}

impl IndexSearcher<'_> {
    /// The messages that matter to the question: all of them, in embedded mode.
    pub fn keywords(&self) -> &KeywordIndex {
        match &self.0 {
            SearchedIndex::Local(here) => &here.keywords,
            SearchedIndex::Server(there) => &there.keywords,
        }
    }

    /// Every message before this one has its vectors.
    pub fn reached(&self) -> u32 {
        match &self.0 {
            SearchedIndex::Local(here) => here.vectors.as_ref().map_or(0, |vectors| vectors.reached()),
            SearchedIndex::Server(there) => {
                there.embedder.as_ref().map_or(0, |embedder| embedder.record.reached)
            }
        }
    }

    /// How many numbers the vectors have that answer; `None` if there is none.
    pub fn dimension(&self) -> Option<usize> {
        match &self.0 {
            SearchedIndex::Local(here) => here.vectors.as_ref().map(|vectors| vectors.dimension()),
            SearchedIndex::Server(there) => there.embedder.as_ref().map(|embedder| embedder.record.dimension),
        }
    }

    /// The vector index of this process, for measurements and tests.
    pub fn vectors(&self) -> Option<&VectorIndex> {
        match &self.0 {
            SearchedIndex::Local(here) => here.vectors.as_deref(),
            SearchedIndex::Server(_) => None,
        }
    }

    /// The messages nearest to what the question means, best first, by their place among the documents, with their
    /// cosine.
    pub fn nearest(&self, wanted: &IndexQuery<'_>) -> Vec<(u32, f32)> {
        let (Some(near), SearchedIndex::Local(LocalIndexes { keywords, vectors: Some(vectors) })) =
            (wanted.near, &self.0)
        else {
            return if let SearchedIndex::Server(there) = &self.0 {
                there.nearest.clone()
            } else {
                Vec::new()
            };
        };
        let documents = keywords.documents();
        let admits = |seq: u32| documents.get(seq as usize).is_some_and(|it| wanted.filter.admits(it));
        let filtered: Option<&dyn Fn(u32) -> bool> =
            if wanted.filter.filters() { Some(&admits) } else { None };
        let mut nearest = vectors.nearest(near.vector, near.n, near.later_part_penalty, filtered);
        // A newer view of another thread may have brought the vectors further than the keywords.
        nearest.retain(|(seq, _)| (*seq as usize) < documents.len());
        nearest
    }

    /// The seqs of the messages nearest to what the question means, whoever said them, by comparing every vector in full:
    /// slow, for measurements and tests.
    pub fn nearest_exact(&self, near: NearestQuery<'_>) -> Result<Vec<u32>> {
        let nearest = match &self.0 {
            SearchedIndex::Local(here) => here.vectors.as_ref().map_or_else(Vec::new, |vectors| {
                vectors.nearest_exact(near.vector, near.n, near.later_part_penalty, None)
            }),
            SearchedIndex::Server(there) => there.nearest_exact(near)?,
        };
        Ok(nearest.into_iter().map(|(seq, _)| seq).collect())
    }

    /// How alike what is meant and some documents are; `None` for those that have no vector yet.
    pub fn cosines(&self, near: NearestQuery<'_>, places: &[u32]) -> Result<Vec<Option<f32>>> {
        match &self.0 {
            SearchedIndex::Local(LocalIndexes { vectors: None, .. }) => Ok(vec![None; places.len()]),
            SearchedIndex::Local(LocalIndexes { vectors: Some(vectors), .. }) => {
                let cosine = |seq: &u32| vectors.similarity(near.vector, *seq, near.later_part_penalty);
                Ok(places.iter().map(cosine).collect())
            }
            SearchedIndex::Server(there) => there.cosines(near, places),
        }
    }
}

impl<'a> ServerIndexes<'a> {
    fn search(mut open: Tx<'a>, wanted: &IndexQuery<'_>) -> Result<Self> {
        let tx = &mut open;
        let embedder = active_embedder(tx)?.filter(|embedder| embedder.record.vectors > 0);
        let mut excerpt = IndexSlice::new(tx, wanted.words, wanted.named, &wanted.filter)?;
        let mut nearest = Vec::new();
        if let (Some(embedder), Some(near)) = (&embedder, wanted.near)
            && embedder.record.dimension == near.vector.len()
        {
            nearest = table::nearest(tx, &embedder.record, near, &wanted.filter)?;
            excerpt.bring_messages(tx, nearest.iter().map(|(seq, _)| *seq))?;
        }
        excerpt.bring_messages(tx, wanted.also.iter().copied())?;
        let found = excerpt.index();
        let best: Vec<Document> =
            (wanted.best)(&found).into_iter().map(|place| found.documents()[place as usize]).collect();
        excerpt.bring_neighbours(tx, &best)?;
        let keywords = excerpt.index();
        let place = |(seq, cosine): (u32, f32)| Some((keywords.place_of(seq)?, cosine));
        let nearest = nearest.into_iter().filter_map(place).collect();
        Ok(Self { tx: Mutex::new(open), keywords, embedder, nearest })
    }

    fn nearest_exact(&self, near: NearestQuery<'_>) -> Result<Vec<(u32, f32)>> {
        let Some(embedder) = &self.embedder else { return Ok(Vec::new()) };
        let mut tx = self.tx.lock().unwrap_or_else(PoisonError::into_inner);
        table::nearest_exact(&mut tx, &embedder.record, near, &MessageFilter::default())
    }

    fn cosines(&self, near: NearestQuery<'_>, places: &[u32]) -> Result<Vec<Option<f32>>> {
        let Some(embedder) = &self.embedder else { return Ok(vec![None; places.len()]) };
        if embedder.record.dimension != near.vector.len() {
            return Ok(vec![None; places.len()]);
        }
        let seqs: Vec<u32> =
            places.iter().map(|place| self.keywords.documents()[*place as usize].seq).collect();
        let mut tx = self.tx.lock().unwrap_or_else(PoisonError::into_inner);
        let cosines = table::cosines(&mut tx, &embedder.record, near, &seqs)?;
        Ok(seqs.iter().map(|seq| cosines.get(seq).copied()).collect())
    }
}

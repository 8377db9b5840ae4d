//! Keeps the vector index of a process current: catches it up from the database, writes and merges its files, removes old ones.

use super::{index::VectorIndex, run::VectorRun, segment::VectorSegment, source::IndexSource};
use crate::{
    Result, StoreError,
    context::RepairNotes,
    index::segment_files::{numbered_segment_files, remove_unfinished_files},
    record::{EmbedderState, Item, StoredEmbedder, active_embedder, embedders, epoch, for_each_vector},
    transaction::Tx,
};
use std::{
    fs, io,
    path::PathBuf,
    sync::{
        Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

/// New vectors that are worth a segment.
const FLUSH_AFTER_VECTORS: usize = 1_024;
/// Vectors of a segment that is never merged again. A tail of this length is written at once, by any process.
const FULL_SEGMENT_VECTORS: usize = if cfg!(test) { 500 } else { 65_536 };
/// Messages whose vectors are read from the database at a time.
const CATCH_UP_MESSAGES: u32 = 1_024;
/// A segment is merged into the one before it until that one is this many times as large, or full.
const MERGE_FACTOR: usize = 4;

/// The vector index of one agent, shared by the threads of one process.
pub(crate) struct LiveVectorIndex {
    folder: PathBuf,
    notes: RepairNotes,
    index: RwLock<VectorIndex>,
    /// Vectors that this process added since it last flushed.
    unflushed: AtomicUsize,
}

/// A segment file, by its name.
struct SegmentFile {
    embedder: u32,
    first: u32,
    end: u32,
    path: PathBuf,
}

impl LiveVectorIndex {
    pub(crate) fn new(folder: PathBuf, notes: RepairNotes) -> Self {
        Self { folder, notes, index: RwLock::default(), unflushed: AtomicUsize::new(0) }
    }

    /// The index with every vector of the active embedder that is committed as `connection` sees it; `None` if there is
    /// no such embedder or no such vector. The keyword index must be caught up first: it is what tells more about the
    /// messages that are found here.
    pub(crate) fn caught_up(&self, tx: &mut Tx<'_>) -> Result<Option<RwLockReadGuard<'_, VectorIndex>>> {
        let active = active_embedder(tx)?;
        let Some(active) = active.filter(|active| active.record.vectors > 0) else { return Ok(None) };
        let source = IndexSource::of(&active, epoch(tx)?);
        loop {
            let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
            // Another thread's newer view may have brought the index further already.
            if index.source.as_ref() == Some(&source) && index.reached >= active.record.reached {
                return Ok(Some(index));
            }
            drop(index);
            self.catch_up(&mut self.write_lock(), tx, &active, &source)?;
        }
    }

    fn catch_up(
        &self,
        index: &mut VectorIndex,
        tx: &mut Tx<'_>,
        embedder: &StoredEmbedder,
        source: &IndexSource,
    ) -> Result<()> {
        if index.source.as_ref() != Some(source) {
            let segments = self.read_segments(source, embedder)?;
            let reached = segments.last().and_then(|segment| segment.run.end_seq()).unwrap_or(0);
            let source = Some(source.clone());
            *index = VectorIndex { source, segments, reached, ..VectorIndex::default() };
        }
        while index.reached < embedder.record.reached {
            let to = embedder.record.reached.min(index.reached.saturating_add(CATCH_UP_MESSAGES));
            let tail = index.tail.get_or_insert_with(|| VectorRun::new(source.dimension));
            let range = index.reached..to;
            for_each_vector(tx, source.embedder, Item::Message, range, |seq, part, halves| {
                tail.push(seq, part, halves);
            })?;
            index.reached = to;
            if tail.len() >= FULL_SEGMENT_VECTORS && !index.stays_in_memory {
                index.stays_in_memory =
                    self.write_tail(index, source).map(|segments| index.adopt_segments(segments)).is_err();
            }
        }
        Ok(())
    }

    /// Notes that this process added vectors.
    pub(crate) fn note_added(&self, vectors: usize) {
        self.unflushed.fetch_add(vectors, Ordering::Relaxed);
    }

    /// Whether there are enough new vectors for a file.
    pub(crate) fn needs_flush(&self) -> bool {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        let tail = index.tail.as_ref().map_or(0, |tail| tail.len());
        tail.max(self.unflushed.load(Ordering::Relaxed)) >= FLUSH_AFTER_VECTORS
    }

    /// Writes the tail down as a segment and merges small segments, for the active embedder and for one that is being
    /// filled, so that it can take over at once; up to which message the active one's files now reach. One process does
    /// this at a time (it holds the job's lease); the others go on reading what they have.
    pub(crate) fn flush(&self, tx: &mut Tx<'_>) -> Result<u32> {
        fs::create_dir_all(&self.folder).map_err(StoreError::file("make", &self.folder))?;
        remove_unfinished_files(&self.folder, "vectors-");
        self.unflushed.store(0, Ordering::Relaxed);
        let epoch = epoch(tx)?;
        for filling in embedders(tx)? {
            if filling.record.state == EmbedderState::Filling && filling.record.vectors > 0 {
                let (mut index, source) = (VectorIndex::default(), IndexSource::of(&filling, epoch));
                self.catch_up(&mut index, tx, &filling, &source)?;
                if index.tail.as_ref().is_some_and(|tail| tail.len() >= FLUSH_AFTER_VECTORS) {
                    self.write_tail_and_merge(&index, &source)?;
                }
            }
        }
        let Some(index) = self.caught_up(tx)? else { return Ok(0) };
        let Some(source) = index.source.clone() else { return Ok(0) };
        let segments = self.write_tail(&index, &source)?;
        drop(index);
        let segments = self.merge(segments, &source)?;
        let reached = segments.last().and_then(|segment| segment.run.end_seq()).unwrap_or(0);
        self.remove_covered(&source, &segments);
        let mut index = self.write_lock();
        if index.source.as_ref() == Some(&source) {
            index.adopt_segments(segments);
        }
        Ok(reached)
    }

    /// Writes the tail of an index down and merges.
    fn write_tail_and_merge(&self, index: &VectorIndex, source: &IndexSource) -> Result<()> {
        let segments = self.merge(self.write_tail(index, source)?, source)?;
        self.remove_covered(source, &segments);
        Ok(())
    }

    /// The segments of an index, and its tail as one more.
    fn write_tail(&self, index: &VectorIndex, source: &IndexSource) -> Result<Vec<Arc<VectorSegment>>> {
        let mut segments = index.segments.clone();
        if let Some(tail) = index.tail.as_ref().filter(|tail| !tail.is_empty()) {
            let first = segments.last().map_or(0, |segment| segment.end);
            segments.push(self.write_segment(source, first, &[tail])?);
        }
        Ok(segments)
    }

    /// Merges the last segments while they are of about the same length.
    fn merge(
        &self,
        mut segments: Vec<Arc<VectorSegment>>,
        source: &IndexSource,
    ) -> Result<Vec<Arc<VectorSegment>>> {
        while let [.., left, right] = &segments[..] {
            if left.run.len() >= FULL_SEGMENT_VECTORS.min(MERGE_FACTOR * right.run.len()) {
                break;
            }
            let merged = self.write_segment(source, left.first, &[&left.run, &right.run])?;
            segments.truncate(segments.len() - 2);
            segments.push(merged);
        }
        Ok(segments)
    }

    fn write_segment(
        &self,
        source: &IndexSource,
        first: u32,
        runs: &[&VectorRun],
    ) -> Result<Arc<VectorSegment>> {
        let end = first + runs.iter().map(|run| run.len()).sum::<usize>() as u32;
        let name = format!("vectors-{}-{first:010}-{end:010}.segment", source.embedder);
        let path = self.folder.join(name);
        let written = VectorSegment::write(&path, source, first, runs)
            .and_then(|()| VectorSegment::open(&path, source, first, end))
            .and_then(|segment| {
                segment.ok_or_else(|| io::Error::other("it does not read as it was written"))
            });
        written.map(Arc::new).map_err(StoreError::file("write", path))
    }

    /// The longest chain of intact files that does not reach beyond what the embedder has. Damaged files are removed: they are
    /// derived and will be written again.
    fn read_segments(
        &self,
        source: &IndexSource,
        embedder: &StoredEmbedder,
    ) -> Result<Vec<Arc<VectorSegment>>> {
        let mut chain: Vec<Arc<VectorSegment>> = Vec::new();
        let mut files = self.segment_files()?;
        files.retain(|file| file.embedder == source.embedder);
        // The largest of those that begin at the same place first.
        files.sort_by_key(|file| (file.first, std::cmp::Reverse(file.end)));
        for SegmentFile { first, end, path, .. } in files {
            let reached = chain.last().map_or(0, |segment| segment.end);
            if first != reached || u64::from(end) > embedder.record.vectors || first == end {
                continue;
            }
            match VectorSegment::open(&path, source, first, end) {
                Ok(Some(segment)) => {
                    if segment.run.end_seq().is_some_and(|end| end <= embedder.record.reached) {
                        chain.push(Arc::new(segment));
                    }
                }
                // Merged away by another process since the folder was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Ok(None) | Err(_) => {
                    let _ = fs::remove_file(&path);
                    self.notes.add(format!(
                        "the index file {} was damaged or old and is being rebuilt",
                        path.display()
                    ));
                }
            }
        }
        Ok(chain)
    }

    /// Every segment file, as its name tells.
    fn segment_files(&self) -> Result<Vec<SegmentFile>> {
        let files = numbered_segment_files(&self.folder, "vectors-")?;
        Ok(files
            .into_iter()
            .map(|([embedder, first, end], path)| SegmentFile { embedder, first, end, path })
            .collect())
    }

    /// Removes files of an embedder that a chain of segments makes superfluous.
    fn remove_covered(&self, source: &IndexSource, chain: &[Arc<VectorSegment>]) {
        let reached = chain.last().map_or(0, |segment| segment.end);
        let is_in_chain =
            |file: &SegmentFile| chain.iter().any(|one| (one.first, one.end) == (file.first, file.end));
        let covered = |file: &SegmentFile| {
            file.embedder == source.embedder && file.end <= reached && !is_in_chain(file)
        };
        self.remove_files(covered);
    }

    /// Removes files of embedders that are gone, and those that reach beyond the newest vector: the database was
    /// restored from an older copy, and other vectors may come to stand where those files say something else.
    pub(crate) fn remove_files_beyond_newest(&self, tx: &mut Tx<'_>) -> Result<()> {
        // Listed before asking, so a file that another process writes meanwhile is not among them.
        let files = self.segment_files()?;
        if files.is_empty() {
            return Ok(());
        }
        let known = embedders(tx)?;
        for file in files {
            let owner = known.iter().find(|embedder| embedder.record.id == file.embedder);
            if owner.is_none_or(|owner| u64::from(file.end) > owner.record.vectors) {
                let _ = fs::remove_file(file.path);
            }
        }
        Ok(())
    }

    /// Removes the files of one embedder.
    pub(crate) fn forget_embedder(&self, embedder: u32) {
        self.remove_files(|file| file.embedder == embedder);
    }

    /// Drops everything, in memory and on disk.
    pub(crate) fn clear(&self) {
        *self.write_lock() = VectorIndex::default();
        self.remove_files(|_| true);
    }

    fn remove_files(&self, condition: impl Fn(&SegmentFile) -> bool) {
        for file in self.segment_files().unwrap_or_default().into_iter().filter(condition) {
            let _ = fs::remove_file(file.path);
        }
    }

    /// Files that do not hash to what they say, or that belong to nobody.
    pub(crate) fn damaged_files(&self, tx: &mut Tx<'_>) -> Result<Vec<PathBuf>> {
        let (epoch, known) = (epoch(tx)?, embedders(tx)?);
        let is_intact = |file: &SegmentFile| {
            let owner = known.iter().find(|embedder| embedder.record.id == file.embedder);
            owner.is_some_and(|owner| {
                let source = IndexSource::of(owner, epoch);
                VectorSegment::is_intact(&file.path, &source, file.first, file.end).unwrap_or(false)
            })
        };
        let damaged = self.segment_files()?.into_iter().filter(|file| !is_intact(file));
        Ok(damaged.map(|file| file.path).collect())
    }

    fn write_lock(&self) -> RwLockWriteGuard<'_, VectorIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VectorIndex {
    /// Adopts freshly written segments and drops what they cover from the tail, unless the index has advanced further by
    /// itself meanwhile.
    fn adopt_segments(&mut self, segments: Vec<Arc<VectorSegment>>) {
        let before = self.segments.last().map_or(0, |segment| segment.end);
        let end = segments.last().map_or(0, |segment| segment.end);
        if end < before {
            return;
        }
        let covered = (end - before) as usize;
        let rest = self.tail.take().filter(|tail| tail.len() > covered);
        self.tail = rest.map(|tail| if covered == 0 { tail } else { tail.without_first_vectors(covered) });
        self.segments = segments;
    }
}

#[cfg(test)]
mod tests {
    use super::FULL_SEGMENT_VECTORS;
    use crate::{IndexQuery, LocalDisk, NearestQuery, NewVector, Store, StoreLocation, StoreOptions};
    use cairn_domain::{Draft, MessageLimits, Role, Time};
    use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

    async fn open(folder: &Path) -> Store {
        let place = StoreLocation::Folder { path: folder.to_owned(), disk: Arc::new(LocalDisk) };
        let agent = "main".parse().expect("a name");
        Store::open(StoreOptions { place, agent, now: Time::from_millis(0) }).await.expect("a store")
    }

    /// Adds messages with their vectors.
    async fn add(store: &Store, numbers: std::ops::Range<u32>) {
        let now = Time::from_millis(0);
        let message = |number: u32| {
            let draft = Draft { source_id: Some(format!("{number}")), ..Draft::new(Role::User, "hello") };
            draft.into_message(now, &MessageLimits::default()).expect("a message")
        };
        store.append(numbers.clone().map(message).collect(), now).await.expect("kept");
        let embedder = store.embedder("a".into(), 3, now).await.expect("an embedder");
        let vector = |seq: u32| NewVector { seq, part: 0, vector: vec![seq as f32, 1.0, -1.0] };
        let (from, to, vectors) = (numbers.start, numbers.end, numbers.map(vector).collect());
        assert!(store.add_vectors(embedder.id, from, to, vectors).await.expect("kept"));
    }

    /// How many vectors are found, one after another.
    async fn found(store: &Store) -> u32 {
        let found = store.read(|view| {
            let near = NearestQuery { vector: &[1.0, 0.0, 0.0], n: 1, later_part_penalty: 0.0 };
            let search = view.search(&IndexQuery::near(near))?;
            let vectors = search.vectors().expect("vectors");
            let is_there = |seq: &u32| vectors.similarity(&[1.0, 0.0, 0.0], *seq, 0.0) == Some(*seq as f32);
            let found = (0..10_000).take_while(is_there).count();
            assert_eq!(found, vectors.len());
            Ok(found as u32)
        });
        found.await.expect("searched")
    }

    /// The names of the files.
    fn files(folder: &Path) -> BTreeSet<String> {
        let names = fs::read_dir(folder.join("index"))
            .expect("a folder")
            .map(|entry| entry.expect("one").file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| name.starts_with("vectors-"))
            .collect()
    }

    /// covers: W-03
    #[test]
    fn memory_stays_small_and_full_files_stay_as_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let store = open(folder.path()).await;
            add(&store, 0..1_500).await;
            assert!(store.vector_index_needs_flush());
            assert_eq!(found(&store).await, 1_500);
            let full = files(folder.path());
            assert!(!full.is_empty(), "what is too long for memory is written down while it is read");
            for (from, to) in [(1_500, 1_540), (1_540, 1_550), (1_550, 1_800)] {
                add(&store, from..to).await;
                assert_eq!(store.flush_vector_index().await.expect("tended"), to);
                assert_eq!(found(&store).await, to);
                assert_eq!(found(&open(folder.path()).await).await, to);
                assert!(files(folder.path()).is_superset(&full), "full files are not written again");
            }
            let lengths = files(folder.path()).len() - full.len();
            assert!(lengths <= 2, "small files are merged");
            assert_eq!(store.verify().await.expect("verified").findings, []);
            assert!(!store.vector_index_needs_flush());
            fs::write(folder.path().join("index/vectors-1-0-9.1-1.part"), "half").expect("written");
            add(&store, 1_800..1_800 + FULL_SEGMENT_VECTORS as u32).await;
            store.flush_vector_index().await.expect("tended");
            assert!(
                files(folder.path()).iter().all(|name| !name.contains("part")),
                "what was left behind is removed"
            );
        });
    }
}

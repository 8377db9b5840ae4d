//! Vector segments: immutable files that hold a run of vectors, mapped into memory.
//!
//! File layout, little endian: magic, two BLAKE3 hashes, header and name, the message and the part of each vector; from a
//! multiple of 64 on the codes in blocks of 8 vectors, then the vectors. The first hash covers header, messages and
//! parts and is checked whenever the file is opened; the second covers codes and vectors and is checked by `verify`:
//! opening must not read hundreds of megabytes. A file that does not match is ignored.

use super::{
    half,
    run::{RunColumns, VectorRun, block_bytes, write_code},
    simd::LANES,
    source::IndexSource,
};
use crate::files::MappedFile;
use std::{
    fs::{self, File},
    io::{self, BufWriter, Seek, SeekFrom, Write},
    ops::Range,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

const VECTOR_FILE_MAGIC: &[u8; 8] = b"CAIRNVC1";
const HEADER_HASH: Range<usize> = 8..40;
const BULK_HASH: Range<usize> = 40..72;
const HEADER_BYTES: usize = 112;
/// Columns that are scanned begin at a multiple of this many bytes.
const COLUMN_ALIGNMENT: usize = 64;

/// The vectors at `first .. end` in the order of all vectors of an embedder.
pub(super) struct VectorSegment {
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) run: VectorRun,
}

/// Byte ranges of the columns of a file.
struct VectorFileLayout {
    seqs: Range<usize>,
    parts: Range<usize>,
    codes: Range<usize>,
    vectors: Range<usize>,
}

impl VectorFileLayout {
    fn for_vectors(source: &IndexSource, count: usize) -> Self {
        let seqs =
            HEADER_BYTES + source.name.len()..HEADER_BYTES + source.name.len() + count * size_of::<u32>();
        let parts = seqs.end..seqs.end + count * size_of::<u16>();
        let at = parts.end.next_multiple_of(COLUMN_ALIGNMENT);
        let codes = at..at + count.div_ceil(LANES) * block_bytes(source.dimension);
        let vectors = codes.end..codes.end + count * source.dimension * half::BYTES_PER_HALF;
        Self { seqs, parts, codes, vectors }
    }
}

/// The header behind the hashes: the source of the file and which of its vectors it holds.
fn header_bytes(source: &IndexSource, first: u32, end: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES - BULK_HASH.end + source.name.len());
    bytes.extend_from_slice(&source.epoch.to_le_bytes());
    bytes.extend_from_slice(&source.since.to_le_bytes());
    for number in [source.embedder, source.dimension as u32, first, end, source.name.len() as u32, 0] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(source.name.as_bytes());
    bytes
}

impl VectorSegment {
    /// Opens a file; `None` if it is not an intact segment of this source with the vectors `first .. end`.
    pub(super) fn open(path: &Path, source: &IndexSource, first: u32, end: u32) -> io::Result<Option<Self>> {
        let file = File::open(path)?;
        let Some(count) = end.checked_sub(first).map(|count| count as usize) else { return Ok(None) };
        let layout = VectorFileLayout::for_vectors(source, count);
        if file.metadata()?.len() != layout.vectors.end as u64 {
            return Ok(None);
        }
        let map = MappedFile::open(&file)?;
        let intact = map[..VECTOR_FILE_MAGIC.len()] == *VECTOR_FILE_MAGIC
            && map[BULK_HASH.end..layout.seqs.start] == header_bytes(source, first, end)
            && map[HEADER_HASH] == *blake3::hash(&map[BULK_HASH.start..layout.codes.start]).as_bytes();
        if !intact {
            return Ok(None);
        }
        let seqs: Vec<u32> =
            map[layout.seqs].as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let parts = map[layout.parts].as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect();
        if !seqs.is_sorted() {
            return Ok(None);
        }
        let columns = RunColumns::File { map, codes: layout.codes, vectors: layout.vectors };
        Ok(Some(Self { first, end, run: VectorRun::of(source.dimension, seqs, parts, columns) }))
    }

    /// Whether codes and vectors still match their hash. Reads the whole file.
    pub(super) fn is_intact(path: &Path, source: &IndexSource, first: u32, end: u32) -> io::Result<bool> {
        let Some(segment) = Self::open(path, source, first, end)? else { return Ok(false) };
        let hash = {
            let mut hasher = blake3::Hasher::new();
            hasher.update(segment.run.codes()).update(segment.run.vectors());
            hasher.finalize()
        };
        let mut stated = [0; BULK_HASH.end];
        io::Read::read_exact(&mut File::open(path)?, &mut stated)?;
        Ok(stated[BULK_HASH] == *hash.as_bytes())
    }

    /// Writes `runs` one after another as the file at `path`, atomically. Holds no more than a block in memory, however long
    /// they are.
    pub(super) fn write(
        path: &Path,
        source: &IndexSource,
        first: u32,
        runs: &[&VectorRun],
    ) -> io::Result<()> {
        static FILES_WRITTEN: AtomicU64 = AtomicU64::new(0);
        let (process, count) = (std::process::id(), FILES_WRITTEN.fetch_add(1, Ordering::Relaxed));
        let unfinished = path.with_extension(format!("{process}-{count}.part"));
        let written =
            write_segment_file(&unfinished, source, first, runs).and_then(|()| fs::rename(&unfinished, path));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written
    }
}

fn write_segment_file(path: &Path, source: &IndexSource, first: u32, runs: &[&VectorRun]) -> io::Result<()> {
    let count: usize = runs.iter().map(|run| run.len()).sum();
    let layout = VectorFileLayout::for_vectors(source, count);
    let mut quick = header_bytes(source, first, first + count as u32);
    quick.extend(runs.iter().flat_map(|run| run.seqs()).flat_map(|seq| seq.to_le_bytes()));
    quick.extend(runs.iter().flat_map(|run| run.parts()).flat_map(|part| part.to_le_bytes()));
    quick.resize(layout.codes.start - BULK_HASH.end, 0);

    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    file.seek(SeekFrom::Start(layout.codes.start as u64))?;
    let mut bulk = blake3::Hasher::new();
    let mut block = vec![0; block_bytes(source.dimension)];
    let mut lane = 0;
    for (run, at) in runs.iter().flat_map(|run| (0..run.len()).map(move |at| (run, at))) {
        write_code(&mut block, lane, run.vector(at));
        lane += 1;
        if lane == LANES {
            bulk.update(&block);
            file.write_all(&block)?;
            block.fill(0);
            lane = 0;
        }
    }
    if lane > 0 {
        bulk.update(&block);
        file.write_all(&block)?;
    }
    for run in runs {
        for vectors in run.vectors().chunks(1 << 20) {
            bulk.update(vectors);
            file.write_all(vectors)?;
        }
    }

    let bulk = bulk.finalize();
    let mut hash = blake3::Hasher::new();
    hash.update(bulk.as_bytes()).update(&quick);
    file.seek(SeekFrom::Start(0))?;
    for part in [VECTOR_FILE_MAGIC.as_slice(), hash.finalize().as_bytes(), bulk.as_bytes(), &quick] {
        file.write_all(part)?;
    }
    file.into_inner()?.sync_all()
}

//! The lines that digests are made of, each a memory, and the fingerprint of their inputs.

use cairn_store::MemoryRecord;

/// Lines of a digest at most.
pub(crate) const MAX_DIGEST_LINES: usize = 12;
/// Digests written in one batch.
pub(crate) const DIGESTS_PER_BATCH: usize = 20;

/// The hash of what a digest is made of.
pub(crate) fn inputs_fingerprint(parts: impl IntoIterator<Item = (u32, u32)>) -> String {
    let mut hasher = blake3::Hasher::new();
    for (number, revision) in parts {
        hasher.update(&number.to_le_bytes()).update(&revision.to_le_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// A memory as a line of a digest.
pub(crate) fn undated_line(record: &MemoryRecord) -> String {
    format!("- {}", on_one_line(&record.memory.text))
}

/// A memory as a line of a digest, with the day since when it holds.
pub(crate) fn dated_line(record: &MemoryRecord) -> String {
    format!("- {}: {}", record.memory.valid_from.day(), on_one_line(&record.memory.text))
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

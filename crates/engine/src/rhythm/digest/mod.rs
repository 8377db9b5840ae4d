//! Digests: what a day, a week and a month were about (`calendar`), what is known of an entity (`profile`) and of a
//! category (`category`), what is looked back on when enough has happened (`reflection`), and what old conversations were
//! about (`stretch`). Without a language model they
//! are made of whole texts of memories, the weightiest first chosen, and say nothing that is not in one. Each cites what it
//! stands on and is written anew when that has changed.

pub(super) mod calendar;
pub(super) mod category;
pub(super) mod profile;
pub(super) mod reflection;
pub(super) mod stretch;

use cairn_store::MemoryRecord;

/// Lines of a digest at most.
pub(super) const LINES: usize = 12;
/// Digests written in one batch.
pub(super) const PER_BATCH: usize = 20;

/// The hash of what a digest is made of.
pub(super) fn fingerprint(parts: impl IntoIterator<Item = (u32, u32)>) -> String {
    let mut hasher = blake3::Hasher::new();
    for (number, revision) in parts {
        hasher.update(&number.to_le_bytes()).update(&revision.to_le_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// A memory as a line of a digest.
pub(super) fn line(record: &MemoryRecord, dated: bool) -> String {
    let text = record.memory.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if dated { format!("- {}: {text}", record.memory.valid_from.day()) } else { format!("- {text}") }
}

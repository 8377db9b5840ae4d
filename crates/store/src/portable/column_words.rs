//! Which columns of a bundle hold somebody's words, and which tables spell them in a way that nothing masks.

/// Columns that hold somebody's words, or what was made of them.
pub(super) const WORDS: &[(&str, &[&str])] = &[
    ("memory", &["reasons"]),
    ("memory_revision", &["text", "reason"]),
    ("evidence", &["excerpt"]),
    ("statement", &["subject", "value"]),
    ("relation", &["reason"]),
    ("entity", &["slug", "name"]),
    ("entity_alias", &["alias"]),
    ("memory_change", &["was", "becomes", "reason"]),
    ("review", &["motivation"]),
    ("digest", &["text"]),
    ("formed", &["decisions"]),
    ("coherence", &["parts"]),
    ("standing_evidence", &["saw"]),
    ("intention", &["words", "subject"]),
    ("refinement", &["outcome"]),
];

/// Tables that spell somebody's words in a way that nothing masks: in keys, or under a hash.
pub(super) const SPELT: [&str; 17] = [
    "belief",
    "belief_evidence",
    "belief_queue",
    "receipt",
    "receipt_detail",
    "protected_setting",
    "deferral",
    "erasure_key",
    "tombstone",
    "handoff",
    "proposal",
    "inquiry",
    "contemplation",
    "growth_vector",
    "attachment",
    "attachment_turn",
    "attachment_part",
];

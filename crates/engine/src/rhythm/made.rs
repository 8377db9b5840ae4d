//! What rhythms make of other memories: themes, patterns, summaries, lessons, reflections.

use cairn_cognition::{strength::Strength, utility};
use cairn_domain::{
    Category, DataSource, Form, LONG_TERM_LAYER, Memory, MemoryId, Mode, Privacy, Status, TemporalType, Tier,
    Time, Verdict, WriteSource,
};
use cairn_store::{Bound, NewMemory};

/// How much something that was made matters, and how stable it is at first, in days.
#[derive(Clone, Copy)]
pub(super) struct Weight {
    pub(super) importance: f64,
    pub(super) stability: f64,
}

/// Knowledge that was made at `now` of no thread and for everybody; whoever makes it says what is different.
pub(super) fn made(
    id: MemoryId,
    text: String,
    (form, category): (Form, Category),
    weight: Weight,
    now: Time,
) -> Memory {
    Memory {
        id,
        text,
        form,
        category,
        status: Status::Current,
        tier: Tier::Semantic,
        layer: LONG_TERM_LAYER.to_owned(),
        session: None,
        thread: None,
        mode: Mode::Chat,
        temporal_type: TemporalType::Persistent,
        valid_from: now,
        valid_until: None,
        recorded_at: now,
        write_source: WriteSource::Dream,
        data_source: DataSource::System,
        source_confidence: 0.5,
        source_hash: None,
        privacy: Privacy::Open,
        pinned: false,
        immutable: false,
        flashbulb: false,
        importance: weight.importance,
        utility: utility::INITIAL,
        utility_at: now,
        storage: Strength::new(now, 0.5).storage,
        stability: weight.stability,
        accesses: 0,
        accessed_at: now,
        surfaced: 0,
        valence: 0.0,
        arousal: 0.0,
        emotion: None,
    }
}

/// The same with what it rests on, ready to be written.
pub(super) fn new_memory(memory: Memory, bound: Bound, reason: String) -> NewMemory {
    NewMemory {
        memory,
        verdict: Verdict::Create,
        reasons: serde_json::json!({"verdict": Verdict::Create, "reason": reason}).to_string(),
        reason,
        bound,
        tag_ms: None,
        in_mind: false,
        superseded_by: None,
    }
}

//! Memories that rhythms derive from other memories: themes, patterns, summaries, lessons, reflections.

use cairn_cognition::{strength::Strength, utility};
use cairn_domain::{
    Category, DataSource, Form, LONG_TERM_LAYER, Memory, MemoryId, Mode, Privacy, Status, TemporalType, Tier,
    Time, Verdict, WriteSource,
};
use cairn_store::{MemoryAttachments, MemoryRecord, NewMemory};
use std::borrow::Borrow;

/// How much a derived memory matters, and how stable it is at first.
#[derive(Clone, Copy)]
pub(crate) struct InitialWeight {
    pub(crate) importance: f64,
    pub(crate) stability_days: f64,
}

/// The form, category and weight of a derived memory.
#[derive(Clone, Copy)]
pub(crate) struct DerivedKind {
    pub(crate) form: Form,
    pub(crate) category: Category,
    pub(crate) weight: InitialWeight,
}

/// Knowledge that was made at `now` of no thread and for everybody; whoever makes it says what is different.
pub(crate) fn derived_memory(id: MemoryId, text: String, kind: DerivedKind, now: Time) -> Memory {
    let DerivedKind { form, category, weight } = kind;
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
        utility: utility::INITIAL_UTILITY,
        utility_at: now,
        storage: Strength::new(now, 0.5).storage,
        stability: weight.stability_days,
        accesses: 0,
        accessed_at: now,
        surfaced: 0,
        valence: 0.0,
        arousal: 0.0,
        emotion: None,
    }
}

/// How much memories matter on average: what is made of them matters no more.
pub(crate) fn mean_importance(members: &[impl Borrow<MemoryRecord>]) -> f64 {
    let sum: f64 = members.iter().map(|record| record.borrow().memory.importance).sum();
    sum / members.len().max(1) as f64
}

/// The same with what it rests on, ready to be written.
pub(crate) fn derived_record(memory: Memory, bound: MemoryAttachments, reason: String) -> NewMemory {
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

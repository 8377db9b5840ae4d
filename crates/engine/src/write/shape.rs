//! Shape: the memory that a statement becomes, and what happens to one that is met again.

use super::{gate::Judged, observe::Origin, prepare::Piece};
use cairn_cognition::{
    importance::{FLASHBULB_STABILITY, flashbulb, is_flashbulb},
    retention::Curve,
    strength::Strength,
    tier::first_tier,
    utility,
};
use cairn_domain::{
    DataSource, Memory, MemoryId, Message, SHORT_TERM_LAYER, Status, TemporalType, Time, WriteSource,
};
use cairn_store::{MemoryRecord, Result, View};

/// What stands between two texts that were joined without a model.
pub(super) const SEPARATOR: &str = " · ";
/// A memory that has grown longer than this is not joined with anything: it would no longer say one thing.
const JOINED_CHARS: usize = 1_000;
/// What belongs to a memory that is met again gains this share of stability …
pub(super) const SPREAD: f64 = 1.02;
/// … that many of them at most.
const SPREAD_TO: usize = 16;

/// The memory that a statement becomes. It begins when it was said, not when it was formed.
pub(super) fn memory(
    message: &Message,
    place: usize,
    piece: &Piece,
    judged: &Judged,
    origin: Origin,
    now: Time,
) -> Memory {
    // What gives orders, or was said by nobody, shakes nobody.
    let may_flash = origin.data_source == DataSource::UserMessage && !piece.poisoned;
    let flash = may_flash && is_flashbulb(piece.character.felt.arousal);
    let strength = Strength::new(message.at, judged.signal);
    let strength = if flash { strength.steadier(FLASHBULB_STABILITY) } else { strength };
    let importance = judged.weighed.importance;
    let write_source = if origin.explicit { WriteSource::Manual } else { WriteSource::Formation };
    let until = piece.foresight.as_ref().map(|foresight| foresight.until);
    Memory {
        id: MemoryId::of(&message.id.to_string(), place),
        text: piece.text.clone(),
        form: piece.category.form(),
        category: piece.category,
        status: Status::New,
        tier: first_tier(write_source),
        layer: SHORT_TERM_LAYER.to_owned(),
        session: Some(message.session.clone()),
        thread: message.thread.clone(),
        mode: message.mode,
        temporal_type: if until.is_some() { TemporalType::TimeBounded } else { TemporalType::Persistent },
        valid_from: message.at,
        valid_until: until,
        recorded_at: now,
        write_source,
        data_source: origin.data_source,
        source_confidence: piece.confidence,
        source_hash: None,
        privacy: piece.privacy,
        pinned: flash,
        immutable: false,
        flashbulb: flash,
        importance: if flash { flashbulb(importance) } else { importance },
        utility: utility::INITIAL,
        utility_at: now,
        storage: strength.storage,
        stability: strength.stability,
        accesses: strength.accesses,
        accessed_at: strength.last_access,
        surfaced: 0,
        valence: piece.character.felt.valence,
        arousal: piece.character.felt.arousal,
        emotion: piece.character.felt.emotion,
    }
}

/// Two texts as one, unless that is too long to be one.
pub(super) fn merged(old: &str, new: &str) -> Option<String> {
    let text = format!("{old}{SEPARATOR}{new}");
    (text.chars().count() <= JOINED_CHARS).then_some(text)
}

/// A memory is met again at this moment.
pub(super) fn meet(memory: &mut Memory, at: Time) {
    let strength = strength_of(memory).reinforced(at.max(memory.accessed_at), Curve::Seed);
    memory.storage = strength.storage;
    memory.stability = strength.stability;
    memory.accesses = strength.accesses;
    memory.accessed_at = strength.last_access;
}

/// A memory lasts longer, within the bounds there are.
pub(super) fn steady(memory: &mut Memory, times: f64) {
    memory.stability = strength_of(memory).steadier(times).stability;
}

fn strength_of(memory: &Memory) -> Strength {
    let Memory { storage, stability, accesses, accessed_at, .. } = *memory;
    Strength { storage, stability, accesses, last_access: accessed_at }
}

/// What belongs to a memory, by relation or by a name both hold, and holds.
pub(super) fn kin(view: &mut View<'_>, number: u32) -> Result<Vec<MemoryRecord>> {
    let related =
        view.relations(number)?.into_iter().map(|it| if it.from == number { it.to } else { it.from });
    let mut numbers: Vec<u32> = related.collect();
    for entity in view.entities_of(number)? {
        numbers.extend(view.hub(&entity.slug, SPREAD_TO as u32)?);
    }
    numbers.retain(|other| *other != number);
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.dedup();
    numbers.truncate(SPREAD_TO);
    let records = view.memories_at(&numbers)?.into_iter();
    Ok(records.filter(|record| record.memory.status != Status::Superseded).collect())
}

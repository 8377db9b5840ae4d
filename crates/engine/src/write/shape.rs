//! Shape: the memory that a statement becomes, and what happens to one that is met again.

use super::{
    gate::Judged,
    observe::{Character, Origin},
    prepare::Piece,
};
use cairn_cognition::{
    importance::{FLASHBULB_STABILITY, flashbulb, is_flashbulb},
    personal::privacy,
    promotion::strength_of,
    retention::Curve,
    strength::Strength,
    tier::first_tier,
    utility,
};
use cairn_domain::{
    Category, DataSource, Evidence, Memory, MemoryId, Message, Mode, SHORT_TERM_LAYER, Status, TemporalType,
    Time, WriteSource,
};
use cairn_store::{MemoryRecord, Result, Strengthened, View};

/// What stands between two texts that were joined without a model.
pub(crate) const SEPARATOR: &str = " · ";
/// A memory that has grown longer than this is not joined with anything: it would no longer say one thing.
const JOINED_CHARS: usize = 1_000;
/// What belongs to a memory that is met again gains this share of stability …
pub(super) const SPREAD: f64 = 1.02;
/// … that many of them at most.
const SPREAD_TO: usize = 16;

/// What every memory is made of.
pub(super) struct Begun<'a> {
    pub(super) id: MemoryId,
    pub(super) text: String,
    pub(super) category: Category,
    pub(super) character: &'a Character,
    pub(super) data_source: DataSource,
    pub(super) confidence: f64,
    pub(super) importance: f64,
    pub(super) strength: Strength,
    /// Since when it holds, and when it is written down.
    pub(super) at: Time,
    pub(super) now: Time,
}

impl Begun<'_> {
    /// A memory of no session, formed without being asked for, that holds until something says otherwise.
    pub(super) fn memory(self) -> Memory {
        let Self { text, category, strength, now, .. } = self;
        Memory {
            id: self.id,
            privacy: privacy(&text),
            text,
            form: category.form(),
            category,
            status: Status::New,
            tier: first_tier(WriteSource::Formation),
            layer: SHORT_TERM_LAYER.to_owned(),
            session: None,
            thread: None,
            mode: Mode::Chat,
            temporal_type: TemporalType::Persistent,
            valid_from: self.at,
            valid_until: None,
            recorded_at: now,
            write_source: WriteSource::Formation,
            data_source: self.data_source,
            source_confidence: self.confidence,
            source_hash: None,
            pinned: false,
            immutable: false,
            flashbulb: false,
            importance: self.importance,
            utility: utility::INITIAL,
            utility_at: now,
            storage: strength.storage,
            stability: strength.stability,
            accesses: strength.accesses,
            accessed_at: strength.last_access,
            surfaced: 0,
            valence: self.character.felt.valence,
            arousal: self.character.felt.arousal,
            emotion: self.character.felt.emotion,
        }
    }
}

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
    let begun = Begun {
        id: MemoryId::of(&message.id.to_string(), place),
        text: piece.text.clone(),
        category: piece.category,
        character: &piece.character,
        data_source: origin.data_source,
        confidence: piece.confidence,
        importance: if flash { flashbulb(importance) } else { importance },
        strength,
        at: message.at,
        now,
    };
    Memory {
        tier: first_tier(write_source),
        session: Some(message.session.clone()),
        thread: message.thread.clone(),
        mode: message.mode,
        temporal_type: if until.is_some() { TemporalType::TimeBounded } else { TemporalType::Persistent },
        valid_until: until,
        write_source,
        privacy: piece.privacy,
        pinned: flash,
        flashbulb: flash,
        ..begun.memory()
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

/// Changes how strong a memory is. What has been changed of it already is gone on from, not overwritten.
pub(super) fn change(
    strengthened: &mut Vec<Strengthened>,
    record: &MemoryRecord,
    evidence: Vec<Evidence>,
    change: impl FnOnce(&mut Memory),
) {
    if let Some(changed) = strengthened.iter_mut().find(|changed| changed.number == record.number) {
        change(&mut changed.memory);
        changed.evidence.extend(evidence);
    } else {
        let (number, mut memory) = (record.number, record.memory.clone());
        change(&mut memory);
        strengthened.push(Strengthened { number, memory, evidence });
    }
}

/// A memory lasts longer, within the bounds there are.
pub(super) fn steady(memory: &mut Memory, times: f64) {
    memory.stability = strength_of(memory).steadier(times).stability;
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

#[cfg(test)]
mod tests {
    use super::{super::observe::character, *};

    /// covers: C-22
    #[test]
    fn a_memory_that_is_changed_twice_keeps_both_changes() {
        let now = Time::from_millis(1_700_000_000_000);
        let begun = Begun {
            id: MemoryId::of("a", 0),
            text: "User lives in Rome.".to_owned(),
            category: Category::Fact,
            character: &character("User lives in Rome."),
            data_source: DataSource::UserMessage,
            confidence: 0.5,
            importance: 0.5,
            strength: Strength::new(now, 0.0),
            at: now,
            now,
        };
        let memory = begun.memory();
        let record =
            MemoryRecord { number: 7, revision: 7, memory: memory.clone(), superseded_by: None, length: 4 };
        let mut strengthened = Vec::new();
        let said = |text: &str| Evidence::support(text.to_owned(), "user", text, now);
        let later = Time::from_millis(now.millis() + 86_400_000);
        change(&mut strengthened, &record, vec![said("one")], |memory| meet(memory, later));
        let met = strengthened[0].memory.stability;
        change(&mut strengthened, &record, vec![said("two")], |memory| steady(memory, SPREAD));
        let [changed] = strengthened.as_slice() else { panic!("one memory, one change") };
        assert!(met > memory.stability && changed.memory.stability > met, "{changed:?}");
        assert_eq!(changed.memory.accesses, memory.accesses + 1);
        assert_eq!(changed.evidence.len(), 2);
    }
}

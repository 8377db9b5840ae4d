//! Shape: the memory that a statement becomes, and what happens to one that is met again.

use crate::write::{
    decide::gate::GateJudgment,
    prepare::{
        message::Proposition,
        observe::{MessageOrigin, TextCharacter},
    },
};
use cairn_cognition::{
    importance::{FLASHBULB_STABILITY_FACTOR, flashbulb_importance, is_flashbulb},
    personal::text_privacy,
    promotion::strength_of,
    retention::RetentionCurve,
    strength::Strength,
    tier::first_tier,
    utility,
};
use cairn_domain::{
    Category, DataSource, Evidence, Form, Memory, MemoryId, Message, Mode, SHORT_TERM_LAYER, Status,
    TemporalType, Time, WriteSource,
};
use cairn_store::{MemoryRecord, Result, Strengthened, View};

/// Between two texts that were joined without a model: each stands on a line of its own.
pub(crate) const MERGED_TEXT_SEPARATOR: &str = "\n";
/// A memory that has grown longer than this is not joined with anything: it would no longer say one thing.
const MAX_MERGED_CHARS: usize = 1_000;
/// When a memory is met again, the memories related to it gain this share of stability …
pub(crate) const SPREAD_STABILITY_FACTOR: f64 = 1.02;
/// … that many of them at most.
const MAX_SPREAD_MEMORIES: usize = 16;

/// The fields that every new memory needs.
pub(crate) struct MemoryBase<'a> {
    pub(crate) id: MemoryId,
    pub(crate) text: String,
    pub(crate) category: Category,
    pub(crate) character: &'a TextCharacter,
    pub(crate) data_source: DataSource,
    pub(crate) confidence: f64,
    pub(crate) importance: f64,
    pub(crate) strength: Strength,
    /// Since when it holds, and when it is written down.
    pub(crate) at: Time,
    pub(crate) now: Time,
}

impl MemoryBase<'_> {
    /// A memory of no session, formed without being asked for, that holds until something says otherwise.
    pub(crate) fn memory(self) -> Memory {
        let Self { text, category, strength, now, .. } = self;
        Memory {
            id: self.id,
            privacy: text_privacy(&text),
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
            utility: utility::INITIAL_UTILITY,
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
pub(crate) fn memory_of_proposition(
    message: &Message,
    place: usize,
    proposition: &Proposition,
    judgment: &GateJudgment,
    origin: MessageOrigin,
    now: Time,
) -> Memory {
    // What gives orders, or was said by nobody, shakes nobody.
    let may_flash = origin.data_source == DataSource::UserMessage && !proposition.poisoned;
    let flash = may_flash && is_flashbulb(proposition.character.felt.arousal);
    let strength = Strength::new(message.at, judgment.signal);
    let strength = if flash { strength.steadier(FLASHBULB_STABILITY_FACTOR) } else { strength };
    let importance = judgment.weighed.importance;
    let write_source = if origin.explicit { WriteSource::Manual } else { WriteSource::Formation };
    // Only what is to come runs out, and not what begins then: a wish, a decision or a way of doing things does not end because a day is named beside it.
    let may_run_out = matches!(proposition.category, Category::Plan | Category::Fact | Category::Other);
    let plan = proposition.foresight.as_ref().filter(|plan| may_run_out && !plan.begins);
    let until = plan.map(|foresight| foresight.until);
    let base = MemoryBase {
        id: MemoryId::of(&message.id.to_string(), place),
        text: proposition.text.clone(),
        category: proposition.category,
        character: &proposition.character,
        data_source: origin.data_source,
        confidence: proposition.confidence,
        importance: if flash { flashbulb_importance(importance) } else { importance },
        strength,
        at: message.at,
        now,
    };
    let base = base.memory();
    Memory {
        form: if origin.reflects { Form::Reflection } else { base.form },
        tier: first_tier(write_source),
        session: Some(message.session.clone()),
        thread: message.thread.clone(),
        mode: message.mode,
        temporal_type: if until.is_some() { TemporalType::TimeBounded } else { TemporalType::Persistent },
        valid_until: until,
        write_source,
        privacy: proposition.privacy,
        pinned: flash,
        flashbulb: flash,
        ..base
    }
}

/// Two texts as one, each on its line, unless that is too long to be one.
pub(crate) fn merged_text(old: &str, new: &str) -> Option<String> {
    let text = format!("{old}{MERGED_TEXT_SEPARATOR}{new}");
    (text.chars().count() <= MAX_MERGED_CHARS).then_some(text)
}

/// A memory is met again at this moment.
pub(crate) fn reinforce_on_access(memory: &mut Memory, at: Time) {
    let strength = strength_of(memory).reinforced(at.max(memory.accessed_at), RetentionCurve::Seed);
    memory.storage = strength.storage;
    memory.stability = strength.stability;
    memory.accesses = strength.accesses;
    memory.accessed_at = strength.last_access;
}

/// Changes how strong a memory is. Applies a change on top of earlier changes in this formation.
pub(crate) fn change_strength(
    strengthened: &mut Vec<Strengthened>,
    record: &MemoryRecord,
    evidence: Vec<Evidence>,
    apply: impl FnOnce(&mut Memory),
) {
    if let Some(changed) = strengthened.iter_mut().find(|changed| changed.number == record.number) {
        apply(&mut changed.memory);
        changed.evidence.extend(evidence);
    } else {
        let (number, mut memory) = (record.number, record.memory.clone());
        apply(&mut memory);
        strengthened.push(Strengthened { number, memory, evidence });
    }
}

/// A memory lasts longer, within the bounds there are.
pub(crate) fn increase_stability(memory: &mut Memory, times: f64) {
    memory.stability = strength_of(memory).steadier(times).stability;
}

/// The active memories that are related to one, or share an entity with it.
pub(crate) fn related_memories(view: &mut View<'_>, number: u32) -> Result<Vec<MemoryRecord>> {
    let related =
        view.relations(number)?.into_iter().map(|it| if it.from == number { it.to } else { it.from });
    let mut numbers: Vec<u32> = related.collect();
    for entity in view.entities_of(number)? {
        numbers.extend(view.hub(&entity.slug, MAX_SPREAD_MEMORIES as u32)?);
    }
    numbers.retain(|other| *other != number);
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.dedup();
    numbers.truncate(MAX_SPREAD_MEMORIES);
    let records = view.memories_at(&numbers)?.into_iter();
    Ok(records.filter(|record| record.memory.status != Status::Superseded).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::prepare::observe::text_character;

    /// covers: C-22
    #[test]
    fn a_memory_that_is_changed_twice_keeps_both_changes() {
        let now = Time::from_millis(1_700_000_000_000);
        let base = MemoryBase {
            id: MemoryId::of("a", 0),
            text: "User lives in Rome.".to_owned(),
            category: Category::Fact,
            character: &text_character("User lives in Rome."),
            data_source: DataSource::UserMessage,
            confidence: 0.5,
            importance: 0.5,
            strength: Strength::new(now, 0.0),
            at: now,
            now,
        };
        let memory = base.memory();
        let record =
            MemoryRecord { number: 7, revision: 7, memory: memory.clone(), superseded_by: None, length: 4 };
        let mut strengthened = Vec::new();
        let said = |text: &str| Evidence::support(text.to_owned(), "user", text, now);
        let later = Time::from_millis(now.millis() + 86_400_000);
        change_strength(&mut strengthened, &record, vec![said("one")], |memory| {
            reinforce_on_access(memory, later);
        });
        let met = strengthened[0].memory.stability;
        change_strength(&mut strengthened, &record, vec![said("two")], |memory| {
            increase_stability(memory, SPREAD_STABILITY_FACTOR);
        });
        let [changed] = strengthened.as_slice() else { panic!("one memory, one change") };
        assert!(met > memory.stability && changed.memory.stability > met, "{changed:?}");
        assert_eq!(changed.memory.accesses, memory.accesses + 1);
        assert_eq!(changed.evidence.len(), 2);
    }
}

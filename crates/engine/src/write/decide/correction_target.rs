//! The record that a correction names, and how naming it overrules the gate.

use crate::write::{
    decide::{
        candidate::GateCandidate,
        gate::GateJudgment,
        neighborhood::{Neighbor, Neighborhood},
    },
    metadata::CORRECTS,
    prepare::{analysis_cache::AnalysisCache, observe::MessageOrigin},
    reasons::Contradicted,
};
use cairn_domain::{DataSource, Evidence, MemoryId, Message, Ref, Stance, Status, Time, Verdict};
use cairn_store::{Formation, MemoryEnd, MemoryRecord, MessageRecord, Superseded, View};

/// The longest that is quoted of what is corrected.
const MAX_QUOTED_CHARS: usize = 200;

/// The record that a message corrects.
pub(crate) enum CorrectionTarget {
    /// A memory that holds, and only it may be replaced.
    Memory(Box<MemoryRecord>, [MemoryId; 1]),
    /// A message, and the memories that rest on it.
    Message(Box<MessageRecord>, Vec<MemoryId>),
}

impl CorrectionTarget {
    /// The record that a message says it corrects, if it exists and still holds.
    pub(crate) fn named_by(view: &mut View<'_>, message: &Message) -> cairn_store::Result<Option<Self>> {
        let named = message.metadata.get(CORRECTS).and_then(|named| named.as_str()?.parse().ok());
        let message = match named {
            None | Some(Ref::Belief(_) | Ref::Digest(_) | Ref::Attachment(_)) => None,
            Some(Ref::Memory(id)) => {
                let known = view.memory(id)?.filter(|record| {
                    let known = &record.memory;
                    known.status != Status::Superseded && !known.immutable && !known.pinned
                });
                return Ok(known.map(|record| Self::Memory(Box::new(record), [id])));
            }
            Some(Ref::Message(id)) => view.message(id)?,
            Some(Ref::Exchange(id)) => view.exchange(id)?.into_iter().next(),
        };
        let Some(message) = message else { return Ok(None) };
        let numbers = view.memories_on(message.message.id)?;
        let resting = view.memories_at(&numbers)?.into_iter().filter(|record| !record.memory.pinned);
        Ok(Some(Self::Message(Box::new(message), resting.map(|record| record.memory.id).collect())))
    }

    /// Whether the memory that is named may be replaced by whoever corrects it.
    pub(crate) fn may_overrule(&self, candidate: &GateCandidate<'_>) -> bool {
        match self {
            Self::Memory(known, _) => candidate.may_replace(&known.memory),
            Self::Message(..) => true,
        }
    }

    /// The only memories that the correction may replace; the user's replaces whatever it cannot stand beside.
    pub(crate) fn only_replaces(&self, origin: MessageOrigin) -> Option<&[MemoryId]> {
        if origin.data_source == DataSource::UserMessage {
            return None;
        }
        Some(match self {
            Self::Memory(_, only) => only,
            Self::Message(_, resting) => resting,
        })
    }

    /// Where among the neighbours the memory stands that is named; it is put there if it is not near.
    pub(crate) fn place_among(
        &self,
        around: &mut Neighborhood,
        analysis_cache: &AnalysisCache,
    ) -> Option<usize> {
        let Self::Memory(known, _) = self else { return None };
        let place = around.near.iter().position(|near| near.record.number == known.number);
        Some(place.unwrap_or_else(|| {
            around.near.push(Neighbor::named((**known).clone(), analysis_cache));
            around.near.len() - 1
        }))
    }

    /// Makes the memory that is named the one that is replaced, whatever the gate would have thought.
    pub(crate) fn overrule(
        &self,
        judgment: &mut GateJudgment,
        place: Option<usize>,
        around: &Neighborhood,
        formation: &mut Formation,
        text: &str,
        at: Time,
    ) {
        let (Self::Memory(known, _), Some(place)) = (self, place) else { return };
        let (old, new) = (known.memory.text.clone(), text.to_owned());
        let why = format!("it corrects “{}”", quoted_beginning(&old));
        judgment.decision.reason.clone_from(&why);
        // What says the same already takes its place; else a new memory does.
        let same = judgment.nearest.as_ref().filter(|(at, nearest)| nearest.same_proposition && *at != place);
        judgment.decision.verdict = match same {
            Some((same, _)) => {
                let (number, by) = (known.number, Some(MemoryEnd::Known(around.near[*same].record.number)));
                let until = at.max(known.memory.valid_from);
                formation.superseded.push(Superseded { number, by, until, reason: why.clone() });
                Verdict::Reinforce
            }
            None => Verdict::Supersede,
        };
        judgment.replaced.retain(|(other, _)| *other != place);
        judgment.replaced.insert(0, (place, Contradicted { memory: known.memory.id, why, old, new }));
    }

    /// The words that a correction speaks against.
    pub(crate) fn evidence_against(&self, now: Time) -> Option<Evidence> {
        let Self::Message(record, _) = self else { return None };
        let Message { id, role, text, .. } = &record.message;
        let support = Evidence::support(id.to_string(), role.as_str(), quoted_beginning(text), now);
        Some(Evidence { stance: Stance::Contradict, ..support })
    }
}

/// How a text begins.
fn quoted_beginning(text: &str) -> &str {
    let end = text.char_indices().nth(MAX_QUOTED_CHARS).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

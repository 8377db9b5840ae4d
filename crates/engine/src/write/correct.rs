//! Correct: somebody says that what is remembered is wrong, and what is right. The words are archived like any others and
//! become a memory that takes the place of the one they name. The user's word also replaces what else it cannot stand
//! beside; an agent's replaces what it names and nothing else, and is believed little.

use super::{
    door::settle,
    gate::Judged,
    intake::Formed,
    neighbourhood::{Neighbour, Neighbourhood},
    observe::{CORRECTS, Origin},
    readings::Readings,
    reasons::{Contradicted, Decision},
};
use crate::{Agent, Remembered, Result, transcript::CORRECTION};
use cairn_domain::{
    DataSource, Draft, Evidence, Invalid, MemoryId, Message, Ref, Role, Stance, Status, Time, Verdict,
};
use cairn_store::{End, Formation, MemoryRecord, MessageRecord, Superseded, View};

/// The longest that is quoted of what is corrected.
const QUOTED_CHARS: usize = 200;

/// What became of a correction.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// The words of it, as they are archived.
    pub message: Remembered,
    /// What was decided about them.
    pub formed: Formed,
}

impl Agent {
    /// Says that a memory, or what a message says, is wrong, and what is right. The draft says who speaks: the user, or the
    /// agent. The same words about the same record are one correction, however often they are said.
    pub async fn correct(&self, reference: Ref, said: Draft) -> Result<Correction> {
        let reference = self.behind_belief(reference).await?;
        let source_id = said.source_id.unwrap_or_else(|| format!("{CORRECTION}{reference}"));
        let role = if said.role == Role::User { Role::User } else { Role::Assistant };
        let draft = Draft { source_id: Some(source_id), role, ..said };
        let mut message = settle(draft, self.now(), &self.config.capture)?;
        message.metadata.insert(CORRECTS.to_owned(), reference.to_string().into());
        let id = message.id;
        if self.store.read(|view| view.message(id)).await?.is_none() {
            // It holds from now on, and not before what it replaces.
            message.at = message.at.max(self.correctable(reference).await?);
        }
        let kept = self.append(vec![message]).await?.pop();
        let message = kept.unwrap_or(Remembered { message: id, exchange: id.into(), duplicate: true });
        let formed = self.form_message(message.message).await?;
        let of = |decision: &Decision| [decision.memory, decision.supersedes];
        let memories = formed.decisions.iter().flat_map(of).flatten().collect();
        self.believe_at_once(memories, role.as_str()).await?;
        Ok(Correction { message, formed })
    }

    /// Since when what a ref names holds; an error if it cannot be corrected.
    async fn correctable(&self, reference: Ref) -> Result<Time> {
        let Ref::Memory(id) = reference else {
            let messages = self.open_ref(reference).await?;
            return Ok(messages.iter().map(|record| record.message.at).max().unwrap_or(self.now()));
        };
        let record = self.memory(id).await?;
        let known = &record.memory;
        let refused = if known.status == Status::Superseded {
            let by = self.store.read(|view| view.memories_at(record.superseded_by.as_slice())).await?;
            let hint = match by.first() {
                Some(by) => format!("{} took its place: correct that one, if it is wrong, too", by.memory.id),
                None => "what it was read from is gone; tell what is right with `remember`".to_owned(),
            };
            Some(("holds no longer", hint))
        } else if known.immutable {
            Some(("is immutable and stays as it is", "tell what is right with `remember`".to_owned()))
        } else if known.pinned {
            let hint = format!("a person can unpin it with `cairn memories unpin {id}`, and correct it then");
            Some(("is pinned and stays as it is", hint))
        } else {
            None
        };
        match refused {
            Some((why, hint)) => Err(Invalid::new(format!("{id} {why}"), hint).into()),
            None => Ok(known.valid_from),
        }
    }
}

/// What a message corrects.
pub(super) enum Corrected {
    /// A memory that holds, and only it may be replaced.
    Memory(Box<MemoryRecord>, [MemoryId; 1]),
    /// A message, and the memories that rest on it.
    Message(Box<MessageRecord>, Vec<MemoryId>),
}

impl Corrected {
    /// What a message says it corrects, if that is there and still holds.
    pub(super) fn by(view: &mut View<'_>, message: &Message) -> cairn_store::Result<Option<Self>> {
        let named = message.metadata.get(CORRECTS).and_then(|named| named.as_str()?.parse().ok());
        let message = match named {
            None | Some(Ref::Belief(_) | Ref::Digest(_)) => None,
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

    /// The only memories that the correction may replace.
    pub(super) fn may_replace(&self, origin: Origin) -> Option<&[MemoryId]> {
        if origin.data_source == DataSource::UserMessage {
            return None;
        }
        Some(match self {
            Self::Memory(_, only) => only,
            Self::Message(_, resting) => resting,
        })
    }

    /// Where among the neighbours the memory stands that is named; it is put there if it is not near.
    pub(super) fn named(&self, around: &mut Neighbourhood, readings: &Readings) -> Option<usize> {
        let Self::Memory(known, _) = self else { return None };
        let place = around.near.iter().position(|near| near.record.number == known.number);
        Some(place.unwrap_or_else(|| {
            around.near.push(Neighbour::named((**known).clone(), readings));
            around.near.len() - 1
        }))
    }

    /// Makes the memory that is named the one that is replaced, whatever the gate would have thought.
    pub(super) fn overrule(
        &self,
        judged: &mut Judged,
        place: Option<usize>,
        around: &Neighbourhood,
        formation: &mut Formation,
        (text, at): (&str, Time),
    ) {
        let (Self::Memory(known, _), Some(place)) = (self, place) else { return };
        let (old, new) = (known.memory.text.clone(), text.to_owned());
        let why = format!("it corrects “{}”", quoted(&old));
        judged.decision.reason.clone_from(&why);
        // What says the same already takes its place; else a new memory does.
        let same = judged.nearest.as_ref().filter(|(at, nearest)| nearest.same_proposition && *at != place);
        judged.decision.verdict = match same {
            Some((same, _)) => {
                let (number, by) = (known.number, Some(End::Known(around.near[*same].record.number)));
                let until = at.max(known.memory.valid_from);
                formation.superseded.push(Superseded { number, by, until, reason: why.clone() });
                Verdict::Reinforce
            }
            None => Verdict::Supersede,
        };
        judged.contradicted = Some((place, Contradicted { memory: known.memory.id, why, old, new }));
    }

    /// The words that a correction speaks against.
    pub(super) fn evidence(&self, now: Time) -> Option<Evidence> {
        let Self::Message(record, _) = self else { return None };
        let Message { id, role, text, .. } = &record.message;
        let support = Evidence::support(id.to_string(), role.as_str(), quoted(text), now);
        Some(Evidence { stance: Stance::Contradict, ..support })
    }
}

/// How a text begins.
fn quoted(text: &str) -> &str {
    let end = text.char_indices().nth(QUOTED_CHARS).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

//! The words that a reflection looks back on, as evidence beside its own.

use crate::write::metadata::REFLECTS_ON;
use cairn_domain::{Evidence, Message, Ref, Stance, Time};
use cairn_store::{Result, View};

/// The part that the words play for the reflection. It is stored, so it never changes.
const REFLECTED: &str = "reflected";
/// Characters that are quoted of a message.
const MAX_QUOTED_CHARS: usize = 200;

/// The words that a message says it looks back on, as far as they are there.
pub(super) fn reflected_evidence(view: &mut View<'_>, message: &Message, now: Time) -> Result<Vec<Evidence>> {
    let named = message.metadata.get(REFLECTS_ON).and_then(|named| named.as_array());
    let refs = named.into_iter().flatten().filter_map(|one| one.as_str()?.parse().ok());
    let mut evidence = Vec::new();
    for reference in refs {
        let words = match reference {
            Ref::Memory(id) => match view.memory(id)? {
                Some(record) => view.evidence_of(record.number)?.into_iter().next(),
                None => None,
            },
            Ref::Message(id) => view.message(id)?.map(|record| quotation(&record.message, now)),
            Ref::Exchange(id) => view.exchange(id)?.first().map(|record| quotation(&record.message, now)),
            Ref::Belief(_) | Ref::Digest(_) | Ref::Attachment(_) => None,
        };
        evidence.extend(words.map(|words| Evidence {
            stance: Stance::Context,
            role: REFLECTED.to_owned(),
            recorded_at: now,
            ..words
        }));
    }
    Ok(evidence)
}

fn quotation(message: &Message, now: Time) -> Evidence {
    let end = message.text.char_indices().nth(MAX_QUOTED_CHARS).map_or(message.text.len(), |(at, _)| at);
    Evidence::support(message.id.to_string(), REFLECTED, &message.text[..end], now)
}

//! What there is to refine of a message: its words, what rules have made of them, and what is known around it.

use super::{
    super::{
        neighbourhood::{Around, Neighbourhood},
        observe::{Origin, observe},
        prepare::{speaker, subject},
        readings::Readings,
        reasons::Decision,
        shape::SEPARATOR,
    },
    faithful::Ground,
    question::{About, facts_of},
};
use cairn_cognition::{personal::privacy, statement::statements, temporal::dated};
use cairn_domain::{Memory, MessageId, Privacy, Status, Verdict};
use cairn_models::Request;
use cairn_store::{MemoryRecord, MessageRecord, Result, View};

/// Memories around a message that a model is told of.
const KNOWN: usize = 6;
/// So much of a message is sent …
const TEXT_BYTES: usize = 8 << 10;
/// … and of the one before it.
const BEFORE_BYTES: usize = 1 << 10;

/// A message and what belongs to it.
#[derive(Debug, Clone)]
pub(super) struct Material {
    pub(super) record: MessageRecord,
    pub(super) origin: Origin,
    /// Its words that passed the filters.
    pub(super) said: String,
    /// The same with the dates its times mean.
    dated: String,
    pub(super) speaker: String,
    before: Option<(String, String)>,
    /// What it has become: `m1`, `m2`, …
    pub(super) own: Vec<MemoryRecord>,
    /// What was joined with something it says.
    pub(super) joined: Vec<MemoryRecord>,
    /// What was known around it: `k1`, `k2`, …
    pub(super) known: Vec<MemoryRecord>,
}

impl Material {
    /// Reads what belongs to a message; `None` if nothing of it is to be put to anybody.
    pub(super) fn read(
        view: &mut View<'_>,
        readings: &Readings,
        id: MessageId,
        with_personal: bool,
    ) -> Result<Option<Self>> {
        let (Some(record), Some(formed)) = (view.message(id)?, view.formed(id)?) else { return Ok(None) };
        let origin = Origin::of(&record.message);
        let Ok(observed) = observe(&record.message.text, origin) else { return Ok(None) };
        if observed.poison.is_some() {
            return Ok(None);
        }
        let said = head(observed.text.trim(), TEXT_BYTES).to_owned();
        let decisions: Vec<Decision> = serde_json::from_str(&formed).unwrap_or_default();
        let (mut own, mut joined) = (Vec::new(), Vec::new());
        for decision in &decisions {
            let Some(memory) = decision.memory.map(|memory| view.memory(memory)).transpose()?.flatten()
            else {
                continue;
            };
            match decision.verdict {
                Verdict::Create | Verdict::Supersede => own.push(memory),
                Verdict::Update if memory.memory.text.contains(SEPARATOR) => joined.push(memory),
                _ => {}
            }
        }
        let before = view.message_before(record.seq)?;
        let before = before
            .map(|before| (speaker(&before.message), head(&before.message.text, BEFORE_BYTES).to_owned()));
        let before = before.filter(|(_, text)| with_personal || privacy(text) == Privacy::Open);
        // What a message only points at was named before it.
        let both = before.as_ref().map_or_else(|| said.clone(), |(_, before)| format!("{said}\n{before}"));
        let around = Around {
            text: &both,
            vector: None,
            statements: &statements(&said, &subject(&record.message)),
            session: None,
            readings,
            mode: record.message.mode,
            at: record.message.at,
        };
        let is_own = |known: &MemoryRecord| own.iter().any(|own| own.number == known.number);
        let known = Neighbourhood::read(view, &around)?.near.into_iter().map(|near| near.record);
        let open = |known: &MemoryRecord| with_personal || known.memory.privacy == Privacy::Open;
        let known = known.filter(|known| !is_own(known) && open(known)).take(KNOWN).collect();
        let dated = dated(&said, record.message.at).text;
        let speaker = speaker(&record.message);
        Ok(Some(Self { record, origin, said, dated, speaker, before, own, joined, known }))
    }

    /// The question what the message says.
    pub(super) fn question(&self) -> Request {
        let text = |record: &'_ MemoryRecord| record.memory.text.clone();
        let (own, known): (Vec<String>, Vec<String>) =
            (self.own.iter().map(text).collect(), self.known.iter().map(text).collect());
        facts_of(&About {
            said_at: self.record.message.at,
            speaker: &self.speaker,
            before: self.before.as_ref().map(|(speaker, text)| (speaker.as_str(), text.as_str())),
            message: &self.dated,
            memories: own.iter().map(String::as_str).collect(),
            known: known.iter().map(String::as_str).collect(),
        })
    }

    /// Whether anything that would be sent identifies a person.
    pub(super) fn is_personal(&self) -> bool {
        let texts = [&self.own, &self.joined].into_iter().flatten().map(|record| record.memory.privacy);
        privacy(&self.said) != Privacy::Open || texts.into_iter().any(|privacy| privacy != Privacy::Open)
    }

    /// All that a model could have its words from.
    pub(super) fn ground(&self) -> Ground {
        let day = self.record.message.at.day().to_string();
        let memories = self.own.iter().chain(&self.known).map(|record| record.memory.text.as_str());
        let before = self.before.iter().flat_map(|(speaker, text)| [speaker.as_str(), text.as_str()]);
        Ground::of([self.dated.as_str(), &self.speaker, &day].into_iter().chain(before).chain(memories))
    }
}

/// Whether a memory may be worded anew.
pub(super) fn may_change(memory: &Memory) -> bool {
    !memory.pinned && !memory.immutable && memory.status != Status::Superseded
}

/// The beginning of a text.
fn head(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

//! The material for refining a message: its words, the memories that rules made of them, and the memories around it.

use crate::{
    stored_json::from_stored_json,
    write::{
        decide::neighborhood::{Neighborhood, NeighborhoodQuery},
        form::memory::MERGED_TEXT_SEPARATOR,
        prepare::{
            analysis_cache::AnalysisCache,
            message::{first_person_subject, speaker_name},
            observe::{MessageOrigin, observe_text},
        },
        reasons::Decision,
        refine::{
            faithful::SourceWords,
            question::{RefineQuestion, facts_question},
        },
    },
};
use cairn_cognition::{personal::text_privacy, statement::statements, temporal::dated};
use cairn_domain::{Memory, MessageId, Privacy, Status, Verdict};
use cairn_models::ModelRequest;
use cairn_store::{MemoryRecord, MessageRecord, Result, View};

/// Maximum memories around a message that a model is shown.
const MAX_KNOWN_MEMORIES: usize = 6;
/// Maximum bytes sent of a message …
const MAX_MESSAGE_BYTES: usize = 8 << 10;
/// … and of the one before it.
const MAX_PREVIOUS_BYTES: usize = 1 << 10;

/// A message and what belongs to it.
#[derive(Debug, Clone)]
pub(super) struct RefineMaterial {
    pub(super) record: MessageRecord,
    pub(super) origin: MessageOrigin,
    /// Its words that passed the filters.
    pub(super) said: String,
    /// The same with the dates its times mean.
    dated: String,
    pub(super) speaker: String,
    before: Option<(String, String)>,
    /// The memories it became: `m1`, `m2`, …
    pub(super) own: Vec<MemoryRecord>,
    /// Memories that were merged with one of its statements.
    pub(super) joined: Vec<MemoryRecord>,
    /// Memories known around it: `k1`, `k2`, …
    pub(super) known: Vec<MemoryRecord>,
}

/// Which of the words around a message a model may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NearbyWords {
    /// Only what is not personal.
    Open,
    /// Whatever is near.
    All,
}

impl NearbyWords {
    fn admit(self, privacy: Privacy) -> bool {
        self == Self::All || privacy == Privacy::Open
    }
}

impl RefineMaterial {
    /// Reads what belongs to a message; `None` if nothing of it is to be put to anybody.
    pub(super) fn read(
        view: &mut View<'_>,
        analysis_cache: &AnalysisCache,
        id: MessageId,
        nearby: NearbyWords,
    ) -> Result<Option<Self>> {
        let (Some(record), Some(formed)) = (view.message(id)?, view.formed(id)?) else { return Ok(None) };
        let origin = MessageOrigin::of(&record.message);
        let Ok(observed) = observe_text(&record.message.text, origin) else { return Ok(None) };
        if observed.poison.is_some() {
            return Ok(None);
        }
        let said = text_head(observed.text.trim(), MAX_MESSAGE_BYTES).to_owned();
        let decisions: Vec<Decision> = from_stored_json(&format!("what was decided about {id}"), &formed)?;
        let (mut own, mut joined) = (Vec::new(), Vec::new());
        for decision in &decisions {
            let Some(memory) = decision.memory.map(|memory| view.memory(memory)).transpose()?.flatten()
            else {
                continue;
            };
            match decision.verdict {
                Verdict::Create | Verdict::Supersede => own.push(memory),
                Verdict::Update if memory.memory.text.contains(MERGED_TEXT_SEPARATOR) => joined.push(memory),
                _ => {}
            }
        }
        let before = view.message_before(record.seq)?;
        let before = before.map(|before| {
            (speaker_name(&before.message), text_head(&before.message.text, MAX_PREVIOUS_BYTES).to_owned())
        });
        let before = before.filter(|(_, text)| nearby.admit(text_privacy(text)));
        // What a message only points at was named before it.
        let both = before.as_ref().map_or_else(|| said.clone(), |(_, before)| format!("{said}\n{before}"));
        let around = NeighborhoodQuery {
            text: &both,
            vector: None,
            statements: &statements(&said, &first_person_subject(&record.message)),
            session: None,
            analysis_cache,
            mode: record.message.mode,
            at: record.message.at,
        };
        let is_own = |known: &MemoryRecord| own.iter().any(|own| own.number == known.number);
        let known = Neighborhood::read(view, &around)?.near.into_iter().map(|near| near.record);
        let open = |known: &MemoryRecord| nearby.admit(known.memory.privacy);
        let known = known.filter(|known| !is_own(known) && open(known)).take(MAX_KNOWN_MEMORIES).collect();
        let dated = dated(&said, record.message.at).text;
        let speaker = speaker_name(&record.message);
        Ok(Some(Self { record, origin, said, dated, speaker, before, own, joined, known }))
    }

    /// The question what the message says.
    pub(super) fn question(&self) -> ModelRequest {
        let text = |record: &'_ MemoryRecord| record.memory.text.clone();
        let (own, known): (Vec<String>, Vec<String>) =
            (self.own.iter().map(text).collect(), self.known.iter().map(text).collect());
        facts_question(&RefineQuestion {
            said_at: self.record.message.at,
            speaker: &self.speaker,
            before: self.before.as_ref().map(|(speaker, text)| (speaker.as_str(), text.as_str())),
            message: &self.dated,
            memories: own.iter().map(String::as_str).collect(),
            known: known.iter().map(String::as_str).collect(),
        })
    }

    /// The strictest privacy of anything that would be sent.
    pub(super) fn privacy(&self) -> Privacy {
        let memories = [&self.own, &self.joined].into_iter().flatten().map(|record| record.memory.privacy);
        memories.fold(text_privacy(&self.said), Privacy::max)
    }

    /// All that a model could have its words from.
    pub(super) fn source_words(&self) -> SourceWords {
        let day = self.record.message.at.day().to_string();
        let memories = self.own.iter().chain(&self.known).map(|record| record.memory.text.as_str());
        let before = self.before.iter().flat_map(|(speaker, text)| [speaker.as_str(), text.as_str()]);
        SourceWords::of([self.dated.as_str(), &self.speaker, &day].into_iter().chain(before).chain(memories))
    }
}

/// Whether a memory may be reworded.
pub(super) fn may_reword(memory: &Memory) -> bool {
    !memory.pinned && !memory.immutable && memory.status != Status::Superseded
}

/// The beginning of a text.
fn text_head(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

//! Intentions of a message, and those of which it says that they are done.

use crate::{
    agent::Agent,
    write::{
        metadata::INTENTION,
        prepare::message::{PreparedMessage, own_words},
    },
};
use cairn_cognition::{
    intention::{ToldIntention, errand, told_intentions},
    settled::SettledTalk,
    shown::{ShownPart, ShownWords},
};
use cairn_domain::{DataSource, Day, IntentionRef, IntentionTrigger, Message, Role, TriggerKind};
use cairn_store::{IntentionRecord, MessageRecord, Result, View};
use serde::{Deserialize, Serialize};

/// Intentions that are read in one message.
const MAX_INTENTIONS: usize = 8;
/// Bytes of a message that are read for them, and kept of the words of one.
const MAX_BYTES_READ: usize = 32 << 10;
const MAX_WORDS_BYTES: usize = 600;
/// Open intentions that a message may close, the newest.
const MAX_OPEN: u32 = 200;

/// A trigger as it stands in the metadata of a message that somebody set as an intention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SetTrigger {
    kind: TriggerKind,
    #[serde(default)]
    subject: String,
    #[serde(default)]
    day: Option<String>,
    #[serde(default)]
    minute: Option<u32>,
}

impl From<&IntentionTrigger> for SetTrigger {
    fn from(trigger: &IntentionTrigger) -> Self {
        let IntentionTrigger { kind, subject, day, minute } = trigger;
        Self { kind: *kind, subject: subject.clone(), day: day.map(|day| day.to_string()), minute: *minute }
    }
}

impl SetTrigger {
    /// The trigger; none if it is not one.
    fn trigger(self) -> Option<IntentionTrigger> {
        let Self { kind, subject, day, minute } = self;
        let day: Option<Day> = day.map(|day| day.parse()).transpose().ok()?;
        let is_whole =
            (kind != TriggerKind::Day || day.is_some()) && minute.is_none_or(|minute| minute < 1_440);
        is_whole.then_some(IntentionTrigger { kind, subject, day, minute })
    }
}

/// The intentions that a message tells.
pub(super) fn intentions_of(
    agent: &Agent,
    message: &Message,
    prepared: &PreparedMessage,
) -> Vec<IntentionRecord> {
    let own = matches!(prepared.origin.data_source, DataSource::UserMessage | DataSource::AssistantMessage);
    // What gives orders, or comes from elsewhere, is nobody's intention.
    if !own || prepared.propositions.iter().flatten().any(|proposition| proposition.poisoned) {
        return Vec::new();
    }
    let told = set_intention(message).map_or_else(
        || {
            let text = beginning(&message.text, MAX_BYTES_READ);
            let told = told_intentions(text, message.role, agent.wall_time(message.at));
            // What is quoted or pasted is somebody else's plan.
            let shown = ShownWords::of(text);
            told.into_iter().filter(|told| shown.hold(&told.words) != ShownPart::Most).collect()
        },
        |set| vec![set],
    );
    let told = told.into_iter().take(MAX_INTENTIONS);
    let record = |(place, told): (usize, ToldIntention)| {
        let name = IntentionRef { message: message.id, place: place as u32 };
        let words = beginning(&told.words, MAX_WORDS_BYTES).to_owned();
        IntentionRecord::open(name, message.role, message.at, words, &told.trigger)
    };
    told.enumerate().map(record).collect()
}

/// Open intentions of which a message says that they are done.
pub(super) fn settled_by(
    view: &mut View<'_>,
    agent: &Agent,
    record: &MessageRecord,
) -> Result<Vec<IntentionRef>> {
    let message = &record.message;
    if !matches!(message.role, Role::User | Role::Assistant) {
        return Ok(Vec::new());
    }
    let open = view.open_intentions(MAX_OPEN)?;
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let own = Message { text: own_words(message).into_owned(), ..message.clone() };
    let talk = SettledTalk::of(std::iter::once(&own));
    let is_done = |it: &&IntentionRecord| {
        let errand = errand(&it.words, agent.wall_time(it.said_at));
        it.message != message.id && talk.is_errand_done(&errand, it.said_at)
    };
    Ok(open.iter().filter(is_done).map(IntentionRecord::name).collect())
}

/// The intention that a message was set as.
fn set_intention(message: &Message) -> Option<ToldIntention> {
    let set = message.metadata.get(INTENTION)?;
    let trigger = SetTrigger::deserialize(set).ok()?.trigger()?;
    Some(ToldIntention { words: message.text.clone(), trigger })
}

fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

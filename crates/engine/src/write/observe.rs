//! Observe: what of a message is worth looking at, and what it is like. Nothing here reads or writes anything.

use super::reasons::{Classed, Counted, Felt, Filtered};
use cairn_cognition::{
    density::{self, density},
    emotion::emotion,
    entity::entities,
    injection::{Speaker, poisoned},
    observer::{classes, segments},
    trivial::trivial,
};
use cairn_domain::{Category, DataSource, Message, Role};

/// How far words are believed that give orders to whoever reads them.
pub(super) const POISONED_CONFIDENCE: f64 = 0.1;
/// What is told of a segment.
const SEGMENT_CHARS: usize = 80;
/// How much more somebody has to say who mostly explains.
const EXPLAINING: usize = 1;
/// The most that is looked at of what a person asked to remember.
const EXPLICIT_BYTES: usize = 64 << 10;

/// Who may have put words into a message, and how far they are believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) data_source: DataSource,
    /// A person asked to remember it.
    pub(super) explicit: bool,
    /// Somebody, a person or the agent, meant it for the memory: a statement of it is kept however little it says.
    pub(super) meant: bool,
    /// It corrects what is remembered.
    pub(super) corrects: bool,
    /// The speaker has a name of their own.
    pub(super) named: bool,
}

/// What of a text passed.
#[derive(Debug, Clone, Default)]
pub(super) struct Observed {
    pub(super) text: String,
    pub(super) filters: Vec<Filtered>,
    /// Words that try to give orders to whoever reads them: what holds them is quoted, and never believed.
    pub(super) poison: Option<String>,
}

/// What a piece of text is like.
#[derive(Debug, Clone)]
pub(super) struct Character {
    pub(super) classes: Vec<Classed>,
    pub(super) felt: Felt,
    pub(super) density: Counted,
}

impl Origin {
    /// Where the words of a message come from. Whoever imports a feed or a task's output says so.
    pub(super) fn of(message: &Message) -> Self {
        let told = message.metadata.get(DATA_SOURCE).and_then(|source| source.as_str()?.parse().ok());
        // Nobody becomes the user, or the agent, by saying so.
        let outside = |source: &DataSource| {
            matches!(source, DataSource::Task | DataSource::Feed | DataSource::Federation)
        };
        let data_source = told.filter(outside).unwrap_or(match message.role {
            Role::User => DataSource::UserMessage,
            Role::Assistant => DataSource::AssistantMessage,
            Role::System | Role::Tool => DataSource::System,
        });
        let asked = message.metadata.get(ASKED).is_some_and(|asked| asked.as_bool() == Some(true));
        let named = message.speaker != message.role.as_str();
        let corrects = message.metadata.contains_key(CORRECTS);
        let speaks = matches!(data_source, DataSource::UserMessage | DataSource::AssistantMessage);
        let meant = speaks && (asked || corrects);
        let explicit = asked && data_source == DataSource::UserMessage;
        Self { data_source, explicit, meant, corrects, named }
    }

    /// Whether it is kept as it stands, statement or not.
    pub(super) fn as_it_stands(self) -> bool {
        self.explicit || self.corrects
    }

    /// How much something must say to be kept. An assistant without a name explains a great deal that is about nobody.
    pub(super) fn least(self) -> usize {
        let explains = self.data_source == DataSource::AssistantMessage && !self.named;
        density::LEAST + if explains { EXPLAINING } else { 0 }
    }

    /// How far words from here are believed before anything is known about them.
    pub(super) fn confidence(self) -> f64 {
        match self.data_source {
            DataSource::UserMessage => 0.5,
            DataSource::AssistantMessage | DataSource::File => 0.4,
            DataSource::Task | DataSource::Feed | DataSource::Federation => 0.3,
            DataSource::System => 0.2,
        }
    }
}

/// The field of a message's metadata that says where its words come from, if not from its speaker.
pub(crate) const DATA_SOURCE: &str = "data_source";
/// The field that says that a person, or the agent of its own accord, asked to remember it.
pub const ASKED: &str = "asked_to_remember";
/// The field that names what it corrects: a memory or a message. Only a correction bears it.
pub(crate) const CORRECTS: &str = "corrects";

/// What of a text passes the gate and the filters, or why nothing does.
pub(super) fn observe(text: &str, origin: Origin) -> Result<Observed, String> {
    let speaker = if origin.data_source == DataSource::UserMessage { Speaker::User } else { Speaker::Other };
    if origin.as_it_stands() {
        let text = &text[..text.floor_char_boundary(EXPLICIT_BYTES)];
        let poison = poisoned(text, speaker).map(|injection| injection.words);
        return Ok(Observed { text: text.trim().to_owned(), filters: Vec::new(), poison });
    }
    if let Some(trivial) = trivial(text) {
        return Err(format!("it says nothing: {}", trivial.0));
    }
    let mut observed = Observed::default();
    for segment in segments(text) {
        // What nobody may say is a filter's to find; others than the user may say less.
        let (stopped_by, why) = match segment.stopped {
            Some(stop) => (Some(stop.filter.to_string()), stop.why),
            None if speaker == Speaker::User => (None, String::new()),
            None => match poisoned(segment.text, speaker) {
                Some(poison) => (Some("injection".to_owned()), poison.words),
                None => (None, String::new()),
            },
        };
        if stopped_by.is_none() {
            observed.text.push_str(segment.text);
            observed.text.push('\n');
        }
        observed.filters.push(Filtered { segment: beginning(segment.text), stopped_by, why });
    }
    if observed.text.trim().is_empty() {
        let stops = observed.filters.iter().filter_map(|filtered| filtered.stopped_by.clone());
        let mut stops: Vec<String> = stops.collect();
        stops.dedup();
        return Err(format!("every segment was stopped: {}", stops.join(", ")));
    }
    Ok(observed)
}

/// What a piece of text is like.
pub(super) fn character(text: &str) -> Character {
    character_among(text, entities(text).len())
}

/// The same of a text with so many names.
pub(super) fn character_among(text: &str, entities: usize) -> Character {
    let classes = classes(text, entities).into_iter().map(|class| Classed {
        category: class.category,
        confidence: class.confidence,
        because: class.because,
    });
    let emotion = emotion(text);
    let felt = Felt {
        valence: emotion.valence,
        arousal: emotion.arousal,
        urgency: emotion.urgency,
        emotion: emotion.category,
    };
    let found = density(text, entities);
    let density = Counted {
        entities: found.entities,
        facts: found.facts,
        temporal: found.temporal,
        corrections: found.corrections,
    };
    Character { classes: classes.collect(), felt, density }
}

impl Character {
    /// What kind of thing it says.
    pub(super) fn category(&self) -> Category {
        self.classes.first().map_or(Category::Other, |class| class.category)
    }

    /// How much it says.
    pub(super) fn says(&self) -> usize {
        let Counted { entities, facts, temporal, corrections } = self.density;
        entities + facts + temporal + corrections
    }

    /// How far it is believed: what its source is worth, and more for every class that fits.
    pub(super) fn confidence(&self, origin: Origin) -> f64 {
        let doubt = self
            .classes
            .iter()
            .fold(1.0 - origin.confidence(), |doubt, class| doubt * (1.0 - class.confidence));
        1.0 - doubt
    }
}

/// How a text begins.
fn beginning(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    let mut beginning: String = line.chars().take(SEGMENT_CHARS).collect();
    if beginning.len() < text.trim().len() {
        beginning.push('…');
    }
    beginning
}

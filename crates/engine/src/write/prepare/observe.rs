//! Observe: what of a message is worth looking at, and what it is like. Nothing here reads or writes anything.

use crate::write::{
    metadata::{ASKED, CORRECTS, DATA_SOURCE, REFLECTS_ON},
    reasons::{Classed, Counted, Felt, Filtered},
};
use cairn_cognition::{
    density::{self, Density, density},
    emotion::emotion,
    entity::entities,
    injection::{OrderSource, injected_order},
    judge::worth::SpeakerKind,
    observer::{CategoryMatch, matched_categories, message_segments},
    trivial::trivial_reason,
};
use cairn_domain::{Category, DataSource, Message, Role};

/// How far words are believed that give orders to whoever reads them.
pub(crate) const POISONED_CONFIDENCE: f64 = 0.1;
/// Characters of a segment that reasons quote.
const MAX_SEGMENT_CHARS: usize = 80;
/// How much more somebody has to say who mostly explains.
const EXPLAINER_EXTRA_DENSITY: usize = 1;
/// The most that is looked at of what a person asked to remember.
const MAX_VERBATIM_BYTES: usize = 64 << 10;

/// Who may have put words into a message, and how far they are believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MessageOrigin {
    pub(crate) data_source: DataSource,
    /// A person asked to remember it.
    pub(crate) explicit: bool,
    /// Somebody, a person or the agent, meant it for the memory: a statement of it is kept however little it says.
    pub(crate) meant: bool,
    /// It corrects what is remembered.
    pub(crate) corrects: bool,
    /// The agent looks back on what is remembered.
    pub(crate) reflects: bool,
    /// The speaker has a name of their own.
    pub(crate) named: bool,
}

/// The part of a text that passed the filters.
#[derive(Debug, Clone, Default)]
pub(crate) struct ObservedText {
    pub(crate) text: String,
    pub(crate) filters: Vec<Filtered>,
    /// Words that try to give orders to whoever reads them: what holds them is quoted, and never believed.
    pub(crate) poison: Option<String>,
}

/// The classes, feeling and density of a piece of text.
#[derive(Debug, Clone)]
pub(crate) struct TextCharacter {
    pub(crate) classes: Vec<Classed>,
    pub(crate) felt: Felt,
    pub(crate) density: Counted,
}

impl MessageOrigin {
    /// Where the words of a message come from. Whoever imports a feed or a task's output says so.
    pub(crate) fn of(message: &Message) -> Self {
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
        let reflects =
            data_source == DataSource::AssistantMessage && message.metadata.contains_key(REFLECTS_ON);
        let speaks = matches!(data_source, DataSource::UserMessage | DataSource::AssistantMessage);
        let meant = speaks && (asked || corrects || reflects);
        let explicit = asked && data_source == DataSource::UserMessage;
        Self { data_source, explicit, meant, corrects, reflects, named }
    }

    /// Whose word evidence from here is: the speaker's by their part, unless it came from outside of the conversation.
    pub(crate) fn evidence_role(self, role: Role) -> &'static str {
        match self.data_source {
            DataSource::Task
            | DataSource::Feed
            | DataSource::Federation
            | DataSource::File
            | DataSource::Shown => self.data_source.as_str(),
            DataSource::UserMessage | DataSource::AssistantMessage | DataSource::System => role.as_str(),
        }
    }

    /// The origin of what a message of this one only shows: nobody who is here said it, and nobody meant it for the memory.
    pub(crate) fn of_shown_words(self) -> Self {
        let data_source = DataSource::Shown;
        Self {
            data_source,
            explicit: false,
            meant: false,
            corrects: false,
            reflects: false,
            named: self.named,
        }
    }

    /// Whether it is kept as it stands, statement or not.
    pub(crate) fn is_kept_verbatim(self) -> bool {
        self.explicit || self.corrects || self.reflects
    }

    /// Whether its words stay as they are, whatever a language model would make of them.
    pub(crate) fn is_kept_as_worded(self) -> bool {
        self.corrects || self.reflects
    }

    /// Who speaks. An assistant without a name explains a great deal that is about nobody.
    pub(crate) fn speaker_kind(self) -> SpeakerKind {
        if self.data_source == DataSource::AssistantMessage && !self.named {
            SpeakerKind::Assistant
        } else {
            SpeakerKind::Person
        }
    }

    /// How much a text must say that a language model made of such words.
    pub(crate) fn min_density(self) -> usize {
        match self.speaker_kind() {
            SpeakerKind::Assistant => density::MIN_DENSITY + EXPLAINER_EXTRA_DENSITY,
            SpeakerKind::Person => density::MIN_DENSITY,
        }
    }

    /// How far words from here are believed before anything is known about them.
    pub(crate) fn base_confidence(self) -> f64 {
        match self.data_source {
            DataSource::UserMessage => 0.5,
            DataSource::AssistantMessage | DataSource::File => 0.4,
            DataSource::Task | DataSource::Feed | DataSource::Federation | DataSource::Shown => 0.3,
            DataSource::System => 0.2,
        }
    }
}

/// The part of a text that passes the filters, or the reason why nothing does.
pub(crate) fn observe_text(text: &str, origin: MessageOrigin) -> Result<ObservedText, String> {
    let speaker =
        if origin.data_source == DataSource::UserMessage { OrderSource::User } else { OrderSource::Other };
    if origin.is_kept_verbatim() {
        let text = &text[..text.floor_char_boundary(MAX_VERBATIM_BYTES)];
        let poison = injected_order(text, speaker).map(|injection| injection.words);
        return Ok(ObservedText { text: text.trim().to_owned(), filters: Vec::new(), poison });
    }
    if let Some(trivial) = trivial_reason(text) {
        return Err(format!("it says nothing: {}", trivial.0));
    }
    let mut observed = ObservedText::default();
    for segment in message_segments(text) {
        // What nobody may say is a filter's to find; others than the user may say less.
        let (stopped_by, why) = match segment.stopped {
            Some(stop) => (Some(stop.filter.to_string()), stop.why),
            None if speaker == OrderSource::User => (None, String::new()),
            None => match injected_order(segment.text, speaker) {
                Some(poison) => (Some("injection".to_owned()), poison.words),
                None => (None, String::new()),
            },
        };
        if stopped_by.is_none() {
            observed.text.push_str(segment.text);
            observed.text.push('\n');
        }
        observed.filters.push(Filtered { segment: segment_beginning(segment.text), stopped_by, why });
    }
    if observed.text.trim().is_empty() {
        let stops = observed.filters.iter().filter_map(|filtered| filtered.stopped_by.clone());
        let mut stops: Vec<String> = stops.collect();
        stops.dedup();
        return Err(format!("every segment was stopped: {}", stops.join(", ")));
    }
    Ok(observed)
}

/// The classes, feeling and density of a piece of text.
pub(crate) fn text_character(text: &str) -> TextCharacter {
    let names = entities(text).len();
    TextCharacter::of(text, matched_categories(text, names), density(text, names))
}

impl TextCharacter {
    /// The same of a text of which the kinds and the density are known.
    pub(crate) fn of(text: &str, categories: Vec<CategoryMatch>, found: Density) -> Self {
        let classes = categories.into_iter().map(|class| Classed {
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
        let density = Counted {
            entities: found.entities,
            facts: found.facts,
            temporal: found.temporal,
            corrections: found.corrections,
        };
        Self { classes: classes.collect(), felt, density }
    }

    /// The category of its most certain class.
    pub(crate) fn category(&self) -> Category {
        self.classes.first().map_or(Category::Other, |class| class.category)
    }

    /// How much it says.
    pub(crate) fn information_count(&self) -> usize {
        let Counted { entities, facts, temporal, corrections } = self.density;
        entities + facts + temporal + corrections
    }

    /// How far it is believed: what its source is worth, and more for every class that fits.
    pub(crate) fn base_confidence(&self, origin: MessageOrigin) -> f64 {
        let doubt = self
            .classes
            .iter()
            .fold(1.0 - origin.base_confidence(), |doubt, class| doubt * (1.0 - class.confidence));
        1.0 - doubt
    }
}

/// How a text begins.
fn segment_beginning(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    let mut beginning: String = line.chars().take(MAX_SEGMENT_CHARS).collect();
    if beginning.len() < text.trim().len() {
        beginning.push('…');
    }
    beginning
}

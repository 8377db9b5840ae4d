//! Intent: what a question is after. One look at its words tells how it is searched for ([`Route`]), what an answer would
//! look like ([`AnswerKind`]) and what shape the answer has ([`AnswerShape`]), each with the words that say so. The words are data,
//! one file a language.

use crate::{
    entity::entities,
    lexicon::{IntentsClass, ShapesClass, WordClass},
    pattern::{PatternMatch, Patterns},
    sentence::sentences,
};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Of longer questions only the beginning and the end are read, half each.
const MAX_READ_BYTES: usize = 4_096;

/// How a question is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// A fact: by similarity.
    Factual,
    /// When and in what order: by the time things held, with what no longer holds.
    Temporal,
    /// Why: along causes.
    Causal,
    /// All about somebody or something.
    EntityProfile,
    /// Somebody's likes and dislikes.
    Preference,
    /// Anything else.
    #[default]
    General,
}

/// The kind of answer that a question expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// A definition of something.
    Definition,
    /// How something is done.
    Howto,
    /// Why something is so.
    Reasoning,
    /// One thing about something: where, who, which.
    Lookup,
    /// Code, configuration, a fault.
    Technical,
    /// Somebody's likes or dislikes.
    Preference,
    /// Anything else.
    #[default]
    General,
}

/// The shape of the answer that a question expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerShape {
    /// A date.
    When,
    /// A span of time.
    HowLong,
    /// A number of things.
    HowMany,
    /// Things in the order of time.
    Order,
    /// Yes or no.
    YesNo,
    /// Several things.
    List,
    /// The current value of something that changes.
    Current,
    /// How something went as a whole, whoever told of it.
    Summary,
    /// Anything else.
    #[default]
    Other,
}

/// The kind of answer a question wants, and how to search for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Intent {
    /// How it is searched for.
    pub route: Route,
    /// The kind of answer that a question expects.
    pub kind: AnswerKind,
    /// The shape of the answer that a question expects.
    pub shape: AnswerShape,
    /// Whether it asks for how things were before they changed.
    pub former: bool,
    /// The words that decided; none where nothing was found.
    pub because: Vec<IntentReason>,
}

/// Why a question was understood as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntentReason {
    /// The class of the list `intents` or `shapes` that matched.
    pub label: &'static str,
    /// The words of the question that say so.
    pub words: String,
}

impl AnswerKind {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Howto => "howto",
            Self::Reasoning => "reasoning",
            Self::Lookup => "lookup",
            Self::Technical => "technical",
            Self::Preference => "preference",
            Self::General => "general",
        }
    }

    /// How a question of this kind is searched for, unless it asks for a time or for all about somebody.
    fn route(self) -> Route {
        match self {
            Self::Definition | Self::Lookup | Self::Technical => Route::Factual,
            Self::Reasoning => Route::Causal,
            Self::Preference => Route::Preference,
            Self::Howto | Self::General => Route::General,
        }
    }
}

impl Route {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Factual => "factual",
            Self::Temporal => "temporal",
            Self::Causal => "causal",
            Self::EntityProfile => "entity_profile",
            Self::Preference => "preference",
            Self::General => "general",
        }
    }
}

impl AnswerShape {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::When => "when",
            Self::HowLong => "how_long",
            Self::HowMany => "how_many",
            Self::Order => "order",
            Self::YesNo => "yes_no",
            Self::List => "list",
            Self::Current => "current",
            Self::Summary => "summary",
            Self::Other => "other",
        }
    }
}

static INTENTS: LazyLock<Patterns<IntentsClass>> = LazyLock::new(Patterns::read);
static SHAPES: LazyLock<Patterns<ShapesClass>> = LazyLock::new(Patterns::read);

/// The kinds, the more telling first.
const KINDS: [(IntentsClass, AnswerKind); 6] = [
    (IntentsClass::Reasoning, AnswerKind::Reasoning),
    (IntentsClass::Preference, AnswerKind::Preference),
    (IntentsClass::Howto, AnswerKind::Howto),
    (IntentsClass::Technical, AnswerKind::Technical),
    (IntentsClass::Definition, AnswerKind::Definition),
    (IntentsClass::Lookup, AnswerKind::Lookup),
];

/// The shapes, the more telling first.
const SHAPE_CLASSES: [(ShapesClass, AnswerShape); 8] = [
    (ShapesClass::Summary, AnswerShape::Summary),
    (ShapesClass::Order, AnswerShape::Order),
    (ShapesClass::HowLong, AnswerShape::HowLong),
    (ShapesClass::HowMany, AnswerShape::HowMany),
    (ShapesClass::When, AnswerShape::When),
    (ShapesClass::List, AnswerShape::List),
    (ShapesClass::Current, AnswerShape::Current),
    (ShapesClass::YesNo, AnswerShape::YesNo),
];

/// Reads the intent of a question from its words.
pub fn question_intent(question: &str) -> Intent {
    let asked = asking_text(question);
    let mut intent = Intent::default();
    // "Where did I live before?" ends in the word that tells.
    let words = asked.trim_end_matches(|c: char| !c.is_alphanumeric());
    let found = undisputed_matches(&INTENTS, words, is_no_preference);
    if let Some((kind, words)) = most_telling_match(&KINDS, &found) {
        intent.kind = kind;
        intent.because.push(words.because(&asked));
    }
    let (route, words) = route(intent.kind, &found, &asked);
    intent.route = route;
    if let Some(words) = words {
        intent.because.push(words.because(&asked));
    }
    if let Some(words) = earliest_match(&found, IntentsClass::Former) {
        intent.former = true;
        intent.because.push(words.because(&asked));
    }
    if let Some((shape, words)) =
        most_telling_match(&SHAPE_CLASSES, &undisputed_matches(&SHAPES, &asked, is_no_yes_no))
    {
        intent.shape = shape;
        intent.because.push(words.because(&asked));
    }
    intent
}

/// The sentences that ask, if any has a question mark; else all of a text. Of a very long one the beginning and the end.
fn asking_text(question: &str) -> String {
    let question = question.trim();
    let bounded = if question.len() > MAX_READ_BYTES {
        let head = &question[..question.floor_char_boundary(MAX_READ_BYTES / 2)];
        let tail = &question[question.ceil_char_boundary(question.len() - MAX_READ_BYTES / 2)..];
        format!("{head}\n{tail}")
    } else {
        question.to_owned()
    };
    if !bounded.contains(['?', '？', '؟']) {
        return bounded;
    }
    let asks = |sentence: &&str| {
        sentence.trim_end_matches(|c: char| !c.is_alphanumeric()).len()
            < sentence.rfind(['?', '？', '؟']).unwrap_or(0) + 1
    };
    let asking: Vec<&str> = sentences(&bounded).into_iter().filter(asks).collect();
    if asking.is_empty() { bounded } else { asking.join(" ") }
}

/// The matches of a list in a text, but for those that another match undoes.
fn undisputed_matches<C: WordClass>(
    patterns: &Patterns<C>,
    text: &str,
    undoes: fn(&PatternMatch<C>, &PatternMatch<C>) -> bool,
) -> Vec<PatternMatch<C>> {
    let found: Vec<PatternMatch<C>> = patterns.find(text).collect();
    let undone = |it: &PatternMatch<C>| found.iter().any(|no| undoes(no, it));
    let keep: Vec<bool> = found.iter().map(|it| !undone(it)).collect();
    let mut keep = keep.into_iter();
    found.into_iter().filter(|_| keep.next().unwrap_or_default()).collect()
}

/// "Not a preference" undoes the preference that it overlaps.
fn is_no_preference(no: &PatternMatch<IntentsClass>, it: &PatternMatch<IntentsClass>) -> bool {
    let classes = (no.class, it.class) == (IntentsClass::NotPreference, IntentsClass::Preference);
    classes && no.range.start < it.range.end && it.range.start < no.range.end
}

/// "Not yes or no" undoes a yes or no wherever it stands.
fn is_no_yes_no(no: &PatternMatch<ShapesClass>, it: &PatternMatch<ShapesClass>) -> bool {
    (no.class, it.class) == (ShapesClass::NotYesNo, ShapesClass::YesNo)
}

/// The most telling class that was found, and where it stands first.
fn most_telling_match<'f, C: WordClass, T: Copy>(
    classes: &[(C, T)],
    found: &'f [PatternMatch<C>],
) -> Option<(T, &'f PatternMatch<C>)> {
    classes.iter().find_map(|(class, meaning)| Some((*meaning, earliest_match(found, *class)?)))
}

fn earliest_match<C: WordClass>(found: &[PatternMatch<C>], class: C) -> Option<&PatternMatch<C>> {
    found.iter().filter(|it| it.class == class).min_by_key(|it| it.range.start)
}

/// The route, and the words that turned it away from that of the kind. "When" and "why": what is asked first counts.
fn route<'f>(
    kind: AnswerKind,
    found: &'f [PatternMatch<IntentsClass>],
    text: &str,
) -> (Route, Option<&'f PatternMatch<IntentsClass>>) {
    let time = earliest_match(found, IntentsClass::Temporal);
    let reason = earliest_match(found, IntentsClass::Reasoning).map(|it| it.range.start);
    if let Some(time) = time.filter(|time| reason.is_none_or(|reason| time.range.start < reason)) {
        return (Route::Temporal, Some(time));
    }
    if matches!(kind, AnswerKind::Definition | AnswerKind::Lookup | AnswerKind::General) {
        let named =
            || earliest_match(found, IntentsClass::NameProfile).filter(|_| !entities(text).is_empty());
        if let Some(profile) = earliest_match(found, IntentsClass::Profile).or_else(named) {
            return (Route::EntityProfile, Some(profile));
        }
    }
    (kind.route(), None)
}

impl<C: WordClass> PatternMatch<C> {
    fn because(&self, text: &str) -> IntentReason {
        IntentReason { label: self.class.name(), words: text[self.range.clone()].trim().to_owned() }
    }
}

#[cfg(test)]
mod tests;

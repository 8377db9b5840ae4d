//! Intent: what a question is after. One look at its words tells how it is searched for ([`Route`]), what an answer would
//! look like ([`Kind`]) and what shape the answer has ([`Shape`]), each with the words that say so. The words are data,
//! one file a language.

use crate::{
    entity::entities,
    pattern::{Found, Patterns},
    sentence::sentences,
};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// A question longer than this is read at its beginning and at its end, half each.
const READ_BYTES: usize = 4_096;

/// How a question is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// A fact: what is most alike.
    Factual,
    /// When and in what order: by the time things held, with what no longer holds.
    Temporal,
    /// Why: along causes.
    Causal,
    /// All about somebody or something.
    EntityProfile,
    /// What somebody likes.
    Preference,
    /// Anything else.
    #[default]
    General,
}

/// What an answer would look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What something is.
    Definition,
    /// How something is done.
    Howto,
    /// Why something is so.
    Reasoning,
    /// One thing about something: where, who, which.
    Lookup,
    /// Code, configuration, a fault.
    Technical,
    /// What somebody likes or dislikes.
    Preference,
    /// Anything else.
    #[default]
    General,
}

/// What shape the answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
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
    /// What holds now, of something that changes.
    Current,
    /// How something went as a whole, whoever told of it.
    Summary,
    /// Anything else.
    #[default]
    Other,
}

/// What a question is after.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Intent {
    /// How it is searched for.
    pub route: Route,
    /// What an answer would look like.
    pub kind: Kind,
    /// What shape the answer has.
    pub shape: Shape,
    /// The words that decided; none where nothing was found.
    pub because: Vec<Because>,
}

/// Why a question was understood as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Because {
    /// What was understood: the label of a line of the lists `intents` or `shapes`.
    pub label: &'static str,
    /// The words of the question that say so.
    pub words: String,
}

impl Kind {
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

impl Shape {
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

static INTENTS: LazyLock<Patterns> = LazyLock::new(|| Patterns::read("intents"));
static SHAPES: LazyLock<Patterns> = LazyLock::new(|| Patterns::read("shapes"));

/// The kinds, the more telling first.
const KINDS: [(&str, Kind); 6] = [
    ("reasoning", Kind::Reasoning),
    ("preference", Kind::Preference),
    ("howto", Kind::Howto),
    ("technical", Kind::Technical),
    ("definition", Kind::Definition),
    ("lookup", Kind::Lookup),
];

/// The shapes, the more telling first.
const SHAPE_LABELS: [(&str, Shape); 8] = [
    ("summary", Shape::Summary),
    ("order", Shape::Order),
    ("how-long", Shape::HowLong),
    ("how-many", Shape::HowMany),
    ("when", Shape::When),
    ("list", Shape::List),
    ("current", Shape::Current),
    ("yes-no", Shape::YesNo),
];

/// What a question is after.
pub fn intent(question: &str) -> Intent {
    let asked = asked(question);
    let mut intent = Intent::default();
    let found = labelled(&INTENTS, &asked);
    if let Some((kind, words)) = first(&KINDS, &found) {
        intent.kind = kind;
        intent.because.push(words.because(&asked));
    }
    let (route, words) = route(intent.kind, &found, &asked);
    intent.route = route;
    if let Some(words) = words {
        intent.because.push(words.because(&asked));
    }
    if let Some((shape, words)) = first(&SHAPE_LABELS, &labelled(&SHAPES, &asked)) {
        intent.shape = shape;
        intent.because.push(words.because(&asked));
    }
    intent
}

/// The sentences that ask, if any has a question mark; else all of a text. Of a very long one the beginning and the end.
fn asked(question: &str) -> String {
    let question = question.trim();
    let bounded = if question.len() > READ_BYTES {
        let head = &question[..question.floor_char_boundary(READ_BYTES / 2)];
        let tail = &question[question.ceil_char_boundary(question.len() - READ_BYTES / 2)..];
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

/// The first match of each label; what a `not-` label overlaps is none.
fn labelled(patterns: &Patterns, text: &str) -> Vec<Found> {
    let found: Vec<Found> = patterns.find(text).collect();
    let undone = |it: &Found| {
        found.iter().any(|no| {
            no.label.strip_prefix("not-") == Some(it.label)
                && (it.label == "yes-no" || no.range.start < it.range.end && it.range.start < no.range.end)
        })
    };
    let keep: Vec<bool> = found.iter().map(|it| !undone(it)).collect();
    let mut keep = keep.into_iter();
    found.into_iter().filter(|_| keep.next().unwrap_or_default()).collect()
}

/// The most telling label that was found, and where it stands first.
fn first<'f, T: Copy>(labels: &[(&str, T)], found: &'f [Found]) -> Option<(T, &'f Found)> {
    labels.iter().find_map(|(label, meaning)| Some((*meaning, earliest(found, label)?)))
}

fn earliest<'f>(found: &'f [Found], label: &str) -> Option<&'f Found> {
    found.iter().filter(|it| it.label == label).min_by_key(|it| it.range.start)
}

/// The route, and the words that turned it away from that of the kind. "When" and "why": what is asked first counts.
fn route<'f>(kind: Kind, found: &'f [Found], text: &str) -> (Route, Option<&'f Found>) {
    let time = earliest(found, "temporal");
    let reason = earliest(found, "reasoning").map(|it| it.range.start);
    if let Some(time) = time.filter(|time| reason.is_none_or(|reason| time.range.start < reason)) {
        return (Route::Temporal, Some(time));
    }
    if matches!(kind, Kind::Definition | Kind::Lookup | Kind::General) {
        let named = || earliest(found, "name-profile").filter(|_| !entities(text).is_empty());
        if let Some(profile) = earliest(found, "profile").or_else(named) {
            return (Route::EntityProfile, Some(profile));
        }
    }
    (kind.route(), None)
}

impl Found {
    fn because(&self, text: &str) -> Because {
        Because { label: self.label, words: text[self.range.clone()].trim().to_owned() }
    }
}

#[cfg(test)]
mod tests;

//! Disputes: what quotations say against each other about what is asked. A later one that says that a value has changed
//! stands against an earlier one with another value; one that denies something stands against what tells it. Neither is a
//! judgement: whoever reads both sides is told that there are two.

use crate::{
    intent::Shape,
    keywords::{Terms, terms},
    pattern::Patterns,
    sentence::sentences,
    statement::word::number,
    temporal::told,
};
use cairn_domain::Time;
use std::{collections::BTreeSet, sync::LazyLock};

/// So much of a text is read: people say what is so before they go into detail.
const READ_CHARS: usize = 1_500;
/// Words after a number that may say what it counts.
const UNIT_WORDS: usize = 2;
/// What a word of the question is worth that stands in the same sentence, but in another clause.
const ELSEWHERE: f64 = 0.7;
/// A value is about what is asked if the question's words around it are worth so much of all of them.
const ABOUT: f64 = 0.2;
/// Two sides are about the same if they share so much of what the words of the lesser are worth.
const SHARED: f64 = 0.5;
/// Of several values that somebody says are new, those count that have to do with the question nearly as much as the best.
const NEARLY: f64 = 0.9;
/// Something is denied if the question's words in the denial are worth so much of all of them, and told if those that
/// are denied are worth so much of these.
const DENIED: f64 = 0.4;
const TOLD: f64 = 0.35;
/// Of those that tell what is denied so many are named, the clearest first.
const MOST_TOLD: usize = 8;

static DISPUTES: LazyLock<Patterns> = LazyLock::new(|| Patterns::read("disputes"));
static SPEAKER: LazyLock<Patterns> = LazyLock::new(|| Patterns::read("speaker"));

/// Something that somebody said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said<'a> {
    /// The words.
    pub text: &'a str,
    /// Who said them.
    pub speaker: &'a str,
    /// When, and which of those said then.
    pub at: (Time, u32),
}

/// What stands against something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dispute {
    /// A later one says that it is something else now.
    Changed {
        /// Which.
        by: usize,
    },
    /// One of them denies what the other tells.
    Denied {
        /// Which.
        by: usize,
    },
}

/// A question by its words.
pub struct Asked<'a> {
    /// What a word is worth, if it is one of the question's.
    pub worth: &'a dyn Fn(&str) -> f64,
    /// What all of them are worth together.
    pub all: f64,
    /// What it asks for.
    pub wants: Wants,
}

/// What a question asks for, as far as something can be said against an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// Whether something is so.
    YesNo,
    /// What something is now: a number, a time.
    Value,
}

impl Wants {
    /// What a question asks for; `None` if it is neither. What was so at some time is not asked for as it is now.
    pub fn of(question: &str, shape: Shape) -> Option<Self> {
        let says = |label: &str| DISPUTES.find(question).any(|found| found.label == label);
        match shape {
            Shape::YesNo => Some(Self::YesNo),
            Shape::HowMany | Shape::When | Shape::Current => (!says("past")).then_some(Self::Value),
            Shape::Other => (says("value") && !says("past")).then_some(Self::Value),
            Shape::HowLong | Shape::Order | Shape::List | Shape::Summary => None,
        }
    }
}

/// What stands against what was said: place and dispute, in the order of the places.
pub fn disputes(asked: &Asked<'_>, said: &[Said<'_>]) -> Vec<(usize, Dispute)> {
    let read: Vec<Vec<Sentence>> = said.iter().map(|it| Sentence::all(it, asked)).collect();
    let mut found = match asked.wants {
        Wants::YesNo => denied(asked, said, &read),
        Wants::Value => changed(asked, said, &read),
    };
    found.sort_by_key(|(place, _)| *place);
    found
}

/// A sentence, as far as it has to do with the question.
struct Sentence {
    clauses: Vec<Clause>,
    /// It says that something has changed.
    changes: bool,
    /// It speaks of who says it.
    own: bool,
}

struct Clause {
    /// The question's words in it.
    shared: BTreeSet<String>,
    /// It says that something never was.
    denies: bool,
    values: Vec<Value>,
}

/// A number, a share, a time: something that can be another.
struct Value {
    /// As it is compared.
    is: String,
    unit: Unit,
}

#[derive(PartialEq, Eq)]
enum Unit {
    /// A sign: per cent, a currency, a time of day, a day.
    Sign(char),
    /// What is counted, by the terms of the words behind it; none if nothing follows.
    Of(BTreeSet<String>),
}

impl Unit {
    fn fits(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Sign(one), Self::Sign(other)) => one == other,
            (Self::Of(one), Self::Of(other)) => one.is_empty() || other.is_empty() || !one.is_disjoint(other),
            _ => false,
        }
    }
}

impl Sentence {
    fn all(said: &Said<'_>, asked: &Asked<'_>) -> Vec<Self> {
        let end = said.text.char_indices().nth(READ_CHARS).map_or(said.text.len(), |(at, _)| at);
        // What stands in a block of code is not said.
        let text = said.text[..end].split("```").next().unwrap_or_default();
        let days: Vec<(String, String)> = told(text, said.at.0)
            .into_iter()
            .map(|told| (told.words, format!("{}–{}", told.span.from, told.span.to)))
            .collect();
        sentences(text).into_iter().filter_map(|sentence| Self::read(sentence, &days, asked)).collect()
    }

    fn read(sentence: &str, days: &[(String, String)], asked: &Asked<'_>) -> Option<Self> {
        let clauses: Vec<Clause> = sentence
            .split(", ")
            .flat_map(|part| part.split("; "))
            .map(|it| Clause::read(it, days, asked))
            .collect();
        clauses.iter().any(|clause| !clause.shared.is_empty()).then(|| Self {
            clauses,
            changes: DISPUTES.find(sentence).any(|found| found.label == "changed"),
            own: SPEAKER.find(sentence).next().is_some(),
        })
    }

    /// The question's words around a clause, and what they are worth: those of other clauses less.
    fn around(&self, at: usize, asked: &Asked<'_>) -> (BTreeSet<&str>, f64) {
        let mut words: BTreeSet<&str> = self.clauses[at].shared.iter().map(String::as_str).collect();
        let mut worth: f64 = words.iter().map(|word| (asked.worth)(word)).sum();
        for word in self.clauses.iter().flat_map(|clause| &clause.shared) {
            if words.insert(word) {
                worth += ELSEWHERE * (asked.worth)(word);
            }
        }
        (words, worth)
    }
}

impl Clause {
    fn read(text: &str, days: &[(String, String)], asked: &Asked<'_>) -> Self {
        let denies = DISPUTES.find(text).any(|found| found.label == "denied");
        Self { denies, shared: shared(text, asked), values: values(text, days) }
    }
}

/// The question's words in a text.
fn shared(text: &str, asked: &Asked<'_>) -> BTreeSet<String> {
    let Terms { counts, .. } = terms(text);
    counts.into_iter().map(|(term, _)| term).filter(|term| (asked.worth)(term) > 0.0).collect()
}

/// The values that a clause names.
fn values(clause: &str, days: &[(String, String)]) -> Vec<Value> {
    let (mut found, mut dated, mut rest) = (Vec::new(), Vec::new(), clause);
    for (words, span) in days {
        let Some(at) = rest.find(words.as_str()) else { continue };
        rest = &rest[at + words.len()..];
        dated.extend(words.split_whitespace().map(|word| word.trim_matches(',')));
        found.push(Value { is: span.clone(), unit: Unit::Sign('d') });
    }
    let words: Vec<&str> = clause.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !"$€£%".contains(c));
        let digits = bare.trim_start_matches(['$', '€', '£']);
        let end = digits.find(|c: char| !c.is_ascii_digit() && !".,:".contains(c)).unwrap_or(digits.len());
        let (figure, tail) = (digits[..end].trim_end_matches(['.', ',', ':']), &digits[end..]);
        let is_version = figure.matches('.').count() > 1;
        let Some(is) = number(figure).filter(|_| !is_version) else { continue };
        if dated.contains(&bare) {
            continue;
        }
        let next = words.get(at + 1).map_or(String::new(), |word| word.to_lowercase());
        let half = next.trim_matches(|c: char| !c.is_alphanumeric());
        let unit = if bare.contains('%') || half == "percent" {
            Unit::Sign('%')
        } else if figure.contains(':') || ["am", "pm"].contains(&half) || ["am", "pm"].contains(&tail) {
            Unit::Sign(':')
        } else if digits.len() < bare.len() {
            Unit::Sign('$')
        } else {
            let behind = words[at + 1..].iter().take(UNIT_WORDS).copied().collect::<Vec<_>>().join(" ");
            Unit::Of(terms(&format!("{tail} {behind}")).counts.into_iter().map(|(term, _)| term).collect())
        };
        found.push(Value { is, unit });
    }
    found
}

/// A value in its place.
struct Placed<'s> {
    value: &'s Value,
    around: BTreeSet<&'s str>,
    worth: f64,
}

/// The value of what was said that has most to do with the question, among those that `may` be.
fn best<'s>(
    sentences: &'s [Sentence],
    asked: &Asked<'_>,
    may: impl Fn(&Sentence, &Value) -> bool,
) -> Option<Placed<'s>> {
    let mut best: Option<Placed> = None;
    for sentence in sentences {
        for (at, clause) in sentence.clauses.iter().enumerate() {
            for value in clause.values.iter().filter(|value| may(sentence, value)) {
                let (around, mut worth) = sentence.around(at, asked);
                if let Unit::Of(counted) = &value.unit {
                    worth += counted.iter().map(|term| (asked.worth)(term)).sum::<f64>();
                }
                if best.as_ref().is_none_or(|known| worth > known.worth) {
                    best = Some(Placed { value, around, worth });
                }
            }
        }
    }
    best.filter(|placed| placed.worth >= ABOUT * asked.all)
}

/// Values that somebody says are others now.
fn changed(asked: &Asked<'_>, said: &[Said<'_>], read: &[Vec<Sentence>]) -> Vec<(usize, Dispute)> {
    let mut later: Vec<(usize, Placed)> = read
        .iter()
        .enumerate()
        .filter_map(|(place, sentences)| Some((place, best(sentences, asked, |it, _| it.changes)?)))
        .collect();
    let most = later.iter().map(|(_, placed)| placed.worth).fold(0.0, f64::max);
    later.retain(|(_, placed)| placed.worth >= NEARLY * most);
    let worth = |words: &BTreeSet<&str>| words.iter().map(|word| (asked.worth)(word)).sum::<f64>();
    let mut found = Vec::new();
    for (place, it) in said.iter().enumerate() {
        let before = |(by, _): &&(usize, Placed)| said[*by].at > it.at && said[*by].speaker == it.speaker;
        let against = |(by, new): &(usize, Placed)| {
            let old = best(&read[place], asked, |_, value| value.unit.fits(&new.value.unit))?;
            let both: BTreeSet<&str> = old.around.intersection(&new.around).copied().collect();
            let same = worth(&both) >= SHARED * worth(&old.around).min(worth(&new.around));
            (same && old.value.is != new.value.is).then_some((new.worth, said[*by].at, *by))
        };
        let newer = later.iter().filter(before).filter_map(against);
        let newer = newer.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if let Some((.., by)) = newer {
            found.push((place, Dispute::Changed { by }));
        }
    }
    found
}

/// What somebody denies and tells.
fn denied(asked: &Asked<'_>, said: &[Said<'_>], read: &[Vec<Sentence>]) -> Vec<(usize, Dispute)> {
    let worth = |words: &mut dyn Iterator<Item = &String>| words.map(|word| (asked.worth)(word)).sum::<f64>();
    let mut found = Vec::new();
    for (by, sentences) in read.iter().enumerate() {
        let clauses = sentences.iter().filter(|sentence| sentence.own).flat_map(|sentence| &sentence.clauses);
        let denials = clauses.filter(|clause| clause.denies).map(|clause| &clause.shared);
        let Some(denied) = denials.max_by(|a, b| worth(&mut a.iter()).total_cmp(&worth(&mut b.iter())))
        else {
            continue;
        };
        let whole = worth(&mut denied.iter());
        if whole < DENIED * asked.all {
            continue;
        }
        let tells = |sentence: &Sentence| {
            let told = sentence.clauses.iter().filter(|clause| !clause.denies);
            let told: BTreeSet<&String> = told.flat_map(|clause| &clause.shared).collect();
            let told = worth(&mut told.into_iter().filter(|word| denied.contains(*word)));
            if sentence.own { told } else { 0.0 }
        };
        let mut told: Vec<(f64, usize)> = read
            .iter()
            .enumerate()
            .filter(|(place, _)| said[*place].speaker == said[by].speaker)
            .map(|(place, sentences)| (sentences.iter().map(tells).fold(0.0, f64::max), place))
            .filter(|(told, _)| *told >= TOLD * whole)
            .collect();
        told.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, place) in told.into_iter().take(MOST_TOLD) {
            found.push((place, Dispute::Denied { by }));
            if place != by {
                found.push((by, Dispute::Denied { by: place }));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;

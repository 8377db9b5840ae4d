//! Disputes: what quotations say against each other about what is asked. A later one that says that a value has changed
//! stands against an earlier one with another value; one that denies something stands against what tells it. Neither is a
//! judgement: whoever reads both sides is told that there are two.

use crate::{
    intent::AnswerShape,
    keywords::{Terms, terms, unique_terms},
    lexicon::{DisputesClass, SpeakerClass},
    pattern::Patterns,
    sentence::sentences,
    statement::word::number,
    temporal::told,
};
use cairn_domain::Time;
use std::{collections::BTreeSet, sync::LazyLock};

/// Characters of a text that are read: people say what is so before they go into detail.
const MAX_READ_CHARS: usize = 1_500;
/// How sizes in bytes are written.
const BYTE_UNITS: [&str; 4] = ["kb", "mb", "gb", "tb"];
/// Words after a number that may say what it counts.
const MAX_UNIT_WORDS: usize = 2;
/// Weight of a word of the question that stands in the same sentence, but in another clause.
const OTHER_CLAUSE_WEIGHT: f64 = 0.7;
/// A value answers the question if the question's words around it carry at least this share of the weight of all of
/// them.
const MIN_ABOUT_SHARE: f64 = 0.2;
/// Two sides are about the same thing if they share at least this part of the weight of the lesser one's words.
const MIN_SHARED_SHARE: f64 = 0.5;
/// Of several values that somebody says are new, those count that have to do with the question nearly as much as the best;
/// of those that are said to have changed, nearly as much as the best of them, and so much as the best of all: people name
/// in full what something is, and then only that it changed.
const NEARLY_BEST_SHARE: f64 = 0.9;
const MIN_CHANGED_SHARE: f64 = 0.5;
/// Something is denied if the question's words in the denial are worth so much of all of them, and told if those that
/// are denied are worth so much of these.
const MIN_DENIED_SHARE: f64 = 0.4;
const MIN_TOLD_SHARE: f64 = 0.3;
/// Maximum quotations named as telling what is denied, the clearest first.
const MAX_TOLD: usize = 12;

static DISPUTES: LazyLock<Patterns<DisputesClass>> = LazyLock::new(Patterns::read);
static SPEAKER: LazyLock<Patterns<SpeakerClass>> = LazyLock::new(Patterns::read);

/// Something that somebody said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisputedQuote<'a> {
    /// The words.
    pub text: &'a str,
    /// Who said them.
    pub speaker: &'a str,
    /// When, and which of those said then.
    pub at: (Time, u32),
}

/// An objection to something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dispute {
    /// A later one says that it is something else now.
    Changed {
        /// Its place among the quotations.
        by: usize,
    },
    /// One of them denies what the other tells.
    Denied {
        /// Its place among the quotations.
        by: usize,
    },
}

/// A question by its words.
pub struct DisputedQuestion<'a> {
    /// The weight of a word, if it is one of the question's.
    pub worth: &'a dyn Fn(&str) -> f64,
    /// The weight of all of them together.
    pub all: f64,
    /// The kind of answer it asks for.
    pub wants: Wants,
}

/// The kind of answer a question asks for, as far as another quotation can object to it.
pub enum Wants {
    /// Whether something is so.
    YesNo,
    /// A current value: a number, a time.
    Value(Sought),
}

/// A value that is asked for.
pub struct Sought {
    kind: Option<SoughtKind>,
    /// Values that the question names itself are no answer to it.
    named: Vec<QuotedValue>,
}

#[derive(PartialEq, Eq)]
enum SoughtKind {
    Time,
    Share,
    Count,
}

impl Wants {
    /// The kind of answer a question asks for; `None` if it is neither. A question about the past asks for no current value.
    pub fn of(question: &str, shape: AnswerShape) -> Option<Self> {
        let classes = DISPUTES.classes_in(question);
        let says = |class: DisputesClass| classes.contains(&class);
        let kind = match shape {
            AnswerShape::YesNo => return Some(Self::YesNo),
            AnswerShape::Order | AnswerShape::List | AnswerShape::Summary => return None,
            AnswerShape::Other if !says(DisputesClass::Value) => return None,
            _ if says(DisputesClass::Past) => return None,
            AnswerShape::HowMany | AnswerShape::HowLong => Some(SoughtKind::Count),
            _ if shape == AnswerShape::When || says(DisputesClass::Time) => Some(SoughtKind::Time),
            _ => says(DisputesClass::Share).then_some(SoughtKind::Share),
        };
        Some(Self::Value(Sought { kind, named: values(question, &[]) }))
    }
}

impl Sought {
    /// Whether a value may be what is asked for.
    fn may_be(&self, value: &QuotedValue) -> bool {
        let fits = match (&self.kind, &value.unit) {
            (None, _) | (Some(SoughtKind::Count), ValueUnit::Of(_)) => true,
            (Some(SoughtKind::Count), ValueUnit::Sign(sign)) => ['$', 'B'].contains(sign),
            (Some(SoughtKind::Time), ValueUnit::Sign(sign)) => ['d', ':'].contains(sign),
            (Some(SoughtKind::Share), ValueUnit::Sign(sign)) => *sign == '%',
            _ => false,
        };
        fits && !self.named.iter().any(|named| named.is == value.is && named.unit.fits(&value.unit))
    }
}

/// The objections to quotations: place and dispute, in the order of the places.
pub fn disputes(asked: &DisputedQuestion<'_>, said: &[DisputedQuote<'_>]) -> Vec<(usize, Dispute)> {
    let read: Vec<Vec<QuotedSentence>> = said.iter().map(|it| QuotedSentence::all(it, asked)).collect();
    let mut found = match &asked.wants {
        Wants::YesNo => denied(asked, said, &read),
        Wants::Value(sought) => changed(asked, sought, said, &read),
    };
    found.sort_by_key(|(place, _)| *place);
    found
}

/// A sentence, as far as it has to do with the question.
struct QuotedSentence {
    clauses: Vec<QuotedClause>,
    /// It speaks of who says it.
    own: bool,
}

struct QuotedClause {
    /// The question's words in it.
    shared: BTreeSet<String>,
    /// It says that something has changed.
    changes: bool,
    /// It says how things stand.
    stands: bool,
    /// It says that something never was.
    denies: bool,
    values: Vec<QuotedValue>,
}

/// A number, a share, a time: something that can be another.
struct QuotedValue {
    /// As it is compared.
    is: String,
    unit: ValueUnit,
}

#[derive(PartialEq, Eq)]
enum ValueUnit {
    /// A sign: per cent, a currency, a time of day, a day, bytes.
    Sign(char),
    /// The things counted, by the terms of the words behind the number; none if nothing follows.
    Of(BTreeSet<String>),
}

impl ValueUnit {
    fn fits(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Sign(one), Self::Sign(other)) => one == other,
            (Self::Of(one), Self::Of(other)) => one.is_empty() || other.is_empty() || !one.is_disjoint(other),
            _ => false,
        }
    }
}

impl QuotedSentence {
    fn all(said: &DisputedQuote<'_>, asked: &DisputedQuestion<'_>) -> Vec<Self> {
        // What stands in a block of code is not said.
        let prose: String =
            said.text.split("```").step_by(2).flat_map(str::chars).take(MAX_READ_CHARS).collect();
        let days: Vec<(String, String)> = told(&prose, said.at.0)
            .into_iter()
            .map(|told| (told.words, format!("{}–{}", told.span.from, told.span.to)))
            .collect();
        sentences(&prose).into_iter().filter_map(|sentence| Self::read(sentence, &days, asked)).collect()
    }

    fn read(sentence: &str, days: &[(String, String)], asked: &DisputedQuestion<'_>) -> Option<Self> {
        let clauses: Vec<QuotedClause> =
            clauses(sentence).into_iter().map(|it| QuotedClause::read(it, days, asked)).collect();
        let own = || SPEAKER.find(sentence).next().is_some();
        clauses.iter().any(|clause| !clause.shared.is_empty()).then(|| Self { own: own(), clauses })
    }

    /// The question's words around a clause, and what they are worth: those of other clauses less.
    fn around(&self, at: usize, asked: &DisputedQuestion<'_>) -> (BTreeSet<&str>, f64) {
        let mut words: BTreeSet<&str> = self.clauses[at].shared.iter().map(String::as_str).collect();
        let mut worth: f64 = words.iter().map(|word| (asked.worth)(word)).sum();
        for word in self.clauses.iter().flat_map(|clause| &clause.shared) {
            if words.insert(word) {
                worth += OTHER_CLAUSE_WEIGHT * (asked.worth)(word);
            }
        }
        (words, worth)
    }
}

impl QuotedClause {
    fn read(text: &str, days: &[(String, String)], asked: &DisputedQuestion<'_>) -> Self {
        let classes = DISPUTES.classes_in(text);
        let says = |class: DisputesClass| classes.contains(&class);
        let (changes, stands, denies) =
            (says(DisputesClass::Changed), says(DisputesClass::Stands), says(DisputesClass::Denied));
        Self { changes, stands, denies, shared: shared(text, asked), values: values(text, days) }
    }
}

/// The parts of a sentence, each with what is said further of its last noun.
fn clauses(sentence: &str) -> Vec<&str> {
    let (mut found, mut begin) = (Vec::new(), 0);
    for (at, mark) in sentence.match_indices([',', ';']) {
        let Some(rest) = sentence[at + mark.len()..].strip_prefix(' ') else { continue };
        // The year of a date is no part of its own.
        let goes_on = rest.starts_with(|c: char| c.is_ascii_digit());
        if !goes_on && !DISPUTES.classes_in(rest).contains(&DisputesClass::Further) {
            found.push(&sentence[begin..at]);
            begin = at + mark.len();
        }
    }
    found.push(&sentence[begin..]);
    found
}

/// The question's words in a text.
fn shared(text: &str, asked: &DisputedQuestion<'_>) -> BTreeSet<String> {
    let Terms { counts, .. } = terms(text);
    counts.into_iter().map(|(term, _)| term).filter(|term| (asked.worth)(term) > 0.0).collect()
}

/// The values that a clause names.
fn values(clause: &str, days: &[(String, String)]) -> Vec<QuotedValue> {
    let (mut found, mut dated, mut rest) = (Vec::new(), Vec::new(), clause);
    for (words, span) in days {
        let Some(at) = rest.find(words.as_str()) else { continue };
        rest = &rest[at + words.len()..];
        dated.extend(words.split_whitespace().map(|word| word.trim_matches(',')));
        found.push(QuotedValue { is: span.clone(), unit: ValueUnit::Sign('d') });
    }
    let words: Vec<&str> = clause.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !"$€£%".contains(c));
        let digits = bare.trim_start_matches(['$', '€', '£']);
        let end = digits.find(|c: char| !c.is_ascii_digit() && !".,:".contains(c)).unwrap_or(digits.len());
        let (figure, tail) = (digits[..end].trim_end_matches(['.', ',', ':']), &digits[end..]);
        let is_version = figure.matches('.').count() > 1;
        let Some(mut is) = number(figure).filter(|_| !is_version) else { continue };
        if dated.contains(&bare) {
            continue;
        }
        let next = words.get(at + 1).map_or(String::new(), |word| word.to_lowercase());
        let half = next.trim_matches(|c: char| !c.is_alphanumeric());
        let small = tail.to_lowercase();
        let unit = if bare.contains('%') || half == "percent" {
            ValueUnit::Sign('%')
        } else if let Some(bytes) = BYTE_UNITS.iter().find(|bytes| [small.as_str(), half].contains(*bytes)) {
            is.push_str(bytes);
            ValueUnit::Sign('B')
        } else if figure.contains(':') || ["am", "pm"].contains(&half) || ["am", "pm"].contains(&tail) {
            ValueUnit::Sign(':')
        } else if digits.len() < bare.len() {
            ValueUnit::Sign('$')
        } else {
            let behind = words[at + 1..].iter().take(MAX_UNIT_WORDS).copied().collect::<Vec<_>>().join(" ");
            ValueUnit::Of(unique_terms(&format!("{tail} {behind}")).into_iter().collect())
        };
        found.push(QuotedValue { is, unit });
    }
    found
}

/// A value in its place.
struct PlacedValue<'s> {
    value: &'s QuotedValue,
    around: BTreeSet<&'s str>,
    worth: f64,
}

/// The value of what was said that has most to do with the question, among those that `may` be.
fn best<'s>(
    sentences: &'s [QuotedSentence],
    asked: &DisputedQuestion<'_>,
    may: impl Fn(&QuotedClause, &QuotedValue) -> bool,
) -> Option<PlacedValue<'s>> {
    let mut best: Option<PlacedValue> = None;
    for sentence in sentences {
        for (at, clause) in sentence.clauses.iter().enumerate() {
            for value in clause.values.iter().filter(|value| may(clause, value)) {
                let (around, mut worth) = sentence.around(at, asked);
                if let ValueUnit::Of(counted) = &value.unit {
                    worth += counted.iter().map(|term| (asked.worth)(term)).sum::<f64>();
                }
                if best.as_ref().is_none_or(|known| worth > known.worth) {
                    best = Some(PlacedValue { value, around, worth });
                }
            }
        }
    }
    best.filter(|placed| placed.worth >= MIN_ABOUT_SHARE * asked.all)
}

/// Values that somebody says are others now.
fn changed(
    asked: &DisputedQuestion<'_>,
    sought: &Sought,
    said: &[DisputedQuote<'_>],
    read: &[Vec<QuotedSentence>],
) -> Vec<(usize, Dispute)> {
    let placed = |may: &dyn Fn(&QuotedClause, &QuotedValue) -> bool| {
        let all = read.iter().enumerate();
        let mut all: Vec<(usize, PlacedValue)> =
            all.filter_map(|(place, it)| Some((place, best(it, asked, may)?))).collect();
        let most = all.iter().map(|(_, placed)| placed.worth).fold(0.0, f64::max);
        all.retain(|(_, placed)| placed.worth >= NEARLY_BEST_SHARE * most);
        all
    };
    let mut changed = placed(&|clause, value| clause.changes && sought.may_be(value));
    let stands = placed(&|clause, value| (clause.changes || clause.stands) && sought.may_be(value));
    let most = stands.iter().map(|(_, placed)| placed.worth).fold(0.0, f64::max);
    changed.retain(|(_, placed)| placed.worth >= MIN_CHANGED_SHARE * most);
    let worth = |words: &BTreeSet<&str>| words.iter().map(|word| (asked.worth)(word)).sum::<f64>();
    let mut found = Vec::new();
    for (place, it) in said.iter().enumerate() {
        let before =
            |(by, _): &&(usize, PlacedValue)| said[*by].at > it.at && said[*by].speaker == it.speaker;
        let against = |(by, new): &(usize, PlacedValue)| {
            let fits = |value: &QuotedValue| sought.may_be(value) && value.unit.fits(&new.value.unit);
            let old = best(&read[place], asked, |_, value| fits(value))?;
            let both: BTreeSet<&str> = old.around.intersection(&new.around).copied().collect();
            let same = worth(&both) >= MIN_SHARED_SHARE * worth(&old.around).min(worth(&new.around));
            (same && old.value.is != new.value.is).then_some((new.worth, said[*by].at, *by))
        };
        let newer = changed.iter().chain(&stands).filter(before).filter_map(against);
        let newer = newer.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if let Some((.., by)) = newer {
            found.push((place, Dispute::Changed { by }));
        }
    }
    found
}

/// The words that somebody denies and tells.
fn denied(
    asked: &DisputedQuestion<'_>,
    said: &[DisputedQuote<'_>],
    read: &[Vec<QuotedSentence>],
) -> Vec<(usize, Dispute)> {
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
        if whole < MIN_DENIED_SHARE * asked.all {
            continue;
        }
        let tells = |sentence: &QuotedSentence| {
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
            .filter(|(told, _)| *told >= MIN_TOLD_SHARE * whole)
            .collect();
        told.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, place) in told.into_iter().take(MAX_TOLD) {
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

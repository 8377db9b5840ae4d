//! Training of the worth judge: labeled messages are cut into the same units that the product judges, and each unit gets
//! the label of the words it shares.

use super::unit::MessageUnits;
use crate::{
    judge::{
        linear::{Example, LinearModel},
        worth::{ClauseKind, SpeakerKind, TurnBefore, WORTH_CLASSES, feature_rows},
    },
    keywords::names,
    language::is_stop_word,
    observer::message_segments,
    reading::Reading,
};
use cairn_domain::Time;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Weight of the squared weights against the mean log loss.
const WORTH_PENALTY: f64 = 0.42;
const KIND_PENALTY: f64 = 0.19;
/// A word is a feature if so many units have it, of so many conversations.
const MIN_WORTH_UNITS: usize = 8;
const MIN_WORTH_CONVERSATIONS: usize = 3;
const MIN_KIND_UNITS: usize = 3;
const MIN_KIND_CONVERSATIONS: usize = 2;
/// How much a unit counts that must not be lost, and one that is merely useful.
const MUST_WEIGHT: f64 = 1.3;
const USEFUL_WEIGHT: f64 = 0.5;
/// Wishes are rare and must be found.
const WISH_WEIGHT: f64 = 2.0;
/// Share of a unit that a kept clause must cover.
const MIN_COVERED: f64 = 0.34;
/// Share of a kept clause that makes the unit around it kept.
const MIN_CONTAINED: f64 = 0.8;
/// Letters by which the words of a note and of a unit are compared.
const COMPARED_LETTERS: usize = 5;
/// Share of a unit's words that a note must have for it to be told by this unit too.
const MIN_NOTED: f64 = 0.45;

/// How far something is to be kept: 0 not at all, 1 it is useful, 2 it must not be lost.
pub type KeepLevel = u8;

/// A labeled piece of a message, or an ideal memory of it.
#[derive(Debug, Clone)]
pub struct LabeledText {
    /// The words.
    pub text: String,
    /// How far they are to be kept.
    pub keep: KeepLevel,
    /// Their kind.
    pub kind: ClauseKind,
}

/// The lessons that a labeled message can teach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaughtPart {
    /// Whether it is kept, and its kind.
    Both,
    /// Whether it is kept; its kind was not labeled.
    Worth,
    /// Of what kind it is; it was chosen, and says nothing about how often such a thing is said.
    Kind,
}

/// A labeled message.
#[derive(Debug, Clone)]
pub struct LabeledMessage {
    /// The words of the message.
    pub text: String,
    /// Who said it.
    pub speaker: SpeakerKind,
    /// The message before it in its session; empty if there is none.
    pub before: String,
    /// When.
    pub said_at: Time,
    /// The conversation that it stands in; a single case is one of its own.
    pub conversation: String,
    /// The lesson it teaches.
    pub teaches: TaughtPart,
    /// Exact pieces of the text with their labels.
    pub clauses: Vec<LabeledText>,
    /// Where there are no such pieces: ideal memories, whose words say which units they were told by.
    pub notes: Vec<LabeledText>,
}

/// The two models of the worth judge.
#[derive(Debug, Clone, PartialEq)]
pub struct WorthModels {
    /// Whether a clause is kept.
    pub worth: LinearModel,
    /// Judges the kind of a clause.
    pub kind: LinearModel,
}

/// A unit with its label.
struct LabeledUnit {
    plain: Vec<(&'static str, f64)>,
    words: Vec<String>,
    keep: KeepLevel,
    kind: ClauseKind,
    conversation: usize,
    teaches: TaughtPart,
}

/// The models that fit these messages.
pub fn train_worth_judge(messages: &[LabeledMessage]) -> WorthModels {
    let mut conversations: HashMap<&str, usize> = HashMap::new();
    let mut units = Vec::new();
    for message in messages {
        let next = conversations.len();
        let place = *conversations.entry(&message.conversation).or_insert(next);
        units.extend(labeled_units(message, place));
    }
    let without = |teaches| units.iter().filter(|unit| unit.teaches != teaches).collect::<Vec<_>>();
    let (of_worth, of_kind) = (without(TaughtPart::Kind), without(TaughtPart::Worth));
    let kinds = ClauseKind::ALL.map(ClauseKind::as_str);
    let kind_place =
        |unit: &LabeledUnit| ClauseKind::ALL.iter().position(|kind| *kind == unit.kind).unwrap_or(0);
    let wish = |unit: &LabeledUnit| matches!(unit.kind, ClauseKind::Preference | ClauseKind::Instruction);
    let of_kind_words = WordMinimum { units: MIN_KIND_UNITS, conversations: MIN_KIND_CONVERSATIONS };
    WorthModels {
        worth: fitted(
            &of_worth,
            &WORTH_CLASSES,
            WordMinimum { units: MIN_WORTH_UNITS, conversations: MIN_WORTH_CONVERSATIONS },
            WORTH_PENALTY,
            |unit| (usize::from(unit.keep > 0), unit.weight()),
        ),
        kind: fitted(&of_kind, &kinds, of_kind_words, KIND_PENALTY, |unit| {
            (kind_place(unit), unit.weight() * if wish(unit) { WISH_WEIGHT } else { 1.0 })
        }),
    }
}

impl LabeledUnit {
    fn weight(&self) -> f64 {
        match self.keep {
            0 => 1.0,
            1 => USEFUL_WEIGHT,
            _ => MUST_WEIGHT,
        }
    }
}

/// In how many units, of how many conversations, a word stands that is common enough.
#[derive(Clone, Copy)]
struct WordMinimum {
    units: usize,
    conversations: usize,
}

/// A model over the plain features and the words that are common enough.
fn fitted(
    units: &[&LabeledUnit],
    classes: &[&str],
    minimum: WordMinimum,
    penalty: f64,
    label: impl Fn(&LabeledUnit) -> (usize, f64),
) -> LinearModel {
    let mut found: BTreeMap<&str, (usize, BTreeSet<usize>)> = BTreeMap::new();
    for unit in units {
        for word in &unit.words {
            let (count, conversations) = found.entry(word).or_default();
            *count += 1;
            conversations.insert(unit.conversation);
        }
    }
    let common = found.into_iter().filter(|(_, (count, conversations))| {
        *count >= minimum.units && conversations.len() >= minimum.conversations
    });
    let words: Vec<&str> = common.map(|(word, _)| word).collect();
    let plain = units.first().map(|unit| unit.plain.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let names: Vec<String> =
        plain.unwrap_or_default().into_iter().chain(words.iter().copied()).map(str::to_owned).collect();
    let examples: Vec<Example> = units
        .iter()
        .map(|unit| {
            let has = |word: &&str| f64::from(u8::from(unit.words.iter().any(|own| own == word)));
            let features = unit.plain.iter().map(|(_, value)| *value).chain(words.iter().map(has)).collect();
            let (class, weight) = label(unit);
            Example { features, class, weight }
        })
        .collect();
    LinearModel::fit(classes, &names, &examples, penalty)
}

/// The units of a message with their labels.
fn labeled_units(message: &LabeledMessage, conversation: usize) -> Vec<LabeledUnit> {
    let mut passed = String::new();
    for segment in message_segments(&message.text).into_iter().filter(|segment| segment.stopped.is_none()) {
        passed.push_str(segment.text);
        passed.push('\n');
    }
    let reading = Reading::of(&passed);
    let units = MessageUnits::of(&reading, message.said_at);
    let said: Vec<&str> = units.units.iter().map(|unit| unit.clause.said).collect();
    let labels = if message.clauses.is_empty() {
        labels_by_notes(&said, &message.notes)
    } else {
        labels_by_clauses(&said, &message.text, &message.clauses)
    };
    let before = TurnBefore::of(&message.before);
    let rows = units.judged(message.speaker, &before, |_, clause| feature_rows(clause));
    rows.into_iter()
        .zip(labels)
        .map(|((plain, words), (keep, kind))| {
            let teaches = message.teaches;
            LabeledUnit { plain, words, keep, kind, conversation, teaches }
        })
        .collect()
}

type UnitLabel = (KeepLevel, ClauseKind);

/// A unit is kept if kept clauses cover enough of it, or it holds one of them.
fn labels_by_clauses(units: &[&str], text: &str, clauses: &[LabeledText]) -> Vec<UnitLabel> {
    let mut from = 0;
    let mut spans = Vec::new();
    for clause in clauses {
        let start = text[from..].find(&clause.text).map(|at| from + at).or_else(|| text.find(&clause.text));
        let Some(start) = start else { continue };
        spans.push((start..start + clause.text.len(), clause));
        from = start;
    }
    let label = |unit: &&str| {
        let Some(start) = text.find(*unit) else { return (0, ClauseKind::Chatter) };
        let end = start + unit.len();
        let shared = spans.iter().filter_map(|(span, clause)| {
            let shared = span.end.min(end).checked_sub(span.start.max(start)).filter(|shared| *shared > 0)?;
            Some((shared, *clause))
        });
        let shared: Vec<(usize, &LabeledText)> = shared.collect();
        let kept: Vec<(usize, &LabeledText)> =
            shared.iter().copied().filter(|(_, clause)| clause.keep > 0).collect();
        let covered: usize = kept.iter().map(|(shared, _)| *shared).sum();
        let holds = |(shared, clause): &(usize, &LabeledText)| {
            *shared as f64 >= MIN_CONTAINED * clause.text.len() as f64
        };
        if covered as f64 >= MIN_COVERED * unit.len() as f64 && covered > 0 || kept.iter().any(holds) {
            let most =
                kept.iter().max_by_key(|(shared, _)| *shared).map_or(ClauseKind::Fact, |(_, c)| c.kind);
            return (kept.iter().map(|(_, clause)| clause.keep).max().unwrap_or(1), most);
        }
        let asks = shared.iter().max_by_key(|(shared, _)| *shared);
        let asks = asks.is_some_and(|(_, clause)| clause.kind == ClauseKind::Question);
        (0, if asks { ClauseKind::Question } else { ClauseKind::Chatter })
    };
    units.iter().map(label).collect()
}

/// A unit is kept if a note tells it better than it tells any other, or shares enough of its words.
fn labels_by_notes(units: &[&str], notes: &[LabeledText]) -> Vec<UnitLabel> {
    let unit_words: Vec<BTreeSet<String>> = units.iter().map(|unit| compared_words(unit)).collect();
    let mut labels = vec![(0, ClauseKind::Chatter); units.len()];
    for note in notes.iter().filter(|note| note.keep > 0) {
        let told = compared_words(&note.text);
        let score = |words: &BTreeSet<String>| -> usize {
            let shared = words.intersection(&told);
            shared.map(|word| 1 + usize::from(word.chars().all(|c| c.is_ascii_digit()))).sum()
        };
        let scores: Vec<usize> = unit_words.iter().map(score).collect();
        let Some(best) = (0..units.len()).max_by_key(|at| (scores[*at], std::cmp::Reverse(*at))) else {
            continue;
        };
        for (at, score) in scores.iter().enumerate().filter(|(_, score)| **score > 0) {
            let share = *score as f64 / (unit_words[at].len() + 1) as f64;
            if at == best || (share >= MIN_NOTED && *score >= 2) {
                let kind = if labels[at].0 == 0 || at == best { note.kind } else { labels[at].1 };
                labels[at] = (note.keep, kind);
            }
        }
    }
    labels
}

/// The content words of a text, cut to their first letters.
fn compared_words(text: &str) -> BTreeSet<String> {
    let words = names(text).into_iter().filter(|word| !is_stop_word(word));
    words.map(|word| word.chars().take(COMPARED_LETTERS).collect()).collect()
}

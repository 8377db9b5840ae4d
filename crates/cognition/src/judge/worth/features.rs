//! The features of a clause by which its worth is judged: counts and marks that hold in every language, and the words it
//! uses as far as a model knows them.

use crate::{
    density::{Density, MIN_DENSITY, SubjectCounts},
    entity::Mention,
    language::is_stop_word,
    observer::CategoryMatch,
    reading::Reading,
    token::Token,
};
use cairn_domain::{Category, EntityKind};

/// Counts above this say no more.
const MAX_COUNT: f64 = 4.0;
/// Fewest words of a clause that is no bare answer.
const MIN_ANSWER_WORDS: usize = 4;

/// Before the names of features that are words.
const WORD: &str = "word=";
const FIRST: &str = "first=";

/// Who says a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeakerKind {
    /// A person: the user, or somebody with a name.
    Person,
    /// An assistant without a name, who mostly explains.
    Assistant,
}

/// The turn before a message.
#[derive(Debug, Clone, Default)]
pub struct TurnBefore {
    /// Whether it ends with a question.
    pub(crate) asks: bool,
    words: Vec<String>,
}

impl TurnBefore {
    /// The turn that says this.
    pub fn of(text: &str) -> Self {
        let reading = Reading::of(text);
        let mut words: Vec<String> =
            content_words(reading.tokens()).map(|token| token.fold.to_string()).collect();
        words.sort_unstable();
        words.dedup();
        Self { asks: reading.sentences().last().is_some_and(is_question), words }
    }
}

/// A clause and what is known of it before it is judged.
pub struct JudgedClause<'a> {
    /// The clause.
    pub reading: &'a Reading<'a>,
    /// The names in it.
    pub mentions: &'a [Mention],
    /// How much it says.
    pub density: Density,
    /// Whom it speaks of.
    pub subjects: SubjectCounts,
    /// The kinds of thing that its words give away.
    pub categories: &'a [CategoryMatch],
    /// Whether it tells a plan.
    pub plans: bool,
    /// Who says it.
    pub speaker: SpeakerKind,
    /// Whether it stands in the first sentence of its message.
    pub opens: bool,
    /// How much its whole message says.
    pub message: Density,
    /// The turn before its message.
    pub before: &'a TurnBefore,
}

impl JudgedClause<'_> {
    /// Whether a person says something in it, without raising the voice and without quoting.
    pub(crate) fn is_plain(&self) -> bool {
        self.speaker == SpeakerKind::Person
            && self.density.total() >= MIN_DENSITY
            && self.subjects.addressed == 0
            && !self.reading.text().contains(['!', '"', '“', '«', '„'])
    }

    pub(super) fn is_classed(&self, category: Category) -> bool {
        self.categories.iter().any(|found| found.category == category)
    }
}

/// Whether a sentence asks.
fn is_question(sentence: &str) -> bool {
    sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?').ends_with('?')
}

fn content_words<'a, 't>(tokens: &'a [Token<'t>]) -> impl Iterator<Item = &'a Token<'t>> {
    tokens.iter().filter(|token| !is_stop_word(&token.fold) && token.fold.chars().nth(1).is_some())
}

fn capped(count: usize) -> f64 {
    (count as f64).min(MAX_COUNT)
}

fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// A feature with its name.
type NamedFeature = (&'static str, f64);

/// The features that every clause has, with their names. Their order is that of the files of weights.
pub(super) fn plain_features(clause: &JudgedClause) -> Vec<NamedFeature> {
    let counts = WordCounts::of(clause);
    let mut features = amount_features(clause, &counts);
    features.extend(subject_features(clause, &counts));
    features.extend(kind_features(clause, &counts));
    features.extend(sign_features(clause.reading.text()));
    features.extend(turn_features(clause, &counts));
    features
}

/// Counts that several features share.
struct WordCounts {
    words: usize,
    content: usize,
    /// Content words that the turn before has too.
    repeated: usize,
    numbers: usize,
    capitals: usize,
    assistant: bool,
    /// No number, no name, no time.
    nothing_exact: bool,
}

impl WordCounts {
    fn of(clause: &JudgedClause) -> Self {
        let tokens = clause.reading.tokens();
        let known = |token: &&Token| {
            clause.before.words.binary_search_by(|word| word.as_str().cmp(&token.fold)).is_ok()
        };
        let is_number = |token: &&Token| token.text.starts_with(|c: char| c.is_ascii_digit());
        let numbers = tokens.iter().filter(is_number).count();
        let capitals = tokens.iter().filter(|token| token.is_capital() && !token.first).count();
        Self {
            words: tokens.len(),
            content: content_words(tokens).count(),
            repeated: content_words(tokens).filter(known).count(),
            numbers,
            capitals,
            assistant: clause.speaker == SpeakerKind::Assistant,
            nothing_exact: numbers == 0 && capitals == 0 && clause.density.temporal == 0,
        }
    }
}

/// Part of a whole; nothing of nothing.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn logarithm(count: usize) -> f64 {
    (count as f64 + 1.0).ln()
}

/// How much it says.
fn amount_features(clause: &JudgedClause, counts: &WordCounts) -> Vec<NamedFeature> {
    let density = clause.density;
    let stop_words = counts.words - counts.content;
    vec![
        ("assistant", flag(counts.assistant)),
        ("words", logarithm(counts.words)),
        ("content words", logarithm(counts.content)),
        ("very short", flag(counts.words < MIN_ANSWER_WORDS)),
        ("stop words", share(stop_words, counts.words)),
        ("names", capped(density.entities)),
        ("facts", capped(density.facts)),
        ("times", capped(density.temporal)),
        ("corrections", capped(density.corrections)),
        ("says enough", flag(density.total() >= MIN_DENSITY)),
        ("says much", flag(density.total() >= 2 * MIN_DENSITY)),
        ("facts of a person", flag(!counts.assistant) * capped(density.facts)),
    ]
}

/// Whom it speaks of.
fn subject_features(clause: &JudgedClause, counts: &WordCounts) -> Vec<NamedFeature> {
    let JudgedClause { subjects, density, .. } = clause;
    let vague = counts.nothing_exact;
    let timeless = subjects.speaker && density.temporal == 0;
    vec![
        ("of somebody", flag(subjects.somebody > 0)),
        ("to the other", flag(subjects.addressed > 0)),
        ("of the speaker", flag(subjects.speaker)),
        ("chatter words", share(subjects.chatter, counts.words)),
        ("rule", flag(subjects.rule)),
        ("holds", flag(subjects.holds)),
        ("rule of the speaker", flag(subjects.rule && subjects.speaker)),
        ("likes, no time", flag(timeless && clause.is_classed(Category::Preference))),
        ("nothing exact", flag(vague)),
        ("exclaims, nothing exact", flag(vague && clause.reading.text().contains('!'))),
        ("to the other, nothing exact", flag(vague && subjects.addressed > 0)),
        ("assistant, nothing exact", flag(vague && counts.assistant)),
    ]
}

/// Features for the kind of a clause: the names in it, and telling words.
fn kind_features(clause: &JudgedClause, counts: &WordCounts) -> Vec<NamedFeature> {
    let named = |kind: EntityKind| capped(clause.mentions.iter().filter(|it| it.kind == kind).count());
    let classed = |category: Category| flag(clause.is_classed(category));
    let enough = MIN_DENSITY + usize::from(counts.assistant);
    vec![
        ("numbers", capped(counts.numbers)),
        ("has a number", flag(counts.numbers > 0)),
        ("people", named(EntityKind::Person)),
        ("places", named(EntityKind::Place)),
        ("capitals", capped(counts.capitals)),
        ("class correction", classed(Category::Correction)),
        ("class preference", classed(Category::Preference)),
        ("class decision", classed(Category::Decision)),
        ("class fact", classed(Category::Fact)),
        ("class plan", classed(Category::Plan)),
        ("class procedure", classed(Category::Procedure)),
        ("class names", classed(Category::Entity)),
        ("message says enough", flag(clause.message.total() >= enough)),
        ("message says", logarithm(clause.message.total())),
        ("plans", flag(clause.plans)),
    ]
}

/// The signs in it.
fn sign_features(text: &str) -> Vec<NamedFeature> {
    let has = |signs: &[char]| flag(text.contains(signs));
    vec![
        ("exclaims", has(&['!'])),
        ("asks", has(&['?'])),
        ("quotes", has(&['"', '“', '«', '„'])),
        ("colon", has(&[':'])),
        ("brackets", has(&['(', '['])),
        ("code", has(&['`', '{', '=', '<', '\\', '_'])),
        ("money", has(&['£', '€', '$', '₺', '%'])),
        ("ellipsis", flag(text.contains('…') || text.contains("..."))),
        ("commas", capped(text.matches(',').count())),
    ]
}

/// How it stands to the turn before.
fn turn_features(clause: &JudgedClause, counts: &WordCounts) -> Vec<NamedFeature> {
    vec![
        ("answers", flag(clause.before.asks && clause.opens)),
        ("turn before asks", flag(clause.before.asks)),
        ("repeats turn before", share(counts.repeated, counts.content)),
    ]
}

/// The words of a clause as features: each word, and the one that it begins with.
pub(super) fn words(clause: &JudgedClause) -> Vec<String> {
    let folded: Vec<String> = clause.reading.tokens().iter().map(Token::whole_fold).collect();
    let first = folded.first().map(|word| format!("{FIRST}{word}"));
    let mut words: Vec<String> = folded.iter().map(|word| format!("{WORD}{word}")).chain(first).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether a feature is a word.
pub(super) fn is_word(name: &str) -> bool {
    name.starts_with(WORD) || name.starts_with(FIRST)
}

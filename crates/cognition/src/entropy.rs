//! Entropy: how far an exchange departs from what an agent knows and is. Each contribution has a source, a strength and
//! the words it was found in; the sum is weighted by configuration. Which words tell it is in `lexicon/*/coherence.txt`.

use crate::{
    density::density,
    emotion::emotion,
    keywords::query_terms,
    lexicon::{CoherenceClass, NegationsClass},
    pattern::Patterns,
    sentence::sentences,
    temporal::{foresight, told},
};
use cairn_domain::{EntropyPart, EntropySource, MAX_ENTROPY, MILLIS_PER_DAY, MILLIS_PER_HOUR, Role, Time};
use std::{collections::BTreeSet, sync::LazyLock};

static COHERENCE: LazyLock<Patterns<CoherenceClass>> = LazyLock::new(Patterns::read);
static NEGATIONS: LazyLock<Patterns<NegationsClass>> = LazyLock::new(Patterns::read);

/// Bytes of a message that are read: people say what is so before they go into detail.
const MAX_READ_BYTES: usize = 4_000;
/// Characters that a contribution quotes.
const MAX_SEEN_CHARS: usize = 120;
/// Strength of a first sign of correction, and of each further one.
const FIRST_CORRECTION: f64 = 0.6;
const FURTHER_CORRECTION: f64 = 0.4;
/// Feeling below this is ordinary.
const MIN_FEELING: f64 = 0.65;
/// Share of the words of two messages that both have, from which on they are the same move.
const SAME_MOVE_SHARE: f64 = 0.85;
/// A message of fewer words may be said again without being a loop.
const MIN_MOVE_WORDS: usize = 4;
/// Strength of each repetition.
const REPETITION: f64 = 0.5;
/// Share of a principle's words that a sentence must have to be about it, and how many at least.
const MIN_PRINCIPLE_SHARE: f64 = 0.6;
const MIN_PRINCIPLE_WORDS: usize = 2;
/// Answers that each have less than this share of the one before get worse.
const FALLING_SHARE: f64 = 0.5;
/// The first of them has at least so many characters.
const MIN_FALLING_CHARS: usize = 300;
/// Strength of falling answers; apologies one after the other count in full.
const FALLING: f64 = 0.6;
/// Messages of one session may come out of order by this much.
const CLOCK_TOLERANCE_MS: i64 = MILLIS_PER_HOUR;

/// An earlier message of the session.
#[derive(Debug, Clone, Copy)]
pub struct EarlierTurn<'a> {
    /// Who spoke.
    pub role: Role,
    /// The words.
    pub text: &'a str,
    /// When.
    pub at: Time,
}

/// A message and what is around it.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredTurn<'a> {
    /// Who spoke.
    pub role: Role,
    /// The words.
    pub text: &'a str,
    /// When.
    pub at: Time,
    /// Earlier messages of the session, the newest first.
    pub earlier: &'a [EarlierTurn<'a>],
    /// The agent's principles.
    pub principles: &'a [String],
}

/// A contribution that was found in a message.
#[derive(Debug, Clone, PartialEq)]
pub struct EntropySign {
    /// Its source.
    pub source: EntropySource,
    /// From 0 to 1.
    pub strength: f64,
    /// The words.
    pub saw: String,
}

impl EntropySign {
    /// A sign with the words it was found in, shortened, on one line.
    pub fn new(source: EntropySource, strength: f64, saw: &str) -> Self {
        let line = saw.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut saw: String = line.chars().take(MAX_SEEN_CHARS).collect();
        if saw.len() < line.len() {
            saw.push('…');
        }
        Self { source, strength: strength.clamp(0.0, 1.0), saw }
    }
}

/// The entropy of an exchange, where each source counts once, with the strongest of its contributions:
///
/// entropy = min(2, Σ over sources weight·max strength)
pub fn entropy(parts: &[EntropyPart], weight: impl Fn(EntropySource) -> f64) -> f64 {
    let strongest = |source: EntropySource| {
        parts.iter().filter(|part| part.source == source).map(|part| part.strength).fold(0.0, f64::max)
    };
    let sum: f64 = EntropySource::ALL.into_iter().map(|source| weight(source) * strongest(source)).sum();
    sum.clamp(0.0, MAX_ENTROPY)
}

/// The contributions that the words of a message show by themselves and beside the messages before it.
pub fn entropy_signs(turn: &MeasuredTurn<'_>) -> Vec<EntropySign> {
    if matches!(turn.role, Role::System) {
        return Vec::new();
    }
    let text = &turn.text[..turn.text.floor_char_boundary(MAX_READ_BYTES)];
    let mut signs: Vec<EntropySign> = Vec::new();
    if turn.role != Role::Tool {
        let found: Vec<_> = COHERENCE.find(text).collect();
        let seen = |class| found.iter().find(|found| found.class == class).map(|found| found.range.clone());
        if turn.role == Role::User {
            signs.extend(correction(text));
            let challenges = found.iter().filter(|found| found.class == CoherenceClass::IdentityChallenge);
            let mut sentences = challenges.map(|found| sentence_at(text, found.range.start));
            let challenge = sentences.find(|sentence| !has(sentence, CoherenceClass::NoChallenge));
            signs.extend(challenge.map(|it| EntropySign::new(EntropySource::IdentityChallenge, 1.0, it)));
        }
        let range = seen(CoherenceClass::Paradox);
        signs.extend(
            range.map(|range| EntropySign::new(EntropySource::Paradox, 1.0, sentence_at(text, range.start))),
        );
        signs.extend(strong_emotion(text));
        signs.extend(temporal_mismatch(text, turn));
        signs.extend(principle_tension(text, turn.principles));
        if turn.role == Role::Assistant {
            signs.extend(quality_decay(text, turn.earlier));
        }
    }
    signs.extend(repetition(text, turn));
    signs
}

fn has(sentence: &str, class: CoherenceClass) -> bool {
    COHERENCE.classes_in(sentence).contains(&class)
}

/// Something is set right, or the agent is told that it has something wrong.
fn correction(text: &str) -> Option<EntropySign> {
    let signs = |sentence: &str| {
        let told = has(sentence, CoherenceClass::ToldWrong) && !has(sentence, CoherenceClass::NotToldWrong);
        density(sentence, 0).corrections.max(usize::from(told))
    };
    let found = sentences(text).into_iter().map(|sentence| (sentence, signs(sentence)));
    let found: Vec<(&str, usize)> = found.filter(|(_, corrections)| *corrections > 0).collect();
    let all: usize = found.iter().map(|(_, corrections)| corrections).sum();
    let (sentence, _) = found.first()?;
    let strength = FIRST_CORRECTION + FURTHER_CORRECTION * (all - 1) as f64;
    Some(EntropySign::new(EntropySource::Correction, strength, sentence))
}

/// strong emotion = min(1, arousal + |valence|/2)
fn strong_emotion(text: &str) -> Option<EntropySign> {
    let felt = emotion(text);
    let strength = felt.arousal + felt.valence.abs() / 2.0;
    let name = felt.category.map_or("feeling", |category| category.as_str());
    let saw = format!("{name}: {text}");
    (strength >= MIN_FEELING).then(|| EntropySign::new(EntropySource::StrongEmotion, strength, &saw))
}

/// A plan for a day that is past, a wrong today, or words that come before those they answer.
fn temporal_mismatch(text: &str, turn: &MeasuredTurn<'_>) -> Option<EntropySign> {
    let early =
        turn.earlier.first().filter(|before| turn.at.millis() + CLOCK_TOLERANCE_MS < before.at.millis());
    if let Some(before) = early {
        let saw = format!("said {} after words of {}", turn.at, before.at);
        return Some(EntropySign::new(EntropySource::TemporalMismatch, 1.0, &saw));
    }
    let is_year = |words: &str| words.as_bytes().windows(4).any(|run| run.iter().all(u8::is_ascii_digit));
    let (past, today) = (Time::from_millis(turn.at.millis() - MILLIS_PER_DAY).day(), turn.at.day());
    for sentence in sentences(text) {
        if !is_year(sentence) {
            continue;
        }
        let dates: Vec<_> = told(sentence, turn.at);
        let dates: Vec<_> = dates.iter().filter(|told| !told.relative && is_year(&told.words)).collect();
        let is_over = !dates.is_empty() && dates.iter().all(|told| told.span.to < past);
        let is_plan = is_over && foresight(sentence, turn.at).is_some();
        let says_today = has(sentence, CoherenceClass::Today);
        let near = |told: &&crate::temporal::ToldTime| {
            let tolerance = |days: i64| Time::from_millis(turn.at.millis() + days * MILLIS_PER_DAY).day();
            told.span.from <= tolerance(1) && told.span.to >= tolerance(-1)
        };
        let is_wrong_today =
            says_today && !dates.is_empty() && !dates.iter().copied().any(|told| near(&told));
        if is_plan || is_wrong_today {
            let saw = format!("{sentence} (said on {today})");
            return Some(EntropySign::new(EntropySource::TemporalMismatch, 1.0, &saw));
        }
    }
    None
}

/// The same move again, by its words, among the messages of the same speaker.
fn repetition(text: &str, turn: &MeasuredTurn<'_>) -> Option<EntropySign> {
    let words = word_set(text);
    if words.len() < MIN_MOVE_WORDS {
        return None;
    }
    let same = |earlier: &&EarlierTurn<'_>| {
        let other = word_set(&earlier.text[..earlier.text.floor_char_boundary(MAX_READ_BYTES)]);
        shared_share(&words, &other) >= SAME_MOVE_SHARE
    };
    let times = turn.earlier.iter().filter(|earlier| earlier.role == turn.role).filter(same).count();
    let saw = format!("said {} times: {text}", times + 1);
    (times > 0).then(|| EntropySign::new(EntropySource::Loop, REPETITION * times as f64, &saw))
}

/// Apologies one after the other, or answers that each are less than half of the one before.
fn quality_decay(text: &str, earlier: &[EarlierTurn<'_>]) -> Option<EntropySign> {
    let before: Vec<&str> =
        earlier.iter().filter(|turn| turn.role == Role::Assistant).map(|turn| turn.text).take(3).collect();
    let is_apology = |text: &str| has(text, CoherenceClass::Apology);
    let again =
        if is_apology(text) { before.iter().take(2).filter(|text| is_apology(text)).count() } else { 0 };
    if again > 0 {
        let saw = format!("{} apologies one after the other: {text}", again + 1);
        return Some(EntropySign::new(EntropySource::QualityDecay, 1.0, &saw));
    }
    let lengths: Vec<usize> =
        std::iter::once(text).chain(before.iter().copied()).map(|text| text.chars().count()).collect();
    let falls = |pair: &[usize]| (pair[0] as f64) < FALLING_SHARE * pair[1] as f64;
    let is_falling =
        lengths.len() > 2 && lengths[..3].windows(2).all(falls) && lengths[2] >= MIN_FALLING_CHARS;
    let saw = format!("answers of {}, {} and {} characters", lengths.get(2)?, lengths.get(1)?, lengths[0]);
    is_falling.then(|| EntropySign::new(EntropySource::QualityDecay, FALLING, &saw))
}

/// A sentence about a principle that says the opposite of it.
fn principle_tension(text: &str, principles: &[String]) -> Option<EntropySign> {
    for sentence in sentences(text) {
        let words = word_set(sentence);
        if let Some(principle) = principles.iter().find(|it| opposes(sentence, &words, it)) {
            let saw = format!("{sentence} against: {principle}");
            return Some(EntropySign::new(EntropySource::PrincipleTension, 1.0, &saw));
        }
    }
    None
}

fn opposes(sentence: &str, words: &BTreeSet<String>, principle: &str) -> bool {
    let own = word_set(principle);
    let shared = own.intersection(words).count();
    shared >= MIN_PRINCIPLE_WORDS
        && shared as f64 >= MIN_PRINCIPLE_SHARE * own.len() as f64
        && is_negated(sentence) != is_negated(principle)
}

fn is_negated(text: &str) -> bool {
    NEGATIONS.find(text).count() % 2 == 1
}

/// A claim of an agent to remember something: the sentence, and its words but those that claim it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedRecollection {
    /// The sentence.
    pub sentence: String,
    /// The terms that a record must hold for it to be true.
    pub terms: Vec<String>,
}

/// The claims of a text to remember something.
pub fn recollections(text: &str) -> Vec<ClaimedRecollection> {
    let text = &text[..text.floor_char_boundary(MAX_READ_BYTES)];
    let claim = |sentence: &&str| {
        let found = COHERENCE.find(sentence).find(|found| found.class == CoherenceClass::Recollection)?;
        let rest = format!("{} {}", &sentence[..found.range.start], &sentence[found.range.end..]);
        let terms = query_terms(&rest);
        (terms.len() >= 2).then(|| ClaimedRecollection { sentence: (*sentence).to_owned(), terms })
    };
    // Questions ask whether it was so.
    sentences(text).iter().filter(|sentence| !sentence.trim_end().ends_with('?')).filter_map(claim).collect()
}

/// The share of the terms of a claim that a record holds.
pub fn supported_share(claim: &ClaimedRecollection, record: &str) -> f64 {
    let held: BTreeSet<String> = query_terms(record).into_iter().collect();
    claim.terms.iter().filter(|term| held.contains(*term)).count() as f64 / claim.terms.len().max(1) as f64
}

fn word_set(text: &str) -> BTreeSet<String> {
    query_terms(text).into_iter().collect()
}

/// |words of both| / |words of either|
fn shared_share(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    one.intersection(other).count() as f64 / one.union(other).count().max(1) as f64
}

fn sentence_at(text: &str, at: usize) -> &str {
    let mut from = 0;
    for sentence in sentences(text) {
        let Some(begin) = text[from..].find(sentence).map(|place| from + place) else { continue };
        from = begin + sentence.len();
        if (begin..from).contains(&at) {
            return sentence;
        }
    }
    text
}

#[cfg(test)]
mod tests;

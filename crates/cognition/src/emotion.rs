//! Emotion: valence, arousal and a basic emotion, by words and signs.
//!
//! Words of feeling are data with a label that says how they feel; a word of negation before or after them (languages
//! differ) turns them round. Arousal is the sum of what excites: exclamation marks, capitals, urgent words, swearing.

use crate::{
    lexicon::{FeelingsClass, NegationsClass, WordList},
    pattern::{PatternMatch, Patterns},
};
use cairn_domain::Ekman;
use std::{collections::HashSet, ops::Range, sync::LazyLock};

/// From this arousal on, a memory is a flashbulb.
pub const FLASHBULB: f64 = 0.8;

/// Maximum share of arousal from exclamation marks.
const EXCLAMATION_SHARE: f64 = 0.3;
/// Maximum share of arousal from words in capitals.
const CAPITALS_SHARE: f64 = 0.25;
/// Maximum share of arousal from urgent words.
const URGENT_SHARE: f64 = 0.4;
/// Maximum share of arousal from swearing.
const PROFANE_SHARE: f64 = 0.25;
/// Maximum share of arousal from words of feeling.
const FEELING_SHARE: f64 = 0.15;
/// Shorter words in capitals are abbreviations.
const MIN_SHOUTED_LETTERS: usize = 4;
/// A negation reverses a feeling within this many bytes, in the same clause.
const NEGATION_BYTES: usize = 24;
/// Only this much of a text is read.
const MAX_READ_BYTES: usize = 20_000;

/// How a text feels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Emotion {
    /// From −1 (bad) to 1 (good).
    pub valence: f64,
    /// From 0 (calm) to 1 (frantic).
    pub arousal: f64,
    /// The basic emotion that most words speak of.
    pub category: Option<Ekman>,
    /// How urgent it is, from 0 to 1.
    pub urgency: f64,
}

impl Emotion {
    /// Whether it burns itself in.
    pub fn is_flashbulb(&self) -> bool {
        self.arousal >= FLASHBULB
    }
}

static FEELINGS: LazyLock<Patterns<FeelingsClass>> = LazyLock::new(Patterns::read);
static NEGATIONS: LazyLock<Patterns<NegationsClass>> = LazyLock::new(Patterns::read);
static URGENCIES: LazyLock<Patterns<()>> = LazyLock::new(|| Patterns::read_plain(WordList::Urgency));

/// How a text feels, with p good and n bad words:
///
/// valence = (p − n) / (p + n + 1)
///
/// and with shares s that each saturate with the number k of their signs:
///
/// arousal = min(1, Σ s·(1 − 2^(−k)))
///
/// and by k different words for errors, danger and deadlines:
///
/// urgency = 1 − 2^(−k)
pub fn emotion(text: &str) -> Emotion {
    let text = &text[..text.floor_char_boundary(MAX_READ_BYTES)];
    let lower = text.to_lowercase().replace('\u{307}', "").replace('’', "'");
    let (mut good, mut bad, mut profane) = (0_usize, 0_usize, 0_usize);
    let mut kinds = [0_usize; Ekman::ALL.len()];
    for found in distinct_matches(&FEELINGS, &lower) {
        let turned = is_negated(&lower, &found.range);
        match found.class {
            FeelingsClass::Good if turned => bad += 1,
            FeelingsClass::Bad if turned => good += 1,
            FeelingsClass::Good => good += 1,
            FeelingsClass::Bad => bad += 1,
            FeelingsClass::Profane => profane += 1,
            FeelingsClass::Neutral => {}
        }
        if let (false, Ok(kind)) = (turned, found.argument.parse::<Ekman>()) {
            kinds[Ekman::ALL.iter().position(|known| *known == kind).unwrap_or(0)] += 1;
        }
    }
    let most = kinds.iter().copied().max().unwrap_or(0);
    let category = Ekman::ALL.into_iter().zip(kinds).find(|(_, count)| *count == most && most > 0);
    let urgent = distinct_matches(&URGENCIES, &lower).len();
    let arousal =
        saturating_share(EXCLAMATION_SHARE, text.chars().filter(|c| matches!(c, '!' | '！')).count())
            + saturating_share(CAPITALS_SHARE, shouted_words(text))
            + saturating_share(URGENT_SHARE, urgent)
            + saturating_share(PROFANE_SHARE, profane)
            + saturating_share(FEELING_SHARE, good + bad);
    Emotion {
        valence: (good as f64 - bad as f64) / (good + bad + 1) as f64,
        arousal: arousal.min(1.0),
        category: category.map(|(kind, _)| kind),
        urgency: saturating_share(1.0, urgent),
    }
}

/// The saturating share of `most` that k signs contribute.
fn saturating_share(most: f64, signs: usize) -> f64 {
    most * (1.0 - 0.5_f64.powi(signs.min(30) as i32))
}

/// The matches of a list, each of its words once, none inside another.
fn distinct_matches<C: Copy + PartialEq>(patterns: &Patterns<C>, text: &str) -> Vec<PatternMatch<C>> {
    let mut seen = HashSet::new();
    let mut taken: Vec<Range<usize>> = Vec::new();
    let mut fresh = |found: &PatternMatch<C>| {
        let overlaps =
            taken.iter().any(|other| other.start < found.range.end && found.range.start < other.end);
        let new = !overlaps && taken.len() < 64 && seen.insert(text[found.range.clone()].to_owned());
        if new {
            taken.push(found.range.clone());
        }
        new
    };
    patterns.find(text).take(1_000).filter(|found| fresh(found)).collect()
}

/// Whether a negation stands beside a feeling, on the side on which its language writes it.
fn is_negated(text: &str, feeling: &Range<usize>) -> bool {
    let ends_clause = |c: char| ".,;:!?\n".contains(c);
    let before = &text[text.ceil_char_boundary(feeling.start.saturating_sub(NEGATION_BYTES))..feeling.start];
    let before = before.rsplit(ends_clause).next().unwrap_or_default();
    let after = &text[feeling.end..text.floor_char_boundary(feeling.end + NEGATION_BYTES)];
    let after = after.split(ends_clause).next().unwrap_or_default();
    NEGATIONS.classes_in(before).contains(&NegationsClass::Before)
        || NEGATIONS.classes_in(after).contains(&NegationsClass::After)
}

/// How many words are shouted: all in capitals, and too long for an abbreviation.
fn shouted_words(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_alphabetic());
    words
        .filter(|word| word.chars().count() >= MIN_SHOUTED_LETTERS && word.chars().all(char::is_uppercase))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-198, C-199
    #[test]
    fn words_make_a_text_feel_good_or_bad_and_negation_turns_it_round() {
        for (text, sign) in [
            ("I'm so happy with the new flat", 1.0),
            ("I am not happy with it", -1.0),
            ("This isn't great", -1.0),
            ("I wasn't disappointed at all", 1.0),
            ("The concert was wonderful and I loved it", 1.0),
            ("My grandfather died, I'm heartbroken", -1.0),
            ("Çok mutluyum", 1.0),
            ("Hiç mutlu değilim", -1.0),
            ("Bu iş berbat, çok üzgünüm", -1.0),
            ("Sonuç kötü değil", 1.0),
            ("The train leaves at six", 0.0),
            ("Tren altıda kalkıyor", 0.0),
            ("", 0.0),
        ] {
            let valence = emotion(text).valence;
            assert!((-1.0..=1.0).contains(&valence));
            assert!((sign == 0.0 && valence == 0.0) || valence * sign > 0.0, "{text}: {valence}");
        }
        assert!((emotion("happy").valence - 0.5).abs() < 1e-9);
        assert!((emotion("happy, but tired").valence).abs() < 1e-9);
    }

    /// covers: C-200, C-202
    #[test]
    fn only_what_is_urgent_and_shouted_burns_itself_in() {
        for text in [
            "URGENT_SHARE!!! Production is DOWN, we lost the database!!!",
            "EMERGENCY!!! Dad had a heart attack, call me RIGHT NOW!!!",
            "ACİL!!! Sunucu ÇÖKTÜ, veritabanını kaybettik!!!",
            "HOLY SHIT!!! WE WERE HACKED, EVERYTHING LEAKED!!!",
        ] {
            let emotion = emotion(text);
            assert!(emotion.is_flashbulb() && emotion.arousal <= 1.0, "{text}: {emotion:?}");
        }
        for text in [
            "Great!!!",
            "Wow, that's amazing!!! Congratulations!!!",
            "I LOVE THIS SONG!!!",
            "HARİKA!!! ÇOK SEVİNDİM!!!",
            "The deadline is on Friday.",
            "The NASA and LGBTQ flags",
            "ok",
            "",
        ] {
            let emotion = emotion(text);
            assert!(!emotion.is_flashbulb(), "{text}: {emotion:?}");
        }
        assert!(emotion("").arousal.abs() < 1e-9);
        assert!((emotion("Well! Yes! Then!").arousal - EXCLAMATION_SHARE * 0.875).abs() < 1e-9);
        assert!(emotion("This is fucking late").arousal > emotion("This is late").arousal);
    }

    /// covers: C-198, C-201
    #[test]
    fn the_basic_emotion_is_what_most_words_speak_of() {
        for (text, category) in [
            ("I'm so happy and excited", Some(Ekman::Joy)),
            ("I'm furious, this makes me angry", Some(Ekman::Anger)),
            ("I'm scared of the surgery", Some(Ekman::Fear)),
            ("I miss her, I cried all night", Some(Ekman::Sadness)),
            ("I can't believe it, what a surprise", Some(Ekman::Surprise)),
            ("The smell was disgusting", Some(Ekman::Disgust)),
            ("Çok sevinçliyim", Some(Ekman::Joy)),
            ("Buna çok sinirlendim", Some(Ekman::Anger)),
            ("Ameliyattan korkuyorum", Some(Ekman::Fear)),
            ("Çok üzgünüm, ağladım", Some(Ekman::Sadness)),
            ("Çok şaşırdım", Some(Ekman::Surprise)),
            ("İğrenç kokuyordu", Some(Ekman::Disgust)),
            ("I am not happy", None),
            ("The kiln is at 1240 degrees", None),
        ] {
            assert_eq!(emotion(text).category, category, "{text}");
        }
    }

    /// covers: C-200
    #[test]
    fn errors_danger_and_deadlines_are_urgent() {
        let urgency = |text| emotion(text).urgency;
        assert!(urgency("The weather is nice").abs() < 1e-9);
        assert!((urgency("The deadline is Friday") - 0.5).abs() < 1e-9);
        assert!(urgency("Critical security vulnerability, we were hacked") > 0.8);
        assert!(urgency("Sunucu çöktü, acil bakın") > 0.7);
        assert!(urgency("Son tarih cuma") >= 0.5);
    }

    /// covers: C-158
    #[test]
    fn odd_and_large_texts_are_felt_too() {
        for text in
            ["!".repeat(2_000_000), "HAPPY not ".repeat(200_000), "[".repeat(1_000_000), "İ".repeat(100_000)]
        {
            let emotion = emotion(&text);
            assert!((0.0..=1.0).contains(&emotion.arousal) && (-1.0..=1.0).contains(&emotion.valence));
            assert!((0.0..=1.0).contains(&emotion.urgency));
        }
    }
}

//! Patterns of standing: what people say by which they rise or fall in one of four dimensions. The patterns are data with
//! examples and counter-examples (`lexicon/standing.txt`).

use crate::{language::LANGUAGES, lexicon::ClassedEntry, pattern::Patterns, sentence::sentences};
use cairn_domain::{
    FIRST_STANDING, MAX_STANDING, MIN_STANDING, StandingDimension, StandingDirection, StandingEvidence,
    StandingTrajectory,
};
use std::{collections::BTreeMap, sync::LazyLock};

/// Bytes of a message that are read.
const MAX_READ_BYTES: usize = 4_000;
/// Characters of the words that evidence quotes.
const MAX_SEEN_CHARS: usize = 120;
/// Signs that are less sure are left out.
const MIN_CONFIDENCE: f64 = 0.5;
/// A question is less sure than a statement.
const QUESTION_FACTOR: f64 = 0.9;
/// A score that moved by more than this over its last days rises or falls.
const STEADY_CHANGE: f64 = 0.1;

const LIBRARY_TEXT: &str = include_str!("../lexicon/standing.txt");

/// One pattern of the library.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingPattern {
    /// Its name.
    pub name: &'static str,
    /// Its dimension.
    pub dimension: StandingDimension,
    /// Its direction.
    pub direction: StandingDirection,
    /// How sure a match is.
    pub weight: f64,
    /// Texts that it must match.
    pub examples: Vec<&'static str>,
    /// Texts that it must not match.
    pub counter_examples: Vec<&'static str>,
}

struct Library {
    patterns: Vec<StandingPattern>,
    matcher: Patterns<usize>,
    /// Sentences that tell of somebody else's words.
    reported: Patterns<()>,
}

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let (mut patterns, mut entries, mut reported) = (Vec::<StandingPattern>::new(), Vec::new(), Vec::new());
    let language_of =
        |code: &str| LANGUAGES.iter().find(|language| language.code == code).expect("a language");
    for line in LIBRARY_TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix('[') {
            patterns.push(pattern_of(header.trim_end_matches(']')));
            continue;
        }
        if let Some((code, text)) = line.strip_prefix("skip ").and_then(|rest| rest.split_once(' ')) {
            reported.push((language_of(code), ClassedEntry { class: (), argument: "", text }));
            continue;
        }
        let class = patterns.len() - 1;
        match line.split_once(' ') {
            Some(("yes", text)) => patterns[class].examples.push(text),
            Some(("no", text)) => patterns[class].counter_examples.push(text),
            Some((code, text)) => {
                entries.push((language_of(code), ClassedEntry { class, argument: "", text }));
            }
            None => unreachable!("`{line}` is no line of standing.txt"),
        }
    }
    let matcher = Patterns::compile_all(entries.into_iter());
    Library { patterns, matcher, reported: Patterns::compile_all(reported.into_iter()) }
});

fn pattern_of(header: &'static str) -> StandingPattern {
    let (name, rest) = header.split_once(": ").expect("a name");
    let words: Vec<&str> = rest.split(' ').collect();
    StandingPattern {
        name,
        dimension: words[0].parse().expect("a dimension"),
        direction: words[1].parse().expect("a direction"),
        weight: words[2].parse().expect("a weight"),
        examples: Vec::new(),
        counter_examples: Vec::new(),
    }
}

/// Every pattern, in the order of the file.
pub fn standing_patterns() -> &'static [StandingPattern] {
    &LIBRARY.patterns
}

/// A pattern that was found in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingSign {
    /// The pattern.
    pub pattern: &'static StandingPattern,
    /// How sure it is:
    ///
    /// confidence = weight · (0.9 if it is a question)
    pub confidence: f64,
    /// The sentence.
    pub saw: String,
}

/// The patterns in what a user says, each once with its surest sentence. What somebody else said moves nobody's score.
pub fn standing_signs(text: &str) -> Vec<StandingSign> {
    let text = &text[..text.floor_char_boundary(MAX_READ_BYTES)];
    let mut signs: Vec<StandingSign> = Vec::new();
    let told_of = |sentence: &&str| !LIBRARY.reported.classes_in(sentence).is_empty();
    for sentence in sentences(text).into_iter().filter(|sentence| !told_of(sentence)) {
        for class in LIBRARY.matcher.classes_in(sentence) {
            let pattern = &LIBRARY.patterns[class];
            let asks = sentence.trim_end().ends_with('?');
            let confidence = pattern.weight * if asks { QUESTION_FACTOR } else { 1.0 };
            let known = signs.iter().position(|sign| sign.pattern.name == pattern.name);
            if confidence < MIN_CONFIDENCE || known.is_some_and(|at| signs[at].confidence >= confidence) {
                continue;
            }
            let saw = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
            let sign = StandingSign { pattern, confidence, saw: saw.chars().take(MAX_SEEN_CHARS).collect() };
            match known {
                Some(at) => signs[at] = sign,
                None => signs.push(sign),
            }
        }
    }
    signs
}

/// The change of a score by a day as a whole, and what each pattern added: the k-th sign of a pattern on one day counts a k-th.
///
/// change = Σ over patterns Σₖ delta/k
pub fn weighed_day(evidence: &[StandingEvidence]) -> (f64, Vec<(String, f64)>) {
    let mut times: BTreeMap<&str, (u32, f64)> = BTreeMap::new();
    for sign in evidence {
        let (count, sum) = times.entry(&sign.pattern).or_default();
        *count += 1;
        *sum += sign.delta() / f64::from(*count);
    }
    let added: Vec<(String, f64)> =
        times.into_iter().map(|(pattern, (_, sum))| (pattern.to_owned(), sum)).collect();
    (added.iter().map(|(_, sum)| sum).sum(), added)
}

/// A score after a change, within its bounds; `None` is the score that everybody begins with.
pub fn moved_score(score: Option<f64>, change: f64) -> f64 {
    (score.unwrap_or(FIRST_STANDING) + change).clamp(MIN_STANDING, MAX_STANDING)
}

/// Where a score is going by its changes over the last days.
pub fn trajectory(changes: &[f64]) -> StandingTrajectory {
    match changes.iter().sum::<f64>() {
        sum if sum > STEADY_CHANGE => StandingTrajectory::Rising,
        sum if sum < -STEADY_CHANGE => StandingTrajectory::Falling,
        _ => StandingTrajectory::Steady,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_domain::{MessageId, Time};

    /// covers: W-131, W-132, W-133, W-134, W-135, X-W13
    #[test]
    fn each_of_the_twenty_two_patterns_matches_its_examples_and_none_of_its_counter_examples() {
        let patterns = standing_patterns();
        assert_eq!(patterns.len(), 22);
        let of = |dimension| patterns.iter().filter(|pattern| pattern.dimension == dimension).count();
        assert_eq!(StandingDimension::ALL.map(of), [5, 6, 5, 6]);
        for pattern in patterns {
            assert!(pattern.examples.len() >= 3 && pattern.counter_examples.len() >= 2, "{}", pattern.name);
            let found =
                |text: &str| standing_signs(text).iter().any(|sign| sign.pattern.name == pattern.name);
            for text in &pattern.examples {
                assert!(found(text), "{} is not in: {text}", pattern.name);
            }
            for text in &pattern.counter_examples {
                assert!(!found(text), "{} is in: {text}", pattern.name);
            }
        }
    }

    /// covers: W-136, X-W13
    #[test]
    fn deltas_are_weighted_by_confidence_and_a_day_counts_repetitions_less() {
        let evidence = |pattern: &str, direction, confidence| StandingEvidence {
            message: MessageId::from_bytes([0; 16]),
            subject: "user".to_owned(),
            pattern: pattern.to_owned(),
            dimension: StandingDimension::Word,
            direction,
            confidence,
            saw: String::new(),
            at: Time::from_millis(0),
        };
        let kept = evidence("keeps_word", StandingDirection::StrongRise, 0.8);
        assert!((kept.delta() - 0.16).abs() < 1e-9);
        let (change, added) = weighed_day(&[kept.clone(), kept.clone()]);
        assert!((change - 0.24).abs() < 1e-9 && added.len() == 1, "{change}");
        let broken = evidence("breaks_word", StandingDirection::StrongFall, 1.0);
        assert!((weighed_day(&[kept, broken]).0 + 0.09).abs() < 1e-9);
        assert!((moved_score(None, 0.2) - 5.2).abs() < 1e-9);
        assert!((moved_score(Some(9.9), 0.4) - 10.0).abs() < 1e-9);
        assert_eq!(trajectory(&[0.2, 0.1]), StandingTrajectory::Rising);
        assert_eq!(trajectory(&[0.2, -0.2]), StandingTrajectory::Steady);
        assert_eq!(trajectory(&[-0.2]), StandingTrajectory::Falling);
    }
}

//! Confidence: how sure it is that a hit answers, and so what of it reaches a prompt. A sure one stands there whole, a less
//! sure one in short, an unsure one is left out and counted.

use crate::{score::source_factor, sentence::sentences};

/// Hits at least this sure are quoted in full.
pub const FULL_TEXT_CONFIDENCE: f64 = 0.7;
/// Hits at least this sure are quoted in short.
pub const SHORTENED_CONFIDENCE: f64 = 0.4;
/// Maximum characters of a shortened hit.
pub const SHORTENED_CHARS: usize = 160;
/// Similarity at which a question counts as fully known.
const KNOWN_SIMILARITY: f64 = 0.5;
/// Weights of the score beside the best hit and of shared words, and the offset against any hit.
const BESIDE_BEST_WEIGHT: f64 = 8.0;
const COMMON_WORDS_WEIGHT: f64 = 1.0;
const OFFSET_AGAINST: f64 = 5.3;

/// The evidence that a hit answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceSigns {
    /// Its score beside that of the best hit, 0 to 1.
    pub beside: f64,
    /// How well the question is known at all, 0 to 1: see [`question_familiarity`].
    pub known: f64,
    /// The share of the question's words that it and what was said around it hold, the rare counting more.
    pub words: f64,
    /// How far its source can be trusted, 0 to 1.
    pub source_confidence: f64,
}

/// How well a question is known: by what is most alike to it (above what unrelated texts are), or by the share of its words
/// that one hit holds. Where nothing tells what is alike, words have to do: few answers repeat most of a question.
///
/// known = min(1, max(alike / 0.5, words))
/// known = √words
pub fn question_familiarity(alike: Option<f64>, words: f64) -> f64 {
    alike.map_or(words.max(0.0).sqrt(), |alike| (alike / KNOWN_SIMILARITY).max(words)).clamp(0.0, 1.0)
}

/// How sure it is that a hit answers: the chance of that among as many hits that answer as hits that do not. A hit that stands
/// beside the best is sure only if the best is.
///
/// fit = source / (1 + e^−(8·beside·known + words − 5.3))
pub fn confidence(signs: &ConfidenceSigns) -> f64 {
    let unit = |value: f64| if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
    let for_it =
        BESIDE_BEST_WEIGHT * unit(signs.beside) * unit(signs.known) + COMMON_WORDS_WEIGHT * unit(signs.words);
    source_factor(unit(signs.source_confidence)) / (1.0 + (OFFSET_AGAINST - for_it).exp())
}

/// Weight of how well a hit fits by itself in how sure it is that it answers, and the offset against any hit.
const FIT_WEIGHT: f64 = 0.6;
const CHANCE_OFFSET: f64 = 1.6;
/// A fit is never taken for surer than this, or for less sure than its counterpart.
const MAX_FIT: f64 = 0.999;

/// The chance that the hit at a rank (from 1) is among what answers, by how well it fits (see [`confidence`]): of the hits of
/// real questions most do not answer, and the first far more often than the rest.
///
/// confidence = 1 / (1 + e^−(0.6·ln(fit / (1 − fit)) − ln(rank) − 1.6))
pub fn answer_chance(fit: f64, rank: usize) -> f64 {
    let fit = if fit.is_finite() { fit.clamp(1.0 - MAX_FIT, MAX_FIT) } else { 1.0 - MAX_FIT };
    let for_it = FIT_WEIGHT * (fit / (1.0 - fit)).ln() - (rank.max(1) as f64).ln() - CHANCE_OFFSET;
    1.0 / (1.0 + (-for_it).exp())
}

/// How much of a hit reaches a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptShare {
    /// The full text with everything known about it.
    Whole,
    /// The first words only.
    Short,
    /// Nothing; it is only counted.
    LeftOut,
}

/// How much of a hit with this confidence (0 to 1) reaches a prompt.
pub fn prompt_share(score: f64) -> PromptShare {
    match score {
        _ if score >= FULL_TEXT_CONFIDENCE => PromptShare::Whole,
        _ if score >= SHORTENED_CONFIDENCE => PromptShare::Short,
        _ => PromptShare::LeftOut,
    }
}

/// A text in short: as many of its first sentences as have room in `chars` characters, or the beginning of the first, cut
/// between words where that is possible. An ellipsis stands for what is missing.
pub fn shortened_text(text: &str, chars: usize) -> String {
    let text = text.trim();
    if text.chars().nth(chars).is_none() {
        return text.to_owned();
    }
    // More than this cannot have room.
    let head = text.char_indices().nth(chars + 1).map_or(text, |(end, _)| &text[..end]);
    let mut taken = String::new();
    for sentence in sentences(head) {
        let room = taken.chars().count() + sentence.chars().count() + usize::from(!taken.is_empty());
        let whole = sentence.ends_with(['.', '!', '?', '…', '。', '！', '？']);
        if room > chars.saturating_sub(2) || !whole {
            break;
        }
        if !taken.is_empty() {
            taken.push(' ');
        }
        taken.push_str(sentence);
    }
    if !taken.is_empty() {
        taken.push_str(" …");
        return taken;
    }
    let Some(room) = chars.checked_sub(1) else { return String::new() };
    let cut = head.char_indices().nth(room).map_or(head.len(), |(end, _)| end);
    let at_word = head[..cut].rfind(char::is_whitespace).filter(|end| *end > cut / 2).unwrap_or(cut);
    format!("{}…", head[..at_word].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SURE: ConfidenceSigns =
        ConfidenceSigns { beside: 1.0, known: 1.0, words: 1.0, source_confidence: 1.0 };

    /// covers: X-C14, C-165
    #[test]
    fn a_hit_is_sure_beside_the_best_if_the_best_is() {
        for (signs, expected) in [
            (SURE, 0.975_873),
            (ConfidenceSigns { words: 0.0, ..SURE }, 0.937_027),
            (ConfidenceSigns { beside: 0.7, words: 0.5, ..SURE }, 0.689_974),
            (ConfidenceSigns { beside: 0.5, words: 0.5, ..SURE }, 0.310_026),
            // The best of a question that nobody has spoken of.
            (ConfidenceSigns { known: 0.4, words: 0.2, ..SURE }, 0.130_108),
            // C-165: what a source says that is not to be trusted is deprioritised.
            (ConfidenceSigns { source_confidence: 0.2, ..SURE }, 0.487_936),
            (ConfidenceSigns { source_confidence: 0.5, ..SURE }, 0.878_286),
        ] {
            assert!((confidence(&signs) - expected).abs() < 1e-5, "{signs:?}: {}", confidence(&signs));
        }
        assert_eq!(
            (
                question_familiarity(Some(0.25), 0.0),
                question_familiarity(Some(0.25), 0.8),
                question_familiarity(Some(0.9), 0.0)
            ),
            (0.5, 0.8, 1.0)
        );
        assert_eq!(
            (
                question_familiarity(None, 0.25),
                question_familiarity(None, 1.0),
                question_familiarity(None, 0.0)
            ),
            (0.5, 1.0, 0.0)
        );
    }

    /// covers: X-C14
    #[test]
    fn the_chance_to_answer_falls_with_rank_and_rises_with_fit() {
        for (fit, rank, expected) in
            [(0.86, 1, 0.375), (0.86, 2, 0.231), (0.86, 10, 0.057), (0.44, 1, 0.149), (0.5, 1, 0.168)]
        {
            let chance = answer_chance(fit, rank);
            assert!((chance - expected).abs() < 1e-3, "{fit} {rank}: {chance}");
        }
        assert!(answer_chance(f64::NAN, 0) < 0.01);
    }

    /// covers: C-178, C-179, C-180
    #[test]
    fn a_sure_hit_is_whole_and_an_unsure_one_is_left_out() {
        for (score, expected) in [
            (1.0, PromptShare::Whole),
            (0.7, PromptShare::Whole),
            (0.699_999, PromptShare::Short),
            (0.4, PromptShare::Short),
            (0.399_999, PromptShare::LeftOut),
            (0.0, PromptShare::LeftOut),
            (f64::NAN, PromptShare::LeftOut),
        ] {
            assert_eq!(prompt_share(score), expected, "{score}");
        }
    }

    /// covers: C-179
    #[test]
    fn a_text_in_short_is_its_first_sentences() {
        assert_eq!(shortened_text("I moved. Then I slept.", 160), "I moved. Then I slept.");
        assert_eq!(shortened_text("I moved. Then I slept.", 12), "I moved. …");
        assert_eq!(
            shortened_text("I moved house. Then I slept well. And so on.", 37),
            "I moved house. Then I slept well. …"
        );
        assert_eq!(shortened_text("one two three four", 10), "one two…");
        assert_eq!(shortened_text("çığlıkçığlık", 5), "çığl…");
        assert_eq!(
            shortened_text("Dr. Okafor came at seven. Later he left again.", 30),
            "Dr. Okafor came at seven. …"
        );
        assert_eq!(shortened_text("abc", 0), "");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn more_that_speaks_for_a_hit_makes_it_surer(signs in prop::array::uniform4(0.0..1.0), more in 0.0..1.0) {
            let [beside, known, words, source_confidence] = signs;
            let signs = ConfidenceSigns { beside, known, words, source_confidence };
            let sure = confidence(&signs);
            prop_assert!((0.0..=1.0).contains(&sure));
            for better in [
                ConfidenceSigns { beside: beside.max(more), ..signs },
                ConfidenceSigns { known: known.max(more), ..signs },
                ConfidenceSigns { words: words.max(more), ..signs },
                ConfidenceSigns { source_confidence: source_confidence.max(more), ..signs },
            ] {
                prop_assert!(confidence(&better) >= sure, "{better:?}");
            }
            let odd = ConfidenceSigns { beside: f64::NAN, ..signs };
            prop_assert!(!confidence(&odd).is_nan());
        }

        #[test]
        fn it_has_room(text in "([a-zşİ😀]{1,8}[ .!?]{1,2}){0,30}", chars in 0_usize..60) {
            prop_assert!(shortened_text(&text, chars).chars().count() <= chars);
        }
    }
}

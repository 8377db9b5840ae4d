//! Hypothetical answers: what an answer could look like lies nearer to it than the question does. They are made from
//! templates, which are data, without a model; the question and its answers are then searched for by their middle.

use crate::{
    intent::AnswerKind,
    keywords::plain_words,
    language::{LANGUAGES, is_stop_word, likely_languages},
    lexicon::{ClassedEntry, HydeClass},
};

/// Maximum words of a question that go into a template.
const MAX_TEMPLATE_WORDS: usize = 24;

/// Two or three answers that a question of this kind could have, in its language; none if it is about nothing.
pub fn hypothetical_answers(question: &str, kind: AnswerKind) -> Vec<String> {
    let topic = question_content(question);
    if topic.is_empty() {
        return Vec::new();
    }
    let words = plain_words(&question[..question.floor_char_boundary(4_096)]);
    let language = likely_languages(words.iter().map(String::as_str)).first().unwrap_or(&LANGUAGES[0]);
    let templates = language
        .classed_entries()
        .filter(|entry: &ClassedEntry<HydeClass>| entry.class == template_class(kind));
    templates.map(|entry| entry.text.replacen("{}", &topic, 1)).collect()
}

fn template_class(kind: AnswerKind) -> HydeClass {
    match kind {
        AnswerKind::Definition => HydeClass::Definition,
        AnswerKind::Howto => HydeClass::Howto,
        AnswerKind::Reasoning => HydeClass::Reasoning,
        AnswerKind::Lookup => HydeClass::Lookup,
        AnswerKind::Technical => HydeClass::Technical,
        AnswerKind::Preference => HydeClass::Preference,
        AnswerKind::General => HydeClass::General,
    }
}

/// The words of a question that carry content, as they are written.
fn question_content(question: &str) -> String {
    let sign = |c: char| !c.is_alphanumeric();
    let words = question.split_whitespace().map(|word| word.trim_matches(sign));
    let content =
        |word: &&str| !word.is_empty() && !is_stop_word(&word.to_lowercase().replace('\u{307}', ""));
    words.filter(content).take(MAX_TEMPLATE_WORDS).collect::<Vec<_>>().join(" ")
}

/// The middle of some vectors, each with its weight, of length one; the first vector if they cancel each other out.
/// Vectors of another length than the first are left out.
///
/// centroid = Σ weight·v / |Σ weight·v|
pub fn weighted_centroid(vectors: &[(f32, &[f32])]) -> Vec<f32> {
    let Some((_, first)) = vectors.first() else { return Vec::new() };
    let mut sum = vec![0.0_f64; first.len()];
    for (weight, vector) in vectors.iter().filter(|(_, vector)| vector.len() == first.len()) {
        for (total, value) in sum.iter_mut().zip(*vector) {
            *total += f64::from(*weight) * f64::from(*value);
        }
    }
    let length = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
    if !length.is_finite() || length < 1e-9 {
        return first.to_vec();
    }
    sum.into_iter().map(|value| (value / length) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::LANGUAGES;
    use proptest::prelude::*;

    const KINDS: [AnswerKind; 7] = [
        AnswerKind::Definition,
        AnswerKind::Howto,
        AnswerKind::Reasoning,
        AnswerKind::Lookup,
        AnswerKind::Technical,
        AnswerKind::Preference,
        AnswerKind::General,
    ];

    /// covers: C-54, C-55, C-57
    #[test]
    fn every_kind_has_two_or_three_templates_in_every_language() {
        for language in &LANGUAGES {
            for kind in KINDS {
                let templates =
                    language.classed_entries::<HydeClass>().filter(|it| it.class == template_class(kind));
                let lines: Vec<&str> = templates.map(|it| it.text).collect();
                assert!((2..=3).contains(&lines.len()), "{} {kind:?}", language.code);
                assert!(lines.iter().all(|line| line.contains("{}")), "{} {kind:?}", language.code);
            }
        }
    }

    /// covers: C-56, C-155
    #[test]
    fn an_answer_is_in_the_language_of_the_question() {
        let english = hypothetical_answers("Where do I keep the spare key?", AnswerKind::Lookup);
        assert_eq!(english[0], "keep spare key is here.");
        let turkish = hypothetical_answers("Yedek anahtarı nerede saklıyorum?", AnswerKind::Lookup);
        assert!(turkish[0].ends_with("burada."), "{turkish:?}");
        assert!(hypothetical_answers("?", AnswerKind::General).is_empty());
    }

    /// covers: C-58
    #[test]
    fn the_middle_lies_between() {
        let middle = weighted_centroid(&[(1.0, &[1.0, 0.0]), (1.0, &[0.0, 1.0])]);
        assert!((middle[0] - 0.5_f32.sqrt()).abs() < 1e-6 && (middle[1] - 0.5_f32.sqrt()).abs() < 1e-6);
        let heavier = weighted_centroid(&[(3.0, &[1.0, 0.0]), (4.0, &[0.0, 1.0])]);
        assert!((heavier[0] - 0.6).abs() < 1e-6 && (heavier[1] - 0.8).abs() < 1e-6);
        assert_eq!(weighted_centroid(&[(1.0, &[1.0, 0.0]), (1.0, &[-1.0, 0.0])]), [1.0, 0.0]);
        assert_eq!(weighted_centroid(&[(1.0, &[1.0, 0.0]), (1.0, &[1.0])]), [1.0, 0.0]);
        assert!(weighted_centroid(&[]).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_middle_has_length_one(vectors in prop::collection::vec(prop::collection::vec(0.01_f32..1.0, 8), 1..6)) {
            let weighted: Vec<(f32, &[f32])> = vectors.iter().map(|vector| (1.0, vector.as_slice())).collect();
            let length = weighted_centroid(&weighted).iter().map(|value| value * value).sum::<f32>();
            prop_assert!((length - 1.0).abs() < 1e-4);
        }
    }
}

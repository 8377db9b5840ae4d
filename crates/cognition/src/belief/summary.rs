//! How a belief is said: in the sentence of a memory that says it and nothing else, or by the template of its facet.

use super::{claim::Claim, lexicon::words};
use crate::{lexicon::BeliefsClass, plain::fold};

/// Longer sentences say more than one thing and are never used as a summary.
const SENTENCE_CHARS: usize = 200;

/// The claim as a sentence.
pub fn summary(claim: &Claim) -> String {
    if claim.alone && claim.sentence.chars().count() <= SENTENCE_CHARS {
        return claim.sentence.trim().to_owned();
    }
    let words = words(claim.grammar);
    let subject = match claim.subject.as_str() {
        "user" => words.named(BeliefsClass::User).to_owned(),
        "agent" => words.named(BeliefsClass::Agent).to_owned(),
        other => as_written(other, &claim.sentence),
    };
    let topic = claim
        .topic
        .as_deref()
        .map_or_else(|| claim.facet.to_string(), |topic| as_written(topic, &claim.sentence));
    let said = words
        .template(claim.facet)
        .replace("{subject}", &capitalised(&subject))
        .replace("{topic}", &topic)
        .replace("{value}", &as_written(&claim.said, &claim.sentence));
    if claim.value == claim.said { said } else { words.named(BeliefsClass::Deny).replace("{said}", &said) }
}

/// Comparable words as a sentence writes them.
fn as_written(keys: &str, sentence: &str) -> String {
    let written = |key: &str| {
        let word = sentence.split_whitespace().map(|word| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            bare.split(['\'', '’']).next().unwrap_or(bare)
        });
        let mut word = word.filter(|word| fold(word).starts_with(key));
        word.next().unwrap_or(key).to_owned()
    };
    keys.split(' ').filter(|key| !key.is_empty()).map(written).collect::<Vec<_>>().join(" ")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::claim::claims;

    fn said(text: &str) -> Vec<String> {
        claims(text, |_| None).iter().map(summary).collect()
    }

    /// covers: K-42, K-96
    #[test]
    fn a_claim_is_said_in_its_own_sentence_or_by_a_template() {
        assert_eq!(said("User lives in Bergen."), ["User lives in Bergen."]);
        assert_eq!(said("Kullanıcı İzmir'de oturuyor."), ["Kullanıcı İzmir'de oturuyor."]);
        assert_eq!(
            said("User lives in Bergen and works at Statoil."),
            ["User lives in Bergen", "User works for Statoil"]
        );
        assert_eq!(
            said("İzmir'de oturuyorum, Arçelik'te çalışıyorum."),
            ["Kullanıcı, yaşadığı yer: İzmir", "Kullanıcı, çalıştığı yer: Arçelik"]
        );
        assert_eq!(said("User likes jazz and I don't like opera.")[1], "Not so: User likes opera");
    }
}

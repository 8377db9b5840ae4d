//! The slot of their own that somebody asks for: "where do I live?" shares no word with "I moved to Lisbon", and asks for just that.

use super::parse::statements;
use crate::{lexicon::AskedSlotsClass, pattern::Patterns};
use std::sync::LazyLock;

static ASKED: LazyLock<Patterns<AskedSlotsClass>> = LazyLock::new(Patterns::read);

/// The subject of statements about whoever asks.
const ASKER: &str = "user";

/// The slot of their own that somebody asks for.
pub fn asked_slot(question: &str) -> Option<&'static str> {
    ASKED
        .find(question)
        .map(|found| match found.class {
            AskedSlotsClass::Slot => found.argument,
        })
        .next()
}

/// Whether a text says what the user has in a slot.
pub fn fills_slot(text: &str, slot: &str) -> bool {
    statements(text, ASKER).iter().any(|it| it.subject == ASKER && it.attribute == slot && !it.negated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_finds_what_shares_no_word_with_it() {
        for (question, answer) in [
            ("Where do I live?", "I moved to Lisbon in March."),
            ("which city do I live in", "User moved to Lisbon in March [2026-03]."),
            ("So where do I work these days?", "I started a new job at Bosch."),
            ("What's my name?", "I'm called Deniz."),
            ("Nerede yaşıyorum?", "Lizbon'a taşındım."),
        ] {
            let slot = asked_slot(question).unwrap_or_else(|| panic!("{question}"));
            assert!(fills_slot(answer, slot), "{question} {answer} {:?}", statements(answer, ASKER));
        }
    }

    #[test]
    fn nothing_else_is_asked_or_answered() {
        for question in ["Where does Ana live?", "Do I live well?", "What is the name of my dog?", ""] {
            assert_eq!(asked_slot(question), None, "{question}");
        }
        for other in [
            "Ana moved to Lisbon.",
            "I don't live in Lisbon.",
            "I was in Lisbon in March.",
            "Where do I live?",
        ] {
            assert!(!fills_slot(other, "residence"), "{other}");
        }
    }
}

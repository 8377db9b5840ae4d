//! Context: the words around a statement without which it says too little, in brackets behind it.

use super::{clause::Clause, turn::MessageTurn};
use crate::{
    excerpt::excerpt,
    judge::worth::{SpeakerKind, TurnBefore},
    reading::Reading,
    standalone::{ABOUT, AFTER, ASKED, ASKING},
};
use std::ops::Range;

/// A fragment of at most this many words needs the sentence before it, or the question that it answers.
pub(super) const MAX_FRAGMENT_WORDS: usize = 12;
/// An answer of at most this many words is shown with its question, however it begins.
const MAX_BARE_ANSWER_WORDS: usize = 6;
/// Maximum characters of a question that stands beside its answer, or of the words that a statement goes on from.
const MAX_ASKED_CHARS: usize = 160;
/// A sentence of fewer words explains nothing beside it.
const MIN_BESIDE_WORDS: usize = 3;

/// The turn before, as far as the first words of a message cannot be understood without it: the question that a bare answer
/// answers, the only one a pronoun can mean, or the words that it goes on from.
pub(super) fn context_of_turn_before(
    stated: &Reading,
    clause: &Clause,
    turn: &MessageTurn,
    before: &TurnBefore,
    text: &str,
) -> Option<String> {
    let words = stated.tokens().len();
    let fragment = !clause.begins_anew && words <= MAX_FRAGMENT_WORDS;
    let last_sentence = || {
        let last = Reading::of(turn.before).sentences().last()?.trim().to_owned();
        (last.chars().count() <= MAX_ASKED_CHARS && !last.is_empty()).then_some(last)
    };
    if before.asks && (fragment || words <= MAX_BARE_ANSWER_WORDS) {
        return last_sentence().map(|asked| format!("{ASKED}“{asked}”]"));
    }
    if let Some(meant) = turn.context.last_entity.filter(|meant| clause.refers && !text.contains(meant)) {
        return Some(format!("{ABOUT}{meant}]"));
    }
    let person = turn.speaker == SpeakerKind::Person;
    if clause.refers && person && !before.asks {
        last_sentence().map(|said| format!("{AFTER}“{said}”]"))
    } else {
        None
    }
}

/// A sentence of the same message, as context.
pub(super) struct SentenceBeside {
    /// The sentence in brackets.
    pub(super) text: String,
    /// Whether it asks.
    pub(super) asks: bool,
}

/// The sentence before some words of a message, else the question after them.
pub(super) fn context_beside(message: &Reading, said: Range<usize>) -> Option<SentenceBeside> {
    let sentences = || message.sentence_ranges().iter();
    let before = sentences().rfind(|range| range.end <= said.start);
    let beside = match before {
        Some(before) => before,
        None => {
            sentences().find(|range| range.start >= said.end && asks(&message.text()[(*range).clone()]))?
        }
    };
    let sentence = message.part(beside.clone());
    if sentence.tokens().len() < MIN_BESIDE_WORDS {
        return None;
    }
    let asks = asks(sentence.text());
    let begin = if asks { ASKING } else { AFTER };
    let text = format!("{begin}“{}”]", excerpt(sentence.text(), MAX_ASKED_CHARS, |_| 0.0));
    Some(SentenceBeside { text, asks })
}

fn asks(sentence: &str) -> bool {
    sentence.trim_end().ends_with('?')
}

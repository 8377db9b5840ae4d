//! Context: the words around a statement without which it says too little, in brackets behind it.

use super::{clause::Clause, turn::MessageTurn};
use crate::{
    excerpt::excerpt,
    judge::worth::TurnBefore,
    reading::Reading,
    standalone::{ABOUT, AFTER, ASKED, ASKING},
};
use std::ops::Range;

/// An answer of at most this many words is shown with its question, however it begins.
const MAX_BARE_ANSWER_WORDS: usize = 6;
/// One of at most this many, if it does not begin with whom it is about.
const MAX_ANSWER_WORDS: usize = 24;
/// Maximum characters of a question that stands beside its answer, or of the words that a statement goes on from.
const MAX_ASKED_CHARS: usize = 160;
/// Begins and ends code in a message.
const CODE_FENCE: &str = "```";
/// A sentence of fewer words explains nothing beside it.
const MIN_BESIDE_WORDS: usize = 3;

/// The turn before, as far as the first words of a message cannot be understood without it: the question that they answer, the
/// only one a pronoun can mean, or the words that they go on from.
pub(super) fn context_of_turn_before(
    clause: &Clause,
    words: usize,
    turn: &MessageTurn,
    before: &TurnBefore,
    text: &str,
) -> Option<String> {
    let answers = clause.leans()
        || words <= MAX_BARE_ANSWER_WORDS
        || words <= MAX_ANSWER_WORDS && (clause.is_verbless || !clause.begins_anew);
    if before.asks && answers {
        return last_sentence(turn.before, |it| asks(it.text())).map(|asked| format!("{ASKED}“{asked}”]"));
    }
    if let Some(meant) = turn.context.last_entity.filter(|meant| clause.refers && !text.contains(meant)) {
        return Some(format!("{ABOUT}{meant}]"));
    }
    let needs = clause.refers || clause.goes_on || clause.is_verbless_fragment();
    if needs && !before.asks {
        last_sentence(turn.before, |it| it.tokens().len() >= MIN_BESIDE_WORDS)
            .map(|said| format!("{AFTER}“{said}”]"))
    } else {
        None
    }
}

/// The last such sentence of a text, outside code, if it is short.
fn last_sentence(text: &str, is_such: impl Fn(&Reading) -> bool) -> Option<String> {
    let prose = text.split(CODE_FENCE).step_by(2).filter(|prose| !prose.trim().is_empty()).last()?;
    let last = Reading::of(prose).sentence_readings().filter(is_such).last()?.text().trim().to_owned();
    (last.chars().count() <= MAX_ASKED_CHARS).then_some(last)
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

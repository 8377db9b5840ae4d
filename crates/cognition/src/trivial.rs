//! The trivial gate: messages that say nothing, so that neither the write path nor a question spends anything on them.

use crate::lexicon::{TrivialClass, classed_entries};
use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// Longer messages are never trivial.
const MAX_TRIVIAL_CHARS: usize = 80;

/// Why a message is trivial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrivialReason(
    /// `greeting`, `farewell`, `thanks`, `confirmation`, `acknowledgement`, `command` or `empty`.
    pub &'static str,
);

/// For each class everything that belongs to it, in every language: several may follow each other in one message.
static TRIVIAL_PATTERNS: LazyLock<Vec<(TrivialClass, Regex)>> = LazyLock::new(|| {
    let mut gates: Vec<(TrivialClass, Vec<&str>)> = Vec::new();
    for entry in classed_entries() {
        match gates.iter_mut().find(|(known, _)| *known == entry.class) {
            Some((_, expressions)) => expressions.push(entry.text),
            None => gates.push((entry.class, vec![entry.text])),
        }
    }
    let compile = |(class, expressions): (TrivialClass, Vec<&str>)| {
        let any = format!("^(?:{})$", expressions.join("|"));
        (class, RegexBuilder::new(&any).case_insensitive(true).build().expect("a list that a test reads"))
    };
    gates.into_iter().map(compile).collect()
});

/// Why a message says nothing, if it does. Commands such as `/help` are trivial; so is a chain of trivial sentences.
pub fn trivial_reason(text: &str) -> Option<TrivialReason> {
    let text = text.trim();
    if is_command(text) {
        return Some(TrivialReason("command"));
    }
    if text.chars().count() > MAX_TRIVIAL_CHARS {
        return None;
    }
    let mut first = None;
    for sentence in text.split(['.', '!', '?', ',', ';', '\n', '…', '~']) {
        let words = plain_sentence(sentence);
        if words.is_empty() {
            continue;
        }
        let (class, _) = TRIVIAL_PATTERNS.iter().find(|(_, gate)| gate.is_match(&words))?;
        first = first.or(Some(TrivialReason(reason_word(*class))));
    }
    first.or(Some(TrivialReason("empty")))
}

fn reason_word(class: TrivialClass) -> &'static str {
    match class {
        TrivialClass::Greeting => "greeting",
        TrivialClass::Farewell => "farewell",
        TrivialClass::Thanks => "thanks",
        TrivialClass::Confirmation => "confirmation",
        TrivialClass::Acknowledgement => "acknowledgement",
    }
}

/// The words of a sentence with single spaces, without emoji and other signs.
fn plain_sentence(sentence: &str) -> String {
    let letters = |c: char| if c.is_alphanumeric() || "'’".contains(c) { c } else { ' ' };
    sentence
        .chars()
        .map(letters)
        .collect::<String>()
        .replace('’', "'")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// A slash, a word, and perhaps a word or two: `/dream`, `/model opus`; not a path.
fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let name = words.next().and_then(|word| word.strip_prefix('/')).unwrap_or_default();
    let is_name = |c: char| c.is_alphanumeric() || "-_:".contains(c);
    name.starts_with(char::is_alphabetic)
        && name.chars().all(is_name)
        && words.count() <= 2
        && !text.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-166, C-167, C-168, C-169
    #[test]
    fn what_says_nothing_is_trivial_and_says_why() {
        for (text, why) in [
            ("hi", "greeting"),
            ("Hello!", "greeting"),
            ("merhaba", "greeting"),
            ("Selam :)", "greeting"),
            ("ok", "confirmation"),
            ("Sure, thanks a lot!", "confirmation"),
            ("tamam", "confirmation"),
            ("Evet, teşekkürler.", "confirmation"),
            ("/help", "command"),
            ("/dream now", "command"),
            ("Cool 😎", "acknowledgement"),
            ("👍", "empty"),
            ("...", "empty"),
            ("", "empty"),
        ] {
            assert_eq!(trivial_reason(text), Some(TrivialReason(why)), "{text}");
        }
        for text in [
            "I moved to Lisbon",
            "ok, use port 8080 then",
            "thanks, my name is Ana",
            "/home/ana/notes.txt is the file I mean and it is large",
            "Merhaba, adım Ayşe",
            "yes I am allergic to nuts",
            "Lisbon",
            "東京",
        ] {
            assert_eq!(trivial_reason(text), None, "{text}");
        }
    }
}

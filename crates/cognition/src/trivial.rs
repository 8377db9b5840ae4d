//! The trivial gate: messages that say nothing, so that neither the write path nor a question spends anything on them.

use crate::language::LANGUAGES;
use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// A message longer than this says something.
const TRIVIAL_CHARS: usize = 80;

/// Why a message is trivial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trivial(
    /// `greeting`, `farewell`, `thanks`, `confirmation`, `acknowledgement`, `command` or `empty`.
    pub &'static str,
);

/// For each label everything that bears it, in every language: several may follow each other in one message.
static GATES: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let mut gates: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in LANGUAGES.iter().flat_map(|language| language.lines("trivial")) {
        let (label, expression) = line.split_once(": ").expect("a label and an expression");
        match gates.iter_mut().find(|(known, _)| *known == label) {
            Some((_, expressions)) => expressions.push(expression),
            None => gates.push((label, vec![expression])),
        }
    }
    let compile = |(label, expressions): (&'static str, Vec<&str>)| {
        let any = format!("^(?:{})$", expressions.join("|"));
        (label, RegexBuilder::new(&any).case_insensitive(true).build().expect("a list that a test reads"))
    };
    gates.into_iter().map(compile).collect()
});

/// Why a message says nothing, if it does. Commands such as `/help` are trivial; so is a chain of trivial sentences.
pub fn trivial(text: &str) -> Option<Trivial> {
    let text = text.trim();
    if is_command(text) {
        return Some(Trivial("command"));
    }
    if text.chars().count() > TRIVIAL_CHARS {
        return None;
    }
    let mut first = None;
    for sentence in text.split(['.', '!', '?', ',', ';', '\n', '…', '~']) {
        let words = plain(sentence);
        if words.is_empty() {
            continue;
        }
        let (label, _) = GATES.iter().find(|(_, gate)| gate.is_match(&words))?;
        first = first.or(Some(Trivial(label)));
    }
    first.or(Some(Trivial("empty")))
}

/// The words of a sentence with single spaces, without emoji and other signs.
fn plain(sentence: &str) -> String {
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
            assert_eq!(trivial(text), Some(Trivial(why)), "{text}");
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
            assert_eq!(trivial(text), None, "{text}");
        }
    }
}

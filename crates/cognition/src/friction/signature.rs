//! Signatures: by what the same failure is known again.

use crate::skill::failure_line;
use regex::Regex;
use std::sync::LazyLock;

/// Characters of a signature.
const MAX_SIGNATURE_CHARS: usize = 120;
/// Words that a line must have to tell one failure from another.
const MIN_WORDS: usize = 2;

/// The parts that differ each time: numbers, hashes, places in files, folders, times.
static CHANGING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"0x[0-9a-f]+|\b[0-9a-f]{7,}\b|[\w.@~-]*/[\w./@~-]*/|\d+").expect("a pattern")
});
/// A line that tells that something failed, and nothing about how.
static SAYS_NOTHING: LazyLock<Regex> = LazyLock::new(|| {
    let whole = r"exit(?:ed with)? (?:code|status)|process exited|test result|tests?|passed|failed|failures?|errors?|warnings?|command
        |could not compile|error: aborting|npm err!|elifecycle|make(?:\[#\])?: \*\*\*|build";
    Regex::new(&format!(
        "^(?:[^a-z]*(?:{})\\b)+[^a-z]*",
        whole.split_whitespace().collect::<Vec<_>>().join(" ").replace(" |", "|")
    ))
    .expect("a pattern")
});

/// By what a failure is known again: the line that tells it, in small letters, without what differs each time. None if the line
/// only says that it failed, or with which code.
pub fn failure_signature(output: &str) -> Option<String> {
    let line = failure_line(output).to_lowercase();
    let line = CHANGING.replace_all(&line, "#");
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = SAYS_NOTHING.replace(&line, "");
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 2;
    if told.split_whitespace().filter(is_word).count() < MIN_WORDS {
        return None;
    }
    Some(line.chars().take(MAX_SIGNATURE_CHARS).collect())
}

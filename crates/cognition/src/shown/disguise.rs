//! Disguise: comments in code, and letters that are not what they look like. Nobody talks like that.

use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// How comments begin; those that begin other things too, only behind a sentence.
static COMMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)(?:^|[\s(])(?://+|/\*+|<!--)[ \p{L}@!]|[?!:.] +(?:#|--|;;|%%) ?\p{L}|^\s*-- \p{L}")
        .expect("a pattern")
});
/// Text in the writing of addresses: `%52emember%20`.
static PERCENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:%[0-9A-Fa-f]{2}\p{L}|\p{L}%[0-9A-Fa-f]{2}){1}").expect("a pattern"));

/// Where comments of code stand: from their mark to the end of the line.
pub(super) fn comments(text: &str) -> Vec<Range<usize>> {
    let to_end = |found: regex::Match| {
        let end = text[found.start() + 1..].find('\n').map_or(text.len(), |at| found.start() + 1 + at);
        // The stop of the sentence before it is that sentence's.
        let start = found.start() + usize::from(text[found.start()..].starts_with(['?', '!', ':', '.']));
        start..end
    };
    COMMENT.find_iter(text).map(to_end).collect()
}

/// Whether a sentence has letters that cannot be seen or that only look like others, or is written as an address.
pub(super) fn is_disguised(sentence: &str) -> bool {
    let encoded = sentence.contains('%') && PERCENT.is_match(sentence);
    encoded || !sentence.is_ascii() && (has_hidden_letters(sentence) || has_mixed_word(sentence))
}

/// Whether something that cannot be seen stands between letters, or tells letters by itself.
fn has_hidden_letters(sentence: &str) -> bool {
    let signs: Vec<char> = sentence.chars().collect();
    let is_latin = |at: usize| signs.get(at).is_some_and(|c| is_latin(*c));
    // A flag is a picture with letters that cannot be seen behind it.
    let is_flag = |at: usize| signs[..at].iter().rev().take(8).any(|c| *c == '\u{1F3F4}');
    signs.iter().enumerate().any(|(at, sign)| match *sign {
        '\u{e0020}'..='\u{e007e}' => !is_flag(at),
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {
            at > 0 && is_latin(at - 1) && is_latin(at + 1)
        }
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => false,
    })
}

/// Whether a word is written with letters of two alphabets that look alike.
fn has_mixed_word(sentence: &str) -> bool {
    let is_other = |c: char| matches!(c as u32, 0x0370..=0x052F);
    sentence
        .split(|c: char| !c.is_alphabetic())
        .any(|word| word.contains(is_latin) && word.contains(is_other) && !word.starts_with(['μ', 'Δ', 'Ω']))
}

fn is_latin(c: char) -> bool {
    c.is_alphabetic() && matches!(c as u32, 0x41..=0x24F | 0x1E00..=0x1EFF)
}

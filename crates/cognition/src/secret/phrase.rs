//! Secrets of several words: passphrases, and the words of a wallet.

use super::look;
use crate::language::is_stop_word;
use std::ops::Range;

/// Words of a passphrase.
const PASSPHRASE_WORDS: std::ops::RangeInclusive<usize> = 3..=10;
/// Fewer letters are a remark.
const MIN_PASSPHRASE_BYTES: usize = 12;

/// Whether a quoted value is a passphrase: some words, no sentence of a form ("this field is required") and no label
/// ("Mot de passe").
pub(super) fn is_passphrase(value: &str) -> bool {
    let words = || value.split_whitespace();
    let plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || "-'’".contains(c));
    value.len() >= MIN_PASSPHRASE_BYTES
        && PASSPHRASE_WORDS.contains(&words().count())
        && words().all(plain)
        && !value.starts_with(char::is_uppercase)
        && !look::holds_innocent_word(value)
}

/// Words that must be joined to be a passphrase; fewer are the name of a thing.
const MIN_JOINED_WORDS: usize = 4;

/// Whether a value is a passphrase whose words are joined by one sign: `cactus-violet-thirty-goat`.
pub(super) fn is_joined_passphrase(value: &str) -> bool {
    ['-', '_', '.'].into_iter().any(|sign| {
        let words = || value.split(sign);
        words().count() >= MIN_JOINED_WORDS
            && words().all(|word| {
                (3..=10).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
            })
            && is_passphrase(&value.replace(sign, " "))
    })
}

/// Where a passphrase stands at the beginning of a line: small words up to the end of the sentence that are no sentence
/// themselves, since they begin with two words of content.
pub(super) fn passphrase_in(line: &str) -> Option<Range<usize>> {
    let end = line.find(['\n', '.', ',', ';', '"', '(', '!']).unwrap_or(line.len());
    let phrase = line[..end].trim_end();
    let mut words = phrase.split(' ');
    let content = |word: &str| {
        let participle = word.len() > 5 && word.ends_with("ed");
        !is_stop_word(word) && !participle && word.len() <= 10
    };
    let small = phrase.chars().all(|c| c.is_lowercase() || c == ' ');
    let begins = words.next().is_some_and(content) && words.next().is_some_and(content);
    let enough = words.count() >= 2;
    (small && begins && enough && is_passphrase(phrase)).then_some(0..phrase.len())
}

/// Where the words of a wallet end that stand at the beginning of a text.
pub(super) fn seed_phrase_in(rest: &str) -> Option<usize> {
    let is_word =
        |word: &&str| (3..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let (mut count, mut end, mut grammar) = (0, 0, 0);
    for word in rest.split(' ') {
        let plain = word.trim_end_matches(['.', ',', ';', '"', '”', '\n', '!']);
        if !is_word(&plain) {
            break;
        }
        (count, end) = (count + 1, end + plain.len() + usize::from(count > 0));
        grammar += usize::from(is_stop_word(plain));
        if plain.len() < word.len() {
            break;
        }
    }
    ([12, 15, 18, 21, 24].contains(&count) && grammar * 4 <= count).then_some(end)
}

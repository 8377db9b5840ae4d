//! How secrets look, and what only looks like one: a reference, a placeholder, code, a name.

use crate::lexicon::{WordList, plain_entries};
use regex::Regex;
use std::{collections::HashSet, sync::LazyLock};

/// Words that stand where a secret would and are none: types, states, placeholders, algorithms.
static INNOCENT: LazyLock<HashSet<String>> =
    LazyLock::new(|| plain_entries(WordList::SecretInnocent).map(bare).collect());

/// A call, an index, or a chain of names.
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    let code = r"^[&*!]?[A-Za-z_$@][A-Za-z_$]*(?-u:\w)*(?:(?:\.|::|->|\?\.)[A-Za-z_](?-u:\w)*)*[(\[]|^[&*!]?[A-Za-z_]+(?:(?:\.|::|->|\?\.)[A-Za-z_](?-u:\w)*)+;?$";
    Regex::new(code).expect("a pattern")
});

/// Dates, times, versions, sizes: digits with a form of their own.
static MEASURE: LazyLock<Regex> = LazyLock::new(|| {
    let measure = r"(?i-u)^(?:\d{1,4}([-./])\d{1,2}[-./]\d{1,4}|\d{1,2}:\d\d(?::\d\d)?|v?\d+(?:\.\d+)+|\d+-?[a-z]{1,12}|(?:19|20)\d\d|0x[0-9a-f]{1,40})$";
    Regex::new(measure).expect("a pattern")
});

/// How many different characters a text has, up to all of ASCII.
pub(super) fn distinct(text: &str) -> u32 {
    let seen = text.bytes().fold(0_u128, |seen, byte| seen | 1 << (byte & 127));
    seen.count_ones()
}

/// A word without signs and digits, in lower case: `Password_2` is `password`.
fn bare(word: &str) -> String {
    word.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

/// Whether a value is one of the words that are no secrets, whatever digits and signs are around it, or is made of nothing
/// but such words: `example-password-123`. A tag of YAML (`!!binary`) names the type of a value.
pub(super) fn is_innocent(value: &str) -> bool {
    let words = || value.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    value.starts_with("!!")
        || INNOCENT.contains(&bare(value))
        || words().count() > 1 && words().all(|word| INNOCENT.contains(&bare(word)))
}

/// Whether one of the words of a text stands where a secret would and is none: "this field is required".
pub(super) fn holds_innocent_word(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| INNOCENT.contains(&bare(word)))
}

/// Whether most of a token counts up, as people make one up: `1234567890abcdef…`.
pub(super) fn counts_up(token: &str) -> bool {
    let bytes = token.as_bytes();
    let steps = bytes.windows(2).filter(|pair| pair[1] == pair[0].wrapping_add(1)).count();
    steps * 2 > bytes.len()
}

/// Whether a value can hardly be anything but a password, even with no sign before it: letters and digits of a word that
/// nobody writes, no measure, and no name of a norm or a product (`AES-256`, `iOS18`).
pub(super) fn is_strong(value: &str) -> bool {
    // The mark that ends a question is none of the password.
    let value = value.trim_end_matches('?');
    let has = |test: fn(char) -> bool| value.chars().any(test);
    let named = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_sign = |c: char| "!@#$%^&*+?".contains(c);
    let name = named.len() < value.len()
        && named.trim_end_matches('-').chars().all(|c| c.is_ascii_uppercase())
        || named.chars().count() < 4 && named.chars().all(char::is_alphabetic);
    has(char::is_alphabetic)
        && (has(|c| c.is_ascii_digit()) && value.chars().count() >= 7 || has(is_sign) && value.len() >= 8)
        && !has(char::is_whitespace)
        && !name
        && !is_reference(value)
        && !is_innocent(value)
        && !is_code(value)
        && !is_measure(value)
}

/// Whether a value is long and of chance, in letters of both cases and digits: no hash, no name.
pub(super) fn is_mixed_chance(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    value.len() >= 20
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && value.bytes().filter(u8::is_ascii_digit).count() >= 2
        && distinct(value) >= 12
        && !value.contains(['/', ':', '.'])
        && is_random(value)
}

/// Whether a value is base32 as keys of one-time codes are given: one run of 16 or more, or groups of four.
pub(super) fn is_one_time_key(value: &str) -> bool {
    let groups: Vec<&str> = value.split([' ', '-']).collect();
    let grouped = groups.len() == 1 || groups.iter().all(|group| group.len() == 4);
    let upper = value.bytes().all(|byte| byte.is_ascii_uppercase() || b"234567 -".contains(&byte));
    let lower = value.bytes().all(|byte| byte.is_ascii_lowercase() || b"234567 -".contains(&byte));
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let letters = value.bytes().filter(u8::is_ascii_alphanumeric).count();
    grouped && letters >= 16 && (upper || lower && digits) && distinct(value) >= 8
}

/// Whether a value stands for another: `$PASS`, `${…}`, `{{…}}`, `<…>`, `%s`, `[…]`.
pub(super) fn is_reference(value: &str) -> bool {
    let upper = |rest: &str| {
        rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
    };
    let wrapped = |open: char, close: char| value.starts_with(open) && value.ends_with(close);
    value.contains("${")
        || value.contains("$(")
        || value.contains("{{")
        || value.contains("<%")
        || value.strip_prefix('$').is_some_and(upper)
        || value.strip_prefix('%').is_some_and(|rest| rest.len() < 3 || rest.starts_with('('))
        || wrapped('{', '}')
        || wrapped('<', '>')
        || wrapped('[', ']')
        || wrapped('(', ')')
        || wrapped('%', '%')
}

/// Whether a value is filled with one or two characters: `****`, `xxxxxxxx`, `…`.
pub(super) fn is_blank(value: &str) -> bool {
    let letters = value.bytes().filter(|byte| byte.is_ascii_alphanumeric()).count();
    letters == 0 && !value.is_empty() && distinct(value) <= 2 || value.len() >= 3 && distinct(value) == 1
}

/// Whether a value is code: a call, an index, names joined by dots.
pub(super) fn is_code(value: &str) -> bool {
    CODE.is_match(value) || value.contains("()")
}

/// Whether a value has a form of its own that is no secret: a date, a version, a path, an address.
pub(super) fn is_measure(value: &str) -> bool {
    MEASURE.is_match(value)
        || value.starts_with(['/', '~'])
        || value.starts_with("./")
        || value.contains("://")
}

/// Whether a value is words and numbers joined by signs, as names of things are: `tls-cert-2024`.
pub(super) fn is_slug(value: &str) -> bool {
    let parts = || value.split(['-', '_', '.', '/', ':']);
    let plain = |part: &str| {
        let rest = part.strip_prefix(['v', 'V']).unwrap_or(part);
        part.bytes().all(|byte| byte.is_ascii_alphabetic()) || rest.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts().count() >= 4 && parts().all(plain)
        || parts().count() >= 2 && parts().all(|part| plain(part) && part.len() < 16)
}

/// Whether a value looks like chance: long enough, letters and digits, many different ones, no name of a thing.
pub(super) fn is_random(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    value.len() >= 16
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./+=~:%".contains(&byte))
        && distinct(value) >= 8
        && !is_slug(value)
        && !is_code(value)
        && !is_measure(value)
        && !is_innocent(value)
        && !counts_up(value)
}

/// The bytes that base64 stands for; none if it is no base64.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            plain.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(plain)
}

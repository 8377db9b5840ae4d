//! Plain text: a text in small ASCII letters without accents, one byte for each character, and where each byte stood.
//!
//! Patterns are matched against this. They stay small and quick that way: a machine that knows every letter of Unicode in
//! both cases takes a hundred times as long to build, and this is built anew by every process.

use std::{borrow::Cow, ops::Range};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A letter of another script: part of a word, and like no letter of ours.
const LETTER: u8 = b'_';
/// Any other sign.
const SIGN: u8 = 1;

/// A text in small ASCII letters.
#[derive(Debug)]
pub(crate) struct PlainText {
    bytes: Vec<u8>,
    /// Where the character of each byte begins, and where the text ends; empty if that is where the byte is.
    starts: Vec<u32>,
}

impl PlainText {
    pub(crate) fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Self { bytes: text.bytes().map(plain_ascii).collect(), starts: Vec::new() };
        }
        let (mut bytes, mut starts) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()));
        for (at, c) in text.char_indices() {
            if let Some(byte) = plain(c) {
                bytes.push(byte);
                starts.push(at as u32);
            }
        }
        starts.push(text.len() as u32);
        Self { bytes, starts }
    }

    /// The bytes that patterns are matched against.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where in the text these bytes stand.
    pub(crate) fn range(&self, bytes: Range<usize>) -> Range<usize> {
        if self.starts.is_empty() {
            bytes
        } else {
            self.starts[bytes.start] as usize..self.starts[bytes.end] as usize
        }
    }
}

/// The same for the text of a pattern: its signs keep their meaning.
pub(crate) fn plain_pattern(pattern: &str) -> String {
    let byte = |c: char| if c.is_ascii() { Some(c) } else { plain(c).map(char::from) };
    pattern.chars().filter_map(byte).collect()
}

fn plain_ascii(byte: u8) -> u8 {
    match byte {
        b'\n' => b'\n',
        _ if byte.is_ascii_whitespace() => b' ',
        _ => byte.to_ascii_lowercase(),
    }
}

/// The byte that stands for a character; none for an accent of its own.
fn plain(c: char) -> Option<u8> {
    Some(match c {
        _ if c.is_ascii() => plain_ascii(c as u8),
        '\u{0300}'..='\u{036F}' | '\u{200B}'..='\u{200D}' | '\u{FEFF}' => return None,
        'ı' | 'İ' => b'i',
        'ß' => b's',
        'æ' | 'Æ' => b'a',
        'ø' | 'Ø' | 'œ' | 'Œ' => b'o',
        'ł' | 'Ł' => b'l',
        'đ' | 'Đ' => b'd',
        '’' | '‘' | 'ʼ' | '´' => b'\'',
        '“' | '”' | '„' | '«' | '»' => b'"',
        '–' | '—' | '−' => b'-',
        '…' => b'.',
        _ if c.is_whitespace() => b' ',
        _ => match std::iter::once(c).nfd().next() {
            Some(base) if base.is_ascii_alphabetic() => base.to_ascii_lowercase() as u8,
            _ if c.is_alphanumeric() => LETTER,
            _ => SIGN,
        },
    })
}

/// Plain small letters: `Ayşe` and `AYSE` are both `ayse`.
pub(crate) fn fold(word: &str) -> String {
    folded(word).into_owned()
}

/// The words of a text as plain small letters, whatever stands between them.
pub(crate) fn folded_words(text: &str) -> Vec<String> {
    let folded = fold(text);
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The same as [`fold`]; a word that is written so already is not copied.
pub(crate) fn folded(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        let small = !word.bytes().any(|byte| byte.is_ascii_uppercase());
        return if small { Cow::Borrowed(word) } else { Cow::Owned(word.to_ascii_lowercase()) };
    }
    let plain = word.chars().flat_map(char::to_lowercase).nfkd().filter(|c| !is_combining_mark(*c));
    plain
        .map(|c| match c {
            'ı' => 'i',
            // The end of a Greek word, which capitals do not tell from its middle.
            'ς' => 'σ',
            '’' => '\'',
            _ => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn letters_lose_case_and_accents_and_keep_their_place() {
        let text = "İzmir’de ŞEKERSİZ çay — 東京, naïve…";
        let plain = PlainText::of(text);
        assert_eq!(plain.bytes(), b"izmir'de sekersiz cay - __, naive.");
        assert_eq!(&text[plain.range(9..17)], "ŞEKERSİZ");
        assert_eq!(plain.range(0..plain.bytes().len()), 0..text.len());
        assert_eq!(PlainText::of("A\tB\nc").bytes(), b"a b\nc");
        assert_eq!(plain_pattern("şeker(?:li|siz)"), "seker(?:li|siz)");
        assert_eq!((fold("ΟΔΟΣ"), fold("Ayşe")), (fold("οδος"), "ayse".to_owned()));
    }

    proptest! {
        #[test]
        fn every_byte_has_its_place(text in ".{0,60}") {
            let plain = PlainText::of(&text);
            for end in 0..=plain.bytes().len() {
                assert!(text.is_char_boundary(plain.range(0..end).end));
            }
        }
    }
}

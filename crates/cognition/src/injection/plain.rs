//! Plain text: what a reader hears, whatever characters it is written with.

use std::ops::Range;
use unicode_normalization::char::decompose_compatible;

/// This many letters with a sign between any two are one spelled word; next to one, two are.
const MIN_SPELLED_LETTERS: usize = 4;

/// Letters of other alphabets that look like Latin ones, and the Latin ones.
const LOOKALIKES: [(&str, &str); 3] = [
    ("асԁеһіјӏкмопрԛѕтуѵхвнг", "acdehijlkmonpqstyvxbhr"),
    ("αβεικνορτυχηωγ", "abeiknoptuxnwy"),
    ("ıøłđɑɡ", "iolgag"),
];

/// A text in small letters without marks, and where each of them came from.
pub(super) struct PlainWindow {
    /// ASCII; a run of blanks is one, a line break stays one.
    pub text: String,
    from: Vec<u32>,
}

/// Where a window begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WindowStart {
    /// With the text, and so with a line.
    Line,
    /// Somewhere in a line.
    MidLine,
}

impl PlainWindow {
    pub(super) fn of(window: &str, start: WindowStart) -> Self {
        let mut letters: Vec<(char, u32)> = Vec::with_capacity(window.len() + 1);
        letters.extend((start == WindowStart::Line).then_some(('\n', 0)));
        for (at, c) in window.char_indices() {
            push_plain_chars(c, |c| letters.push((c, at as u32)));
        }
        Self::squeezed(&with_spelled_words_joined(&letters), window.len() as u32)
    }

    /// The text without light disguise: digits and signs that stand for letters, signs in place of spaces. None if that is
    /// the same.
    pub(super) fn undisguised(&self) -> Option<Self> {
        let bytes = self.text.as_bytes();
        let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
        let near = |at: usize| {
            is_letter(at + 1) || at > 0 && is_letter(at - 1) || {
                // Two digits in one word: `pr3v10us`.
                at > 1 && is_letter(at - 2) && is_letter(at + 1)
                    || is_letter(at + 2) && at > 0 && is_letter(at - 1)
            }
        };
        let letter = |(at, byte): (usize, &u8)| match byte {
            b'0' if near(at) => 'o',
            b'1' | b'!' | b'|' if near(at) && (*byte == b'1' || is_letter(at + 1)) => 'i',
            b'3' if near(at) => 'e',
            b'4' | b'@' if near(at) => 'a',
            b'5' | b'$' if near(at) => 's',
            b'7' if near(at) => 't',
            b'.' | b'_' | b'-' | b'*' | b'+' if is_letter(at + 1) => ' ',
            byte => char::from(*byte),
        };
        let other: Vec<(char, u32)> =
            bytes.iter().enumerate().map(letter).zip(self.from.iter().copied()).collect();
        let plain = Self::squeezed(&other, *self.from.last()?);
        (plain.text != self.text).then_some(plain)
    }

    /// The range of the window that a range of the plain text came from.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        let at = |place: usize| self.from.get(place).map_or(0, |from| *from as usize);
        at(range.start)..at(range.end)
    }

    /// Letters with one blank for a run of them. There is one more origin than letters: the end.
    fn squeezed(letters: &[(char, u32)], end: u32) -> Self {
        let mut plain = Self { text: String::with_capacity(letters.len()), from: Vec::new() };
        for (c, from) in letters.iter().copied() {
            match (plain.text.as_bytes().last(), c) {
                (Some(b' '), '\n') => {
                    plain.text.pop();
                    plain.text.push('\n');
                }
                (Some(b' ' | b'\n'), ' ') | (Some(b'\n'), '\n') => {}
                _ => {
                    plain.text.push(c);
                    plain.from.push(from);
                }
            }
        }
        plain.from.push(end);
        plain
    }
}

/// A character as plain ones: none for what cannot be seen, a blank for what has no plain form.
fn push_plain_chars(c: char, mut push: impl FnMut(char)) {
    match c {
        '\n' | '\r' => push('\n'),
        _ if c.is_ascii_control() => push(' '),
        _ if c.is_ascii() => push(c.to_ascii_lowercase()),
        '\u{ad}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' => {}
        // Tags: ASCII that is not shown.
        '\u{e0020}'..='\u{e007e}' => push(char::from((c as u32 - 0xe0000) as u8).to_ascii_lowercase()),
        '“' | '”' | '„' | '«' | '»' => push('"'),
        '‘' | '’' => push('\''),
        _ => decompose_compatible(c, |part| match latin_lookalike(part) {
            Some(letter) => push(letter),
            None if is_combining_accent(part) => {}
            None => push(' '),
        }),
    }
}

/// The small Latin letter or sign that a character is or looks like.
fn latin_lookalike(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c.to_ascii_lowercase());
    }
    let small = c.to_lowercase().next().unwrap_or(c);
    LOOKALIKES.iter().find_map(|(others, latin)| {
        let place = others.chars().position(|other| other == small)?;
        latin.chars().nth(place)
    })
}

/// Whether a character is a mark on the one before it.
fn is_combining_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{20d0}'..='\u{20ff}')
}

/// An expression with its letters as plain ones and everything else as it is.
pub(super) fn plain_expression(expression: &str) -> String {
    let mut plain = String::with_capacity(expression.len());
    for c in expression.chars() {
        if c.is_ascii() {
            plain.push(c);
        } else {
            push_plain_chars(c, |c| plain.push(c));
        }
    }
    plain
}

/// Words that were spelled letter by letter, joined: `i g n o r e`.
fn with_spelled_words_joined(letters: &[(char, u32)]) -> Vec<(char, u32)> {
    let is_word = |at: usize| letters.get(at).is_some_and(|(c, _)| c.is_ascii_alphanumeric());
    let mut whole = Vec::with_capacity(letters.len() + 1);
    let mut at = 0;
    let mut spelling = false;
    while at < letters.len() {
        let alone = |at: usize| is_word(at) && !is_word(at + 1) && (at == 0 || !is_word(at - 1));
        let sign = letters.get(at + 1).map(|(sign, _)| *sign).filter(|sign| " .-_*".contains(*sign));
        let mut end = at;
        if let Some(sign) = sign.filter(|_| alone(at)) {
            while alone(end + 2) && letters[end + 1].0 == sign {
                end += 2;
            }
        }
        let count = (end - at) / 2 + 1;
        if count >= MIN_SPELLED_LETTERS || spelling && count >= 2 {
            whole.extend(letters[at..=end].iter().step_by(2));
            spelling = true;
        } else {
            whole.extend(&letters[at..=end]);
            spelling &= letters[at].0 == ' ';
        }
        at = end + 1;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_plain_whatever_it_is_written_with() {
        for (text, plain) in [
            ("Ig\u{200b}nore  ALL", "\nignore all"),
            ("Ignоre prеvious", "\nignore previous"),
            ("ｉｇｎｏｒｅ", "\nignore"),
            ("i g n o r e   t h i s", "\nignore this"),
            ("I.G.N.O.R.E it", "\nignore it"),
            ("a b c", "\na b c"),
            ("Önceki \n İŞ yığını", "\nonceki\nis yigini"),
            ("“x” 東京 y", "\n\"x\" y"),
        ] {
            assert_eq!(PlainWindow::of(text, WindowStart::Line).text, plain, "{text}");
        }
        let undisguised =
            |text: &str| PlainWindow::of(text, WindowStart::MidLine).undisguised().map(|plain| plain.text);
        assert_eq!(undisguised("!gn0r3 pr3v10us"), Some("ignore previous".into()));
        assert_eq!(undisguised("ignore.all"), Some("ignore all".into()));
        assert_eq!(undisguised("in 2024, 5 of 7"), None);
    }
}

//! Signs that nobody sees and that change what is seen: controls of a terminal, and controls of the direction of writing.

use std::borrow::Cow;

/// Stands for a sign that is not shown.
const SHOWN_AS: char = '\u{fffd}';

/// Whether a character controls a terminal or the direction in which others are read. Line breaks and tabs do not count.
pub fn is_invisible_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with a visible sign in place of each that is none.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_invisible_control) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(is_invisible_control, SHOWN_AS.encode_utf8(&mut [0; 4])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_a_cursor_or_turns_words_around_is_shown_as_a_sign() {
        assert_eq!(visible("a\u{9b}2Jb\u{202e}c\u{1b}[0m\r"), "a\u{fffd}2Jb\u{fffd}c\u{fffd}[0m\u{fffd}");
        for text in ["şifre\n\tline", "👩‍👩‍👧 family", "عربى"] {
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text}");
        }
    }
}

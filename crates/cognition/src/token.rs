//! Tokens: the words of a text with what stands around them, for everything that reads a text word by word.

use crate::{
    abbreviation::abbreviation,
    lexicon::AbbreviationsClass,
    plain::{fold, folded},
};
use std::{borrow::Cow, ops::Range};
use unicode_normalization::char::is_combining_mark;

/// Bytes of a text that are read. Anything longer was not said by a person.
pub(crate) const MAX_READ_BYTES: usize = 1 << 15;

/// Characters of a chunk without spaces that are checked for an address.
const MAX_ADDRESS_CHARS: usize = 300;

/// Bytes of the longest date that is added to a text: two days with a stroke between them.
const MAX_ADDED_DATE_BYTES: usize = 21;

/// The gap between a word and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Spaces, or the point of an abbreviation.
    Space,
    /// A comma.
    Comma,
    /// Any other sign, or a new line.
    Break,
}

/// A word of a text.
#[derive(Debug, Clone)]
pub(crate) struct Token<'t> {
    /// Where it begins.
    pub start: usize,
    /// Where it ends, without what follows an apostrophe.
    pub end: usize,
    /// Where it ends with what follows an apostrophe.
    pub whole_end: usize,
    /// As it is written, without what follows an apostrophe.
    pub text: &'t str,
    /// The small letters after an apostrophe: `s` in `Ana's`, `da` in `Ankara'da`.
    pub ending: &'t str,
    /// In plain small letters.
    pub fold: Cow<'t, str>,
    /// Whether a sentence begins with it.
    pub first: bool,
    /// The gap before it.
    pub gap: Gap,
    /// Whether a backtick stands before it.
    pub ticked: bool,
}

impl<'t> Token<'t> {
    /// The same word in the part of its text that begins at `start`.
    pub(crate) fn moved(&self, start: usize) -> Token<'t> {
        let (from, end, whole_end) = (self.start - start, self.end - start, self.whole_end - start);
        Token { start: from, end, whole_end, ..self.clone() }
    }

    /// Nothing stands before it any more.
    pub(crate) fn begin_text(&mut self) {
        (self.first, self.gap, self.ticked) = (true, Gap::Break, false);
    }

    /// Whether it begins with a capital.
    pub(crate) fn is_capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Whether it is two or more letters and all of them are capitals.
    pub(crate) fn is_upper(&self) -> bool {
        let mut letters = self.text.chars().filter(|c| c.is_alphabetic());
        letters.clone().count() >= 2 && letters.all(char::is_uppercase)
    }

    /// Whether a capital follows a small letter inside it.
    pub(crate) fn is_camel(&self) -> bool {
        let mut small = false;
        let mut hump = false;
        for c in self.text.chars() {
            hump |= small && c.is_uppercase();
            small = c.is_lowercase();
        }
        hump && !self.text.contains(['-', '.', '\'', '’'])
    }

    /// In plain small letters, with what follows the apostrophe: `don't`.
    pub(crate) fn whole_fold(&self) -> String {
        if self.ending.is_empty() {
            return self.fold.to_string();
        }
        format!("{}'{}", self.fold, fold(self.ending))
    }
}

/// The head of a text that is read.
pub(crate) fn read(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_READ_BYTES)]
}

/// The words of a sentence that stands somewhere in a text. Addresses (of pages, mails and files) are not words.
pub(crate) fn push_tokens<'t>(text: &'t str, sentence: Range<usize>, tokens: &mut Vec<Token<'t>>) {
    let text = &text[..sentence.end];
    let begins = tokens.len();
    let mut between = Between { first: true, gap: Gap::Break, ticked: false, before: ' ' };
    let mut at = sentence.start;
    while let Some(c) = text[at..].chars().next() {
        if between.before.is_whitespace()
            && let Some(length) = address(&text[at..])
        {
            at += length;
            between = Between { first: false, gap: Gap::Break, ticked: false, before: 'a' };
            continue;
        }
        if matches!(c, '[' | ']') && stands_at_added_date(text, at) {
            between = Between { first: between.first, gap: Gap::Break, ticked: false, before: c };
            at += c.len_utf8();
            continue;
        }
        if !c.is_alphanumeric() && !is_dotted_name(&text[at..], between.before) {
            let last = tokens[begins..].last();
            let abbreviated =
                c == '.' && last.is_some_and(|token| token.whole_end == at && is_abbreviated(token));
            between.pass(c, abbreviated);
            at += c.len_utf8();
            continue;
        }
        let token = token(text, at, &between);
        at = token.whole_end;
        tokens.push(token);
        between = Between { first: false, gap: Gap::Space, ticked: false, before: 'a' };
    }
}

/// Whether this is how a date is written that was added to a text: `2023-05-07`, `2023-05`, `2023-05-01/2023-05-07`.
pub(crate) fn is_added_date(inner: &str) -> bool {
    inner.len() >= 4 && inner.chars().all(|c| c.is_ascii_digit() || c == '-' || c == '/')
}

/// Whether a bracket opens or closes a date that was added: no sentence ends there.
fn stands_at_added_date(text: &str, at: usize) -> bool {
    let inner = if text[at..].starts_with('[') {
        text[at + 1..].split_once(']').map(|(inner, _)| inner)
    } else {
        text[..at].rsplit_once('[').map(|(_, inner)| inner)
    };
    inner.is_some_and(|inner| inner.len() <= MAX_ADDED_DATE_BYTES && is_added_date(inner))
}

/// The characters passed since the last word.
struct Between {
    first: bool,
    gap: Gap,
    ticked: bool,
    before: char,
}

impl Between {
    fn pass(&mut self, c: char, abbreviated: bool) {
        let ends = matches!(c, '.' | '!' | '?' | '…' | '\n' | ':' | '*' | '•' | '[' | ']');
        let quotes = matches!(c, '"' | '“' | '«' | '„') && !self.before.is_alphanumeric();
        let sign = !c.is_ascii() && !c.is_whitespace() && !"‘’“”«»„–—…".contains(c) && !is_combining_mark(c);
        match c {
            _ if abbreviated => {}
            _ if ends || quotes || sign => (self.first, self.gap) = (true, Gap::Break),
            ',' if self.gap == Gap::Space => self.gap = Gap::Comma,
            _ if c.is_whitespace() => {}
            _ => self.gap = Gap::Break,
        }
        self.ticked = c == '`';
        self.before = c;
    }
}

/// Whether the point after a word belongs to it: an initial or an abbreviation.
fn is_abbreviated(token: &Token) -> bool {
    let initial = token.text.chars().count() == 1 && token.is_capital();
    initial || token.text.ends_with('.') || abbreviation(token.text).is_some_and(is_read_with_next)
}

/// Whether an abbreviation and the word after it are read as if only a space stood between.
fn is_read_with_next(class: AbbreviationsClass) -> bool {
    match class {
        AbbreviationsClass::Title | AbbreviationsClass::Company | AbbreviationsClass::Plain => true,
        AbbreviationsClass::NameFollows => false,
    }
}

/// `.NET`: a name that begins with a point.
fn is_dotted_name(text: &str, before: char) -> bool {
    let mut chars = text.chars();
    chars.next() == Some('.') && chars.next().is_some_and(char::is_uppercase) && before.is_whitespace()
}

/// How long the address is that a text begins with, if it does.
fn address(text: &str) -> Option<usize> {
    let end = text.char_indices().take(MAX_ADDRESS_CHARS).find(|(_, c)| c.is_whitespace());
    let chunk = end.map_or(text, |(end, _)| &text[..end]);
    let chunk = &chunk[..chunk.floor_char_boundary(MAX_ADDRESS_CHARS * 4)];
    let inner = chunk.trim_matches(|c: char| !c.is_alphanumeric());
    let is_address = inner.contains("://")
        || inner.contains('@')
        || inner.starts_with("www.")
        || (chunk.starts_with(['/', '~']) && chunk.matches('/').count() > 1);
    is_address.then(|| text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// The word that begins at `start`.
fn token<'t>(text: &'t str, start: usize, between: &Between) -> Token<'t> {
    let mut end = start;
    let mut chars = text[start..].char_indices().peekable();
    let mut upper = true;
    let mut ending = end..end;
    while let Some((offset, c)) = chars.next() {
        let at = start + offset;
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let inside = match c {
            '_' => true,
            '.' => {
                at == start || next.is_lowercase() || next.is_ascii_digit() || (upper && next.is_uppercase())
            }
            '-' | '&' => next.is_alphanumeric(),
            '\'' | '’' => next.is_uppercase(),
            '+' => at - start == 1 && next == '+' || text[start..at].ends_with('+'),
            '#' => at - start == 1,
            _ => c.is_alphanumeric() || is_combining_mark(c),
        };
        if matches!(c, '\'' | '’') && next.is_lowercase() {
            let from = at + c.len_utf8();
            let letters = text[from..].find(|c: char| !c.is_alphabetic()).unwrap_or(text.len() - from);
            ending = from..from + letters;
        }
        if !inside {
            break;
        }
        upper &= c.is_uppercase() || !c.is_alphabetic();
        end = at + c.len_utf8();
    }
    let point = text[end..].starts_with('.');
    let word = &text[start..end];
    if point && (upper && word.contains('.') || abbreviation(word) == Some(AbbreviationsClass::Company)) {
        end += 1;
    }
    Token {
        start,
        end,
        whole_end: if ending.is_empty() { end } else { ending.end },
        text: &text[start..end],
        ending: &text[ending],
        fold: folded(&text[start..end]),
        first: between.first,
        gap: between.gap,
        ticked: between.ticked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stands_with_what_is_around_it() {
        let read = |text| {
            let mut tokens = Vec::new();
            push_tokens(text, 0..text.len(), &mut tokens);
            tokens
                .iter()
                .map(|t| format!("{}|{}{}", t.text, t.ending, if t.first { "*" } else { "" }))
                .collect::<Vec<_>>()
        };
        assert_eq!(read("Ana's cat. It"), ["Ana|s*", "cat|", "It|*"]);
        assert_eq!(read("Dr. Mehmet Ankara’da"), ["Dr|*", "Mehmet|", "Ankara|da"]);
        assert_eq!(read("Node.js, C++ and C#."), ["Node.js|*", "C++|", "and|", "C#|"]);
        assert_eq!(read("O'Brien at A.Ş. x"), ["O'Brien|*", "at|", "A.Ş.|", "x|"]);
        assert_eq!(read("see https://a.b/C d@e.f now"), ["see|*", "now|"]);
        assert_eq!(read("on .NET"), ["on|*", ".NET|"]);
        assert_eq!(read(""), Vec::<String>::new());
        assert_eq!(fold("İZMİR Ayşe ığdır"), "izmir ayse igdir");
    }
}

//! Secrets that are told by name: `password = …`, "my password is …", "şifrem …", a seed phrase.
//!
//! Names are data. `secret_names` are names of values in code, settings and forms, followed by a sign and the value;
//! `secret_told` are phrases after which the value follows at once. What follows must look like a secret: a type, a
//! reference, code or a plain word is none.

use super::{Form, Sign, look};
use crate::{
    language::{LANGUAGES, is_stop_word},
    pattern::OnUse,
};
use regex::{Captures, Regex};
use std::{ops::Range, sync::LazyLock};

/// No value is longer.
const LONGEST: usize = 256;

/// The label of names that look like those of secrets and are none.
const NONE: &str = "none";

/// Names that are none, in one search.
static NO_NAMES: LazyLock<Regex> = LazyLock::new(|| {
    let none = lines("secret_names").filter(|(kind, _)| *kind == NONE);
    let sources: Vec<&str> = none.map(|(_, source)| source).collect();
    Regex::new(&format!("(?i)(?:{})$", sources.join("|"))).expect("a list that a test reads")
});

/// The lines of a list in every language: kind and expression.
fn lines(list: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = LANGUAGES.iter().flat_map(move |language| language.lines(list));
    lines.map(|line| line.split_once(": ").expect("a kind and an expression"))
}

/// Every form of this file.
pub(super) fn forms() -> impl Iterator<Item = Form> {
    let told = lines("secret_told").map(move |(kind, source)| {
        // The sign that ends a phrase belongs to what follows it.
        let source = format!("(?i)(?:{})[ \\t\\n:=*]", source.replace(' ', "[ \\t]{1,3}"));
        let secret = if kind == "seed phrase" { seed } else { told };
        Form { kind, regex: OnUse::new(source), sign: Sign::Name, secret }
    });
    let named = lines("secret_names").filter(|(kind, _)| *kind != NONE);
    let named = named.map(move |(kind, source)| Form {
        kind,
        regex: OnUse::new(format!("(?i){source}")),
        sign: Sign::Name,
        secret: named_value,
    });
    named.chain(told)
}

/// A value and what stands around it.
struct Value<'t> {
    text: &'t str,
    range: Range<usize>,
    quoted: bool,
}

/// The value that begins at `at`: what is in quotes, or all up to a space.
fn value(text: &str, at: usize) -> Option<Value<'_>> {
    let rest = window(text, at);
    let escaped = rest.starts_with("\\\"");
    let open = if escaped { 2 } else { usize::from(rest.starts_with(['"', '\'', '`'])) };
    if open == 0 && rest.starts_with(['“', '‘', '«']) {
        let open = rest.chars().next()?.len_utf8();
        let end = rest[open..].find(['”', '’', '»'])?;
        return Some(Value {
            text: &rest[open..open + end],
            range: at + open..at + open + end,
            quoted: true,
        });
    }
    if open > 0 {
        let close = &rest[..open];
        let end = rest[open..].find(close).filter(|end| !rest[open..open + end].contains('\n'))?;
        return Some(Value {
            text: &rest[open..open + end],
            range: at + open..at + open + end,
            quoted: true,
        });
    }
    let ends = |c: char| matches!(c, ' ' | '"' | '\'' | '`' | '<' | '>' | '“' | '”') || c.is_whitespace();
    let end = rest.find(ends).or((rest.len() < LONGEST).then_some(rest.len()))?;
    let lead = &text[before(text, at)..at];
    let query = lead.rfind(|c: char| c.is_whitespace() || "?&".contains(c));
    let query = query.is_some_and(|place| lead[place..].starts_with(['?', '&']));
    let word = &rest[..end];
    let word = if query { word.split('&').next().unwrap_or_default() } else { word };
    let word = word.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '\\', '*', '|']);
    Some(Value { text: word, range: at..at + word.len(), quoted: false })
}

/// What follows a place, no more of it than a value could need.
fn window(text: &str, at: usize) -> &str {
    let mut end = text.len().min(at + LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[at..end]
}

/// `name = value`, `name: value`, `--name value`.
fn named_value(text: &str, found: &Captures, kind: &'static str) -> Option<Range<usize>> {
    let name = found.get(0)?;
    let flag = begins(text, name.range())?;
    let rest = window(text, name.end());
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (sign, at) = sign(&rest[digits..], flag)?;
    let mut place = name.end() + digits + at;
    let mut equals = sign == '=';
    for _ in 0..2 {
        let value = value(text, place)?;
        let shout = equals && at == 1 && !name.as_str().contains(|c: char| c.is_lowercase());
        if is_secret(kind, &value, equals, shout) {
            let none = NO_NAMES.is_match(&text[before(text, name.end())..name.end()]);
            return (!none).then_some(value.range);
        }
        // A type may stand between: `password: str = "…"`.
        let after = window(text, value.range.end);
        let next = after.trim_start_matches(' ').strip_prefix("= ")?;
        place = value.range.end + after.len() - next.trim_start_matches(' ').len();
        equals = true;
    }
    None
}

/// Where a name may have begun: a few characters before its end.
fn before(text: &str, end: usize) -> usize {
    let mut from = end.saturating_sub(48);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    from
}

/// Whether a name begins where a word or a part of one does; and if so, whether it is a flag (`--password`).
fn begins(text: &str, name: Range<usize>) -> Option<bool> {
    let previous = text[..name.start].chars().next_back();
    let first = text[name.clone()].chars().next()?;
    let hump = previous.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit()) && first.is_uppercase();
    let shout = name.len() >= 6 && previous.is_some_and(char::is_uppercase) && first.is_uppercase();
    let part = !first.is_alphanumeric() || text[name.clone()].contains('_') && !first.is_lowercase();
    if previous.is_some_and(char::is_alphanumeric) && !hump && !shout && !part {
        return None;
    }
    let word = &text[before(text, name.start)..name.start];
    let start = word.rfind(|c: char| c.is_whitespace()).map_or(0, |at| at + 1);
    Some(word.get(start..).is_some_and(|word| word.starts_with("--")))
}

/// The sign after a name and where the value begins after it.
fn sign(rest: &str, flag: bool) -> Option<(char, usize)> {
    if flag && rest.starts_with(' ') {
        return Some((' ', 1));
    }
    let spaces = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let mut at = rest.len() - rest.trim_start_matches(['"', '\'', '`', '\\', ']', '*']).len();
    if at > 4 {
        return None;
    }
    at += spaces(&rest[at..]);
    let signs = ["value=", ":=", "=>", "->", "→", "===", "==", "=", ":"];
    let sign = signs.into_iter().find(|sign| rest[at..].starts_with(sign))?;
    at += sign.len();
    if sign == ":" && rest[at..].starts_with([':', '/']) {
        return None;
    }
    let gap = rest[at..].len() - rest[at..].trim_start_matches([' ', '\t', '*']).len();
    (gap <= 8).then(|| (if sign.contains('=') { '=' } else { ':' }, at + gap))
}

/// A phrase, then the value.
fn told(text: &str, found: &Captures, kind: &'static str) -> Option<Range<usize>> {
    let phrase = found.get(0)?;
    let inside = text[..phrase.start()].ends_with(char::is_alphanumeric);
    if inside && phrase.as_str().starts_with(char::is_alphanumeric) {
        return None;
    }
    let rest = window(text, phrase.end() - 1);
    let gap = rest.len() - rest.trim_start_matches([' ', '\t', ':', '=', '*']).len();
    if gap == 0 || gap > 8 {
        return None;
    }
    let mut value = value(text, phrase.end() - 1 + gap)?;
    if !value.quoted
        && let Some(suffix) = value.text.find('’')
    {
        value.text = &value.text[..suffix];
        value.range.end = value.range.start + suffix;
    }
    let ending = text[value.range.end..].strip_prefix(['\'', '’']);
    let inflected = !value.quoted && ending.is_some_and(|ending| ending.starts_with(char::is_alphabetic));
    let number = value.text.bytes().all(|byte| byte.is_ascii_digit());
    if inflected && number && value.text.len() == 4 {
        return None;
    }
    (if kind == "password" {
        is_password(&value, value.quoted, false)
    } else {
        is_secret(kind, &value, true, false)
    })
    .then_some(value.range)
}

/// Whether a value is a secret of its kind. `equals`: after `=`; `shout`: as settings of a shell are written.
fn is_secret(kind: &str, value: &Value, equals: bool, shout: bool) -> bool {
    match kind {
        "password" => is_password(value, value.quoted && equals, shout),
        "pin" => (4..=8).contains(&value.text.len()) && value.text.bytes().all(|byte| byte.is_ascii_digit()),
        "aws secret key" => {
            let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"/+".contains(&byte);
            value.text.len() == 40 && value.text.bytes().all(base64) && look::distinct(value.text) >= 16
        }
        _ => look::is_random(value.text),
    }
}

/// Whether a value is a password: letters with digits or signs among them, or five digits; a plain word only where it
/// must be meant (`words`: in quotes).
fn is_password(value: &Value, words: bool, shout: bool) -> bool {
    let text = value.text.trim_end_matches(['!', '?']);
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let signs = text.bytes().filter(|byte| b"@#$%^&*!?+~".contains(byte)).count();
    let impossible = text.chars().count() < 4
        || text.contains(|c: char| c.is_whitespace())
        || value.text.starts_with(['{', '[', '('])
        || text.ends_with("...")
        || text.contains('…');
    if impossible || look::is_reference(text) || look::is_blank(text) || look::is_innocent(text) {
        return false;
    }
    if !value.quoted && (look::is_code(text) || look::is_measure(text))
        || look::is_measure(text) && letters == 0
    {
        return false;
    }
    match (letters, digits) {
        (0, _) => digits >= 4 && digits == text.len(),
        (_, 0) if signs > 0 => letters + signs >= 6 && !text.starts_with(['&', '*', '@', '!', '#', '%']),
        (_, 0) => {
            let plain = text.bytes().all(|byte| byte.is_ascii_lowercase());
            (words || shout) && plain && letters >= 6
        }
        _ => true,
    }
}

/// Twelve to twenty-four small words of a wallet.
fn seed(text: &str, found: &Captures, _: &'static str) -> Option<Range<usize>> {
    let phrase = found.get(0)?;
    let rest = window(text, phrase.end() - 1);
    let gap = rest.len() - rest.trim_start_matches([' ', '\t', '\n', ':', '"', '“']).len();
    let rest = &rest[gap..];
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
    let begin = phrase.end() - 1 + gap;
    ([12, 15, 18, 21, 24].contains(&count) && grammar * 4 <= count).then(|| begin..begin + end)
}

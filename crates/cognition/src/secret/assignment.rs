//! Secrets that are told by name: `password = …`, "my password is …", "şifrem …", a seed phrase.
//!
//! Names are data. `secret_names` are names of values in code, settings and forms, followed by a sign and the value;
//! `secret_told` are phrases after which the value follows at once. What follows must look like a secret: a type, a
//! reference, code or a plain word is none.

use super::{
    form::{FormSign, SecretForm},
    password::{NamedValue, PlainWords, ValuePlace, judge_password, judge_value},
    rule::{InnocentRule, SecretRule, SecretVerdict},
};
use crate::{
    language::is_stop_word,
    lexicon::{SecretNamesClass, SecretToldClass, classed_entries},
    pattern::LazyRegex,
};
use regex::{Captures, Regex};
use std::{ops::Range, sync::LazyLock};

/// Longer values are no secrets.
const MAX_VALUE_BYTES: usize = 256;

/// Names that look like those of secrets and are none, in one search.
static INNOCENT_NAMES: LazyLock<Regex> = LazyLock::new(|| {
    let none = classed_entries().filter(|entry| named_kind(entry.class).is_none());
    let sources: Vec<&str> = none.map(|entry| entry.text).collect();
    Regex::new(&format!("(?i)(?:{})$", sources.join("|"))).expect("a list that a test reads")
});

/// The kind of secret that has a name of this class; `None` for names that only look like one.
fn named_kind(class: SecretNamesClass) -> Option<&'static str> {
    match class {
        SecretNamesClass::Password => Some("password"),
        SecretNamesClass::Pin => Some("pin"),
        SecretNamesClass::AwsSecretKey => Some("aws secret key"),
        SecretNamesClass::ApiKey => Some("api key"),
        SecretNamesClass::Token => Some("token"),
        SecretNamesClass::Secret => Some("secret"),
        SecretNamesClass::None => None,
    }
}

/// The kind of secret that follows a phrase of this class.
fn told_kind(class: SecretToldClass) -> &'static str {
    match class {
        SecretToldClass::Password => "password",
        SecretToldClass::Pin => "pin",
        SecretToldClass::ApiKey => "api key",
        SecretToldClass::Token => "token",
        SecretToldClass::Secret => "secret",
        SecretToldClass::SeedPhrase => "seed phrase",
    }
}

/// Every form of this file.
pub(super) fn forms() -> impl Iterator<Item = SecretForm> {
    let told = classed_entries().map(|entry| {
        // The sign that ends a phrase belongs to what follows it.
        let source = format!("(?i)(?:{})[ \\t\\n:=*]", entry.text.replace(' ', "[ \\t]{1,3}"));
        let is_seed = entry.class == SecretToldClass::SeedPhrase;
        let judge = if is_seed { judge_seed_phrase } else { judge_told_value };
        SecretForm {
            kind: told_kind(entry.class),
            regex: LazyRegex::new(source),
            sign: FormSign::Name,
            judge,
        }
    });
    let named = classed_entries().filter_map(|entry| {
        Some(SecretForm {
            kind: named_kind(entry.class)?,
            regex: LazyRegex::new(format!("(?i){}", entry.text)),
            sign: FormSign::Name,
            judge: judge_named_value,
        })
    });
    named.chain(told)
}

/// The value that begins at `at`: what is in quotes, or all up to a space.
fn value_at(text: &str, at: usize) -> Option<NamedValue<'_>> {
    let rest = window(text, at);
    let escaped = rest.starts_with("\\\"");
    let open = if escaped { 2 } else { usize::from(rest.starts_with(['"', '\'', '`'])) };
    if open == 0 && rest.starts_with(['“', '‘', '«']) {
        let open = rest.chars().next()?.len_utf8();
        let end = rest[open..].find(['”', '’', '»'])?;
        return Some(NamedValue {
            text: &rest[open..open + end],
            range: at + open..at + open + end,
            quoted: true,
        });
    }
    if open > 0 {
        let close = &rest[..open];
        let end = rest[open..].find(close).filter(|end| !rest[open..open + end].contains('\n'))?;
        return Some(NamedValue {
            text: &rest[open..open + end],
            range: at + open..at + open + end,
            quoted: true,
        });
    }
    let ends = |c: char| matches!(c, ' ' | '"' | '\'' | '`' | '<' | '>' | '“' | '”') || c.is_whitespace();
    let end = rest.find(ends).or((rest.len() < MAX_VALUE_BYTES).then_some(rest.len()))?;
    let lead = &text[name_window(text, at)..at];
    let query = lead.rfind(|c: char| c.is_whitespace() || "?&".contains(c));
    let query = query.is_some_and(|place| lead[place..].starts_with(['?', '&']));
    let word = &rest[..end];
    let word = if query { word.split('&').next().unwrap_or_default() } else { word };
    let word = word.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '\\', '*', '|']);
    Some(NamedValue { text: word, range: at..at + word.len(), quoted: false })
}

/// The text behind a place, no more of it than a value could need.
fn window(text: &str, at: usize) -> &str {
    let mut end = text.len().min(at + MAX_VALUE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[at..end]
}

/// `name = value`, `name: value`, `--name value`.
fn judge_named_value(text: &str, found: &Captures, kind: &'static str) -> SecretVerdict {
    let name = found.get(0).ok_or(InnocentRule::NoValue)?;
    let name_kind = name_begins(text, name.range()).ok_or(InnocentRule::InsideWord)?;
    let rest = window(text, name.end());
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (sign, at) = sign_after(&rest[digits..], name_kind).ok_or(InnocentRule::NoSign)?;
    let mut start = name.end() + digits + at;
    let mut equals = sign == '=';
    let mut innocent = InnocentRule::NoValue;
    for _ in 0..2 {
        let value = value_at(text, start).ok_or(InnocentRule::NoValue)?;
        let shell = equals && at == 1 && !name.as_str().contains(|c: char| c.is_lowercase());
        let place = ValuePlace { equals, shell };
        match judge_value(kind, &value, place) {
            Ok(rule) => {
                let innocent_name = INNOCENT_NAMES.is_match(&text[name_window(text, name.end())..name.end()]);
                return if innocent_name {
                    Err(InnocentRule::InnocentName)
                } else {
                    Ok(rule.at(value.range))
                };
            }
            Err(rule) => innocent = rule,
        }
        // A type may stand between: `password: str = "…"`.
        let after = window(text, value.range.end);
        let next = after.trim_start_matches(' ').strip_prefix("= ").ok_or(innocent)?;
        start = value.range.end + after.len() - next.trim_start_matches(' ').len();
        equals = true;
    }
    Err(innocent)
}

/// Where a name may have begun: a few characters before its end.
fn name_window(text: &str, end: usize) -> usize {
    let mut from = end.saturating_sub(48);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    from
}

/// How the name of a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameKind {
    Plain,
    /// `--password`.
    Flag,
}

/// The kind of name, if it starts at the beginning of a word or of a part of one.
fn name_begins(text: &str, name: Range<usize>) -> Option<NameKind> {
    let previous = text[..name.start].chars().next_back();
    let first = text[name.clone()].chars().next()?;
    let hump = previous.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit()) && first.is_uppercase();
    let shout = name.len() >= 6 && previous.is_some_and(char::is_uppercase) && first.is_uppercase();
    let part = !first.is_alphanumeric() || text[name.clone()].contains('_') && !first.is_lowercase();
    if previous.is_some_and(char::is_alphanumeric) && !hump && !shout && !part {
        return None;
    }
    let word = &text[name_window(text, name.start)..name.start];
    let start = word.rfind(|c: char| c.is_whitespace()).map_or(0, |at| at + 1);
    let flag = word.get(start..).is_some_and(|word| word.starts_with("--"));
    Some(if flag { NameKind::Flag } else { NameKind::Plain })
}

/// The sign after a name and where the value begins after it.
fn sign_after(rest: &str, name: NameKind) -> Option<(char, usize)> {
    if name == NameKind::Flag && rest.starts_with(' ') {
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
fn judge_told_value(text: &str, found: &Captures, kind: &'static str) -> SecretVerdict {
    let phrase = found.get(0).ok_or(InnocentRule::NoValue)?;
    let inside = text[..phrase.start()].ends_with(char::is_alphanumeric);
    if inside && phrase.as_str().starts_with(char::is_alphanumeric) {
        return Err(InnocentRule::InsideWord);
    }
    let rest = window(text, phrase.end() - 1);
    let gap = rest.len() - rest.trim_start_matches([' ', '\t', ':', '=', '*']).len();
    if gap == 0 || gap > 8 {
        return Err(InnocentRule::NoSign);
    }
    let mut value = value_at(text, phrase.end() - 1 + gap).ok_or(InnocentRule::NoValue)?;
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
        return Err(InnocentRule::InflectedNumber);
    }
    let rule = if kind == "password" {
        judge_password(&value, PlainWords::count_if(value.quoted))
    } else {
        judge_value(kind, &value, ValuePlace { equals: true, shell: false })
    };
    rule.map(|rule| rule.at(value.range))
}

/// Twelve to twenty-four small words of a wallet.
fn judge_seed_phrase(text: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let phrase = found.get(0).ok_or(InnocentRule::NoValue)?;
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
    if ![12, 15, 18, 21, 24].contains(&count) || grammar * 4 > count {
        return Err(InnocentRule::NoSeedPhrase);
    }
    Ok(SecretRule::SeedPhrase.at(begin..begin + end))
}

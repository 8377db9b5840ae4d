//! Secrets that stand behind a name: `password = …`, `<password>…</password>`, `--token …`.
//!
//! Names are data. `secret_names` are names of values in code, settings and forms, followed by a sign and the value. What
//! follows must look like a secret: a type, a reference, code or a plain word is none.

use super::{
    form::{FormSign, SecretForm},
    look,
    password::{ValuePlace, judge_value},
    rule::{InnocentRule, SecretRule, SecretVerdict},
    value::{NamedValue, name_window, value_at, window},
};
use crate::{
    lexicon::{SecretNamesClass, classed_entries},
    pattern::LazyRegex,
};
use regex::{Captures, Regex};
use std::{ops::Range, sync::LazyLock};

/// Names that look like those of secrets and are none, in one search.
static INNOCENT_NAMES: LazyLock<Regex> = LazyLock::new(|| {
    let none = classed_entries().filter(|entry| named_kind(entry.class).is_none());
    let sources: Vec<&str> = none.map(|entry| entry.text).collect();
    Regex::new(&format!("(?i)(?:{})$", sources.join("|"))).expect("a list that a test reads")
});

/// Whether the name that ends here only looks like that of a secret: `forgot_password`.
pub(super) fn is_innocent_name(text: &str, end: usize) -> bool {
    INNOCENT_NAMES.is_match(&text[name_window(text, end)..end])
}

/// The kind of secret that has a name of this class; `None` for names that only look like one.
fn named_kind(class: SecretNamesClass) -> Option<&'static str> {
    match class {
        SecretNamesClass::Password | SecretNamesClass::Weak => Some("password"),
        SecretNamesClass::Pin => Some("pin"),
        SecretNamesClass::AwsSecretKey => Some("aws secret key"),
        SecretNamesClass::ApiKey | SecretNamesClass::BareKey => Some("api key"),
        SecretNamesClass::Token => Some("token"),
        SecretNamesClass::Secret => Some("secret"),
        SecretNamesClass::OneTimeKey => Some("one-time key"),
        SecretNamesClass::CardCode => Some("card code"),
        SecretNamesClass::None => None,
    }
}

/// Every form of this file.
pub(super) fn forms() -> impl Iterator<Item = SecretForm> {
    classed_entries().filter_map(|entry| {
        let weak = matches!(entry.class, SecretNamesClass::Weak | SecretNamesClass::BareKey);
        let judge = if weak { judge_weakly_named_value } else { judge_named_value };
        Some(SecretForm {
            kind: named_kind(entry.class)?,
            regex: LazyRegex::new(format!("(?i){}", entry.text)),
            sign: FormSign::Name,
            judge,
        })
    })
}

/// A name that stands before other things too: the value must look like nothing but a secret.
fn judge_weakly_named_value(text: &str, found: &Captures, kind: &'static str) -> SecretVerdict {
    let secret = judge_named_value(text, found, kind)?;
    let value = &text[secret.range.clone()];
    let likely = if kind == "password" { look::is_strong(value) } else { look::is_mixed_chance(value) };
    if likely { Ok(secret) } else { Err(InnocentRule::WeakPassword) }
}

/// `name = value`, `name: value`, `--name value`, `<name>value</name>`.
fn judge_named_value(text: &str, found: &Captures, kind: &'static str) -> SecretVerdict {
    let name = found.get(0).ok_or(InnocentRule::NoValue)?;
    let name_kind = name_begins(text, name.range()).ok_or(InnocentRule::InsideWord)?;
    let rest = window(text, name.end());
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = name.end() + digits;
    let (value, place) = if let Some(value) = element_value(text, after, name.as_str()) {
        (value, ValuePlace { equals: true, shell: false })
    } else {
        let sign = sign_after(&rest[digits..], name_kind).ok_or(InnocentRule::NoSign)?;
        let shell = sign.equals && sign.end == 1 && !name.as_str().contains(|c: char| c.is_lowercase());
        let value = value_at(text, after + sign.end).ok_or(InnocentRule::NoValue)?;
        if sign.next_line && !stands_on_a_line_of_its_own(text, &value, kind) {
            return Err(InnocentRule::NoValue);
        }
        (value, ValuePlace { equals: sign.equals, shell })
    };
    let (rule, range) = judge_value_or_next(text, kind, value, place)?;
    if is_innocent_name(text, name.end()) { Err(InnocentRule::InnocentName) } else { Ok(rule.at(range)) }
}

/// The verdict about a value; or about the one behind it, since a type may stand between: `password: str = "…"`.
fn judge_value_or_next(
    text: &str,
    kind: &'static str,
    value: NamedValue,
    place: ValuePlace,
) -> Result<(SecretRule, Range<usize>), InnocentRule> {
    let innocent = match judge_value(kind, &value, place) {
        Ok(rule) => return Ok((rule, value.range)),
        Err(innocent) => innocent,
    };
    let after = window(text, value.range.end);
    let next = after.trim_start_matches(' ').strip_prefix("= ").ok_or(innocent)?;
    let start = value.range.end + after.len() - next.trim_start_matches(' ').len();
    let value = value_at(text, start).ok_or(InnocentRule::NoValue)?;
    let rule = judge_value(kind, &value, ValuePlace { equals: true, ..place })?;
    Ok((rule, value.range))
}

/// Whether a value below its name is all that the line holds, and looks like nothing but a secret.
fn stands_on_a_line_of_its_own(text: &str, value: &NamedValue, kind: &str) -> bool {
    let after = text[value.range.end..].trim_start_matches(['"', '\'', '.', ' ', '\r']);
    let ends = after.is_empty() || after.starts_with('\n');
    ends && (kind != "password" || look::is_strong(value.text))
}

/// The text of an element whose name ends at `after`, or that has it for an attribute; or of the element behind it, where
/// one says the name and the next the value.
fn element_value<'t>(text: &'t str, after: usize, name: &str) -> Option<NamedValue<'t>> {
    let rest = window(text, after);
    let open = match rest.strip_prefix("</") {
        Some(closing) => {
            let next = closing.split_once('>')?.1.trim_start();
            rest.len() - next.strip_prefix("<value>")?.len()
        }
        None => rest.len() - rest.trim_start_matches(['"', '\'']).strip_prefix('>')?.len(),
    };
    let inner = &rest[open..];
    let end = inner.find('<').filter(|end| inner[*end..].starts_with("</"))?;
    let closing = inner[end + 2..].split('>').next()?;
    // An element of that name says nothing but the secret; another may say what it likes.
    let own = closing.len() >= name.len()
        && closing.is_char_boundary(closing.len() - name.len())
        && closing[closing.len() - name.len()..].eq_ignore_ascii_case(name);
    let value = &inner[..end];
    Some(NamedValue { text: value, range: after + open..after + open + end, quoted: own })
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
    // `dbpassword`: a long name is one at the end of a word, too.
    let long = name.len() >= 8 && text[name.clone()].chars().all(char::is_alphabetic);
    let shout = name.len() >= 6 && previous.is_some_and(char::is_uppercase) && first.is_uppercase();
    let part = !first.is_alphanumeric() || text[name.clone()].contains('_') && !first.is_lowercase();
    if previous.is_some_and(char::is_alphanumeric) && !hump && !shout && !part && !long {
        return None;
    }
    let word = &text[name_window(text, name.start)..name.start];
    let start = word.rfind(|c: char| c.is_whitespace()).map_or(0, |at| at + 1);
    let flag = word.get(start..).is_some_and(|word| word.starts_with("--"));
    Some(if flag { NameKind::Flag } else { NameKind::Plain })
}

/// The sign between a name and its value.
struct NameSign {
    equals: bool,
    /// Where the value begins.
    end: usize,
    /// The value stands on another line.
    next_line: bool,
}

/// The sign after a name and where the value begins after it.
fn sign_after(rest: &str, name: NameKind) -> Option<NameSign> {
    if name == NameKind::Flag && rest.starts_with(' ') {
        return Some(NameSign { equals: false, end: 1, next_line: false });
    }
    let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let mut at = rest.len() - rest.trim_start_matches(['"', '\'', '`', '\\', ']', '*']).len();
    if at > 4 {
        return None;
    }
    // A list of settings names each and gives its value below: `- name: PASSWORD`, `value: …`.
    let below = rest[at..].trim_start();
    at = if below.starts_with("value:") { rest.len() - below.len() } else { at + blanks(&rest[at..]) };
    let signs = ["value=", "value:", ":=", "=>", "->", "→", "===", "==", "=", ":"];
    let sign = signs.into_iter().find(|sign| rest[at..].starts_with(sign))?;
    at += sign.len();
    if sign == ":" && rest[at..].starts_with([':', '/']) {
        return None;
    }
    let mut gap = rest[at..].len() - rest[at..].trim_start_matches([' ', '\t', '*']).len();
    let next_line = sign == ":" && rest[at + gap..].starts_with(['\n', '\r']);
    if next_line {
        gap = rest[at..].len() - rest[at..].trim_start_matches([' ', '\t', '*', '\n', '\r']).len();
    }
    (gap <= 8).then(|| NameSign { equals: sign.contains('='), end: at + gap, next_line })
}

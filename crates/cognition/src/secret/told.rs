//! Secrets that are told in words: "my password is …", "şifrem …", the code of a door, a seed phrase. `secret_told` are the
//! phrases, data; what follows (or, for some, stands before) must look like a secret.

use super::{
    assignment::is_innocent_name,
    form::{FormSign, SecretForm},
    look,
    password::{PlainWords, ValuePlace, judge_password, judge_value},
    phrase::{passphrase_in, seed_phrase_in},
    rule::{InnocentRule, SecretRule, SecretVerdict},
    value::{NamedValue, value_at, window},
};
use crate::{
    lexicon::{SecretToldClass, classed_entries},
    pattern::LazyRegex,
};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Judges one match of a phrase.
type PhraseJudge = fn(&str, &Captures, &'static str) -> SecretVerdict;

/// The kind of secret that a phrase of this class tells, and how its value is judged.
fn told(class: SecretToldClass) -> (&'static str, PhraseJudge) {
    match class {
        SecretToldClass::Password => ("password", judge_told_value),
        SecretToldClass::Strong => ("password", judge_strong),
        SecretToldClass::Before | SecretToldClass::Pair => ("password", judge_group),
        SecretToldClass::Passphrase => ("password", judge_passphrase),
        SecretToldClass::Pin => ("pin", judge_told_value),
        SecretToldClass::Code => ("code", judge_code),
        SecretToldClass::CardCode => ("card code", judge_code),
        SecretToldClass::CodeList => ("code", judge_code_list),
        SecretToldClass::OneTimeKey => ("one-time key", judge_one_time_key),
        SecretToldClass::ApiKey => ("api key", judge_told_value),
        SecretToldClass::Token => ("token", judge_told_value),
        SecretToldClass::Secret => ("secret", judge_told_value),
        SecretToldClass::SeedPhrase => ("seed phrase", judge_seed_phrase),
    }
}

/// Every form of this file.
pub(super) fn forms() -> impl Iterator<Item = SecretForm> {
    classed_entries().map(|entry| {
        let phrase = entry.text.replace(' ', "[ \\t]{1,3}");
        let source = match entry.class {
            SecretToldClass::Before => format!("(?i)([^\\s\"'“”]+)[\"'”]?[ \\t](?:{phrase})\\b"),
            SecretToldClass::Pair => format!("(?i)(?:{phrase})[ \\t:=]+[^\\n/:,]+[ \\t]/[ \\t](\\S+)"),
            // The sign that ends a phrase belongs to what follows it.
            _ => format!("(?i)(?:{phrase})[ \\t\\n:=*]"),
        };
        let (kind, judge) = told(entry.class);
        SecretForm { kind, regex: LazyRegex::new(source), sign: FormSign::Name, judge }
    })
}

/// Where the value behind a phrase begins, and whether that is on another line.
fn value_start(text: &str, found: &Captures) -> Result<(usize, bool), InnocentRule> {
    let phrase = found.get(0).ok_or(InnocentRule::NoValue)?;
    let inside = text[..phrase.start()].ends_with(char::is_alphanumeric);
    if inside && phrase.as_str().starts_with(char::is_alphanumeric) {
        return Err(InnocentRule::InsideWord);
    }
    let rest = window(text, phrase.end() - 1);
    let gap = rest.len() - rest.trim_start_matches([' ', '\t', ':', '=', '*', '\n', '\r']).len();
    if gap == 0 || gap > 8 {
        return Err(InnocentRule::NoSign);
    }
    Ok((phrase.end() - 1 + gap, rest[..gap].contains('\n')))
}

/// A phrase, then the value.
fn judge_told_value(text: &str, found: &Captures, kind: &'static str) -> SecretVerdict {
    let (start, next_line) = value_start(text, found)?;
    let value = told_value(text, start)?;
    let rule = match kind {
        "password" if next_line => decided_strong(text, &value),
        "password" if value.quoted => judge_password(&value, PlainWords::Count),
        "password" => judge_password(&value, PlainWords::DoNotCount),
        _ => judge_value(kind, &value, ValuePlace { equals: true, shell: false }),
    };
    rule.map(|rule| rule.at(value.range))
}

/// The value without the ending that a language puts on it.
fn told_value(text: &str, start: usize) -> Result<NamedValue<'_>, InnocentRule> {
    let mut value = value_at(text, start).ok_or(InnocentRule::NoValue)?;
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
    Ok(value)
}

/// On a line of its own, or with no sign before it, a password must look like nothing else.
fn decided_strong(text: &str, value: &NamedValue) -> Result<SecretRule, InnocentRule> {
    let called = text[value.range.end..].starts_with(['(', '[', ':', '=']);
    if called || !look::is_strong(value.text) {
        return Err(InnocentRule::WeakPassword);
    }
    Ok(SecretRule::StrongPassword)
}

fn judge_strong(text: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let name = found.get(0).ok_or(InnocentRule::NoValue)?;
    if is_innocent_name(text, name.end() - 1) {
        return Err(InnocentRule::InnocentName);
    }
    let (start, _) = value_start(text, found)?;
    let value = told_value(text, start)?;
    decided_strong(text, &value).map(|rule| rule.at(value.range))
}

/// The password is in the group of the expression.
fn judge_group(text: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let group = found.get(1).ok_or(InnocentRule::NoValue)?;
    let word = group.as_str().trim_end_matches(['.', ',', ';', ')']);
    let range = group.start()..group.start() + word.len();
    let value = NamedValue { text: word, range, quoted: false };
    decided_strong(text, &value).map(|rule| rule.at(value.range))
}

/// Several words, or what any password is.
fn judge_passphrase(text: &str, found: &Captures, kind: &'static str) -> SecretVerdict {
    let (start, _) = value_start(text, found)?;
    let line = window(text, start);
    let Some(range) = passphrase_in(line).filter(|_| !line.starts_with(['"', '\'', '“'])) else {
        return judge_told_value(text, found, kind);
    };
    Ok(SecretRule::Passphrase.at(start + range.start..start + range.end))
}

/// Digits, in one run or in two or three groups.
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[0-9]{2,4}(?:[ -][0-9]{2,4}){1,2}(?-u:\b)|[0-9]{3,8})").expect("a pattern")
});

/// The code of a door or a card, or one that was sent: as many digits as it has.
fn judge_code(text: &str, found: &Captures, kind: &'static str) -> SecretVerdict {
    let (start, _) = value_start(text, found)?;
    let code = CODE.find(window(text, start)).ok_or(InnocentRule::NoCode)?;
    let digits = code.as_str().bytes().filter(u8::is_ascii_digit).count();
    let fewest = if kind == "card code" { 3 } else { 4 };
    let mut after = text[start + code.end()..].chars();
    let goes_on = match after.next() {
        Some('.' | ',') => after.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_alphanumeric() || "%/:".contains(c),
        None => false,
    };
    if !(fewest..=8).contains(&digits) || goes_on {
        return Err(InnocentRule::NoCode);
    }
    Ok(SecretRule::Code.at(start..start + code.end()))
}

/// Codes to come back with: groups of letters and digits, one after another.
fn judge_code_list(text: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    static LIST: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:[0-9A-Za-z]{4,10}(?:[ -][0-9A-Za-z]{4,10})?(?:[,;]? ?\n?|$)){2,16}")
            .expect("a pattern")
    });
    let (start, _) = value_start(text, found)?;
    let list = LIST.find(window(text, start)).ok_or(InnocentRule::NoCode)?.as_str().trim_end();
    let codes = list.split(|c: char| !c.is_ascii_alphanumeric()).filter(|code| !code.is_empty());
    let with_digits = codes.clone().filter(|code| code.bytes().any(|byte| byte.is_ascii_digit())).count();
    if with_digits * 3 < codes.count() * 2 {
        return Err(InnocentRule::NoCode);
    }
    Ok(SecretRule::CodeList.at(start..start + list.len()))
}

/// Base32 in one run or in groups of four.
fn judge_one_time_key(text: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    static KEY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:[A-Za-z2-7]{4}(?:[ -][A-Za-z2-7]{4}){3,15}|[A-Za-z2-7]{16,128})(?-u:\b)")
            .expect("a pattern")
    });
    let (start, _) = value_start(text, found)?;
    let key = KEY.find(window(text, start)).ok_or(InnocentRule::NoOneTimeKey)?;
    if !look::is_one_time_key(key.as_str()) {
        return Err(InnocentRule::NoOneTimeKey);
    }
    Ok(SecretRule::OneTimeKey.at(start..start + key.end()))
}

/// Twelve to twenty-four small words of a wallet.
fn judge_seed_phrase(text: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let phrase = found.get(0).ok_or(InnocentRule::NoValue)?;
    let rest = window(text, phrase.end() - 1);
    let gap = rest.len() - rest.trim_start_matches([' ', '\t', '\n', ':', '"', '“']).len();
    let begin = phrase.end() - 1 + gap;
    let end = seed_phrase_in(&rest[gap..]).ok_or(InnocentRule::NoSeedPhrase)?;
    Ok(SecretRule::SeedPhrase.at(begin..begin + end))
}

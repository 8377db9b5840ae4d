//! Secrets that the form of a text gives away: the string of a Wi-Fi code, the address of one-time codes, cookies, parameters
//! of an address, and what stands beside a secret that is masked already.

use super::{
    form::{FormSign, SecretForm},
    look,
    rule::{InnocentRule, SecretRule, SecretVerdict},
};
use crate::pattern::LazyRegex;
use regex::{Captures, Regex};
use std::{ops::Range, sync::LazyLock};

const WIFI: &str = r"(?i-u:WIFI):(?:[^\n;]+;)*?P:((?:[^;\\\n]|\\.)+);";
const ONE_TIME_ADDRESS: &str = r"(?i-u:otpauth://)[^\s]+?[?&](?i-u:secret)=([A-Za-z2-7]{8,128}=*)";
const COOKIE: &str = r"(?i-u:cookie): (?:[^\n]*?; ?)??[A-Za-z0-9_.-]+=([!-:<-~]{16,})";
const PARAMETER: &str = concat!(
    r"://[^\s]+?[?&](?i-u:(?:[a-z0-9]+[_-])*",
    r"(?:sig|signature|key|code|auth|token|secret|hmac|ticket|sid|session))=([A-Za-z0-9_.~+/%-]{16,}=*)"
);
const USER_KEY: &str = r"https://([0-9a-f]{32})@";
const PUTTY: &str = r"Private-Lines: [0-9]{1,3}\r?\n((?:[A-Za-z0-9+/=]{16,76}(?:\r?\n)?)+)";

/// The mask of a card's number; its date and the digits on its back stand near it.
const CARD_MASK: &str = r"\[secret: card number\]";
/// The mask of a cloud key's id; forty characters of base64 near it are the key.
const KEY_ID_MASK: &str = r"\[secret: aws access key\]";
/// Bytes around a mask in which what belongs to it stands.
const NEAR_BYTES: usize = 80;

/// Every form of this file.
pub(super) fn forms() -> impl Iterator<Item = SecretForm> {
    let form =
        |kind, source: &str, sign, judge| SecretForm { kind, regex: LazyRegex::new(source), sign, judge };
    [
        form("password", WIFI, FormSign::Name, judge_wifi),
        form("one-time key", ONE_TIME_ADDRESS, FormSign::Name, judge_one_time_address),
        form("token", COOKIE, FormSign::Name, judge_chance),
        form("token", PARAMETER, FormSign::Run, judge_chance),
        form("token", USER_KEY, FormSign::Run, judge_chance),
        form("private key", PUTTY, FormSign::Name, judge_chance),
        form("card expiry", CARD_MASK, FormSign::Name, judge_expiry),
        form("card code", CARD_MASK, FormSign::Name, judge_card_code),
        form("aws secret key", KEY_ID_MASK, FormSign::Name, judge_key_beside_id),
    ]
    .into_iter()
}

/// Whatever stands as the password of a network is one, unless it stands for another value.
fn judge_wifi(_: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let value = found.get(1).ok_or(InnocentRule::NoValue)?;
    if look::is_reference(value.as_str()) {
        return Err(InnocentRule::Reference);
    }
    if look::is_blank(value.as_str()) {
        return Err(InnocentRule::Blank);
    }
    if look::is_innocent(value.as_str()) {
        return Err(InnocentRule::InnocentWord);
    }
    Ok(SecretRule::NetworkPassword.at(value.range()))
}

fn judge_one_time_address(_: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let value = found.get(1).ok_or(InnocentRule::NoValue)?;
    if look::is_innocent(value.as_str()) || look::distinct(value.as_str()) < 6 {
        return Err(InnocentRule::InnocentWord);
    }
    Ok(SecretRule::OneTimeKey.at(value.range()))
}

fn judge_chance(_: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let value = found.get(1).ok_or(InnocentRule::NoValue)?;
    let joined: String = value.as_str().split_whitespace().collect();
    if !look::is_random(&joined) {
        return Err(InnocentRule::NotRandom);
    }
    Ok(SecretRule::RandomValue.at(value.start()..value.start() + value.as_str().trim_end().len()))
}

/// The first match of an expression near a mask, behind it or else before it.
fn near(text: &str, found: &Captures, expression: &Regex) -> Option<Range<usize>> {
    let mask = found.get(0)?;
    let behind = &text[mask.end()..text.ceil_char_boundary((mask.end() + NEAR_BYTES).min(text.len()))];
    let from = text.floor_char_boundary(mask.start().saturating_sub(NEAR_BYTES));
    let before = &text[from..mask.start()];
    let value = |place: usize, within: &str| {
        let value = expression.captures(within)?.get(1)?.range();
        Some(place + value.start..place + value.end)
    };
    value(mask.end(), behind).or_else(|| value(from, before))
}

/// Whether what is looked for near a mask was masked already.
fn is_masked_near(text: &str, found: &Captures, kind: &str) -> bool {
    static MASK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\[secret: ([a-z -]+)\]").expect("a pattern"));
    let masks = |range: Range<usize>| MASK.captures_iter(&text[range]).any(|mask| &mask[1] == kind);
    found.get(0).is_some_and(|mask| {
        // A mask that begins near reaches a little further.
        let end = (mask.end() + NEAR_BYTES + "[secret: card expiry]".len()).min(text.len());
        let from =
            text.floor_char_boundary(mask.start().saturating_sub(NEAR_BYTES + "[secret: card expiry]".len()));
        masks(mask.end()..text.ceil_char_boundary(end)) || masks(from..mask.start())
    })
}

/// Beside the number of a card, month and year are its date.
fn judge_expiry(text: &str, found: &Captures, kind: &'static str) -> SecretVerdict {
    static EXPIRY: LazyLock<Regex> = LazyLock::new(|| {
        let date =
            r"(?:^|[^0-9/.-])((?:0?[1-9]|1[0-2]) ?[/.-] ?(?:20)?[2-4][0-9])(?:$|[^0-9/.-]|[.-](?:$|[^0-9]))";
        Regex::new(date).expect("a pattern")
    });
    judge_card_detail(text, found, kind, &EXPIRY)
}

/// Beside the number of a card, three or four digits with a name are the code on it.
fn judge_card_code(text: &str, found: &Captures, kind: &'static str) -> SecretVerdict {
    static CODE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)(?-u:\b)(?:cid|cvn|cvc|cvv|code|kod|kodu)[ :=]{1,3}([0-9]{3,4})(?-u:\b)")
            .expect("a pattern")
    });
    judge_card_detail(text, found, kind, &CODE)
}

fn judge_card_detail(text: &str, found: &Captures, kind: &str, detail: &Regex) -> SecretVerdict {
    if is_masked_near(text, found, kind) {
        return Err(InnocentRule::BesideMask);
    }
    let detail = near(text, found, detail).ok_or(InnocentRule::NoValue)?;
    Ok(SecretRule::CardDetail.at(detail))
}

/// A hash is written in one case.
fn judge_key_beside_id(text: &str, found: &Captures, kind: &'static str) -> SecretVerdict {
    static KEY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[^A-Za-z0-9/+=])([A-Za-z0-9/+]{40})(?:$|[^A-Za-z0-9/+=])").expect("a pattern")
    });
    if is_masked_near(text, found, kind) {
        return Err(InnocentRule::BesideMask);
    }
    let range = near(text, found, &KEY).ok_or(InnocentRule::NoAwsSecretKey)?;
    let key = &text[range.clone()];
    let has = |test: fn(&u8) -> bool| key.bytes().any(|byte| test(&byte));
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    if !mixed || look::distinct(key) < 16 || key.contains("EXAMPLE") {
        return Err(InnocentRule::NoAwsSecretKey);
    }
    Ok(SecretRule::AwsSecretKey.at(range))
}

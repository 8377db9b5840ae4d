//! Whether a value that stands behind the name of a secret is one.

use super::{
    look,
    phrase::{is_joined_passphrase, is_passphrase},
    rule::{InnocentRule, SecretRule},
    value::NamedValue,
};

/// Where a value stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValuePlace {
    /// Behind `=`.
    pub(super) equals: bool,
    /// As settings of a shell are written: `NAME=value`.
    pub(super) shell: bool,
}

/// The rule that decides about a value of a kind.
pub(super) fn judge_value(
    kind: &str,
    value: &NamedValue,
    place: ValuePlace,
) -> Result<SecretRule, InnocentRule> {
    match kind {
        "password" if value.quoted && place.equals || place.shell => judge_password(value, PlainWords::Count),
        "password" => judge_password(value, PlainWords::DoNotCount),
        "pin" => {
            let digits = value.text.bytes().all(|byte| byte.is_ascii_digit());
            decided(digits && (4..=8).contains(&value.text.len()), SecretRule::Pin, InnocentRule::NoPin)
        }
        "aws secret key" => {
            let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"/+".contains(&byte);
            let is_key =
                value.text.len() == 40 && value.text.bytes().all(base64) && look::distinct(value.text) >= 16;
            decided(is_key, SecretRule::AwsSecretKey, InnocentRule::NoAwsSecretKey)
        }
        "one-time key" => {
            decided(look::is_one_time_key(value.text), SecretRule::OneTimeKey, InnocentRule::NoOneTimeKey)
        }
        "card code" => {
            let digits = value.text.bytes().all(|byte| byte.is_ascii_digit());
            decided(digits && (3..=4).contains(&value.text.len()), SecretRule::Code, InnocentRule::NoCode)
        }
        _ => decided(look::is_random(value.text), SecretRule::RandomValue, InnocentRule::NotRandom),
    }
}

/// Whether a plain word can only be meant as a password where it stands: in quotes behind `=`, or in a shell's setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlainWords {
    Count,
    DoNotCount,
}

/// The rule that decides about a password: letters with digits or signs among them, or four digits; a plain word only
/// where it must be meant.
pub(super) fn judge_password(value: &NamedValue, words: PlainWords) -> Result<SecretRule, InnocentRule> {
    let text = value.text.trim_end_matches(['!', '?']);
    let keyed = text.trim_end_matches(['#', '*']);
    let text = if keyed.bytes().all(|byte| byte.is_ascii_digit()) { keyed } else { text };
    if value.quoted && is_passphrase(text) || is_joined_passphrase(text) {
        return Ok(SecretRule::Passphrase);
    }
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let signs = text.bytes().filter(|byte| b"@#$%^&*!?+~".contains(byte)).count();
    let impossible = text.chars().count() < 4
        || text.contains(|c: char| c.is_whitespace())
        || value.text.starts_with(['{', '[', '('])
        || text.ends_with("...")
        || text.contains('…');
    let innocent = [
        (InnocentRule::Impossible, impossible),
        (InnocentRule::Reference, look::is_reference(text)),
        (InnocentRule::Blank, look::is_blank(text)),
        (InnocentRule::InnocentWord, look::is_innocent(text)),
        (InnocentRule::Code, !value.quoted && look::is_code(text)),
        (InnocentRule::Measure, look::is_measure(text) && (!value.quoted || letters == 0)),
    ];
    if let Some((rule, _)) = innocent.iter().find(|(_, applies)| *applies) {
        return Err(*rule);
    }
    match (letters, digits) {
        (0, _) => decided(
            digits >= 4 && digits == text.len(),
            SecretRule::DigitPassword,
            InnocentRule::NoDigitPassword,
        ),
        (_, 0) if signs > 0 => decided(
            letters + signs >= 6 && !text.starts_with(['&', '*', '@', '!', '#', '%']),
            SecretRule::SignPassword,
            InnocentRule::NoSignPassword,
        ),
        (_, 0) => {
            let plain = letters >= 6 && text.bytes().all(|byte| byte.is_ascii_lowercase());
            decided(words == PlainWords::Count && plain, SecretRule::WordPassword, InnocentRule::PlainWord)
        }
        _ => Ok(SecretRule::MixedPassword),
    }
}

fn decided(is_secret: bool, rule: SecretRule, otherwise: InnocentRule) -> Result<SecretRule, InnocentRule> {
    if is_secret { Ok(rule) } else { Err(otherwise) }
}

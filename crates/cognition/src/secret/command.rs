//! Passwords on a command line: behind an option letter, piped into a program, beside a user's name.

use super::{
    form::{FormSign, SecretForm},
    look,
    rule::{InnocentRule, SecretRule, SecretVerdict},
};
use crate::pattern::LazyRegex;
use regex::Captures;

/// Programs with the option that takes a password, and how the value stands there. The value is the first group that matched.
const COMMANDS: &[&str] = &[
    // The letter and the value are one word, or two where the program allows it.
    r"(?:mysql|mariadb)[a-z]*(?: [^\n|;]*?)? -p{v}",
    r"(?:7z[ar]?|rar|unrar|WinRAR)(?: [^\n|;]*?)? -h?p{v}",
    r"(?:mongo[a-z]*|sshpass|twine|docker login|podman login|az login|mosquitto_[a-z]+)(?: [^\n|;]*?)? (?:-p|-P|--pw) ?{v}",
    r"(?:un)?zip(?: [^\n|;]*?)? (?:-P|--password) ?{v}",
    r"redis-cli(?: [^\n|;]*?)? -a ?{v}",
    r"ldap[a-z]+(?: [^\n|;]*?)? -w ?{v}",
    r"openssl (?:[^\n|;]*? )?-k ?{v}",
    r"openssl (?:[^\n|;]*? )?-pass(?:in|out)? pass:{v}",
    r"smbclient(?: [^\n|;]*?)? -U ?[^\s%]+%{v}",
    r"htpasswd -[a-zA-Z]*b[a-zA-Z]* [^\s]+ [^\s]+ {v}",
    r"htpasswd -n[a-zA-Z]*b[a-zA-Z]* [^\s]+ {v}",
    r"net use [^\n]*?/user:[^\s]+ {v}",
    r"net user [^\s/]+ {v} /add",
    r"echo {v} ?\| ?(?:sudo (?:[^\n]*? )?(?:-S|--stdin)|[^\n]*?--password-stdin)",
];

/// A value in quotes or without.
const VALUE: &str = r#"(?:"([^"\n$]+)"|'([^'\n]+)'|([^\s"'$<\[{|;-][^\s"'|;]+))"#;

/// Characters of a password on a command line.
const PASSWORD_CHARS: std::ops::RangeInclusive<usize> = 4..=128;

/// `-p` and the value in one word, whatever the program is.
const ANY_COMMAND: &str = r#" -p([A-Za-z][^\s"'|;=/]+)"#;

/// Every form of this file.
pub(super) fn forms() -> impl Iterator<Item = SecretForm> {
    let form = |source: String, sign, judge| SecretForm {
        kind: "password",
        regex: LazyRegex::new(source),
        sign,
        judge,
    };
    let any = form(ANY_COMMAND.to_owned(), FormSign::Option, judge_option as _);
    let known = COMMANDS.iter().map(move |source| {
        let source = format!("(?-u:\\b){}", source.replace("{v}", VALUE));
        form(source, FormSign::Name, judge_command as _)
    });
    known.chain([any])
}

/// Whether a text holds an option letter with something right behind it.
pub(super) fn may_hold_option(text: &str) -> bool {
    text.contains(" -p")
}

/// Where a program takes a password, nothing else stands: only what stands for another value, or is a number or a path, is
/// left.
fn judge_command(_: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let value = found.iter().skip(1).flatten().next().ok_or(InnocentRule::NoValue)?;
    let text = value.as_str();
    if !PASSWORD_CHARS.contains(&text.chars().count()) {
        return Err(InnocentRule::Impossible);
    }
    if look::is_reference(text) {
        return Err(InnocentRule::Reference);
    }
    if look::is_blank(text) {
        return Err(InnocentRule::Blank);
    }
    if look::is_innocent(text) {
        return Err(InnocentRule::InnocentWord);
    }
    if look::is_measure(text) {
        return Err(InnocentRule::Measure);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit() || b":,-".contains(&byte)) {
        return Err(InnocentRule::OnlyDigits);
    }
    Ok(SecretRule::CommandPassword.at(value.range()))
}

/// Behind the option of an unknown program only what can be nothing else: letters of both cases with a digit.
fn judge_option(_: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let value = found.get(1).ok_or(InnocentRule::NoValue)?;
    let has = |test: fn(char) -> bool| value.as_str().chars().any(test);
    let mixed = has(char::is_uppercase) && has(char::is_lowercase) && has(|c| c.is_ascii_digit());
    if !mixed || !look::is_strong(value.as_str()) {
        return Err(InnocentRule::WeakPassword);
    }
    Ok(SecretRule::CommandPassword.at(value.range()))
}

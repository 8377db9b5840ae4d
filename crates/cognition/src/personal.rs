//! Personal data: what identifies a person, and how private that makes a text.
//!
//! Unlike a secret it is kept as it was said; a text that holds some is private, and logs and exports that ask for it get
//! the text redacted. Numbers that carry a check digit are believed by it; others need a form of their own or words that
//! say what they are. Those words are data.

mod number;

use self::number::DatumCheck;
use crate::{
    language::{LANGUAGES, Language},
    lexicon::{ClassedEntry, PersonalClass, WordClass},
    pattern::LazyRegex,
};
use cairn_domain::Privacy;
use regex::{Captures, RegexSet, RegexSetBuilder};
use std::{borrow::Cow, ops::Range, sync::LazyLock};

/// A piece of personal data in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalDatum {
    /// `mail address`, `phone number`, `identity number`, `iban`, `account number`, `passport number`, `date of birth` or
    /// `street address`.
    pub kind: &'static str,
    /// Where it stands.
    pub range: Range<usize>,
}

/// One form of personal data: where it may be, and what of that is some.
struct PersonalForm {
    kind: &'static str,
    regex: LazyRegex,
    is: fn(&str, &Range<usize>) -> bool,
}

static FORMS: LazyLock<(RegexSet, Vec<PersonalForm>)> = LazyLock::new(|| {
    let fixed = number::FORMS.iter().map(|(kind, source, is)| PersonalForm {
        kind,
        regex: LazyRegex::new(*source),
        is: *is,
    });
    let told = LANGUAGES.iter().flat_map(announced_forms).map(|(kind, source, is)| PersonalForm {
        kind,
        regex: LazyRegex::new(source),
        is,
    });
    let each: Vec<PersonalForm> = fixed.chain(told).collect();
    let sources = each.iter().map(|form| form.regex.as_str());
    let set = RegexSetBuilder::new(sources).size_limit(64 << 20).dfa_size_limit(16 << 20).build();
    (set.expect("the same forms"), each)
});

/// The lines of the list `personal` of a language: kind, expression, and what must be true of what it finds. In a line
/// `{number}`, `{document}` and `{date}` stand for the datum itself; without one of them the whole match is the datum.
fn announced_forms(language: &'static Language) -> Vec<(&'static str, String, DatumCheck)> {
    let entries: Vec<ClassedEntry<PersonalClass>> = language.classed_entries().collect();
    let all = |class: PersonalClass| {
        let of = entries.iter().filter(|entry| entry.class == class);
        of.map(|entry| entry.text).collect::<Vec<_>>().join("|")
    };
    let months = format!("(?:{})", all(PersonalClass::Month));
    let date = format!(
        "(?P<datum>[0-9]{{1,4}}[./-][0-9]{{1,2}}[./-][0-9]{{2,4}}|{})",
        all(PersonalClass::Date).replace("{month}", &months)
    );
    entries
        .iter()
        .filter_map(|ClassedEntry { class, text, .. }| {
            let is = number::is_datum(*class)?;
            let case = if *class == PersonalClass::StreetAddress { "" } else { "(?i)" };
            let source = text
                .replace("{number}", "(?P<datum>[0-9(][0-9 ().-]{4,18}[0-9])")
                .replace("{document}", "(?P<datum>(?-i:[A-Z0-9]{7,9}))")
                .replace("{date}", &date);
            Some((class.name(), format!("{case}{source}"), is))
        })
        .collect()
}

/// The personal data in a text, in order.
pub fn personal_data(text: &str) -> Vec<PersonalDatum> {
    let mut found: Vec<(usize, PersonalDatum)> = Vec::new();
    if !text.bytes().any(|byte| byte == b'@' || byte.is_ascii_digit()) {
        return Vec::new();
    }
    let (set, forms) = &*FORMS;
    for rank in set.matches(text) {
        let PersonalForm { kind, regex, is } = &forms[rank];
        let data = regex.get().captures_iter(text).filter_map(|captures| datum_range(text, &captures));
        found.extend(data.filter(|range| is(text, range)).map(|range| (rank, PersonalDatum { kind, range })));
    }
    found.sort_by_key(|(rank, personal)| (personal.range.start, *rank));
    let mut kept: Vec<(usize, PersonalDatum)> = Vec::new();
    for next in found {
        match kept.last_mut().filter(|(_, last)| next.1.range.start < last.range.end) {
            Some(last) if next.0 < last.0 => *last = next,
            Some(_) => {}
            None => kept.push(next),
        }
    }
    kept.into_iter().map(|(_, personal)| personal).collect()
}

/// The range of the datum in a match that begins and ends with a word.
fn datum_range(text: &str, captures: &Captures) -> Option<Range<usize>> {
    let whole = captures.get(0)?;
    let datum = captures.name("datum").unwrap_or(whole).range();
    let begins = !text[..whole.start()].ends_with(char::is_alphanumeric)
        || !text[whole.start()..].starts_with(char::is_alphanumeric);
    let ends =
        !text[whole.end()..].starts_with(char::is_alphanumeric) || text[..whole.end()].ends_with(['.', ' ']);
    (begins && ends).then_some(datum)
}

/// How private a text is: personal if anything in it identifies a person.
pub fn text_privacy(text: &str) -> Privacy {
    if personal_data(text).is_empty() { Privacy::Open } else { Privacy::Personal }
}

/// The text with what identifies a person replaced by its kind: `[mail address]`.
pub fn redact_personal_data(text: &str) -> Cow<'_, str> {
    let found = personal_data(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut redacted = String::with_capacity(text.len());
    let mut end = 0;
    for PersonalDatum { kind, range } in found {
        redacted.push_str(&text[end..range.start]);
        redacted.push('[');
        redacted.push_str(kind);
        redacted.push(']');
        end = range.end;
    }
    redacted.push_str(&text[end..]);
    Cow::Owned(redacted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-249
    #[test]
    fn a_text_is_redacted_where_it_identifies_a_person() {
        for (text, expected) in [
            ("write to ana@example.org.", "write to [mail address]."),
            ("TC 10000000146, tel 0532 123 45 67", "TC [identity number], tel [phone number]"),
            ("DE89370400440532013000", "[iban]"),
            ("I live at 12 Baker Street", "I live at [street address]"),
            ("doğum tarihim 03.04.1990", "doğum tarihim [date of birth]"),
        ] {
            assert_eq!(redact_personal_data(text), expected);
            assert_eq!(text_privacy(text), Privacy::Personal, "{text}");
        }
        for text in ["", "on 12 May 2024 we paid 1,299.99", "version 1.2.3 at 10.0.0.1"] {
            assert!(matches!(redact_personal_data(text), Cow::Borrowed(_)), "{text}");
            assert_eq!(text_privacy(text), Privacy::Open, "{text}");
        }
    }

    #[test]
    fn large_and_odd_texts_are_read_in_time() {
        for text in ["1 ", "(5", "a@", "TR33 ", "+1 ", "A B ", "born 1", "No:1 ", "0532 "] {
            assert!(personal_data(&text.repeat((1 << 20) / text.len())).len() < 1 << 20);
        }
    }
}

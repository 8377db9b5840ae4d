//! The forms of personal numbers and addresses that are the same in every language, and their check digits.

use crate::lexicon::PersonalClass;
use std::ops::Range;

/// A check of a match besides its expression.
pub(super) type DatumCheck = fn(&str, &Range<usize>) -> bool;

/// Kind, expression, and what must be true besides. Where two see the same characters, the first names them.
pub(super) const FORMS: &[(&str, &str, DatumCheck)] = &[
    ("mail address", r"[A-Za-z0-9][A-Za-z0-9._%+'-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}", is_mail),
    ("iban", r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}", is_iban),
    ("identity number", r"[1-9][0-9]{10}", is_turkish_identity),
    ("identity number", r"[0-9]{3}-[0-9]{2}-[0-9]{4}", is_social_security),
    ("phone number", r"\+[1-9][0-9]{0,2}(?:[ .-]?\(?[0-9]{1,11}\)?){1,6}", is_international),
    ("phone number", r"00[1-9][0-9]{0,2}(?:[ -]\(?[0-9]{1,5}\)?){2,6}", is_international),
    // Turkish: 0(532) 123 45 67 and every other way to write it; a mobile number also without the zero.
    ("phone number", r"\(?0 ?\(?[2-5][0-9]{2}\)?[ .-]?[0-9]{3}[ .-]?[0-9]{2}[ .-]?[0-9]{2}", stands_alone),
    ("phone number", r"5[0-9]{2} [0-9]{3} [0-9]{2} [0-9]{2}", stands_alone),
    // North America: (415) 555-2671, 415-555-2671, 415.555.2671.
    ("phone number", r"(?:1[ .-])?\([2-9][0-9]{2}\)[ .-]?[2-9][0-9]{2}[ .-][0-9]{4}", stands_alone),
    ("phone number", r"(?:1-)?[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}", stands_alone),
    ("phone number", r"[2-9][0-9]{2}\.[2-9][0-9]{2}\.[0-9]{4}", stands_alone),
];

/// The check that an announced datum must pass; `None` for a class that only occurs as part of others.
pub(super) fn is_datum(class: PersonalClass) -> Option<DatumCheck> {
    Some(match class {
        PersonalClass::PhoneNumber => |text, range| (9..=15).contains(&digits(text, range).count()),
        PersonalClass::AccountNumber => |text, range| (6..=20).contains(&digits(text, range).count()),
        PersonalClass::IdentityNumber => |text, range| digits(text, range).count() == 9,
        PersonalClass::PassportNumber => |text, range| digits(text, range).count() >= 2,
        PersonalClass::StreetAddress => is_house,
        PersonalClass::DateOfBirth => |_, _| true,
        PersonalClass::Month | PersonalClass::Date => return None,
    })
}

fn digits<'t>(text: &'t str, range: &Range<usize>) -> impl Iterator<Item = u32> + 't {
    text[range.clone()].chars().filter_map(|c| c.to_digit(10))
}

/// Files are named like hosts: `icon@2x.png`.
const FILES: [&str; 12] =
    ["png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "css", "js", "ts", "json", "md"];

/// A mail address is none if it is a remote of git, the name of a file, or a password before a host.
fn is_mail(text: &str, range: &Range<usize>) -> bool {
    let (before, address, after) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
    let remote = after
        .strip_prefix(':')
        .is_some_and(|path| path.starts_with(|c: char| c.is_alphanumeric() || "~/".contains(c)));
    let ending = address.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let password = before.ends_with([':', '/']) && credentials(before);
    !remote && !FILES.contains(&ending.as_str()) && !password
}

/// Whether the word so far is an address of another kind: `postgres://ana:`.
fn credentials(before: &str) -> bool {
    let mut from = before.len().saturating_sub(256);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let word = before[from..].rsplit(char::is_whitespace).next().unwrap_or_default();
    word.contains("://")
}

/// Whether no more digits follow or precede: a longer number is another thing.
fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let joins = |next: Option<char>, after: Option<char>| match next {
        Some('.' | ',' | '-' | ' ' | ':' | '/') => after.is_some_and(|c| c.is_ascii_digit()),
        Some('#' | '$' | '_' | '=' | '€' | '₺') => true,
        _ => false,
    };
    let mut back = text[..range.start].chars().rev();
    let mut ahead = text[range.end..].chars();
    !joins(back.next(), back.next()) && !joins(ahead.next(), ahead.next())
}

/// A number with the code of a country: 8 to 15 digits, and if nothing groups them at least 10.
fn is_international(text: &str, range: &Range<usize>) -> bool {
    let count = digits(text, range).count();
    let grouped = text[range.clone()].contains([' ', '-', '.', '(']);
    (if grouped { 8 } else { 10 }..=15).contains(&count) && stands_alone(text, range)
}

/// The identity number of a Turkish citizen d1…d11: d10 is 7·(d1 + d3 + d5 + d7 + d9) − (d2 + d4 + d6 + d8), and d11 the
/// sum of the ten before it, each by its last digit.
fn is_turkish_identity(text: &str, range: &Range<usize>) -> bool {
    let d: Vec<u32> = digits(text, range).collect();
    let odd: u32 = d[..9].iter().step_by(2).sum();
    let even: u32 = d[1..8].iter().step_by(2).sum();
    let repeated = d.iter().all(|digit| *digit == d[0]);
    (odd * 7 + 100 - even) % 10 == d[9]
        && d[..10].iter().sum::<u32>() % 10 == d[10]
        && !repeated
        && stands_alone(text, range)
}

/// A number of American social security: no part of it is all zeros, and no area is 666 or above 899.
fn is_social_security(text: &str, range: &Range<usize>) -> bool {
    let number =
        |from: usize, to: usize| text[range.start + from..range.start + to].parse::<u32>().unwrap_or(0);
    let (area, group, serial) = (number(0, 3), number(4, 6), number(7, 11));
    area != 0 && area != 666 && area < 900 && group != 0 && serial != 0 && stands_alone(text, range)
}

/// A house has a number that is no year.
fn is_house(text: &str, range: &Range<usize>) -> bool {
    let first = text[range.clone()].split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    first.len() != 4 || !("1950".."2050").contains(&first)
}

/// How long the numbers of a country are (ISO 13616).
const IBAN_LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 \
    DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 \
    JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 \
    PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 \
    XK20 YE30";

/// An IBAN has its country's length, and as a number (letters are 10 to 35, the first four characters last) it leaves 1
/// when divided by 97.
fn is_iban(text: &str, range: &Range<usize>) -> bool {
    let compact: String = text[range.clone()].chars().filter(|c| *c != ' ').collect();
    let lengths = IBAN_LENGTHS.split_whitespace().map(|entry| entry.split_at(2));
    let length = lengths
        .filter(|(country, _)| compact.starts_with(country))
        .find_map(|(_, length)| length.parse().ok());
    let turned = compact[4..].chars().chain(compact[..4].chars());
    let rest = turned
        .filter_map(|c| c.to_digit(36))
        .fold(0, |rest, value| (rest * if value < 10 { 10 } else { 100 } + value) % 97);
    length == Some(compact.len()) && rest == 1
}

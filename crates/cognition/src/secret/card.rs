//! Card numbers: an issuer's prefix and length, grouped as cards are printed or not at all, and the check digit right.

use super::{
    form::{FormSign, SecretForm},
    rule::{InnocentRule, SecretRule, SecretVerdict},
};
use crate::pattern::LazyRegex;
use regex::Captures;

/// Digits as they stand on a card: four fours, 4-6-5, 4-6-4, or in one run.
const GROUPS: &str = concat!(
    r"(?-u:\b)(?:[0-9]{14,16}|[0-9]{4} [0-9]{4} [0-9]{4} [0-9]{4}|[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{4}",
    r"|[0-9]{4} [0-9]{6} [0-9]{4,5}|[0-9]{4}-[0-9]{6}-[0-9]{4,5})(?-u:\b)"
);

/// The form of card numbers.
pub(super) fn form() -> SecretForm {
    SecretForm {
        kind: "card number",
        regex: LazyRegex::new(GROUPS),
        sign: FormSign::Digits,
        judge: judge_card_number,
    }
}

fn judge_card_number(text: &str, found: &Captures, _: &'static str) -> SecretVerdict {
    let number = found.get(0).ok_or(InnocentRule::NoValue)?;
    let digits: Vec<u8> =
        number.as_str().bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    if goes_on(text[..number.start()].chars().rev()) || goes_on(text[number.end()..].chars()) {
        return Err(InnocentRule::NumberGoesOn);
    }
    if !is_issued(&digits) {
        return Err(InnocentRule::NotIssued);
    }
    if !has_luhn_check_digit(&digits) {
        return Err(InnocentRule::WrongCheckDigit);
    }
    Ok(SecretRule::CardNumber.at(number.range()))
}

/// Whether a number goes on beside itself: `0.4111…`, `…-1111`, `1234 4111 …`.
fn goes_on(mut outward: impl Iterator<Item = char>) -> bool {
    let next = outward.next();
    let after = outward.next();
    match next {
        Some('.' | ',' | '-' | ' ' | ':') => after.is_some_and(|c| c.is_ascii_digit()) || next == Some('-'),
        Some(c) => c.is_alphanumeric() || "_#/=$+@\\".contains(c) && c != '=',
        None => false,
    }
}

/// Whether an issuer gives out numbers of this beginning and length.
fn is_issued(digits: &[u8]) -> bool {
    let first = digits.iter().take(4).fold(0_u32, |number, digit| number * 10 + u32::from(*digit));
    match digits.len() {
        14 => matches!(first, 3000..=3059 | 3600..=3699 | 3800..=3899),
        15 => matches!(first, 3400..=3499 | 3700..=3799),
        16 => matches!(
            first,
            4000..=4999 | 5100..=5599 | 2221..=2720 | 6011 | 6440..=6599 | 3528..=3589 | 9792 | 6200..=6299
        ),
        _ => false,
    }
}

/// Whether the check digit is right: from the right, every second digit counts twice (its digits added), and the sum
/// ends with zero.
fn has_luhn_check_digit(digits: &[u8]) -> bool {
    let worth = |(place, digit): (usize, &u8)| match (place % 2, *digit) {
        (0, digit) => u32::from(digit),
        (_, digit) if digit > 4 => u32::from(digit) * 2 - 9,
        (_, digit) => u32::from(digit) * 2,
    };
    digits.iter().rev().enumerate().map(worth).sum::<u32>().is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_digit_decides() {
        assert!(has_luhn_check_digit(&[7, 9, 9, 2, 7, 3, 9, 8, 7, 1, 3]));
        assert!(!has_luhn_check_digit(&[7, 9, 9, 2, 7, 3, 9, 8, 7, 1, 4]));
        assert!(is_issued(&[4; 16]) && !is_issued(&[1; 16]) && !is_issued(&[4; 15]));
    }
}

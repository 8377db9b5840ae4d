//! Card numbers: an issuer's prefix and length, grouped as cards are printed or not at all, and the check digit right.

use super::{Form, Sign};
use crate::pattern::OnUse;
use regex::Captures;
use std::ops::Range;

/// Digits as they stand on a card: four fours, 4-6-5, 4-6-4, or in one run.
const GROUPS: &str = concat!(
    r"(?-u:\b)(?:[0-9]{14,16}|[0-9]{4} [0-9]{4} [0-9]{4} [0-9]{4}|[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{4}",
    r"|[0-9]{4} [0-9]{6} [0-9]{4,5}|[0-9]{4}-[0-9]{6}-[0-9]{4,5})(?-u:\b)"
);

/// The form of card numbers.
pub(super) fn form() -> Form {
    Form { kind: "card number", regex: OnUse::new(GROUPS), sign: Sign::Digits, secret: card }
}

fn card(text: &str, found: &Captures, _: &'static str) -> Option<Range<usize>> {
    let number = found.get(0)?;
    let digits: Vec<u8> =
        number.as_str().bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    let alone = !joins(text[..number.start()].chars().rev()) && !joins(text[number.end()..].chars());
    (alone && issued(&digits) && luhn(&digits)).then(|| number.range())
}

/// Whether a number goes on beside itself: `0.4111…`, `…-1111`, `1234 4111 …`.
fn joins(mut outward: impl Iterator<Item = char>) -> bool {
    let next = outward.next();
    let after = outward.next();
    match next {
        Some('.' | ',' | '-' | ' ' | ':') => after.is_some_and(|c| c.is_ascii_digit()) || next == Some('-'),
        Some(c) => c.is_alphanumeric() || "_#/=$+@\\".contains(c) && c != '=',
        None => false,
    }
}

/// Whether an issuer gives out numbers of this beginning and length.
fn issued(digits: &[u8]) -> bool {
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
fn luhn(digits: &[u8]) -> bool {
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
        assert!(luhn(&[7, 9, 9, 2, 7, 3, 9, 8, 7, 1, 3]));
        assert!(!luhn(&[7, 9, 9, 2, 7, 3, 9, 8, 7, 1, 4]));
        assert!(issued(&[4; 16]) && !issued(&[1; 16]) && !issued(&[4; 15]));
    }
}

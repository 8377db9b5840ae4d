//! A form of secrets: where one may be in a text, and what of that is one.

use super::rule::SecretVerdict;
use crate::pattern::LazyRegex;
use regex::Captures;

/// One form of secrets.
pub(super) struct SecretForm {
    pub(super) kind: &'static str,
    pub(super) regex: LazyRegex,
    pub(super) sign: FormSign,
    /// Judges one match of the expression.
    pub(super) judge: fn(&str, &Captures, &'static str) -> SecretVerdict,
}

/// A sign that every text with the form holds. Looking for it is quicker than looking for the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormSign {
    /// One of the literals that its expression cannot do without.
    Name,
    /// A long run of letters, digits and signs, or an address.
    Run,
    /// As many digits as a card has.
    Digits,
    /// The option letter of a password.
    Option,
}

//! The rules that decide whether a match of a form is a secret. Each verdict names its rule, so that a test can tell which
//! one decided.

use std::ops::Range;

/// The rule by which a match is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SecretRule {
    /// A token with its maker's prefix.
    MakerToken,
    /// The body of a private key.
    KeyBlock,
    /// A value by chance behind `Authorization`.
    HeaderToken,
    /// `name:password` in base64.
    BasicCredentials,
    /// A password in an address or on a command line.
    AddressPassword,
    /// A password of letters and digits.
    MixedPassword,
    /// A password of digits alone.
    DigitPassword,
    /// A password of letters and signs.
    SignPassword,
    /// A plain word where only a password can be meant.
    WordPassword,
    /// Four to eight digits.
    Pin,
    /// Forty characters of base64.
    AwsSecretKey,
    /// A named value that looks like chance.
    RandomValue,
    /// Letters and digits that can be nothing but a password, where no sign says so.
    StrongPassword,
    /// Several words where a password is meant.
    Passphrase,
    /// A password behind an option, or piped into a program.
    CommandPassword,
    /// The password in the string of a Wi-Fi code.
    NetworkPassword,
    /// The key of one-time codes, in base32.
    OneTimeKey,
    /// The digits of a door, a card, or a message that was sent.
    Code,
    /// Codes to come back with.
    CodeList,
    /// The date or the code beside the number of a card.
    CardDetail,
    /// A maker's token that is broken over two lines.
    WrappedToken,
    /// The small words of a wallet.
    SeedPhrase,
    /// An issuer's number with the right check digit.
    CardNumber,
}

/// The rule by which a match is no secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum InnocentRule {
    /// The token goes on where its form ends.
    TokenGoesOn,
    /// Too few different characters for chance.
    FewCharacters,
    /// It says itself that it is an example.
    Example,
    /// Words and numbers joined by signs, as names of things are.
    Slug,
    /// A mere mention of a key block.
    KeyWithoutBody,
    /// It does not look like chance.
    NotRandom,
    /// No `name:password` in base64.
    NoCredentials,
    /// It stands for another value: `${PASS}`.
    Reference,
    /// Filled with one or two characters: `****`.
    Blank,
    /// Digits where a password is looked for.
    OnlyDigits,
    /// The name is part of another word.
    InsideWord,
    /// The name is one of those that only look like names of secrets.
    InnocentName,
    /// No sign stands between the name and a value.
    NoSign,
    /// Nothing follows that could be a value.
    NoValue,
    /// A number with an ending: a year, an amount.
    InflectedNumber,
    /// Too short, with spaces, in brackets or elided.
    Impossible,
    /// One of the words that are no secrets: a type, a state, a placeholder.
    InnocentWord,
    /// Code: a call, an index, names joined by dots.
    Code,
    /// A date, a version, a path, an address.
    Measure,
    /// Digits with signs, or too few digits.
    NoDigitPassword,
    /// Letters and signs, too few or written like code.
    NoSignPassword,
    /// A plain word where another than a password may be meant.
    PlainWord,
    /// Nothing says that it is a password, and it may be something else.
    WeakPassword,
    /// Not as many digits as such a code has.
    NoCode,
    /// No base32.
    NoOneTimeKey,
    /// No four to eight digits.
    NoPin,
    /// No forty characters of base64.
    NoAwsSecretKey,
    /// Not as many small words as a wallet has, or a sentence.
    NoSeedPhrase,
    /// The number goes on beside itself.
    NumberGoesOn,
    /// No issuer gives out such numbers.
    NotIssued,
    /// The check digit is wrong.
    WrongCheckDigit,
    /// It touches what is masked already.
    BesideMask,
}

/// A secret within a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SecretSpan {
    pub(super) range: Range<usize>,
    pub(super) rule: SecretRule,
}

/// Whether a match is a secret, with the rule that decided.
pub(super) type SecretVerdict = Result<SecretSpan, InnocentRule>;

impl SecretRule {
    /// The secret at `range`, found by this rule.
    pub(super) fn at(self, range: Range<usize>) -> SecretSpan {
        SecretSpan { range, rule: self }
    }
}

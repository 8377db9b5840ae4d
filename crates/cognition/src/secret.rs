//! Secrets: keys, tokens, passwords and card numbers, masked at the door.
//!
//! It runs before the archive, so a false alarm destroys words for ever: a form is here only if hardly anything else has
//! it. Forms are looked for only in texts that hold a sign of them: a name, a long run of letters and digits, the digits of a
//! card; most texts hold none. Names of secrets ("password", "şifre") are data; the forms of tokens are their makers' own.

mod assignment;
mod card;
mod look;
mod token;

use crate::{literal::Literals, pattern::OnUse};
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use std::{
    borrow::Cow,
    ops::Range,
    sync::{LazyLock, OnceLock},
};

/// What stands in a text where a secret stood begins so.
const MARK: &str = "[secret: ";

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked<'a> {
    /// The text; each secret is `[secret: kind]`, everything else as it was.
    pub text: Cow<'a, str>,
    /// The kinds of the secrets, in their order.
    pub found: Vec<&'static str>,
}

/// A secret in a text.
#[derive(Debug, Clone)]
struct Hit {
    kind: &'static str,
    range: Range<usize>,
    /// The place of its form in the table: where two forms see the same words, the first names them.
    rank: usize,
}

/// One form of secrets: where it may be, and what of that is one.
struct Form {
    kind: &'static str,
    regex: OnUse,
    sign: Sign,
    /// The secret's own range, given what the regex found; none if it is no secret after all.
    secret: fn(&str, &regex::Captures, &'static str) -> Option<Range<usize>>,
}

/// What a text holds that a form is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// One of the literals that its expression cannot do without.
    Name,
    /// A long run of signs, or an address: see [`may_hold_token`].
    Run,
    /// As many digits as a card has.
    Digits,
}

/// What one expression for many forms may take, and the automaton that looks for it.
const EXPRESSION_BYTES: usize = 64 << 20;
const AUTOMATON_BYTES: usize = 16 << 20;

/// All forms. `named` and `tokens` are one plain search each and the quickest thing that can be asked of a text with a sign; they
/// and `set` are made when there is such a text: most processes read none.
struct Forms {
    names: Literals,
    named: OnceLock<Regex>,
    tokens: OnceLock<Regex>,
    set: OnceLock<RegexSet>,
    each: Vec<Form>,
}

static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    let each: Vec<Form> = token::forms().chain(assignment::forms()).chain([card::form()]).collect();
    let (named, tokens, set) = Default::default();
    Forms { names: Literals::of(written(&each, Sign::Name)), named, tokens, set, each }
});

/// How the forms with a sign are written.
fn written(forms: &[Form], sign: Sign) -> impl Iterator<Item = &str> {
    forms.iter().filter(move |form| form.sign == sign).map(|form| form.regex.as_str())
}

/// No token is shorter.
const TOKEN_BYTES: usize = 16;

/// Whether a text holds what every token has: a long run of letters, digits and the signs that stand in tokens; or an address,
/// which may hold a short password. Looking for tokens themselves takes long, since most of them may begin in any word.
fn may_hold_token(text: &str) -> bool {
    let in_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./+=~:".contains(byte);
    let long = text.as_bytes().split(|byte| !in_token(byte)).any(|run| run.len() >= TOKEN_BYTES);
    long || text.contains("://")
}

/// No card has fewer digits.
const CARD_DIGITS: usize = 14;

fn may_hold_card(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).nth(CARD_DIGITS - 1).is_some()
}

impl Forms {
    /// Whether any form is in a text.
    fn any(&self, text: &str) -> bool {
        may_hold_card(text)
            || (self.names.any_in(text) && self.named.get_or_init(|| self.all_of(Sign::Name)).is_match(text))
            || (may_hold_token(text) && self.tokens.get_or_init(|| self.all_of(Sign::Run)).is_match(text))
    }

    /// One search for every form with a sign.
    fn all_of(&self, sign: Sign) -> Regex {
        let any = format!("(?:{})", written(&self.each, sign).collect::<Vec<&str>>().join(")|(?:"));
        let regex =
            RegexBuilder::new(&any).size_limit(EXPRESSION_BYTES).dfa_size_limit(AUTOMATON_BYTES).build();
        regex.expect("forms that a test reads")
    }

    /// Which forms are in a text.
    fn set(&self) -> &RegexSet {
        self.set.get_or_init(|| {
            let sources = self.each.iter().map(|form| form.regex.as_str());
            let set = RegexSetBuilder::new(sources)
                .size_limit(EXPRESSION_BYTES)
                .dfa_size_limit(AUTOMATON_BYTES)
                .build();
            set.expect("the same forms")
        })
    }
}

/// What a secret was beside may be one itself once the secret is masked: looked at again, no more often than this.
const LOOKS: usize = 8;

/// The text without its secrets. Masking what is masked changes nothing.
pub fn mask(text: &str) -> Masked<'_> {
    let mut masked = Cow::Borrowed(text);
    let mut places: Vec<(usize, &'static str)> = Vec::new();
    for _ in 0..LOOKS {
        let hits = secrets(&masked);
        if hits.is_empty() {
            break;
        }
        masked = Cow::Owned(without(&masked, &hits, &mut places));
    }
    Masked { text: masked, found: places.into_iter().map(|(_, kind)| kind).collect() }
}

/// The text with its hits masked. `places` are where the masks are, before and after.
fn without(text: &str, hits: &[Hit], places: &mut Vec<(usize, &'static str)>) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut before = std::mem::take(places).into_iter().peekable();
    let mut end = 0;
    for hit in hits {
        while let Some((place, kind)) = before.next_if(|(place, _)| *place < hit.range.start) {
            places.push((masked.len() + place - end, kind));
        }
        masked.push_str(&text[end..hit.range.start]);
        places.push((masked.len(), hit.kind));
        masked.push_str(MARK);
        masked.push_str(hit.kind);
        masked.push(']');
        end = hit.range.end;
    }
    places.extend(before.map(|(place, kind)| (masked.len() + place - end, kind)));
    masked.push_str(&text[end..]);
    masked
}

/// The secrets of a text in their order; what overlaps is one.
fn secrets(text: &str) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    if !FORMS.any(text) {
        return hits;
    }
    for rank in FORMS.set().matches(text) {
        let Form { kind, regex, secret, .. } = &FORMS.each[rank];
        let mut at = 0;
        while let Some(found) = regex.get().captures_at(text, at) {
            let whole = found.get(0).map_or(at..text.len(), |whole| whole.range());
            at = whole.end;
            let range = secret(text, &found, kind).filter(|range| stands_alone(text, range));
            if let Some(range) = range.filter(|_| !touches(text, whole.start)) {
                at = at.max(range.end);
                hits.push(Hit { kind, range, rank });
            }
        }
    }
    hits.sort_by_key(|hit| (hit.range.start, hit.rank));
    let mut merged: Vec<Hit> = Vec::new();
    for hit in hits {
        match merged.last_mut().filter(|last| hit.range.start < last.range.end) {
            Some(last) => {
                if hit.rank < last.rank {
                    (last.kind, last.rank) = (hit.kind, hit.rank);
                }
                last.range.end = last.range.end.max(hit.range.end);
            }
            None => merged.push(hit),
        }
    }
    merged
}

/// Whether a secret touches no mask and holds none: what was masked before leaves nothing to mask beside it.
fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    !range.is_empty()
        && !text[range.clone()].contains(MARK)
        && !touches(text, range.start)
        && !touches(text, range.end)
        && !text[range.end..].starts_with(MARK)
}

/// Whether a place is in a mask or right after one.
fn touches(text: &str, at: usize) -> bool {
    /// No mask is longer.
    const LONGEST: usize = 48;
    let mut from = at.saturating_sub(LONGEST);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = &text[from..at];
    let masked = before
        .rfind(MARK)
        .is_some_and(|mark| before[mark..].find(']').is_none_or(|end| mark + end + 1 == before.len()));
    masked
        || (1..MARK.len())
            .any(|known| before.ends_with(&MARK[..known]) && text[at..].starts_with(&MARK[known..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{
        strategy::{Strategy, ValueTree},
        test_runner::TestRunner,
    };

    fn masked(text: &str) -> String {
        mask(text).text.into_owned()
    }

    /// covers: X-P9
    #[test]
    fn only_the_secret_is_masked() {
        let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        let key = ["AK", "IA", "Q3EGRTUV5WXY2ZAB"].concat();
        for (text, expected) in [
            (format!("use {token}."), "use [secret: github token].".to_owned()),
            (format!("id={key}\n"), "id=[secret: aws access key]\n".to_owned()),
            ("postgres://ana:pw@host/db".into(), "postgres://ana:[secret: password]@host/db".into()),
            ("my password is hunter2, ok?".into(), "my password is [secret: password], ok?".into()),
            ("şifrem: kedi123".into(), "şifrem: [secret: password]".into()),
            ("card 4111 1111 1111 1111!".into(), "card [secret: card number]!".into()),
        ] {
            assert_eq!(masked(&text), expected, "{text}");
            assert_eq!(masked(&expected), expected, "{text}");
        }
        assert_eq!(mask(&format!("{token} {key}")).found, ["github token", "aws access key"]);
        assert!(matches!(mask("the password is required").text, Cow::Borrowed(_)));
    }

    #[test]
    fn whatever_is_a_secret_holds_the_sign_of_its_form() {
        let mut runner = TestRunner::deterministic();
        for form in &FORMS.each {
            // A word boundary has no text of its own.
            let source = form.regex.as_str().replace("(?-u:\\b)", "").replace("\\b", "");
            let texts = proptest::string::bytes_regex(&source).expect("a form that texts can be made of");
            let mut secrets = 0;
            for _ in 0..64 {
                let text = texts.new_tree(&mut runner).expect("a text").current();
                let Ok(text) = String::from_utf8(text) else { continue };
                let Some(found) = form.regex.get().captures(&text) else { continue };
                let holds = match form.sign {
                    // What follows a name decides whether it is a secret.
                    Sign::Name => Some(FORMS.names.any_in(&text)),
                    Sign::Run => (form.secret)(&text, &found, form.kind).map(|_| may_hold_token(&text)),
                    Sign::Digits => Some(may_hold_card(&text)),
                };
                assert_ne!(holds, Some(false), "{}: {text}", form.kind);
                secrets += usize::from(holds.is_some());
            }
            assert!(secrets > 0, "{}: {source}", form.kind);
        }
        for talk in ["Good evening, see you at 10:30!", "The recommendation was fine.", ""] {
            assert!(!may_hold_token(talk) && !may_hold_card(talk) && !FORMS.names.any_in(talk), "{talk}");
        }
    }

    /// covers: X-P9
    #[test]
    fn large_and_odd_texts_are_read_in_time() {
        let texts = [
            "[".repeat(1 << 20),
            "password=".repeat(1 << 14),
            "password is ".repeat(1 << 14),
            "-----BEGIN RSA PRIVATE KEY-----\n".repeat(1 << 14),
            "1234 ".repeat(1 << 18),
            "a://b:".repeat(1 << 17),
            "eyJaaaaaaaaaaaaa.".repeat(1 << 15),
            "seed phrase: ab ".repeat(1 << 15),
            "ş".repeat(1 << 20),
            "x".repeat(16 << 20),
        ];
        for text in texts {
            assert!(matches!(mask(&text).text, Cow::Borrowed(_)), "{}", &text[..16]);
        }
    }
}

//! Secrets: keys, tokens, passwords and card numbers, masked at the door.
//!
//! It runs before the archive, so a false alarm destroys words for ever: a form is here only if hardly anything else has
//! it. Forms are looked for only in texts that hold a sign of them: a name, a long run of letters and digits, the digits of a
//! card; most texts hold none. Names of secrets ("password", "şifre") are data; the forms of tokens are their makers' own.

mod assignment;
mod card;
mod command;
mod form;
mod look;
mod marked;
mod password;
mod phrase;
mod rule;
mod token;
mod told;
mod value;

use crate::literal::Literals;
use form::{FormSign, SecretForm};
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use rule::{InnocentRule, SecretSpan, SecretVerdict};
use std::{
    borrow::Cow,
    ops::Range,
    sync::{LazyLock, OnceLock},
};

/// The beginning of a mask.
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
struct SecretHit {
    kind: &'static str,
    range: Range<usize>,
    /// The place of its form in the table: where two forms see the same words, the first names them.
    rank: usize,
}

/// Bounds of one expression for many forms, and of its automaton.
const MAX_EXPRESSION_BYTES: usize = 64 << 20;
const MAX_AUTOMATON_BYTES: usize = 16 << 20;

/// All forms. Each has a sign that is looked for first; those with a literal are looked for only where it stands, those of
/// tokens in one search (`tokens`), then one by one. Expressions are made when there is a text with their sign: most processes
/// read none.
struct SecretForms {
    names: Literals,
    tokens: OnceLock<Regex>,
    token_set: OnceLock<RegexSet>,
    each: Vec<SecretForm>,
    /// The places of the forms with each sign.
    named: Vec<usize>,
    runs: Vec<usize>,
}

static FORMS: LazyLock<SecretForms> = LazyLock::new(|| {
    let each: Vec<SecretForm> = token::forms()
        .chain(assignment::forms())
        .chain(told::forms())
        .chain(command::forms())
        .chain(marked::forms())
        .chain([card::form()])
        .collect();
    let places = |sign: FormSign| {
        let with = each.iter().enumerate().filter(|(_, form)| form.sign == sign);
        with.map(|(place, _)| place).collect::<Vec<usize>>()
    };
    let (named, runs) = (places(FormSign::Name), places(FormSign::Run));
    let names = Literals::of(written(&each, FormSign::Name));
    let (tokens, token_set) = Default::default();
    SecretForms { names, tokens, token_set, each, named, runs }
});

/// How the forms with a sign are written.
fn written(forms: &[SecretForm], sign: FormSign) -> impl Iterator<Item = &str> {
    forms.iter().filter(move |form| form.sign == sign).map(|form| form.regex.as_str())
}

/// No token is shorter.
const MIN_TOKEN_BYTES: usize = 16;

/// Whether a text holds what every token has: a long run of letters, digits and the signs that stand in tokens; or an address,
/// which may hold a short password. Looking for tokens themselves takes long, since most of them may begin in any word.
fn may_hold_token(text: &str) -> bool {
    let in_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./+=~:".contains(byte);
    let long = text.as_bytes().split(|byte| !in_token(byte)).any(|run| run.len() >= MIN_TOKEN_BYTES);
    long || text.contains("://")
}

/// No card has fewer digits.
const MIN_CARD_DIGITS: usize = 14;

fn may_hold_card(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).nth(MIN_CARD_DIGITS - 1).is_some()
}

impl SecretForms {
    /// The places of the forms that may be in a text, in their order.
    fn candidates(&self, text: &str) -> Vec<usize> {
        let mut places: Vec<usize> =
            self.names.owners_in(text).into_iter().map(|owner| self.named[owner]).collect();
        if may_hold_token(text) && self.tokens.get_or_init(|| self.any_token()).is_match(text) {
            places.extend(self.token_set().matches(text).into_iter().map(|at| self.runs[at]));
        }
        let others = self.each.iter().enumerate().filter(|(_, form)| match form.sign {
            FormSign::Name | FormSign::Run => false,
            FormSign::Digits => may_hold_card(text),
            FormSign::Option => command::may_hold_option(text),
        });
        places.extend(others.map(|(place, _)| place));
        places.sort_unstable();
        places
    }

    /// One search for every token.
    fn any_token(&self) -> Regex {
        let any = format!("(?:{})", written(&self.each, FormSign::Run).collect::<Vec<&str>>().join(")|(?:"));
        let regex = RegexBuilder::new(&any)
            .size_limit(MAX_EXPRESSION_BYTES)
            .dfa_size_limit(MAX_AUTOMATON_BYTES)
            .build();
        regex.expect("forms that a test reads")
    }

    /// Finds the tokens that are in a text.
    fn token_set(&self) -> &RegexSet {
        self.token_set.get_or_init(|| {
            let set = RegexSetBuilder::new(written(&self.each, FormSign::Run))
                .size_limit(MAX_EXPRESSION_BYTES)
                .dfa_size_limit(MAX_AUTOMATON_BYTES)
                .build();
            set.expect("the same forms")
        })
    }
}

/// Words beside a masked secret may be one themselves: a text is masked at most this many times.
const MAX_PASSES: usize = 8;

/// The text without its secrets. Masking what is masked changes nothing.
pub fn mask(text: &str) -> Masked<'_> {
    let mut masked = Cow::Borrowed(text);
    let mut places: Vec<(usize, &'static str)> = Vec::new();
    for _ in 0..MAX_PASSES {
        let hits = secrets(&masked);
        if hits.is_empty() {
            break;
        }
        masked = Cow::Owned(without(&masked, &hits, &mut places));
    }
    Masked { text: masked, found: places.into_iter().map(|(_, kind)| kind).collect() }
}

/// The text with its hits masked. `places` are where the masks are, before and after.
fn without(text: &str, hits: &[SecretHit], places: &mut Vec<(usize, &'static str)>) -> String {
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
fn secrets(text: &str) -> Vec<SecretHit> {
    let mut hits: Vec<SecretHit> = Vec::new();
    judge_matches(text, |rank, verdict| {
        if let Ok(SecretSpan { range, .. }) = verdict {
            hits.push(SecretHit { kind: FORMS.each[rank].kind, range, rank });
        }
    });
    hits.sort_by_key(|hit| (hit.range.start, hit.rank));
    let mut merged: Vec<SecretHit> = Vec::new();
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

/// Judges every match of every form in a text: its form's place in the table, and the verdict with its rule.
fn judge_matches(text: &str, mut judged: impl FnMut(usize, SecretVerdict)) {
    for rank in FORMS.candidates(text) {
        let SecretForm { kind, regex, judge, .. } = &FORMS.each[rank];
        let mut at = 0;
        while let Some(found) = regex.get().captures_at(text, at) {
            let whole = found.get(0).map_or(at..text.len(), |whole| whole.range());
            at = whole.end;
            let beside_mask =
                |secret: &SecretSpan| !stands_alone(text, &secret.range) || touches_mask(text, whole.start);
            let verdict = match judge(text, &found, kind) {
                Ok(secret) if beside_mask(&secret) => Err(InnocentRule::BesideMask),
                verdict => verdict,
            };
            if let Ok(secret) = &verdict {
                at = at.max(secret.range.end);
            }
            judged(rank, verdict);
        }
    }
}

/// Whether a secret touches no mask and holds none: what was masked before leaves nothing to mask beside it.
fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    !range.is_empty()
        && !text[range.clone()].contains(MARK)
        && !touches_mask(text, range.start)
        && !touches_mask(text, range.end)
        && !text[range.end..].starts_with(MARK)
}

/// Whether a place is in a mask or right after one.
fn touches_mask(text: &str, at: usize) -> bool {
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
mod tests;

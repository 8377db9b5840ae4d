//! Self-corrections: "Wait no, 1,640" right after "the rent is 1,620" says it again and better. It names nothing of what it
//! corrects, so that no likeness finds it; what tells is that a value of the same kind was told just before.

use super::{
    cues::CueClass,
    overlap::{akin, comparable},
    side::{ChangePair, StatementTeller},
    words::{ChangeWords, TextValue, ValueKind},
};

/// Turns within which somebody corrects what they said.
const MAX_TURNS_APART: u32 = 3;
/// A correction begins with its cue: no more words stand before it.
const MAX_WORDS_BEFORE_CUE: usize = 2;
/// Content words of a message that says little but the correction.
const MAX_CONTENT_WORDS: usize = 8;
/// Of two numbers that stand for the same thing neither is so many times the other.
const MAX_NUMBER_RATIO: f64 = 3.0;

/// A value that its speaker put right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfCorrection {
    /// As it was said first.
    pub old: String,
    /// As it is right.
    pub new: String,
}

/// Whether the user puts right what they said a few turns before: a short message that begins with a word of correction and
/// gives one value, where the known statement gives one of its kind.
pub fn self_correction(pair: &ChangePair<'_>) -> Option<SelfCorrection> {
    let (known, new) = (&pair.known.message, &pair.new.message);
    let is_users = pair.known.teller == StatementTeller::User && pair.new.teller == StatementTeller::User;
    let is_close = pair.turns_apart.is_some_and(|turns| (1..=MAX_TURNS_APART).contains(&turns));
    let begins = new.turning_points.iter().min().is_some_and(|place| *place <= MAX_WORDS_BEFORE_CUE);
    let corrects = new.has(CueClass::Corrected) && begins && new.content.len() <= MAX_CONTENT_WORDS;
    if !is_users || !is_close || !corrects || new.asks {
        return None;
    }
    let [value] = values(new)[..] else { return None };
    let units = units(value, new);
    let may_be_put_right = |old: &&TextValue| stands_for(old, value) && counts_alike(old, value, &units);
    let mut same_kind = values(known).into_iter().filter(may_be_put_right);
    let old = same_kind.next().filter(|_| same_kind.next().is_none())?;
    (old.key != value.key).then(|| SelfCorrection { old: old.written.clone(), new: value.written.clone() })
}

/// Its values that are no names: who is named in a correction may be anybody.
fn values(words: &ChangeWords) -> Vec<&TextValue> {
    words.values.iter().filter(|value| value.kind != ValueKind::Name).collect()
}

fn stands_for(old: &TextValue, new: &TextValue) -> bool {
    let number = |value: &TextValue| {
        let is_amount = matches!(value.kind, ValueKind::Number | ValueKind::Money);
        value.key.replace(',', "").parse::<f64>().ok().filter(|it| is_amount && *it > 0.0)
    };
    let is_near = |(old, new): (f64, f64)| old.max(new) / old.min(new) <= MAX_NUMBER_RATIO;
    comparable(old.kind, new.kind) && number(old).zip(number(new)).is_none_or(is_near)
}

/// The words beside a value that may say what it counts: the word of correction does not.
fn units<'w>(value: &'w TextValue, words: &ChangeWords) -> Vec<&'w str> {
    let cue = words.said(CueClass::Corrected).unwrap_or_default();
    value.beside.iter().map(String::as_str).filter(|word| cue.split(' ').all(|part| part != *word)).collect()
}

/// Whether nothing tells that two amounts count different things: "running 20 minutes late" puts right no 15 euros a night.
fn counts_alike(old: &TextValue, new: &TextValue, units: &[&str]) -> bool {
    let is_amount = matches!(new.kind, ValueKind::Number | ValueKind::Money);
    let are_money = old.kind == ValueKind::Money && new.kind == ValueKind::Money;
    let shares_unit = units.iter().any(|unit| old.beside.iter().any(|other| akin(unit, other)));
    !is_amount || are_money || units.is_empty() || shares_unit
}

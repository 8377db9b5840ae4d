//! The words of a text as the judge sees them: what it means (cues), what it speaks of (content words, names) and which
//! values it gives (numbers, times, days, sums, codes), each with what it counts.

use super::cues::{CHANGE_CLASSES, Cue, CueClass, CueLanguage, MAX_PHRASE_WORDS, language_of};
use crate::{
    lexicon::{WordList, plain_entries},
    plain::fold,
    statement::word::number,
};
use foldhash::fast::FixedState;
use std::{collections::HashSet, sync::LazyLock};
use unicode_normalization::char::is_combining_mark;

/// Characters of a text that are read: people say what is so before they go into detail.
const MAX_READ_CHARS: usize = 1_200;
/// Weight of a content word that many texts hold.
const COMMON_WEIGHT: f64 = 0.5;
/// Signs that stay inside a word when letters or digits follow.
const JOINING_SIGNS: &str = ".,:-_/@&+#";
const CURRENCY_SIGNS: &str = "$€£₺¥";

static COMMON: LazyLock<HashSet<String, FixedState>> =
    LazyLock::new(|| plain_entries(WordList::Common).map(fold).collect());

/// The kind of a value; only values of one kind are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Number,
    Clock,
    Weekday,
    Date,
    Money,
    Code,
    Name,
}

impl ValueKind {
    /// Its name in the names of features.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Clock => "clock",
            Self::Weekday => "weekday",
            Self::Date => "date",
            Self::Money => "money",
            Self::Code => "code",
            Self::Name => "name",
        }
    }
}

pub(super) const VALUE_KINDS: [ValueKind; 7] = [
    ValueKind::Number,
    ValueKind::Clock,
    ValueKind::Weekday,
    ValueKind::Date,
    ValueKind::Money,
    ValueKind::Code,
    ValueKind::Name,
];

/// A value that a text gives.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextValue {
    pub(super) kind: ValueKind,
    /// As it is compared.
    pub(super) key: String,
    /// As it was written.
    pub(super) written: String,
    /// The folded words right beside it, which may say what it counts.
    pub(super) beside: Vec<String>,
}

/// A content word.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ContentWord {
    pub(super) fold: String,
    pub(super) weight: f64,
    /// Whether it is a value too (a name, a code, a weekday).
    pub(super) is_value: bool,
}

/// A text as the judge sees it.
#[derive(Debug, Clone, Default)]
pub(super) struct ChangeWords {
    /// The classes of its cues, one bit each.
    classes: u64,
    /// Each cue with the words that gave it.
    pub(super) cues: Vec<(CueClass, String)>,
    pub(super) content: Vec<ContentWord>,
    pub(super) values: Vec<TextValue>,
    /// All words, folded.
    pub(super) sequence: Vec<String>,
    /// Where cues of change and denial stand among them.
    pub(super) turning_points: Vec<usize>,
    /// Words for people by what they are to somebody.
    pub(super) relatives: Vec<String>,
    /// Whether it begins with words for an occasion, a place or a thing of its own.
    pub(super) leads: bool,
    pub(super) asks: bool,
    pub(super) exclaims: bool,
    pub(super) quotes: bool,
}

/// A word with how it was written.
struct RawWord<'t> {
    text: &'t str,
    fold: String,
    /// Whether a sentence begins with it.
    first: bool,
    /// The sign right before it.
    before: char,
    /// The sign right after it.
    after: char,
}

impl ChangeWords {
    pub(super) fn of(text: &str) -> Self {
        let end = text.char_indices().nth(MAX_READ_CHARS).map_or(text.len(), |(at, _)| at);
        let text = &text[..end];
        let raw = raw_words(text);
        let language = language_of(raw.iter().map(|word| (word.text, word.fold.as_str())));
        let mut words = Self {
            asks: text.contains('?'),
            exclaims: text.contains('!'),
            quotes: text.chars().filter(|c| "\"“”„«»".contains(*c)).count() > 1,
            ..Self::default()
        };
        let arguments = words.take_cues(&raw, language);
        words.take_values(&raw, language, &arguments);
        words.take_content(&raw, language);
        words.sequence = raw.into_iter().map(|word| word.fold).collect();
        words
    }

    pub(super) fn has(&self, class: CueClass) -> bool {
        self.classes >> class as u8 & 1 == 1
    }

    /// Whether something speaks of a change.
    pub(super) fn says_change(&self) -> bool {
        CHANGE_CLASSES.iter().any(|class| self.has(*class))
    }

    /// The words that gave a cue.
    pub(super) fn said(&self, class: CueClass) -> Option<&str> {
        self.cues.iter().find(|(found, _)| *found == class).map(|(_, said)| said.as_str())
    }

    fn mark(&mut self, cue: Cue, said: &str) {
        if !self.has(cue.class) {
            self.classes |= 1 << cue.class as u8;
            self.cues.push((cue.class, said.to_owned()));
        }
    }

    /// Notes what depends on where a cue stands.
    fn place(&mut self, cue: Cue, said: &str, from: usize, to: usize) {
        match cue.class {
            CueClass::Ended | CueClass::Switched | CueClass::Denied | CueClass::Corrected => {
                self.turning_points.extend(from..=to);
            }
            CueClass::OtherPerson => self.relatives.push(said.to_owned()),
            CueClass::Lead => self.leads |= from == 0,
            _ => {}
        }
    }

    /// Marks every cue, and gives those with an argument by the place of their word.
    fn take_cues(&mut self, raw: &[RawWord], language: &CueLanguage) -> Vec<Vec<Cue>> {
        let mut arguments = vec![Vec::new(); raw.len()];
        for at in 0..raw.len() {
            let mut phrase = String::new();
            for (length, word) in raw[at..].iter().take(MAX_PHRASE_WORDS).enumerate() {
                if length > 0 {
                    phrase.push(' ');
                }
                phrase.push_str(&word.fold);
                for cue in language.of_phrase(&phrase) {
                    self.mark(*cue, &phrase);
                    self.place(*cue, &phrase, at, at + length);
                    if length == 0 {
                        arguments[at].push(*cue);
                    }
                }
            }
            if language.of_phrase(&raw[at].fold).is_empty() {
                let stem = raw[at].fold.split('\'').next().unwrap_or_default();
                let known = language.of_phrase(stem).iter().copied().filter(|cue| !cue.argument.is_empty());
                for cue in language.of_parts(&raw[at].fold).chain(known) {
                    self.mark(cue, &raw[at].fold);
                    self.place(cue, &raw[at].fold, at, at);
                    arguments[at].push(cue);
                }
            }
        }
        arguments
    }

    fn take_values(&mut self, raw: &[RawWord], language: &CueLanguage, arguments: &[Vec<Cue>]) {
        let has = |at: usize, class| {
            arguments.get(at).is_some_and(|cues| cues.iter().any(|cue| cue.class == class))
        };
        for (at, word) in raw.iter().enumerate() {
            let given = |class| arguments[at].iter().find(|cue| cue.class == class).map(|cue| cue.argument);
            let near = |class| has(at + 1, class) || (at > 0 && has(at - 1, class));
            let value = if let Some(day) = given(CueClass::Weekday) {
                Some((ValueKind::Weekday, day.to_owned()))
            } else if let Some(month) = given(CueClass::Month) {
                Some((ValueKind::Date, format!("month {month}")))
            } else if let Some(count) = given(CueClass::Number) {
                let article = matches!(count, "1") && !near(CueClass::Clock);
                (!article)
                    .then(|| (numeral_kind(near(CueClass::Clock), near(CueClass::Money)), count.to_owned()))
            } else {
                written_value(word, &near).or_else(|| name_value(word, language))
            };
            let Some((kind, key)) = value else { continue };
            // "14 June" is one date.
            let kind =
                if kind == ValueKind::Number && near(CueClass::Month) { ValueKind::Date } else { kind };
            let mut beside = Vec::new();
            for near in [at.checked_sub(1), Some(at + 1)].into_iter().flatten() {
                if let Some(other) = raw.get(near)
                    && !language.is_stop(&other.fold)
                    && other.fold.starts_with(char::is_alphabetic)
                {
                    beside.push(other.fold.clone());
                }
            }
            if let Some(unit) = attached_unit(word) {
                beside.push(unit);
            }
            if word.before == '%' || word.after == '%' {
                beside.push("%".to_owned());
            }
            self.values.push(TextValue { kind, key, written: word.text.to_owned(), beside });
        }
    }

    fn take_content(&mut self, raw: &[RawWord], language: &CueLanguage) {
        for word in raw {
            let stem = word.fold.split('\'').next().unwrap_or_default();
            if stem.len() < 2 || language.is_stop(&word.fold) || language.is_stop(stem) {
                continue;
            }
            if self.content.iter().any(|known| known.fold == stem)
                || stem.starts_with(|c: char| c.is_ascii_digit())
            {
                continue;
            }
            let weight = if COMMON.contains(stem) { COMMON_WEIGHT } else { 1.0 };
            let is_value = self.values.iter().any(|value| value.written == word.text);
            self.content.push(ContentWord { fold: stem.to_owned(), weight, is_value });
        }
    }
}

fn numeral_kind(clock: bool, money: bool) -> ValueKind {
    match (clock, money) {
        (true, _) => ValueKind::Clock,
        (_, true) => ValueKind::Money,
        _ => ValueKind::Number,
    }
}

/// The kind and key of a word that is a number or a code.
fn written_value(word: &RawWord, near: &dyn Fn(CueClass) -> bool) -> Option<(ValueKind, String)> {
    let text = word.text.split(['\'', '’']).next().unwrap_or_default();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if digits == 0 {
        let code = text.contains(['_', '@']) || (text.contains('.') && letters > 4) || word.before == '#';
        return (code && letters > 1).then(|| (ValueKind::Code, fold(text)));
    }
    let numeral: String = text.trim_end_matches(char::is_alphabetic).to_owned();
    let unit = &text[numeral.len()..];
    if text.starts_with(|c: char| c.is_ascii_digit())
        && numeral.chars().all(|c| c.is_ascii_digit() || ".,:/-–".contains(c))
    {
        let key = number(numeral.trim_end_matches(['.', ',', ':', '-'])).unwrap_or_else(|| numeral.clone());
        let clock = numeral.contains(':') || matches!(unit, "am" | "pm" | "h") || near(CueClass::Clock);
        let money = CURRENCY_SIGNS.contains(word.before)
            || CURRENCY_SIGNS.contains(word.after)
            || near(CueClass::Money);
        let key = if unit == "k" { format!("{key}k") } else { key };
        let ranged = numeral.contains('/') || numeral.matches('-').count() > 1;
        return Some((if ranged { ValueKind::Code } else { numeral_kind(clock, money) }, key));
    }
    Some((ValueKind::Code, fold(text)))
}

/// The letters right behind a number: `mg` of `50mg`.
fn attached_unit(word: &RawWord) -> Option<String> {
    let text = word.text.split(['\'', '’']).next().unwrap_or_default();
    let unit = &text[text.trim_end_matches(char::is_alphabetic).len()..];
    (text.starts_with(|c: char| c.is_ascii_digit()) && unit.len() > 1).then(|| fold(unit))
}

/// A word with a capital that is no common word at the beginning of a sentence.
fn name_value(word: &RawWord, language: &CueLanguage) -> Option<(ValueKind, String)> {
    let capital = word.text.starts_with(char::is_uppercase);
    let stem = word.fold.split('\'').next().unwrap_or_default();
    let shouted = word.text.chars().count() > 3 && word.text.chars().all(|c| !c.is_lowercase());
    if !capital || shouted || stem.len() < 2 || !language.of_phrase(stem).is_empty() {
        return None;
    }
    let common = COMMON.contains(stem) || language.capital_nouns;
    let name = !common || (!word.first && !language.capital_nouns);
    name.then(|| (ValueKind::Name, stem.to_owned()))
}

/// The words of a text: runs of letters and digits with the signs inside them.
fn raw_words(text: &str) -> Vec<RawWord<'_>> {
    let mut words: Vec<RawWord> = Vec::new();
    let (mut first, mut before) = (true, ' ');
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if !c.is_alphanumeric() {
            first |= ".!?…\n:\"“„«".contains(c);
            before = c;
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some((at, c)) = chars.peek().copied() {
            let next = text[at + c.len_utf8()..].chars().next().unwrap_or(' ');
            let joins = JOINING_SIGNS.contains(c) || "'’".contains(c);
            let digits = |c: char| c.is_ascii_digit();
            let inside = match c {
                ',' | ':' => text[..at].ends_with(digits) && digits(next),
                '/' => text[start..at].contains(digits) && digits(next),
                _ if joins => next.is_alphanumeric(),
                _ => c.is_alphanumeric() || is_combining_mark(c),
            };
            if !inside {
                break;
            }
            end = at + c.len_utf8();
            chars.next();
        }
        let after = text[end..].trim_start().chars().next().unwrap_or(' ');
        let word = &text[start..end];
        words.push(RawWord { text: word, fold: fold(word), first, before, after });
        (first, before) = (false, ' ');
    }
    words
}

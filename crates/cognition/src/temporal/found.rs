//! The times that stand in a text: phrases, joined with what stands beside them ("Tuesday, 14 October", "next week on
//! Friday") and held against what forbids to read them as days: quotations, suppositions, what happens again and again.

use super::{
    meaning::{PhraseMeaning, PhraseSetting, PhraseValues, TenseSide, meaning},
    phrase::{MatchedPhrase, TimePhrases, TimeReading, longest},
    tense::{clause, sentence, sentence_side, side},
    values::{is_doubtful_month, is_unit, number},
};
use crate::{
    language::is_stop_word,
    lexicon::{DatesClass, TimeGuardsClass, classed_entries},
    plain::fold,
    token::{Gap, Token},
};
use foldhash::fast::FixedState;
use jiff::civil::Date;
use std::{collections::HashMap, ops::Range, sync::LazyLock};

/// Maximum times read in one text.
const MAX_TIMES: usize = 64;

/// Words behind a time that may say that it comes again: "on Tuesday and Friday mornings".
const MAX_WORDS_BEHIND: usize = 3;
/// Words behind a day of a month within which another day told by its number alone is of the same month.
const MAX_WORDS_TO_NEXT_DAY: usize = 20;
/// Words before a number of days that may be what is done in them.
const MAX_WORDS_BEFORE: usize = 3;

/// A time that stands in a text.
pub(super) struct FoundTime {
    /// The first day that is meant.
    pub from: Date,
    /// The last.
    pub to: Date,
    /// Its words, by their places.
    pub words: Range<usize>,
    /// Where its words end.
    pub end: usize,
    /// How the date is written behind the words; nothing if the words are a whole date already.
    pub written: Option<String>,
}

/// The list `time_guards` of every language.
#[derive(Default)]
struct TimeGuards {
    words: HashMap<String, Vec<TimeGuardsClass>, FixedState>,
    /// Endings of words that suppose.
    unreal_endings: Vec<String>,
    /// Endings of words that say from where something is counted.
    from_endings: Vec<String>,
}

static GUARDS: LazyLock<TimeGuards> = LazyLock::new(|| {
    let mut guards = TimeGuards::default();
    for entry in classed_entries() {
        let word = fold(entry.text);
        match entry.class {
            TimeGuardsClass::UnrealEnding => guards.unreal_endings.push(word),
            TimeGuardsClass::FromEnding => guards.from_endings.push(word),
            class => guards.words.entry(word).or_default().push(class),
        }
    }
    guards
});

fn is_word(word: &str, class: TimeGuardsClass) -> bool {
    GUARDS.words.get(word).is_some_and(|classes| classes.contains(&class))
}

fn is(token: &Token, class: TimeGuardsClass) -> bool {
    is_word(&token.fold, class)
}

fn ends_with_any(word: &str, endings: &[String]) -> bool {
    endings.iter().any(|ending| word.len() > ending.len() && word.ends_with(ending.as_str()))
}

/// Every time of a text, in order; of several that begin together the longest.
pub(super) fn times(phrases: &TimePhrases, text: &str, tokens: &[Token], today: Date) -> Vec<FoundTime> {
    let mut times: Vec<FoundTime> = Vec::new();
    let mut at = 0;
    let mut month_day: Option<(Date, usize)> = None;
    let mut bare_days = Vec::new();
    let is_asked = phrases.reading == TimeReading::Asked;
    while at < tokens.len() && times.len() < MAX_TIMES {
        let Some(phrase) = longest(phrases, tokens, at) else {
            times.extend(written_out(text, tokens, at));
            at += 1;
            continue;
        };
        let alone = JoinedTime::of(phrase);
        let time = if is_asked { alone } else { joined(phrases, text, tokens, phrase, today) };
        let is_part = time.read == phrase.end && phrase.meaning == PhraseMeaning::Said(DatesClass::Part);
        let near = month_day.filter(|(_, end)| at - end <= MAX_WORDS_TO_NEXT_DAY).map(|(day, _)| day);
        if let Some(found) = resolved(phrases.reading, text, tokens, at, &time, today, near) {
            if time.values.day.is_some() && found.from == found.to {
                month_day = Some((found.from, time.read));
            }
            if time.values.month.is_some() {
                let day = &found;
                times.retain(|time| !bare_days.contains(&time.words.start) || !is_doubted_by(time, day));
            } else if matches!(time.meaning, PhraseMeaning::MonthDay(_)) {
                bare_days.push(at);
            }
            times.push(found);
            at = time.read;
        } else {
            at = if is_part || is_asked { at + 1 } else { time.read };
        }
    }
    times
}

/// Whether a day told by its number alone may be of another month, since a day of that one follows: "not the 4th, so 11 July".
fn is_doubted_by(bare: &FoundTime, named: &FoundTime) -> bool {
    let near = named.words.start - bare.words.end <= MAX_WORDS_TO_NEXT_DAY;
    near && (bare.from.year(), bare.from.month()) != (named.from.year(), named.from.month())
}

/// A date as a calendar writes it, unless it is one that was added.
fn written_out(text: &str, tokens: &[Token], at: usize) -> Option<FoundTime> {
    let token = &tokens[at];
    if text[..token.start].ends_with(['(', '[', '/']) {
        return None;
    }
    let date: Date = (token.text.len() == 10).then(|| token.text.parse().ok()).flatten()?;
    Some(FoundTime { from: date, to: date, words: at..at + 1, end: token.whole_end, written: None })
}

/// A phrase with what stands beside it and belongs to the same time.
#[derive(Clone, Copy)]
struct JoinedTime {
    meaning: PhraseMeaning,
    values: PhraseValues,
    /// The place behind the words that the date is written after.
    end: usize,
    /// The place behind all words that belong to it.
    read: usize,
}

impl JoinedTime {
    fn of(phrase: MatchedPhrase) -> Self {
        let MatchedPhrase { meaning, values, end } = phrase;
        Self { meaning, values, end, read: end }
    }
}

/// A phrase joined with the one behind it, if they are one time.
fn joined(
    phrases: &TimePhrases,
    text: &str,
    tokens: &[Token],
    phrase: MatchedPhrase,
    today: Date,
) -> JoinedTime {
    let alone = JoinedTime::of(phrase);
    let Some((begin, next)) = beside(phrases, text, tokens, phrase.end) else { return alone };
    let (one, other) = (phrase.values, next.values);
    let (end, read) = (next.end, next.end);
    let with = |meaning, values| JoinedTime { meaning, values, end, read };
    let weekday_alone = |values: &PhraseValues| values.weekday.filter(|_| values.day.is_none());
    let weekday = |weekday| PhraseValues { weekday: Some(weekday), ..PhraseValues::default() };
    let in_year = |values, steps| PhraseValues { told_year: Some(today.year() + steps), ..values };
    match (weekday_alone(&one), weekday_alone(&other)) {
        (Some(day), None) if other.day.is_some() => {
            with(next.meaning, PhraseValues { weekday: Some(day), ..other })
        }
        (Some(day), None) if week_steps(&next).is_some() => {
            with(PhraseMeaning::WeekDay(week_steps(&next).unwrap_or_default()), weekday(day))
        }
        (None, Some(day)) if one.day.is_some() && begins_with_value(tokens, begin) => {
            // "14 October (Tuesday)": the date stands before what is said aside.
            let end = if tokens[begin].gap == Gap::Break { phrase.end } else { next.end };
            JoinedTime { end, ..with(phrase.meaning, PhraseValues { weekday: Some(day), ..one }) }
        }
        (None, Some(day)) if week_steps(&phrase).is_some() => {
            with(PhraseMeaning::WeekDay(week_steps(&phrase).unwrap_or_default()), weekday(day))
        }
        // "Two weeks ago on Friday" is neither of both days alone.
        (Some(_), None) if is_counted(&next) => with(PhraseMeaning::Said(DatesClass::Part), one),
        (None, Some(_)) if is_counted(&phrase) => with(PhraseMeaning::Said(DatesClass::Part), other),
        _ => match (year_steps(&phrase), year_steps(&next)) {
            (None, Some(steps)) if is_yearless(&phrase) => with(phrase.meaning, in_year(one, steps)),
            (Some(steps), None) if is_yearless(&next) => with(next.meaning, in_year(other, steps)),
            _ => alone,
        },
    }
}

/// The phrase that stands right behind another one, also after a comma, a bracket or a small word: "Friday, the 9th".
fn beside(phrases: &TimePhrases, text: &str, tokens: &[Token], end: usize) -> Option<(usize, MatchedPhrase)> {
    let before = tokens.get(end.checked_sub(1)?)?;
    let near = |token: &Token| match token.gap {
        Gap::Space | Gap::Comma => true,
        Gap::Break => text[before.whole_end..token.start].trim() == "(",
    };
    let first = tokens.get(end).filter(|token| near(token) && !token.first)?;
    longest(phrases, tokens, end).map(|phrase| (end, phrase)).or_else(|| {
        let links = is(first, TimeGuardsClass::Link);
        let next = tokens.get(end + 1).filter(|next| links && next.gap == Gap::Space);
        next.and_then(|_| longest(phrases, tokens, end + 1)).map(|phrase| (end + 1, phrase))
    })
}

/// Whether a phrase begins with its value and not with a word that leads to it: "Friday", not "on Friday".
fn begins_with_value(tokens: &[Token], begin: usize) -> bool {
    !is(&tokens[begin], TimeGuardsClass::Link) && !is_stop_word(&tokens[begin].fold)
}

/// How many weeks from this one the week is that a phrase tells.
fn week_steps(phrase: &MatchedPhrase) -> Option<i64> {
    if let PhraseMeaning::Step(step) = phrase.meaning {
        return step.strip_prefix("week").and_then(|steps| steps.parse().ok());
    }
    unit_steps(phrase, "week").map(i64::from)
}

/// How many years from this one the year is that a phrase tells.
fn year_steps(phrase: &MatchedPhrase) -> Option<i16> {
    unit_steps(phrase, "year")
}

fn unit_steps(phrase: &MatchedPhrase, unit: &str) -> Option<i16> {
    let steps = match phrase.meaning {
        PhraseMeaning::Said(DatesClass::Last) => -1,
        PhraseMeaning::Said(DatesClass::This) => 0,
        PhraseMeaning::Said(DatesClass::Next | DatesClass::Coming | DatesClass::NextOrComing) => 1,
        _ => return None,
    };
    (phrase.values.unit == Some(unit)).then_some(steps)
}

/// Whether a phrase counts units from today.
fn is_counted(phrase: &MatchedPhrase) -> bool {
    matches!(phrase.meaning, PhraseMeaning::Said(DatesClass::Ago | DatesClass::Ahead))
}

/// Whether a phrase is a month or a day of one without a year.
fn is_yearless(phrase: &MatchedPhrase) -> bool {
    let on = phrase.meaning == PhraseMeaning::Said(DatesClass::On);
    on && phrase.values.month.is_some() && phrase.values.year.is_none()
}

/// The days that a time means, if it means any.
fn resolved(
    reading: TimeReading,
    text: &str,
    tokens: &[Token],
    at: usize,
    time: &JoinedTime,
    today: Date,
    told_before: Option<Date>,
) -> Option<FoundTime> {
    let (asked, ahead) = (reading == TimeReading::Asked, reading == TimeReading::Ahead);
    if !asked && !is_told(text, tokens, at, &exact(time, ahead)) {
        return None;
    }
    // A question about a month asks what happened in it; one about a day may as well ask what is planned.
    let one_day = time.values.day.is_some() || time.values.weekday.is_some();
    let side = if asked {
        match sentence_side(text, tokens, at) {
            TenseSide::Either if !one_day => TenseSide::Past,
            side => side,
        }
    } else if ahead {
        TenseSide::Future
    } else {
        pointed(tokens, at, time.end, side(text, tokens, at..time.read))
    };
    let (from, to, written) =
        meaning(time.meaning, &time.values, PhraseSetting { today, side, asked, ahead, told_before })?;
    Some(FoundTime { from, to, words: at..time.end, end: tokens[time.end - 1].whole_end, written })
}

/// A time as it is judged: "in a couple of days", meant for later, is in two.
fn exact(time: &JoinedTime, ahead: bool) -> JoinedTime {
    let values = PhraseValues { vague: time.values.vague && !ahead, ..time.values };
    JoinedTime { values, ..*time }
}

/// The side with what points ahead from the past: "booked it for 12 December", "12 Aralık'a bilet aldım".
fn pointed(tokens: &[Token], at: usize, end: usize, side: TenseSide) -> TenseSide {
    let (last, next) = (&tokens[end - 1], tokens.get(end));
    let until = next.is_some_and(|next| is(next, TimeGuardsClass::Until));
    let dative = is_word(&fold(last.ending), TimeGuardsClass::AheadEnding);
    let leads = |token: &Token| is(token, TimeGuardsClass::Ahead);
    let before = leads(&tokens[at]) || at > 0 && leads(&tokens[at - 1]) && tokens[at].gap == Gap::Space;
    let after = next.is_some_and(|next| is(next, TimeGuardsClass::AheadAfter));
    let from = tokens[at.saturating_sub(4)..at].iter().any(|token| is(token, TimeGuardsClass::From));
    match side {
        side if until || from || !(before || after || dative) => side,
        TenseSide::WasPast => TenseSide::Unsure,
        TenseSide::Past | TenseSide::Future | TenseSide::Either | TenseSide::Unsure => TenseSide::Future,
    }
}

/// Whether a time is told as such: not quoted, supposed, or of every week, and not only about so far away.
fn is_told(text: &str, tokens: &[Token], at: usize, time: &JoinedTime) -> bool {
    let sentence = sentence(tokens, at);
    let words = &tokens[sentence.clone()];
    if is_quoted(text, tokens[at].start) || is_supposed(words) {
        return false;
    }
    let before = at.checked_sub(1).map(|place| &tokens[place]).filter(|_| tokens[at].gap == Gap::Space);
    let after = tokens.get(time.end).filter(|next| next.gap == Gap::Space && !next.first);
    let led = |class| before.is_some_and(|token| is(token, class));
    let followed = |class| after.is_some_and(|token| is(token, class));
    let recurs = || {
        let clause = clause(text, tokens, &sentence, at..time.read);
        let units = tokens[clause.clone()].windows(2);
        let mut units = units.filter(|pair| is(&pair[0], TimeGuardsClass::RecurringUnit));
        tokens[clause].iter().any(|token| is(token, TimeGuardsClass::Recurring))
            || units.any(|pair| is_unit(&pair[1]))
    };
    let recurs_behind = tokens[time.end..sentence.end.max(time.end)]
        .iter()
        .take(MAX_WORDS_BEHIND)
        .any(|token| is(token, TimeGuardsClass::RecurringAfter));
    // "I'll call her tomorrow" is no Turkish "every": there is one tomorrow.
    let is_step = matches!(time.meaning, PhraseMeaning::Step(_));
    let recurs_before = led(TimeGuardsClass::Recurring) || led(TimeGuardsClass::RecurringUnit) && !is_step;
    if recurs_before || recurs_behind {
        return false;
    }
    match time.meaning {
        PhraseMeaning::Said(DatesClass::Ago | DatesClass::Ahead) => {
            is_counted_surely(tokens, sentence.start, at, time)
        }
        PhraseMeaning::Said(DatesClass::Last | DatesClass::Next | DatesClass::This) => {
            let stretch = time.values.unit.is_some() && led(TimeGuardsClass::The);
            !(stretch || followed(TimeGuardsClass::Of))
        }
        PhraseMeaning::Said(DatesClass::On) => !recurs() && is_dated_surely(text, tokens, at, time),
        PhraseMeaning::MonthDay(of) => {
            let ends =
                tokens.get(time.end).is_none_or(|next| next.gap != Gap::Space || is_stop_word(&next.fold));
            !recurs() && (of != "near" || ends && !followed(TimeGuardsClass::Of))
        }
        PhraseMeaning::Step(step) => {
            let anchored = step.starts_with("day") && before.is_some_and(is_ablative);
            !(anchored || step.contains('~') && recurs() || followed(TimeGuardsClass::Of))
        }
        PhraseMeaning::Said(_)
        | PhraseMeaning::Asked(_)
        | PhraseMeaning::MonthEnd(_)
        | PhraseMeaning::WeekDay(_) => true,
    }
}

/// Whether so many days from today are exactly so many: not about so many, nor from another day, and not how long
/// something takes.
fn is_counted_surely(tokens: &[Token], begin: usize, at: usize, time: &JoinedTime) -> bool {
    let Some(before) = at.checked_sub(1).map(|place| &tokens[place]) else { return !time.values.vague };
    let led = |class| is(before, class);
    let is_number = |place: usize| number(&tokens[place..=place]).is_some();
    // "A year and two months ago", "two or three weeks ago".
    let longer = led(TimeGuardsClass::VagueAfterNumber)
        && at.checked_sub(2).is_some_and(|place| is_unit(&tokens[place]) || is_number(place));
    let vague = led(TimeGuardsClass::Vague) || longer || is_number(at - 1) || is_ablative(before);
    // "Three pages in five days" tells how fast.
    let counts = |token: &Token| token.text.starts_with(|c: char| c.is_ascii_digit());
    let fast = time.meaning == PhraseMeaning::Said(DatesClass::Ahead)
        && tokens[at.saturating_sub(MAX_WORDS_BEFORE).max(begin).min(at)..at].iter().any(counts);
    !time.values.vague && !fast && (tokens[at].gap != Gap::Space || !vague)
}

/// Whether a day and a month are one: not "March 3 miles", and no short year behind them: "12 Dec '19".
fn is_dated_surely(text: &str, tokens: &[Token], at: usize, time: &JoinedTime) -> bool {
    let rest = text[tokens[time.end - 1].whole_end..].trim_start();
    let short_year =
        rest.strip_prefix(['\'', '’']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let bare = time.values.day.is_some() && !time.values.ordinal && time.values.year.is_none();
    let ordinary = tokens[at].first && is_doubtful_month(&tokens[at]) && bare;
    let counts = tokens
        .get(time.end)
        .is_some_and(|next| next.gap == Gap::Space && !next.is_capital() && !is_stop_word(&next.fold));
    !(short_year || ordinary && counts)
}

/// Whether a word says from where something is counted: "düğünden iki hafta önce".
fn is_ablative(token: &Token) -> bool {
    let ending = fold(token.ending);
    GUARDS.from_endings.contains(&ending) || ends_with_any(&token.fold, &GUARDS.from_endings)
}

/// Whether a sentence only supposes what it says.
fn is_supposed(words: &[Token]) -> bool {
    let any = |class| words.iter().any(|token| is(token, class) || is_word(&token.whole_fold(), class));
    any(TimeGuardsClass::Supposed)
        || any(TimeGuardsClass::If) && any(TimeGuardsClass::Unreal)
        || words.iter().any(|token| ends_with_any(&token.fold, &GUARDS.unreal_endings))
}

/// Whether a place stands between quotation marks.
fn is_quoted(text: &str, at: usize) -> bool {
    let mut open = 0_usize;
    let mut straight = false;
    for c in text[..at].chars() {
        match c {
            '"' => straight = !straight,
            '“' | '«' | '„' => open += 1,
            '”' | '»' => open = open.saturating_sub(1),
            '\n' => (open, straight) = (0, false),
            _ => {}
        }
    }
    let closes = |mark: char| text[at..].lines().next().is_some_and(|line| line.contains(mark));
    straight && closes('"') || open > 0 && (closes('”') || closes('»') || closes('“'))
}

//! The times that a question speaks of: "on 7 May 2023", "last month", "since 2021", "before March".

use super::{
    calendar::{DaySpan, day, today},
    found::{FoundTime, times},
    phrase::ASKED,
    values::without_ending,
};
use crate::{
    lexicon::{BoundsClass, classed_entries},
    plain::fold,
    reading::Reading,
    token::{Gap, Token},
};
use cairn_domain::{Day, MILLIS_PER_DAY, Time};
use jiff::civil::Date;
use std::{borrow::Cow, ops::Range, sync::LazyLock};

/// Maximum windows taken from one question.
const MAX_WINDOWS: usize = 4;
/// Days told at once that are exact enough for any time that is asked about.
const MAX_TOLD_DAYS: i64 = 7;
/// Bytes of a question that are read.
const MAX_QUESTION_BYTES: usize = 4_096;

/// A stretch of time that a question speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Its first moment; open if there is none.
    pub from: Option<Time>,
    /// The moment after its last; open if there is none.
    pub to: Option<Time>,
    /// The words that say so.
    pub words: String,
}

impl Window {
    /// Whether a moment lies in it.
    pub fn holds(&self, at: Time) -> bool {
        self.from.is_none_or(|from| from <= at) && self.to.is_none_or(|to| at < to)
    }

    /// Whether days that somebody told lie in it at least in part, and are told about as exactly as it is asked for.
    pub fn touches(&self, days: DaySpan) -> bool {
        let start = |day: Day| day.to_string().parse::<Time>().map(Time::millis).ok();
        let (Some(first), Some(last)) = (start(days.from), start(days.to)) else { return false };
        let asked = self.from.zip(self.to).map_or(i64::MAX, |(from, to)| to.millis() - from.millis());
        let is_exact = last - first <= asked.max(MAX_TOLD_DAYS * MILLIS_PER_DAY);
        let begins_in_time = self.to.is_none_or(|to| first < to.millis());
        is_exact && begins_in_time && self.from.is_none_or(|from| last + MILLIS_PER_DAY > from.millis())
    }
}

/// Words around a time that open one of its ends, and on which side they stand.
struct WindowBound {
    class: BoundsClass,
    words: Vec<String>,
}

static BOUNDS: LazyLock<Vec<WindowBound>> = LazyLock::new(|| {
    let words = |text: &str| text.split_whitespace().map(fold).collect();
    let mut bounds: Vec<WindowBound> =
        classed_entries().map(|entry| WindowBound { class: entry.class, words: words(entry.text) }).collect();
    bounds.sort_by_key(|bound| std::cmp::Reverse(bound.words.len()));
    bounds
});

/// The times that a question speaks of, seen from now, in their order. A month without a year is the last one, unless the
/// question speaks of what is to come. A day of a month without a year is the nearest and a weekday the next, unless the
/// question says on which side it is.
pub fn windows(question: &str, now: Time) -> Vec<Window> {
    let reading = Reading::of(&question[..question.floor_char_boundary(MAX_QUESTION_BYTES)]);
    let (text, tokens) = (reading.text(), reading.tokens());
    let found = found(text, tokens, today(now));
    let mut windows = Vec::new();
    let mut at = 0;
    while at < found.len() && windows.len() < MAX_WINDOWS {
        let (window, next) = match stretch(tokens, &found, at) {
            Some(stretch) => (stretch, at + 2),
            None => (bounded(tokens, &found[at]), at + 1),
        };
        let (from, to, words) = window;
        let words = text[tokens[words.start].start..tokens[words.end - 1].whole_end].to_owned();
        windows.push(Window { from: from.and_then(first_moment), to: to.and_then(after_last), words });
        at = next;
    }
    windows.retain(|window| window.from.is_some() || window.to.is_some());
    windows
}

/// The times of a question as they are written, and those that appear once the words lose their endings.
fn found(text: &str, tokens: &[Token], today: Date) -> Vec<FoundTime> {
    let mut found = times(&ASKED, text, tokens, today);
    if tokens.iter().any(|token| without_ending(&token.fold).is_some()) {
        let bare = tokens.iter().map(|token| {
            let stem = without_ending(&token.fold).map(|stem| Cow::Owned(stem.to_owned()));
            Token { fold: stem.unwrap_or_else(|| token.fold.clone()), ..token.clone() }
        });
        let bare: Vec<Token> = bare.collect();
        for more in times(&ASKED, text, &bare, today) {
            let apart = |known: &FoundTime| {
                more.words.end <= known.words.start || known.words.end <= more.words.start
            };
            if found.iter().all(apart) {
                found.push(more);
            }
        }
        found.sort_by_key(|found| found.words.start);
    }
    found
}

type BoundedDates = (Option<Date>, Option<Date>, Range<usize>);

/// One stretch out of this time and the next: "between March and May", "Mart ile Mayıs arasında".
fn stretch(tokens: &[Token], found: &[FoundTime], at: usize) -> Option<BoundedDates> {
    let (first, second) = (&found[at], found.get(at + 1)?);
    let opens = before(tokens, first, BoundsClass::BeforeBetween);
    let closes = after(tokens, second, BoundsClass::AfterBetween);
    let between = &tokens[first.words.end..second.words.start];
    let adjacent = between.is_empty() && after(tokens, second, BoundsClass::AfterThrough).is_some();
    let joined = BOUNDS
        .iter()
        .filter(|bound| bound.class == BoundsClass::And)
        .any(|bound| says(between, &bound.words));
    if !(adjacent || joined && (opens.is_some() || closes.is_some())) {
        return None;
    }
    // "Between March and May 2022": the year is that of both.
    let shared = second.written.is_none() && first.written.is_some();
    let year = if shared { second.from.year() } else { first.from.year() };
    let from = first.from.with().year(year).build().ok()?;
    let words = opens.unwrap_or(first.words.start)..closes.unwrap_or(second.words.end);
    (from <= second.to).then_some((Some(from), Some(second.to), words))
}

/// A time with the words that open one of its ends.
fn bounded(tokens: &[Token], found: &FoundTime) -> BoundedDates {
    let (from, to) = (Some(found.from), Some(found.to));
    let until = found.from.yesterday().ok();
    let since = found.to.tomorrow().ok();
    for (leads, follows, from, to) in [
        (BoundsClass::BeforeUntil, BoundsClass::AfterUntil, None, until),
        (BoundsClass::BeforeThrough, BoundsClass::AfterThrough, None, to),
        (BoundsClass::BeforeSince, BoundsClass::AfterSince, from, None),
        (BoundsClass::BeforeAfter, BoundsClass::AfterAfter, since, None),
    ] {
        if let Some(start) = before(tokens, found, leads) {
            return (from, to, start..found.words.end);
        }
        if let Some(end) = after(tokens, found, follows) {
            return (from, to, found.words.start..end);
        }
    }
    (from, to, found.words.clone())
}

/// Where the words of a bound begin that stand before a time or are its first.
fn before(tokens: &[Token], found: &FoundTime, class: BoundsClass) -> Option<usize> {
    let start = found.words.start;
    BOUNDS.iter().filter(|bound| bound.class == class).find_map(|bound| {
        let length = bound.words.len();
        if length < found.words.len() && says(&tokens[start..start + length], &bound.words) {
            return Some(start);
        }
        let begin = start.checked_sub(length)?;
        let near = tokens[start].gap == Gap::Space;
        (near && says(&tokens[begin..start], &bound.words)).then_some(begin)
    })
}

/// Where the words of a bound end that stand behind a time.
fn after(tokens: &[Token], found: &FoundTime, class: BoundsClass) -> Option<usize> {
    let end = found.words.end;
    BOUNDS.iter().filter(|bound| bound.class == class).find_map(|bound| {
        let words = tokens.get(end..end + bound.words.len())?;
        (words[0].gap == Gap::Space && says(words, &bound.words)).then_some(end + words.len())
    })
}

fn says(tokens: &[Token], words: &[String]) -> bool {
    tokens.len() == words.len() && tokens.iter().zip(words).all(|(token, word)| token.fold == *word)
}

fn first_moment(date: Date) -> Option<Time> {
    day(date)?.to_string().parse().ok()
}

fn after_last(date: Date) -> Option<Time> {
    first_moment(date).map(|time| Time::from_millis(time.millis() + MILLIS_PER_DAY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Monday, 8 May 2023.
    fn now() -> Time {
        "2023-05-08T13:56:00Z".parse().expect("a time")
    }

    fn written(window: &Window) -> String {
        let day = |time: Option<Time>| time.map_or(String::new(), |time| time.day().to_string());
        format!("{}..{}|{}", day(window.from), day(window.to), window.words)
    }

    #[test]
    fn a_question_says_which_time_it_is_about() {
        let mut wrong = Vec::new();
        for (question, expected) in [
            ("What did I do on 7 May 2022?", "2022-05-07..2022-05-08|7 May 2022"),
            ("What did I do on May 7th?", "2023-05-07..2023-05-08|on May 7th"),
            ("What happened in June?", "2022-06-01..2022-07-01|in June"),
            ("What will happen in June?", "2023-06-01..2023-07-01|in June"),
            ("Whose birthday is in June?", "2022-06-01..2022-07-01|in June"),
            ("What is on 20 June?", "2023-06-20..2023-06-21|20 June"),
            ("What happened on 20 June?", "2022-06-20..2022-06-21|20 June"),
            ("Whom do I meet on January 12?", "2023-01-12..2023-01-13|on January 12"),
            ("What do I have on Thursday?", "2023-05-11..2023-05-12|on Thursday"),
            ("Who called on Thursday?", "2023-05-04..2023-05-05|on Thursday"),
            ("20 Haziran'da ne var?", "2023-06-20..2023-06-21|20 Haziran'da"),
            ("Which books did I read in 2022?", "2022-01-01..2023-01-01|in 2022"),
            ("trips 2021", "2021-01-01..2022-01-01|2021"),
            ("Where was I last month?", "2023-04-01..2023-05-01|last month"),
            ("What did I eat yesterday?", "2023-05-07..2023-05-08|yesterday"),
            ("Who called two weeks ago?", "2023-04-24..2023-04-25|two weeks ago"),
            ("What did I buy in the last three weeks?", "2023-04-17..2023-05-09|the last three weeks"),
            ("Where did I live before March?", "..2023-03-01|before March"),
            ("Where did I live before 2019?", "..2019-01-01|before 2019"),
            ("what did i do since june", "2022-06-01..|since june"),
            ("What did I do before March 7?", "..2023-03-07|before March 7"),
            ("What changed since 2021?", "2021-01-01..|since 2021"),
            ("What changed since March?", "2023-03-01..|since March"),
            ("What did I finish by April 2023?", "..2023-05-01|by April 2023"),
            ("Where did I work after 2020?", "2021-01-01..|after 2020"),
            (
                "Between March and May 2022, what did I paint?",
                "2022-03-01..2022-06-01|Between March and May 2022",
            ),
            ("From 2019 to 2021, where did I live?", "2019-01-01..2022-01-01|From 2019 to 2021"),
            ("What did I write on 2023-02-03?", "2023-02-03..2023-02-04|2023-02-03"),
            ("May I ask something?", ""),
            ("Where do I live?", ""),
            ("Mayıs 2022'de ne yaptım?", "2022-05-01..2022-06-01|Mayıs 2022'de"),
            ("7 Mayıs 2022'de ne yaptım?", "2022-05-07..2022-05-08|7 Mayıs 2022'de"),
            ("Geçen hafta kim aradı?", "2023-05-01..2023-05-08|Geçen hafta"),
            ("Geçen haftadan beri ne değişti?", "2023-05-01..|Geçen haftadan beri"),
            ("2021'den beri ne değişti?", "2021-01-01..|2021'den beri"),
            ("2022 yılında hangi kitapları okudum?", "2022-01-01..2023-01-01|2022 yılında"),
            ("Haziranda ne yaptık?", "2022-06-01..2022-07-01|Haziranda"),
            ("Biz Mart'tan önce nerede oturuyorduk?", "..2023-03-01|Mart'tan önce"),
            ("2020'den sonra nerede çalıştım?", "2021-01-01..|2020'den sonra"),
            ("Son iki haftada ne aldım?", "2023-04-24..2023-05-09|Son iki haftada"),
            ("Dün ne yedim?", "2023-05-07..2023-05-08|Dün"),
            ("İki hafta önce kim aradı?", "2023-04-24..2023-04-25|İki hafta önce"),
            (
                "2022 Mart ile Mayıs 2022 arasında ne çizdim?",
                "2022-03-01..2022-06-01|Mart ile Mayıs 2022 arasında",
            ),
            ("Nisan'a kadar ne bitirdim?", "..2023-05-01|Nisan'a kadar"),
        ] {
            let found = windows(question, now());
            let found = found.last().map(written).unwrap_or_default();
            if found != expected {
                wrong.push(format!("{question}: {found}, not {expected}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_first_moment_is_in_a_window_and_the_last_is_not() {
        let window = &windows("What happened in April 2023?", now())[0];
        let at = |text: &str| text.parse::<Time>().expect("a time");
        assert!(window.holds(at("2023-04-01")) && window.holds(at("2023-04-30T23:59:59.999Z")));
        assert!(!window.holds(at("2023-05-01")) && !window.holds(at("2023-03-31T23:59:59.999Z")));
    }

    #[test]
    fn days_that_were_told_lie_in_a_window_or_not() {
        let window = &windows("What do I have to do next week?", now())[0];
        let days = |from: &str, to: &str| DaySpan {
            from: from.parse().expect("a day"),
            to: to.parse().expect("a day"),
        };
        assert!(window.touches(days("2023-05-16", "2023-05-16")));
        assert!(window.touches(days("2023-05-13", "2023-05-15")), "it reaches into it");
        assert!(
            !window.touches(days("2023-05-13", "2023-05-14"))
                && !window.touches(days("2023-05-22", "2023-05-22"))
        );
        assert!(!window.touches(days("2023-05-01", "2023-05-31")), "a month is no week");
    }

    proptest! {
        #[test]
        fn a_window_ends_after_it_begins(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "between", "from", "March", "and", "to", "2021", "2022", "last", "week", "since", "before", "May", "7",
                    "Mart'tan", "önce", "sonra", "beri", "arasında", "ile", "haftadan", "geçen", "son", "iki", "ayda", "?",
                ]),
                0..12,
            ),
            ms in 0_i64..4_000_000_000_000,
        ) {
            let found = windows(&words.join(" "), Time::from_millis(ms));
            prop_assert!(found.len() <= MAX_WINDOWS);
            for window in found {
                prop_assert!(window.from.is_none() || window.to.is_none() || window.from < window.to, "{:?}", window);
            }
        }
    }
}

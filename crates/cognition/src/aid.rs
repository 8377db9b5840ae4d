//! Answering aids without a model: what can be worked out from dated evidence, each line with the refs it rests on. What
//! "yesterday" meant, how long lay between, what came first, on how many days something happened. Only evidence that is about
//! the question counts. Rather no line than a wrong one.

use crate::{
    confidence::shortened_text,
    diversity::term_likeness,
    intent::AnswerShape,
    keywords::{Terms, terms, unique_terms},
    language::is_stop_word,
    lexicon::CountsClass,
    pattern::Patterns,
    sentence::sentences,
    statement::{asked_slot, fills_slot},
    temporal::{DaySpan, Window, foresight, told, windows},
};
use cairn_domain::{Day, Time};
use jiff::{Unit, civil::Date};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

/// Phrases that ask how often something happened, how long ago, how long until now, and how long between.
static COUNTS: LazyLock<Patterns<CountsClass>> = LazyLock::new(Patterns::read);

/// Maximum pieces of evidence that are looked at, the best first.
const MAX_EVIDENCE: usize = 12;
/// Texts that are more alike than this say the same.
const SAME_TEXT_LIKENESS: f64 = 0.8;
/// Maximum characters of a quotation.
const MAX_QUOTE_CHARS: usize = 80;

/// A piece of evidence: words, when they were said, and where they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote<'a> {
    /// The words.
    pub text: &'a str,
    /// When they were said.
    pub at: Time,
    /// Where they stand.
    pub source: &'a str,
}

/// A line that was worked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AidLine {
    /// The sentence.
    pub text: String,
    /// The refs it rests on.
    pub refs: Vec<String>,
}

/// Something that happened, as evidence tells it.
struct DatedEvent<'a> {
    evidence: &'a Quote<'a>,
    /// The days it may have happened on: those that its words tell, or the day they were said.
    span: DaySpan,
}

/// A question as far as it says what evidence has to be about.
struct AskedWords {
    /// Its words that tell something, as terms, without those of a time.
    terms: BTreeSet<String>,
    /// The times it speaks of.
    windows: Vec<Window>,
    /// The thing to be counted, if it says so.
    counts: Option<CountsClass>,
}

impl AskedWords {
    fn of(question: &str, now: Time) -> Self {
        let windows = windows(question, now);
        let mut bare = question.to_owned();
        let counting = COUNTS.find(question).min_by_key(|found| found.range.start);
        let counts = counting.as_ref().map(|found| found.class);
        let counting = counting.filter(|found| found.class == CountsClass::Times);
        let cut = counting.map(|found| question[found.range].to_owned());
        for words in cut.iter().chain(windows.iter().map(|window| &window.words)) {
            bare = bare.replacen(words.as_str(), " ", 1);
        }
        let words = bare.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let telling = words.filter(|word| !is_stop_word(&word.to_lowercase()));
        let terms = telling.flat_map(unique_terms).collect();
        Self { terms, windows, counts }
    }

    /// How many of its words a text has.
    fn shared(&self, text: &str) -> usize {
        terms(text).counts.iter().filter(|(term, _)| self.terms.contains(term)).count()
    }

    /// Whether a text has at least half of its words.
    fn is_about(&self, text: &str) -> bool {
        let shared = self.shared(text);
        shared > 0 && shared * 2 >= self.terms.len()
    }
}

/// Lines that help to answer a question of this shape, worked out from evidence that is about it, the best first.
pub fn aids(shape: AnswerShape, question: &str, evidence: &[Quote<'_>], now: Time) -> Vec<AidLine> {
    let asked = AskedWords::of(question, now);
    let mut evidence = distinct(&evidence[..evidence.len().min(MAX_EVIDENCE)]);
    evidence.retain(|it| match shape {
        // What says it need not share a word with the question, and what shares one may say something else.
        AnswerShape::Current => told_now(&asked, question, it.text).is_some(),
        // Each may tell of another of the things that are put in order, or that time lies between.
        AnswerShape::Order => asked.shared(it.text) > 0,
        AnswerShape::HowLong if asked.counts == Some(CountsClass::Between) => asked.shared(it.text) > 0,
        _ => asked.is_about(it.text),
    });
    match shape {
        AnswerShape::When => evidence.iter().take(3).flat_map(|it| meant(it)).collect(),
        AnswerShape::HowLong => how_long(&asked, &evidence, now).into_iter().collect(),
        AnswerShape::Order => in_order(&evidence).into_iter().collect(),
        AnswerShape::HowMany if asked.counts == Some(CountsClass::Times) => {
            counted(&asked, &evidence).into_iter().collect()
        }
        AnswerShape::Current => newest(&asked, question, &evidence).into_iter().collect(),
        AnswerShape::HowMany
        | AnswerShape::List
        | AnswerShape::Summary
        | AnswerShape::YesNo
        | AnswerShape::Other => Vec::new(),
    }
}

/// Evidence without what says the same as something before it.
fn distinct<'a>(evidence: &'a [Quote<'a>]) -> Vec<&'a Quote<'a>> {
    let mut known: Vec<(Terms, &Quote)> = Vec::new();
    for it in evidence {
        let terms = terms(it.text);
        if known.iter().all(|(other, before)| {
            before.source != it.source && term_likeness(other, &terms) < SAME_TEXT_LIKENESS
        }) {
            known.push((terms, it));
        }
    }
    known.into_iter().map(|(_, it)| it).collect()
}

/// The dates that relative times of a text meant on the day they were said.
fn meant(evidence: &Quote) -> Vec<AidLine> {
    let told = told(evidence.text, evidence.at).into_iter().filter(|told| told.relative).take(2);
    let line = |told: crate::temporal::ToldTime| AidLine {
        text: format!("“{}”, said on {}, was {}.", told.words, evidence.at.day(), days(told.span)),
        refs: vec![evidence.source.to_owned()],
    };
    told.map(line).collect()
}

/// The event that evidence tells of: with one time in its words that is not to come, or with none. Of several nobody
/// knows which is meant.
fn event<'a>(evidence: &'a Quote<'a>) -> Option<DatedEvent<'a>> {
    let said = evidence.at.day();
    let told = told(evidence.text, evidence.at);
    let span = match &told[..] {
        [] => DaySpan { from: said, to: said },
        [one] if one.span.from <= said => one.span,
        _ => return None,
    };
    Some(DatedEvent { evidence, span })
}

/// How long ago the best evidence is, or how long lay between the two best, whichever is asked. Only where it is known to
/// the day; what lasts until now must have been told to begin on a day.
fn how_long(asked: &AskedWords, evidence: &[&Quote], now: Time) -> Option<AidLine> {
    let day = |it: &Quote| event(it).filter(|event| event.span.from == event.span.to).map(|it| it.span.from);
    let first = evidence.first()?;
    let one = day(first)?;
    match asked.counts? {
        CountsClass::UntilNow if told(first.text, first.at).is_empty() => None,
        CountsClass::Ago | CountsClass::UntilNow => {
            let text = format!("From {one} to {} (now): {}.", now.day(), length(one, now.day())?);
            Some(AidLine { text, refs: vec![first.source.to_owned()] })
        }
        CountsClass::Between => {
            let second = evidence.get(1)?;
            let other = day(second)?;
            let (from, to) = (one.min(other), one.max(other));
            let refs = vec![first.source.to_owned(), second.source.to_owned()];
            Some(AidLine { text: format!("From {from} to {to}: {}.", length(from, to)?), refs })
        }
        CountsClass::Times => None,
    }
}

/// The evidence in the order in which it happened, if the days of no two overlap.
fn in_order(evidence: &[&Quote]) -> Option<AidLine> {
    let mut events: Vec<DatedEvent> = evidence.iter().filter_map(|it| event(it)).collect();
    events.sort_by_key(|event| (event.span.from, event.span.to));
    let apart = events.windows(2).all(|pair| pair[0].span.to < pair[1].span.from);
    if events.len() < 2 || !apart {
        return None;
    }
    let one = |event: &DatedEvent| {
        format!(
            "{} “{}” [{}]",
            days(event.span),
            shortened_text(event.evidence.text, MAX_QUOTE_CHARS),
            event.evidence.source
        )
    };
    let text = format!("In order of time: {}.", events.iter().map(one).collect::<Vec<_>>().join("; "));
    Some(AidLine { text, refs: events.iter().map(|event| event.evidence.source.to_owned()).collect() })
}

/// On how many days what is asked for happened, as far as evidence tells: each piece names all of it, tells of no plan, and
/// of one day, which lies in the time that is asked for.
fn counted(asked: &AskedWords, evidence: &[&Quote]) -> Option<AidLine> {
    let mut days: BTreeMap<Day, &str> = BTreeMap::new();
    for it in evidence {
        let names_all = asked.shared(it.text) == asked.terms.len();
        let happened = event(it).filter(|event| event.span.from == event.span.to);
        let Some(happened) = happened.filter(|_| names_all && !is_undone(it)) else { continue };
        let day = happened.span.from;
        let within = |window: &Window| day.to_string().parse().is_ok_and(|moment| window.holds(moment));
        if asked.windows.is_empty() || asked.windows.iter().any(within) {
            days.entry(day).or_insert(it.source);
        }
    }
    if days.len() < 2 {
        return None;
    }
    let listed: Vec<String> = days.keys().map(Day::to_string).collect();
    let text = format!("Told of at least {} different days: {}.", days.len(), listed.join(", "));
    Some(AidLine { text, refs: days.into_values().map(str::to_owned).collect() })
}

/// Whether evidence tells of something that did not happen: a plan or a question.
fn is_undone(evidence: &Quote) -> bool {
    evidence.text.trim_end().ends_with('?') || foresight(evidence.text, evidence.at).is_some()
}

/// The words of a text that tell what is asked for now: the sentence that says what the user has in the slot that is asked for,
/// else all of it, if it is about the question and does not ask itself.
fn told_now<'t>(asked: &AskedWords, question: &str, text: &'t str) -> Option<&'t str> {
    match asked_slot(question) {
        Some(slot) => sentences(text).into_iter().find(|sentence| fills_slot(sentence, slot)),
        None => (asked.is_about(text) && !text.trim_end().ends_with('?')).then_some(text),
    }
}

/// The evidence that was said last, if one was.
fn newest(asked: &AskedWords, question: &str, evidence: &[&Quote]) -> Option<AidLine> {
    let last = evidence.iter().max_by_key(|it| it.at)?;
    let alone = evidence.iter().filter(|it| it.at == last.at).count() == 1;
    let words = shortened_text(told_now(asked, question, last.text)?, MAX_QUOTE_CHARS);
    let text = format!("Said last, on {}: “{words}”.", last.at.day());
    (evidence.len() > 1 && alone).then(|| AidLine { text, refs: vec![last.source.to_owned()] })
}

/// A day, or from when to when.
fn days(span: DaySpan) -> String {
    if span.from == span.to { span.from.to_string() } else { format!("{} to {}", span.from, span.to) }
}

/// How long it is from one day to a later one: `25 days (3 weeks 4 days)`. Nothing if it is not later.
pub fn length(from: Day, to: Day) -> Option<String> {
    let date = |day: Day| day.to_string().parse::<Date>().ok();
    let (from, to) = (date(from)?, date(to)?);
    let all = from.until(to).ok()?.get_days();
    if all <= 0 {
        return None;
    }
    let largest = if all < 61 { Unit::Week } else { Unit::Year };
    let span = from.until((largest, to)).ok()?;
    let parts = [
        (i64::from(span.get_years()), "year"),
        (i64::from(span.get_months()), "month"),
        (i64::from(span.get_weeks()), "week"),
        (i64::from(span.get_days()), "day"),
    ];
    let many = |count: i64, unit: &str| format!("{count} {unit}{}", if count == 1 { "" } else { "s" });
    let told: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| many(*n, unit)).collect();
    let (all, told) = (many(i64::from(all), "day"), told.join(" "));
    Some(if all == told { all } else { format!("{all} ({told})") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str) -> Time {
        text.parse().expect("a time")
    }

    fn quote<'a>(text: &'a str, on: &str, source: &'a str) -> Quote<'a> {
        Quote { text, at: at(on), source }
    }

    fn lines(shape: AnswerShape, question: &str, evidence: &[Quote]) -> Vec<String> {
        let told = aids(shape, question, evidence, at("2023-06-08"));
        assert!(told.iter().all(|line| !line.refs.is_empty()));
        told.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn a_length_is_told_in_days_and_in_larger_units() {
        for (from, to, expected) in [
            ("2023-05-08", "2023-05-09", Some("1 day")),
            ("2023-05-08", "2023-05-13", Some("5 days")),
            ("2023-05-08", "2023-06-02", Some("25 days (3 weeks 4 days)")),
            ("2023-05-08", "2023-05-22", Some("14 days (2 weeks)")),
            ("2023-01-31", "2023-05-03", Some("92 days (3 months 3 days)")),
            ("2020-02-29", "2023-02-28", Some("1095 days (2 years 11 months 30 days)")),
            ("2023-05-08", "2023-05-08", None),
            ("2023-05-08", "2023-05-01", None),
        ] {
            let day = |text: &str| text.parse::<Day>().expect("a day");
            assert_eq!(length(day(from), day(to)).as_deref(), expected, "{from} {to}");
        }
    }

    #[test]
    fn a_relative_time_is_a_date() {
        let evidence = [quote("I planted the fig yesterday", "2023-05-08", "msg_1")];
        assert_eq!(
            lines(AnswerShape::When, "When did I plant the fig?", &evidence),
            ["“yesterday”, said on 2023-05-08, was 2023-05-07."]
        );
        let evidence = [quote("Geçen ay kiraz diktim", "2023-05-08", "msg_1")];
        assert_eq!(
            lines(AnswerShape::When, "Kirazı ne zaman diktim?", &evidence),
            ["“Geçen ay”, said on 2023-05-08, was 2023-04-01 to 2023-04-30."]
        );
        assert!(
            lines(
                AnswerShape::When,
                "When did I plant a fig?",
                &[quote("I planted a fig on 7 May 2023", "2023-05-08", "msg_1")]
            )
            .is_empty()
        );
    }

    #[test]
    fn the_time_between_two_days_is_worked_out() {
        let evidence = [
            quote("The roof leaked yesterday", "2023-05-08", "msg_1"),
            quote("Today the roofer came", "2023-06-02", "msg_2"),
        ];
        assert_eq!(
            lines(
                AnswerShape::HowLong,
                "How long did it take from the leak of the roof until the roofer came?",
                &evidence
            ),
            ["From 2023-05-07 to 2023-06-02: 26 days (3 weeks 5 days)."]
        );
        assert_eq!(
            lines(AnswerShape::HowLong, "How long ago did the roof leak?", &evidence),
            ["From 2023-05-07 to 2023-06-08 (now): 32 days (4 weeks 4 days)."]
        );
        for (asks_for_none, evidence) in [
            ("How long is my class?", "I have a class today"),
            ("How long does the class take?", "I have a class today"),
            ("Ders ne kadar sürüyor?", "Bugün dersim var"),
            ("How long have I been to class?", "My class was fun"),
        ] {
            let evidence = [quote(evidence, "2023-05-08", "msg_1")];
            assert!(lines(AnswerShape::HowLong, asks_for_none, &evidence).is_empty(), "{asks_for_none}");
        }
        let vague = [quote("The roof leaked last month", "2023-05-08", "msg_1")];
        assert!(
            lines(
                AnswerShape::HowLong,
                "How long did it take from the leak of the roof until the roofer came?",
                &vague
            )
            .is_empty(),
            "a month is no day"
        );
        let several = [quote("It leaked yesterday and two weeks ago", "2023-05-08", "msg_1")];
        assert!(
            lines(
                AnswerShape::HowLong,
                "How long did it take from the leak of the roof until the roofer came?",
                &several
            )
            .is_empty(),
            "nobody knows which is meant"
        );
    }

    #[test]
    fn what_happened_is_put_in_order_by_when_it_happened() {
        let evidence = [
            quote("The ferry to Bergen was great, it was last month", "2023-05-08", "msg_2"),
            quote("We hiked in Porto yesterday", "2023-02-05", "msg_1"),
        ];
        let found = lines(AnswerShape::Order, "Did we hike in Porto before the ferry?", &evidence);
        assert!(found[0].starts_with(
            "In order of time: 2023-02-04 “We hiked in Porto yesterday” [msg_1]; 2023-04-01 to 2023-04-30"
        ));
        let overlapping = [
            quote("The ferry was great last month", "2023-05-08", "msg_2"),
            quote("We hiked in Porto yesterday", "2023-04-05", "msg_1"),
        ];
        assert!(
            lines(AnswerShape::Order, "Did we hike in Porto before the ferry?", &overlapping).is_empty(),
            "either may have come first"
        );
    }

    #[test]
    fn only_evidence_about_the_question_is_told() {
        let evidence = [
            quote("I bought a fern for the kitchen", "2023-05-08", "msg_1"),
            quote("A cactus stands in the hall", "2023-05-09", "msg_3"),
        ];
        assert!(
            lines(AnswerShape::Current, "Which fern do I have now?", &evidence)[..].is_empty(),
            "one is no choice"
        );
        let ferns = [evidence[0].clone(), quote("The fern is in the hall now", "2023-05-12", "msg_4")];
        assert!(lines(AnswerShape::Current, "Where is the fern now?", &ferns)[0].contains("in the hall now"));
        let homes = [
            quote("I live with a grey cat", "2023-05-01", "msg_5"),
            quote("I live in Alfama.", "2023-05-02", "msg_6"),
            quote("The stairs are steep. I moved to Graça.", "2023-05-09", "msg_7"),
            quote("I basically live there, at the studio", "2023-05-10", "msg_8"),
            quote("Where do I live now?", "2023-05-11", "msg_9"),
        ];
        let told = lines(AnswerShape::Current, "Where do I live now?", &homes);
        assert_eq!(told, ["Said last, on 2023-05-09: “I moved to Graça.”."], "the sentence that says it");
        assert!(lines(AnswerShape::Current, "Where do I live now?", &homes[..2]).is_empty());
        for shape in [AnswerShape::HowMany, AnswerShape::List, AnswerShape::Other] {
            assert!(lines(shape, "How many ferns do I have?", &ferns).is_empty(), "things are not counted");
        }
    }

    #[test]
    fn days_are_counted_that_name_what_is_asked_and_lie_in_the_time() {
        let evidence = [
            quote("I swam 5 laps in the pool today", "2023-05-02", "msg_1"),
            quote("The pool was empty yesterday, I swam", "2023-05-09", "msg_2"),
            quote("I swam again in the pool today, in the rain", "2023-04-20", "msg_3"),
            quote("I will go to the pool tomorrow", "2023-05-10", "msg_4"),
            quote("I painted the fence today", "2023-05-11", "msg_5"),
            quote("Was I at the pool last month?", "2023-05-12", "msg_6"),
        ];
        assert_eq!(
            lines(AnswerShape::HowMany, "How many times was I at the pool in May?", &evidence),
            ["Told of at least 2 different days: 2023-05-02, 2023-05-08."]
        );
        assert!(lines(AnswerShape::HowMany, "How many times did I cook in May?", &evidence).is_empty());
        assert!(
            lines(AnswerShape::HowMany, "How many times was I at the pool in March?", &evidence).is_empty()
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn there_are_few_lines_and_each_has_its_refs(
            texts in prop::collection::vec(("[a-z]{1,6} (yesterday|last week|on May 7|today|dün)? ?[a-z]{0,6}", 0_i64..2_000_000_000_000), 0..20),
            shape in prop::sample::select(vec![AnswerShape::When, AnswerShape::HowLong, AnswerShape::HowMany, AnswerShape::Order, AnswerShape::List, AnswerShape::Current]),
        ) {
            let sources: Vec<String> = (0..texts.len()).map(|it| format!("msg_{it}")).collect();
            let evidence: Vec<Quote> = texts
                .iter()
                .zip(&sources)
                .map(|((text, ms), source)| Quote { text, at: Time::from_millis(*ms), source })
                .collect();
            let lines = aids(shape, "how many times did abc happen yesterday", &evidence, Time::from_millis(2_000_000_000_000));
            prop_assert!(lines.len() <= 6);
            prop_assert!(lines.iter().all(|line| !line.refs.is_empty() && line.refs.iter().all(|it| sources.contains(it))));
        }
    }
}

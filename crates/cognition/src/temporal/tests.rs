use super::*;
use cairn_domain::Time;
use proptest::prelude::*;

fn at(text: &str) -> Time {
    text.parse().expect("a time")
}

/// Monday, 8 May 2023.
fn said() -> Time {
    at("2023-05-08T13:56:00Z")
}

/// covers: C-128
#[test]
fn a_day_told_by_its_number_is_of_the_month_told_just_before() {
    for (text, expected) in [
        (
            "they are away on 20 May, so they gave me the 22nd",
            "they are away on 20 May [2023-05-20], so they gave me the 22nd [2023-05-22]",
        ),
        (
            "Last meal on 1 June, into the fridge on the 15th.",
            "Last meal on 1 June [2023-06-01], into the fridge on the 15th [2023-06-15].",
        ),
        (
            "It is booked, but not the 12th: So Saturday 10 June.",
            "It is booked, but not the 12th: So Saturday 10 June [2023-06-10].",
        ),
        // Before the day that was told it may as well be of the next month.
        ("from 28 May, back on the 3rd", "from 28 May [2023-05-28], back on the 3rd"),
    ] {
        assert_eq!(dated(text, said()).text, expected);
    }
}

/// covers: C-128
#[test]
fn a_day_without_a_year_is_long_past_only_if_the_words_say_so() {
    for (text, expected) in [
        ("The assembly: 8 January.", "The assembly: 8 January."),
        ("The assembly was on 8 January.", "The assembly was on 8 January [2023-01-08]."),
        ("The assembly: 8 April.", "The assembly: 8 April [2023-04-08]."),
        ("The assembly: 8 August.", "The assembly: 8 August [2023-08-08]."),
    ] {
        assert_eq!(dated(text, said()).text, expected);
    }
}

/// covers: C-128, C-133
#[test]
fn relative_times_become_dates_behind_their_words() {
    for (text, expected) in [
        (
            "I went to a support group yesterday and loved it",
            "I went to a support group yesterday [2023-05-07] and loved it",
        ),
        ("I'll call her tomorrow.", "I'll call her tomorrow [2023-05-09]."),
        ("See you tomorrow!", "See you tomorrow [2023-05-09]!"),
        ("I will send it by May 20.", "I will send it by May 20 [2023-05-20]."),
        ("it is open until June 3", "it is open until June 3 [2023-06-03]"),
        ("today's talk", "today's [2023-05-08] talk"),
        ("last night I slept badly", "last night [2023-05-07] I slept badly"),
        ("We met last Friday.", "We met last Friday [2023-05-05]."),
        ("last Monday", "last Monday [2023-05-01]"),
        ("next Tuesday at 5pm", "next Tuesday [2023-05-16] at 5pm"),
        ("this Friday", "this Friday [2023-05-12]"),
        ("this weekend", "this weekend [2023-05-13/2023-05-14]"),
        ("last weekend", "last weekend [2023-05-06/2023-05-07]"),
        ("two weeks ago", "two weeks ago [2023-04-24]"),
        ("2 weeks ago", "2 weeks ago [2023-04-24]"),
        ("a couple of days ago", "a couple of days ago"),
        ("in three days", "in three days [2023-05-11]"),
        ("in 3 months", "in 3 months [2023-08]"),
        ("last month", "last month [2023-04]"),
        ("last week", "last week [2023-05-01/2023-05-07]"),
        ("next year", "next year [2024]"),
        ("five years ago", "five years ago [2018]"),
        ("the concert on May 7 was great", "the concert on May 7 [2023-05-07] was great"),
        ("we fly on January 3rd", "we fly on January 3rd"),
        ("we will fly on January 3rd", "we will fly on January 3rd [2024-01-03]"),
        ("I was born on May 7, 1990", "I was born on May 7, 1990"),
        ("we met on Thursday", "we met on Thursday [2023-05-04]"),
        ("I painted the fence on Thursday", "I painted the fence on Thursday [2023-05-04]"),
        ("The plumber repaired it on Friday", "The plumber repaired it on Friday [2023-05-05]"),
        ("I need the report by Thursday", "I need the report by Thursday [2023-05-11]"),
        ("The call is scheduled on Thursday", "The call is scheduled on Thursday [2023-05-11]"),
        ("Perşembe günü çiti boyadım", "Perşembe günü [2023-05-04] çiti boyadım"),
        ("Perşembe günü ciddi bir toplantı var", "Perşembe günü [2023-05-11] ciddi bir toplantı var"),
        ("the meeting is on Thursday", "the meeting is on Thursday [2023-05-11]"),
        ("I moved here in March", "I moved here in March [2023-03]"),
        ("I may go", "I may go"),
        ("at 10:30 on the 2nd floor", "at 10:30 on the 2nd floor"),
        ("Dün sinemaya gittim", "Dün [2023-05-07] sinemaya gittim"),
        ("Yarın toplantı var", "Yarın [2023-05-09] toplantı var"),
        ("bugün hava güzel", "bugün [2023-05-08] hava güzel"),
        ("geçen hafta taşındık", "geçen hafta [2023-05-01/2023-05-07] taşındık"),
        ("önümüzdeki ay başlıyorum", "önümüzdeki ay [2023-06] başlıyorum"),
        ("üç gün sonra sınavım var", "üç gün sonra [2023-05-11] sınavım var"),
        ("iki hafta önce geldi", "iki hafta önce [2023-04-24] geldi"),
        ("haftaya görüşürüz", "haftaya [2023-05-15/2023-05-21] görüşürüz"),
        ("haftaya salı sınav var", "haftaya salı [2023-05-16] sınav var"),
        ("7 Mayıs'ta evlendik", "7 Mayıs'ta [2023-05-07] evlendik"),
        ("geçen cuma günü geldi", "geçen cuma günü [2023-05-05] geldi"),
        ("on iki gün önce", "on iki gün önce [2023-04-26]"),
        ("geçen yıl Bursa'daydım", "geçen yıl [2022] Bursa'daydım"),
        ("öbür gün dönüyorum", "öbür gün [2023-05-10] dönüyorum"),
    ] {
        assert_eq!(dated(text, said()).text, expected, "{text}");
    }
}

#[test]
fn dates_are_told_also_when_the_words_need_none_added() {
    let Dated { dates, signals, .. } = dated("from 2023-06-01, and on May 7, 1990, and next month", said());
    let days: Vec<String> = dates.iter().map(|span| format!("{}..{}", span.from, span.to)).collect();
    assert_eq!(days, ["2023-06-01..2023-06-01", "1990-05-07..1990-05-07", "2023-06-01..2023-06-30"]);
    assert_eq!(signals, 3);
    assert_eq!(dated("nothing here", said()).signals, 0);
}

/// covers: C-129, C-134
#[test]
fn a_plan_is_watched_until_its_day_or_for_a_week() {
    for (text, until) in [
        ("I plan to learn Dutch", Some("2023-05-15T13:56:00Z")),
        ("We will move to Porto", Some("2023-05-15T13:56:00Z")),
        ("She's going to study law", Some("2023-05-15T13:56:00Z")),
        ("I'll call the bank tomorrow.", Some("2023-05-09T23:59:59.999Z")),
        ("We fly to Rome next month", Some("2023-06-30T23:59:59.999Z")),
        ("I'm flying to Rome next week", Some("2023-05-21T23:59:59.999Z")),
        ("Yarın doktora gideceğim", Some("2023-05-09T23:59:59.999Z")),
        ("Yeni bir işe başlayacağım", Some("2023-05-15T13:56:00Z")),
        ("Önümüzdeki hafta taşınıyoruz", Some("2023-05-21T23:59:59.999Z")),
        ("Yiyecek ve içecek aldım", None),
        ("I planted tomatoes", None),
        ("She lives in Porto", None),
    ] {
        assert_eq!(foresight(text, said()).map(|f| f.until), until.map(at), "{text}");
    }
    let plan = foresight("I am tired. I will rest soon! Bye", said()).expect("a plan");
    assert_eq!(plan.words, "I will rest soon");
}

#[test]
fn odd_texts_and_odd_days_do_no_harm() {
    for piece in ["in 5 ", "[", "last ", "7 Mayıs ", "May 31 ", "999 years ago ", "(2023-", "🙂 on May "] {
        let text = piece.repeat(100_000);
        let _ = (dated(&text, said()), foresight(&text, said()));
    }
    for time in [i64::MIN, 0, i64::MAX] {
        for text in
            ["999 years ago", "in 999 years", "next week", "last month", "on February 29", "in 999 weeks"]
        {
            let _ = (dated(text, Time::from_millis(time)), foresight(text, Time::from_millis(time)));
        }
    }
}

/// The text without the dates that were added.
fn undated(text: &str) -> String {
    regex::Regex::new(r" \[\d{4}[-\d/]*\]").expect("a pattern").replace_all(text, "").into_owned()
}

proptest! {
    #[test]
    fn no_word_is_lost_and_dating_twice_is_dating_once(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "today", "yesterday", "last", "next", "Friday", "on", "May", "7", "in", "three", "weeks", "ago", "dün",
                "geçen", "hafta", "ay", "önce", "iki", "Mayıs'ta", "günü", "and", "I", "went", "will", "go", "a", "2021",
                "(x)", ",", ".", "weekend", "this", "31", "June",
            ]),
            0..14,
        ),
        ms in 0_i64..4_000_000_000_000,
    ) {
        let text = words.join(" ");
        let said_at = Time::from_millis(ms);
        let once = dated(&text, said_at);
        prop_assert_eq!(undated(&once.text), text);
        prop_assert_eq!(dated(&once.text, said_at).text, once.text);
    }
}

/// Cases of one's own: when it was said, the words, and the dates that they mean, or a stroke.
fn check_dates(cases: &str) -> (usize, usize, Vec<String>) {
    let (mut right, mut absent, mut wrong) = (0, 0, Vec::new());
    let added = regex::Regex::new(r" \[(\d{4}[-\d/]*)\]").expect("a pattern");
    for line in cases.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [said_at, text, expected] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let written = dated(text, at(said_at)).text;
        let found: Vec<&str> =
            added.captures_iter(&written).filter_map(|found| Some(found.get(1)?.as_str())).collect();
        let meant: Vec<&str> = expected.split(' ').filter(|date| *date != "-").collect();
        match () {
            () if found == meant => right += 1,
            () if found.iter().all(|date| meant.contains(date)) => {
                absent += 1;
                println!("absent: {said_at} {text} -> {expected}");
            }
            () => wrong.push(format!("{said_at} {text}: {found:?}, not {expected}")),
        }
    }
    (right, absent, wrong)
}

/// covers: C-128
#[test]
fn every_date_that_is_written_is_the_one_that_was_meant() {
    let (right, absent, wrong) = check_dates(include_str!("../../tests/data/dates-dev.tsv"));
    println!("right {right} absent {absent} wrong {}", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(absent * 20 <= right, "{absent} of {right}");
}

/// covers: C-128
#[test]
fn dates_nobody_looked_at_while_writing_the_rules_are_right_or_absent() {
    let (right, absent, wrong) = check_dates(include_str!("../../tests/data/dates-held.tsv"));
    println!("right {right} absent {absent} wrong {}\n{}", wrong.len(), wrong.join("\n"));
    assert!(wrong.len() * 33 <= right, "{}", wrong.join("\n"));
    assert!(absent * 8 <= right, "{absent} of {right}");
}

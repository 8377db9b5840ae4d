use super::*;
use crate::{intent::question_intent, keywords::query_words};
use std::collections::HashMap;

/// The disputes among some texts of one speaker, said one after the other.
fn among(question: &str, texts: &[&str]) -> Vec<(usize, Dispute)> {
    let words: HashMap<String, f64> =
        query_words(question).into_iter().flatten().map(|word| (word, 1.0)).collect();
    let Some(wants) = Wants::of(question, question_intent(question).shape) else { return Vec::new() };
    let all = query_words(question).len() as f64;
    let asked = DisputedQuestion { worth: &|word| words.get(word).copied().unwrap_or(0.0), all, wants };
    let said: Vec<DisputedQuote> = (1..)
        .zip(texts)
        .map(|(day, text)| DisputedQuote {
            text,
            speaker: "user",
            at: (Time::from_millis(day * 86_400_000), 0),
        })
        .collect();
    disputes(&asked, &said)
}

fn changed(place: usize, by: usize) -> Vec<(usize, Dispute)> {
    vec![(place, Dispute::Changed { by })]
}

fn denied(one: usize, other: usize) -> Vec<(usize, Dispute)> {
    vec![(one, Dispute::Denied { by: other }), (other, Dispute::Denied { by: one })]
}

/// covers: W-111, K-86
#[test]
fn a_later_value_stands_against_an_earlier_one() {
    for (question, earlier, later) in [
        (
            "How many chairs do we have in the hall?",
            "We have 40 chairs in the hall.",
            "The hall has 55 chairs now.",
        ),
        (
            "What is the rent of the studio?",
            "The rent of the studio is $900 a month.",
            "They raised the rent of the studio to $950.",
        ),
        (
            "When is my appointment with the dentist?",
            "My appointment with the dentist is on 4 May 2026.",
            "The dentist moved my appointment to 9 May 2026.",
        ),
        (
            "What time is the call with Ana?",
            "The call with Ana is at 3 PM.",
            "The call with Ana was rescheduled to 4:30 PM.",
        ),
        (
            "What is the test coverage of the parser?",
            "The test coverage of the parser is 65%, which is low.",
            "I worked on the parser, its test coverage has improved to 78%.",
        ),
        ("Salonda kaç sandalye var?", "Salonda 40 sandalye var.", "Artık salonda 55 sandalye var."),
        // What changed is told in a clause of its own, of which the first says more.
        (
            "What is the waiting time at the harbour desk?",
            "The waiting time at the harbour desk is 40 minutes, we want to halve it.",
            "I timed the waiting at the harbour desk, which has dropped to 25 minutes, and I wrote a note.",
        ),
        // Of what was named in full only the change is told.
        (
            "What deadline do I have for the grant application to the harbour museum?",
            "I have already planned for 4 May 2026, my deadline for the grant application to the harbour museum.",
            "The new deadline of the museum is 9 May 2026.",
        ),
        // The question names a value itself.
        (
            "What is the queue time for 20 visitors?",
            "The queue time for 20 visitors is 9 minutes.",
            "The queue time for 20 visitors was lowered to 6 minutes.",
        ),
        // What is said behind a block of code is said.
        (
            "What is the daily limit of the importer?",
            "See here:\n```\nlimit = 3\n```\nThe daily limit of the importer is 800 files.",
            "I raised the daily limit of the importer to 950 files.",
        ),
        ("How large is the cache?", "The cache has 512MB.", "We increased the cache to 1 GB."),
    ] {
        assert_eq!(among(question, &[earlier, later]), changed(0, 1), "{question}");
    }
}

#[test]
fn what_is_not_the_same_or_not_said_to_have_changed_stands() {
    for (question, one, other) in [
        // The same value.
        ("How many chairs do we have?", "We have 40 chairs.", "We still have 40 chairs now."),
        // Nobody says that it has changed.
        (
            "How many chairs are in the hall?",
            "The hall has 40 chairs.",
            "The kitchen in the hall has 6 chairs.",
        ),
        // Something else is counted.
        ("How many chairs do we have?", "We have 40 chairs.", "We have 12 new tables beside the chairs."),
        // Another kind of value.
        ("When is the concert?", "The concert is on 4 May 2026.", "The concert has 300 new seats."),
        // Something else in the sentence has changed.
        (
            "What deadline do I have for the essay?",
            "The essay has a deadline of 4 May 2026.",
            "I cut the essay by 15%, and I think of the deadline on 9 May 2026.",
        ),
        // Another percentage is told where a day is asked for.
        (
            "What day is the audit of the kitchen?",
            "The audit of the kitchen is on 4 May 2026.",
            "The audit of the kitchen now covers 80% of it.",
        ),
        // What was so is asked for.
        ("How many chairs did we have before?", "We have 40 chairs.", "We have 55 chairs now."),
        // No value is asked for.
        ("Can you help me with the chairs?", "We have 40 chairs.", "We have 55 chairs now."),
    ] {
        assert_eq!(among(question, &[one, other]), [], "{question} {one} {other}");
    }
}

#[test]
fn the_newest_of_several_is_named_and_others_words_are_left_alone() {
    let texts = ["We have 40 chairs.", "We have 55 chairs now.", "We have 60 chairs now."];
    let expected = [(0, Dispute::Changed { by: 2 }), (1, Dispute::Changed { by: 2 })];
    assert_eq!(among("How many chairs do we have?", &texts), expected);
    let worth = |word: &str| f64::from(u8::from(word == "chair"));
    let asked = DisputedQuestion {
        worth: &worth,
        all: 1.0,
        wants: Wants::of("How many chairs?", AnswerShape::HowMany).expect("a value"),
    };
    let at = |day: i64| (Time::from_millis(day * 86_400_000), 0);
    let said = [
        DisputedQuote { text: "I have 4 chairs.", speaker: "ana", at: at(1) },
        DisputedQuote { text: "I have 6 chairs now.", speaker: "ben", at: at(2) },
    ];
    assert_eq!(disputes(&asked, &said), []);
}

/// covers: W-111
#[test]
fn what_is_denied_stands_against_what_is_told() {
    for (question, told, denial) in [
        (
            "Have I ever attended a pottery workshop?",
            "I just attended a pottery workshop in Porto.",
            "I've never attended any pottery workshop, so where do I begin?",
        ),
        ("Have I been to Norway?", "I was in Norway for a week.", "I haven't been to Norway yet."),
        ("Hiç Norveç'e gittim mi?", "Geçen yaz Norveç'e gittim.", "Norveç'e hiç gitmedim."),
    ] {
        assert_eq!(among(question, &[told, denial]), denied(0, 1), "{question}");
    }
    let itself = "I've never attended a pottery workshop, but I finished two pottery workshops in May.";
    assert_eq!(among("Have I attended a pottery workshop?", &[itself]), [(0, Dispute::Denied { by: 0 })]);
    let apart = ["I baked bread in Porto.", "I've never attended a pottery workshop."];
    assert_eq!(among("Have I ever attended a pottery workshop?", &apart), []);
}

#[test]
fn any_text_is_read() {
    for text in ["", "```", "12", "$", "1.2.3 v2 %5 €", "April", "never", "…,,; 5;, 😀 %"] {
        among("How many 5 are there in April?", &[text, "now 5 April, 12%"]);
        among("Have I 5?", &[text, "never 5"]);
    }
}

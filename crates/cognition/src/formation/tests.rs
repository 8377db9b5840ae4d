use super::*;
use crate::standalone::STANDALONE_CHARS;
use proptest::prelude::*;

const USER: SpeakerContext<'static> = SpeakerContext { speaker: "User", other: None, last_entity: None };

fn said_at() -> Time {
    "2023-05-08T13:56:00Z".parse().expect("a time")
}

fn texts(text: &str) -> Vec<String> {
    form(&Reading::of(text), &USER, said_at()).into_iter().map(|formed| formed.text).collect()
}

/// covers: C-127, C-132
#[test]
fn statements_of_different_subjects_are_apart() {
    assert_eq!(
        texts("Ana works at Bosch and Mehmet lives in Izmir"),
        ["Ana works at Bosch", "Mehmet lives in Izmir"]
    );
    assert_eq!(
        texts("Ayşe Bosch'ta çalışıyor ve Mehmet İzmir'de yaşıyor."),
        ["Ayşe Bosch'ta çalışıyor", "Mehmet İzmir'de yaşıyor."]
    );
    assert_eq!(
        texts("I live in Berlin. My sister Zoe works at SAP."),
        ["User lives in Berlin.", "User's sister Zoe works at SAP."]
    );
    for together in [
        "I met Ana and Mehmet in Izmir.",
        "Ana and Mehmet live in Izmir.",
        "I use Vim. I like Rust and Python.",
        "Ana works at Bosch. She lives in Izmir.",
        "Our dog ate the cake and we laughed.",
        "Kedim ve köpeğim İzmir'de.",
    ] {
        assert_eq!(texts(together).len(), 1, "{together}");
    }
    let many = "Ana works at Bosch. Mehmet lives in Izmir. Zoe studies in Oslo. Kenji sings in Kyoto.";
    assert_eq!(texts(many).len(), MAX_FORMED);
}

/// covers: C-127
#[test]
fn what_can_change_alone_is_kept_alone() {
    assert_eq!(
        texts("I live in Lisbon and work at Siemens as an engineer."),
        ["User lives in Lisbon", "User works at Siemens as an engineer."]
    );
    assert_eq!(
        texts("Ana works at Bosch and Ana lives in Izmir."),
        ["Ana works at Bosch", "Ana lives in Izmir."]
    );
    for together in [
        "I live in Lisbon and I love it.",
        "I bought apples and pears.",
        "I live in Lisbon and swim every day.",
    ] {
        assert_eq!(texts(together).len(), 1, "{together}");
    }
}

/// covers: C-126, C-135, X-C22
#[test]
fn a_question_keeps_what_it_tells() {
    for (question, told) in [
        (
            "I have a deadline on April 20, so can you help me with the draft?",
            "User has a deadline on April 20 (2024-04-20)",
        ),
        ("I've spent 3 hours on it, and should I go on?", "User has spent 3 hours on it"),
        (
            "What's the best way to work with Greg, considering we submitted the paper?",
            "User and others submitted the paper",
        ),
    ] {
        assert_eq!(texts(question), [told], "{question}");
    }
    for nothing in
        ["hmm, so how do I set up goals in it?", "But what about the second one?", "Why, since when?"]
    {
        assert_eq!(texts(nothing), Vec::<String>::new(), "{nothing}");
    }
}

/// covers: C-126, C-135
#[test]
fn what_says_nothing_is_left_out() {
    for nothing in [
        "Wow!",
        "How are you?",
        "Thanks, Melanie!",
        "Hey Mel! Good to see you! How have you been?",
        "That's awesome, Jon! Keep it up!",
        "Merhaba Ayşe, nasılsın?",
        "Teşekkürler Gizem!",
        "Gelir misin?",
        "",
    ] {
        assert_eq!(texts(nothing), Vec::<String>::new(), "{nothing}");
    }
    assert_eq!(
        texts("Hey Mel! I went to Lyon yesterday. And you?"),
        ["User went to Lyon yesterday (2023-05-07)."]
    );
    assert_eq!(
        texts("I'm worried that the tests fail, can you check?"),
        ["User is worried that the tests fail"]
    );
    assert_eq!(texts("Sunucu yine çöktü, bakar mısın?"), ["Sunucu yine çöktü"]);
    assert_eq!(texts("If you have time, can you check?"), Vec::<String>::new());
}

/// covers: C-129, C-134, C-135
#[test]
fn a_statement_carries_its_names_and_its_plan() {
    let formed = form(&Reading::of("I will visit Ana in Lisbon tomorrow."), &USER, said_at());
    assert_eq!(formed.len(), 1);
    assert_eq!(formed[0].text, "User will visit Ana in Lisbon tomorrow (2023-05-09).");
    assert_eq!(formed[0].said, "I will visit Ana in Lisbon tomorrow.");
    let slugs: Vec<&str> = formed[0].entities.iter().map(|mention| mention.slug.as_str()).collect();
    assert_eq!(slugs, ["ana", "lisbon"]);
    let until = formed[0].foresight.as_ref().expect("a plan").until;
    assert_eq!(until.to_string(), "2023-05-09T23:59:59.999Z");
}

#[test]
fn odd_texts_do_no_harm() {
    for piece in ["Ana works and ", "?", "[", "I and ", "a, can you ", "\n", "🙂", "Dün Ali ve "] {
        assert!(form(&Reading::of(&piece.repeat(200_000)), &USER, said_at()).len() <= MAX_FORMED);
    }
}

proptest! {
    #[test]
    fn every_word_stands_in_the_message(text in "[A-Za-z ,.!?'\"\\nşğıİ0-9]{0,160}|\\PC{0,60}") {
        for formed in form(&Reading::of(&text), &USER, said_at()) {
            prop_assert!(formed.text.chars().count() <= STANDALONE_CHARS);
            prop_assert!(!formed.said.trim().is_empty());
            for word in formed.said.split_whitespace() {
                prop_assert!(text.contains(word), "{}", word);
            }
            for mention in formed.entities {
                prop_assert!(formed.said.get(mention.range).is_some());
            }
        }
    }
}

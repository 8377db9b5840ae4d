use super::{parse::MAX_STATEMENTS, statements};

fn triples(text: &str) -> Vec<(String, String, String, bool)> {
    let found = statements(text, "user");
    found.into_iter().map(|one| (one.subject, one.attribute, one.value, one.negated)).collect()
}

#[test]
fn whoever_calls_is_not_called_so() {
    for text in
        ["I called Ece on Thursday.", "I'm calling it termit.", "We named her Pepper.", "Ana called Ben."]
    {
        let found = statements(text, "user");
        assert!(found.iter().all(|one| one.attribute != "name" && !one.single), "{text}: {found:?}");
    }
    for (text, subject) in [("My dog is called Rex.", "user/dog"), ("I am named Rex.", "user")] {
        assert!(triples(text).contains(&(subject.into(), "name".into(), "rex".into(), false)), "{text}");
    }
}

/// covers: W-17
#[test]
fn a_sentence_is_read_as_subject_attribute_and_value() {
    for (text, subject, attribute, value, negated) in [
        ("I work at Siemens", "user", "employer", "siemens", false),
        ("My sister lives in Rome.", "user/sister", "residence", "rome", false),
        ("Project Atlas is active.", "project atlas", "is", "active", false),
        ("My name is Ana", "user", "name", "ana", false),
        ("I'm 34 years old", "user", "age", "34", false),
        ("The version of serde is 1.0.210", "serde", "version", "1.0.210", false),
        ("The deadline for the report is Friday", "report", "deadline", "friday", false),
        ("I can't stand coffee", "user", "likes", "coffee", true),
        ("We use Slack for chat", "user", "uses/chat", "slack", false),
        ("I changed the timeout to 45 seconds", "timeout", "timeout", "45 seconds", false),
        ("I have a dog", "user", "has/dog", "dog", false),
        ("Never use tabs", "agent", "uses", "tabs", true),
        ("Adım Ayşe", "user", "name", "ayse", false),
        ("Ankara'da oturuyorum", "user", "residence", "ankara", false),
        ("Arçelik'te çalışmıyorum", "user", "employer", "arcelik", true),
        ("Ayşe'nin doğum günü 4 Haziran", "ayse", "birthday", "4 haziran", false),
        ("Kedim yok", "user", "has/kedi", "kedim", true),
        ("I moved to Lisbon last March.", "user", "residence", "lisbon", false),
        ("We relocated to New York yesterday", "user", "residence", "new york", false),
        ("Ankara'ya taşındım", "user", "residence", "ankara", false),
        ("Geçen mart İzmir'e taşındık", "user", "residence", "izmir", false),
        ("Selin Acme şirketinde çalışıyor", "selin", "employer", "acme", false),
        ("Deniz Bankasında çalışıyorum", "user", "employer", "deniz", false),
        ("PostgreSQL kullanıyoruz", "user", "uses", "postgresql", false),
    ] {
        let wanted = (subject.to_owned(), attribute.to_owned(), value.to_owned(), negated);
        assert_eq!(triples(text), [wanted], "{text}");
    }
}

#[test]
fn first_and_third_person_say_the_same() {
    for (mine, told) in [
        ("I work at Siemens", "User works at Siemens."),
        ("My sister lives in Rome", "User's sister lives in Rome"),
        ("I don't like jazz", "User does not like jazz."),
        ("Ankara'da oturuyorum", "Kullanıcı Ankara'da oturuyor."),
        ("Köpeğimin adı Karabaş", "Kullanıcının köpeğinin adı Karabaş."),
        ("Ağabeyim pilot", "Kullanıcının ağabeyi pilot."),
    ] {
        assert!(!triples(mine).is_empty(), "{mine}");
        assert_eq!(triples(mine), triples(told), "{mine} / {told}");
    }
    let by_ana = statements("I work at Siemens", "ana");
    let of_ana = statements("Ana works at Siemens", "user");
    assert_eq!((&by_ana[0].subject, &by_ana[0].attribute), (&of_ana[0].subject, &of_ana[0].attribute));
}

#[test]
fn one_lives_on_a_street_and_not_on_toast() {
    let is_residence = |text: &str| statements(text, "user").iter().any(|it| it.attribute == "residence");
    assert!(is_residence("I live on Elm Street") && is_residence("I live in a yurt"));
    assert!(!is_residence("I'm living on toast"));
}

#[test]
fn what_is_asked_supposed_or_passed_on_states_nothing() {
    for text in [
        "Should I move to Rome?",
        "If I lived in Rome I would be happy",
        "Ana thinks I live in Rome",
        "Maybe I'll work at Bosch",
        "İzmir'e taşınmalı mıyım?",
        "Keşke İzmir'de otursam",
        "Annem İzmir'de oturduğumu sanıyor",
        "",
        "?!",
    ] {
        assert_eq!(triples(text), [], "{text}");
    }
    assert_eq!(statements("I plan to move to Rome", "user")[0].attribute, "plan");
    assert_eq!(statements("I used to live in Madrid", "user")[0].attribute, "past/residence");
}

#[test]
fn a_change_says_what_no_longer_holds() {
    for (text, old) in [
        ("I switched from Vim to Helix", "vim"),
        ("The CI runs on Actions, not Jenkins", "jenkins"),
        ("MySQL'den PostgreSQL'e geçtik", "mysql"),
        ("Firefox yerine Safari kullanıyorum", "firefox"),
        ("Kedimin adı Duman değil, Minnoş", "duman"),
    ] {
        let found = statements(text, "user");
        assert_eq!(found[0].old.as_deref(), Some(old), "{text}");
        assert!(found[0].change, "{text}");
    }
}

#[test]
fn large_and_odd_texts_are_read_in_bounded_time() {
    let many = "I live in Rome and I work at Bosch. ".repeat(100_000);
    assert_eq!(statements(&many, "user").len(), MAX_STATEMENTS);
    for text in [
        "[".repeat(1 << 20),
        "a".repeat(1 << 20),
        "' ".repeat(1 << 19),
        "I'm not ".repeat(1 << 17),
        "değil ".repeat(1 << 17),
    ] {
        assert!(statements(&text, "user").len() <= MAX_STATEMENTS);
    }
}

use super::*;
use crate::standalone::STANDALONE_CHARS;
use cairn_domain::Time;
use proptest::prelude::*;

const USER: SpeakerContext<'static> = SpeakerContext { speaker: "User", other: None, last_entity: None };

fn said_at() -> Time {
    "2023-05-08T13:56:00Z".parse().expect("a time")
}

/// The turn of a user who meant it to be remembered: what is worth keeping is judged elsewhere.
fn meant(before: &str) -> MessageTurn<'_> {
    let (speaker, keep) = (SpeakerKind::Person, KeepRule::Everything);
    MessageTurn { context: USER, speaker, before, said_at: said_at(), keep }
}

fn formed(text: &str) -> Vec<FormedStatement> {
    form(&Reading::of(text), &meant("")).statements
}

fn texts(text: &str) -> Vec<String> {
    formed(text).into_iter().map(|formed| formed.text).collect()
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
    let many = "Ana works at Bosch. Mehmet lives in Izmir. Zoe studies in Oslo. Kenji sings in Kyoto. ";
    assert_eq!(texts(many).len(), 4);
    assert_eq!(texts(&many.repeat(5)).len(), MAX_FORMED);
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
            "User has a deadline on April 20 [2024-04-20]",
        ),
        ("I've spent 3 hours on it, and should I go on?", "User has spent 3 hours on it"),
        (
            "What's the best way to work with Greg, considering we submitted the paper?",
            "User: “we submitted the paper”",
        ),
        (
            "Reparo relojes en el taller Aguirre, ¿cómo se limpia un muelle?",
            "Reparo relojes en el taller Aguirre",
        ),
        (
            "Küçükyalı'da ikinci katta oturuyoruz, su için kimi arasam?",
            "Kullanıcı: “Küçükyalı'da ikinci katta oturuyoruz”",
        ),
        ("Ich backe in der Mühle Ahrens, welches Mehl nimmt man?", "Ich backe in der Mühle Ahrens"),
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
        ["User went to Lyon yesterday [2023-05-07]."]
    );
    assert_eq!(
        texts("I'm worried that the tests fail, can you check?"),
        ["User: “I'm worried that the tests fail”"]
    );
    assert_eq!(texts("Sunucu yine çöktü, bakar mısın?"), ["Sunucu yine çöktü"]);
    assert_eq!(texts("If you have time, can you check?"), Vec::<String>::new());
}

/// covers: C-129, C-134, C-135
#[test]
fn a_statement_carries_its_names_and_its_plan() {
    let formed = super::tests::formed("I will visit Ana in Lisbon tomorrow.");
    assert_eq!(formed.len(), 1);
    assert_eq!(formed[0].text, "User will visit Ana in Lisbon tomorrow [2023-05-09].");
    assert_eq!(formed[0].said, "I will visit Ana in Lisbon tomorrow.");
    let slugs: Vec<&str> = formed[0].entities.iter().map(|mention| mention.slug.as_str()).collect();
    assert_eq!(slugs, ["ana", "lisbon"]);
    let until = formed[0].foresight.as_ref().expect("a plan").until;
    assert_eq!(until.to_string(), "2023-05-09T23:59:59.999Z");
}

#[test]
fn odd_texts_do_no_harm() {
    for piece in ["Ana works and ", "?", "[", "I and ", "a, can you ", "\n", "🙂", "Dün Ali ve "] {
        assert!(formed(&piece.repeat(200_000)).len() <= MAX_FORMED);
    }
}

proptest! {
    #[test]
    fn every_word_stands_in_the_message(text in "[A-Za-z ,.!?'\"\\nşğıİ0-9]{0,160}|\\PC{0,60}") {
        for formed in super::tests::formed(&text) {
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

/// covers: C-75
#[test]
fn words_that_are_no_simple_clause_stay_as_they_were_said() {
    for text in [
        "If I'd waited I'd be packing now.",
        "My mother says that I should call more often.",
        "I told her \"I quit\" on Monday.",
        "I work nights, sleep till noon and eat at four.",
    ] {
        let formed = formed(text);
        assert_eq!(formed.len(), 1, "{text}");
        let words: String = formed[0].text.split(" (2").next().unwrap_or_default().to_owned();
        assert!(words.starts_with(&format!("User: “{}", &text[..12])), "{text}: {words}");
        assert_eq!(formed[0].said, text);
    }
    assert_eq!(texts("I live in Lisbon."), ["User lives in Lisbon."]);
}

/// covers: C-75, C-126
#[test]
fn a_bare_answer_stands_beside_its_question_and_a_pronoun_beside_whom_it_means() {
    let answer =
        form(&Reading::of("Next Thursday at nine."), &meant("Good. When is the dentist?")).statements;
    assert!(answer[0].text.ends_with("[asked: “When is the dentist?”]"), "{}", answer[0].text);
    assert_eq!(answer[0].said, "Next Thursday at nine.");
    let told =
        form(&Reading::of("I moved to Lisbon with my brother in May."), &meant("What's new?")).statements;
    assert!(!told[0].text.contains("asked"), "{}", told[0].text);
    let leaning = "He did, in August, at his place, with all windows open and the radio on.";
    let baked = form(&Reading::of(leaning), &meant("Did he ever bake that tart?")).statements;
    assert!(baked[0].text.ends_with(" [asked: “Did he ever bake that tart?”]"), "{}", baked[0].text);
    let context = SpeakerContext { last_entity: Some("Zoe"), ..USER };
    let turn = MessageTurn { context, ..meant("Zoe wrote.") };
    let about = form(&Reading::of("That is what I told you about, and I still mean it."), &turn).statements;
    assert!(about[0].text.ends_with(" [about: Zoe]"), "{}", about[0].text);
    let later = form(&Reading::of("The big news. She gave up the violin for the cello."), &turn).statements;
    assert!(later.iter().all(|later| !later.text.contains("Zoe")), "{later:?}");
}

/// covers: C-75
#[test]
fn words_that_only_go_on_from_the_turn_before_stand_beside_it() {
    let said = |text: &str, before: &str| {
        let formed = form(&Reading::of(text), &meant(before)).statements;
        formed.into_iter().map(|formed| formed.text).collect::<Vec<_>>()
    };
    let turn = "Nine kilos now. That makes 21.5 kg of honey.";
    let bare = said("that was the year then", turn);
    assert!(bare[0].ends_with(" [after: “That makes 21.5 kg of honey.”]"), "{bare:?}");
    let within = said("I told her the whole truth and still got a yes", "Morag has fibre. And a cupboard.");
    assert!(within[0].ends_with("[after: “And a cupboard.”]"), "{within:?}");
    let verbless =
        said("An occupational hazard with 86 recipes.", "Priya found one word twice in a sentence.");
    assert!(verbless[0].ends_with(" [after: “Priya found one word twice in a sentence.”]"), "{verbless:?}");
    let code = "The test is short. Run it once.\n```rust\nassert_eq!(one, other);\n```";
    let failed = said("It failed on the first run with a lone backslash.", code);
    assert!(failed[0].ends_with(" [after: “Run it once.”]"), "{failed:?}");
    let then =
        said("Then the goal is 2:05, written down, no taking it back.", "On a flat course 2:05 is fair.");
    assert!(then[0].ends_with(" [after: “On a flat course 2:05 is fair.”]"), "{then:?}");
    for text in ["I united both hives over a newspaper.", "Ana moved to Graz last week, to the blue house."] {
        assert!(!said(text, turn)[0].contains("[after"), "{text}");
    }
}

/// covers: C-75
#[test]
fn an_answer_that_names_nobody_stands_beside_its_question() {
    let said = |text: &str, before: &str| form(&Reading::of(text), &meant(before)).statements[0].text.clone();
    let flat = "Dry, bright, and the third stair creaks in E flat according to Tomás.";
    assert!(
        said(flat, "How's the flat?").ends_with(" [asked: “How's the flat?”]"),
        "{}",
        said(flat, "How's the flat?")
    );
    let whole = "I moved into the flat in Graça with Tomás last Monday, and the stairs are steep.";
    assert!(!said(whole, "How's the flat?").contains("[asked"), "it begins with whom it is about");
    assert!(!said(flat, "The flat is dry.").contains("[asked"), "nobody asked");
}

/// covers: C-75
#[test]
fn a_thing_that_was_named_before_stays_beside_its_name() {
    for together in [
        "The residence card came today, by post. Ada signed for it, in the good coat.",
        "Kart bugün postayla geldi. Ada kapıda onu imzaladı.",
        "Back from the workshop. I'm a 39 normally but the fitter told me to take running shoes in 40.",
    ] {
        assert_eq!(texts(together).len(), 1, "{together}: {:?}", texts(together));
    }
    let introduced = "The card came by post. Ada bought a lamp and carried it home.";
    assert_eq!(texts(introduced).len(), 2, "{:?}", texts(introduced));
}

/// covers: C-75
#[test]
fn words_that_lean_on_their_own_question_stand_beside_it() {
    let formed = |text: &str| form(&Reading::of(text), &meant("")).statements;
    let leaning =
        formed("Breath marks for bar 30 of the Stanford? That's my solo, the Rutter went to a tenor.");
    let (text, said) = (&leaning[0].text, &leaning[0].said);
    assert!(text.ends_with(" [while asking: “Breath marks for bar 30 of the Stanford?”]"), "{text}");
    assert_eq!((said.as_str(), &leaning[0].beside), ("That's my solo, the Rutter went to a tenor.", &None));
    let object = formed("Property test, right? I read about it and felt tired.");
    assert!(object[0].text.ends_with(" [while asking: “Property test, right?”]"), "{}", object[0].text);
    let mine = formed("What about shoes? Mine are from 2022.");
    assert!(mine[0].text.ends_with(" [while asking: “What about shoes?”]"), "{}", mine[0].text);
    // What can be read alone is; should it change something, the sentence beside it is at hand.
    let alone =
        formed("Can I reuse Xtol for HP5? My bottle of Rodinal has been empty since Tuesday last week.");
    assert!(!alone[0].text.contains("Xtol"), "{}", alone[0].text);
    assert_eq!(alone[0].beside.as_deref(), Some(" [while asking: “Can I reuse Xtol for HP5?”]"));
    let after = formed("My cousin handed in her tram keys at Easter. What do you give a new dental nurse?");
    assert_eq!(after[0].beside.as_deref(), Some(" [while asking: “What do you give a new dental nurse?”]"));
    assert_eq!(formed("I moved to Lisbon with my brother in May.")[0].beside, None);
}

/// covers: C-60, C-61
#[test]
fn an_agent_that_repeats_what_it_was_told_tells_nothing() {
    let answered = |text: &str, before: &str| {
        let keep = KeepRule::Judged;
        let turn = MessageTurn { speaker: SpeakerKind::Assistant, keep, ..meant(before) };
        form(&Reading::of(text), &turn)
    };
    let told = "My dentist appointment is on Tuesday 20 October at 09:30, with Dr Petrie.";
    let echo = answered("Dentist appointment on Tuesday 20 October at 09:30.", told);
    assert_eq!(echo.statements, []);
    assert_eq!(echo.best_left.expect("left").because, ["restates the turn before"]);
    let summed = "That makes two appointments on Tuesday, three hours with Dr Petrie.";
    assert_eq!(answered(summed, told).statements, [], "what follows from it is no news either");
    let own = "I moved the nightly backup to 04:15, so that it ends before your dentist appointment.";
    assert_eq!(answered(own, told).statements.len(), 1, "what the agent did is its own");
    let found = "The boiler in Leeds reports an error: pressure 0.4 bar since 03:10.";
    assert_eq!(answered(found, told).statements.len(), 1, "nothing of it was told");
    let request = "Please move the dentist appointment to 27 October?";
    let done = "The dentist appointment is on 27 October now.";
    assert_eq!(answered(done, request).statements.len(), 1, "a request tells nothing");
}

/// covers: C-127
#[test]
fn a_sentence_that_leans_on_another_takes_it_along() {
    for (message, said) in [
        ("Ana works at Bosch. She lives in Izmir.", vec!["Ana works at Bosch. She lives in Izmir."]),
        (
            "The boiler is broken again. Because of that we sleep at my sister's.",
            vec!["The boiler is broken again. Because of that we sleep at my sister's."],
        ),
        (
            "I drive a grey Kangoo from 2014. Our landlord wants the keys by Friday.",
            vec!["I drive a grey Kangoo from 2014.", "Our landlord wants the keys by Friday."],
        ),
    ] {
        let formed: Vec<String> = formed(message).into_iter().map(|formed| formed.said).collect();
        assert_eq!(formed, said, "{message}");
    }
}

/// covers: C-59
#[test]
fn the_judge_learns_from_labeled_messages() {
    let message = |text: &str, keep: KeepLevel, kind: ClauseKind, at: usize| LabeledMessage {
        text: text.to_owned(),
        speaker: SpeakerKind::Person,
        before: String::new(),
        said_at: said_at(),
        conversation: format!("talk {}", at % 4),
        teaches: TaughtPart::Both,
        clauses: vec![LabeledText { text: text.to_owned(), keep, kind }],
        notes: Vec::new(),
    };
    let mut messages = Vec::new();
    for at in 0..24 {
        messages.push(message(&format!("My parcel {at} left the depot in Graz."), 2, ClauseKind::Event, at));
        messages.push(message("Clouds look lovely from down here today.", 0, ClauseKind::Chatter, at));
    }
    let noted = LabeledMessage {
        clauses: Vec::new(),
        notes: vec![LabeledText {
            text: "The parcel 99 left Graz.".to_owned(),
            keep: 2,
            kind: ClauseKind::Event,
        }],
        ..message("Parcel 99 left Graz. Clouds look lovely from here.", 2, ClauseKind::Event, 0)
    };
    messages.push(noted);
    let models = train_worth_judge(&messages);
    assert_eq!(models, train_worth_judge(&messages));
    let word =
        |name: &str| models.worth.to_text().lines().find(|line| line.starts_with(name)).map(str::to_owned);
    let keeps = |line: String| line.split('\t').next_back().and_then(|weight| weight.parse::<f64>().ok());
    assert!(word("word=parcel\t").and_then(keeps).is_some_and(|weight| weight > 0.0));
    assert!(word("word=clouds\t").and_then(keeps).is_some_and(|weight| weight < 0.0));
}

#[test]
fn what_somebody_asks_to_be_remembered_is_kept() {
    let judged = |text: &str| {
        let turn = MessageTurn { keep: KeepRule::Judged, ..meant("") };
        form(&Reading::of(text), &turn).statements
    };
    for text in [
        "Remember: I am severely allergic to penicillin!",
        "please note that Ana hums",
        "Aklında olsun: Ece horluyor",
        "Yarın ısınacak, unutma!",
    ] {
        assert!(!judged(text).is_empty(), "{text}");
    }
    assert_eq!(judged("remember when we hummed?"), []);
}

use super::*;

fn side(text: &str) -> ChangeSide {
    ChangeSide::of(&ChangeText { clause: text, message: text, before: "", teller: StatementTeller::User })
}

fn judged(known: &str, new: &str) -> ChangeVerdict {
    let (known, new) = (side(known), side(new));
    let cosines = PairCosines { message: 0.7, best: 0.7 };
    judge_change(&ChangePair { known: &known, new: &new, cosines, turns_apart: None })
}

/// Anchors: each change is more probable than the near-miss beside it, in four languages, where both are as near.
#[test]
fn a_change_is_told_from_a_near_miss() {
    for (known, change, near_miss) in [
        (
            "The rowing club meets on Mondays at 18:30.",
            "The rowing club now meets on Mondays at 19:15 instead.",
            "Should the rowing club meet on Mondays at 19:15?",
        ),
        (
            "My dentist is Dr Okafor.",
            "Dr Okafor retired, so my dentist is Dr Lindqvist now.",
            "My cousin says her dentist is Dr Lindqvist.",
        ),
        (
            "The backup server has 32 GB of memory.",
            "Upgraded the backup server, it has 64 GB of memory now.",
            "If we win the grant the backup server might get 64 GB of memory.",
        ),
        (
            "Kurs salı günü saat 18:00'de.",
            "Kurs artık perşembe günü saat 19:00'da.",
            "Kurs perşembe günü saat 19:00'da olsa nasıl olur acaba?",
        ),
        (
            "Der Lesekreis trifft sich im Café Anker.",
            "Der Lesekreis trifft sich ab sofort nicht mehr im Café Anker, sondern in der Bücherei.",
            "Vielleicht könnte sich der Lesekreis ja irgendwann in der Bücherei treffen?",
        ),
        (
            "El alquiler es de 640 euros.",
            "El alquiler ha subido, ahora pago 690 euros.",
            "¿Sería mucho un alquiler de 690 euros si me mudara?",
        ),
    ] {
        let of = |new: &str| judged(known, new).probability(ChangeRelation::Replaces);
        assert!(of(change) > DOUBT_FROM, "{change}: {}", of(change));
        assert!(of(near_miss) < REPLACE_FROM.min(of(change)), "{near_miss}: {}", of(near_miss));
    }
}

#[test]
fn a_verdict_says_why_in_words() {
    let change =
        judged("The hall seats 120 people.", "The hall seats 95 people now instead, fire rules changed.");
    assert_eq!(change.strength(), ChangeStrength::Replaces, "{change:?}");
    let said = change.reasons.join("; ");
    assert!(said.contains("120, then 95") || said.contains("instead") || said.contains("changed"), "{said}");
    assert!(!change.reasons.is_empty() && change.reasons.len() <= MAX_REASONS);
    let asked = judged("The hall seats 120 people.", "Would 95 people be safer?");
    assert_eq!(asked.strength(), ChangeStrength::None, "{asked:?}");
}

#[test]
fn what_has_nothing_in_common_is_unrelated() {
    let (known, new) = (side("My sister plays the oboe."), side("Now the boiler is repaired, finally."));
    let cosines = PairCosines { message: 0.0, best: 0.0 };
    let pair = ChangePair { known: &known, new: &new, cosines, turns_apart: None };
    assert_eq!(judge_change(&pair).relation(), ChangeRelation::Unrelated);
    // Right after each other the words may be elliptical, so they are weighed.
    let verdict = judge_change(&ChangePair { turns_apart: Some(1), ..pair });
    assert!(verdict.probability(ChangeRelation::Unrelated) < 1.0);
}

#[test]
fn what_says_the_same_again_replaces_nothing() {
    for (known, new) in
        [("The new tap drips.", "The new tap drips."), ("I moved to Porto now.", "Now I moved to Porto!")]
    {
        assert_eq!(judged(known, new).relation(), ChangeRelation::Same, "{new}");
    }
    assert_ne!(judged("The new tap drips.", "The new tap never drips.").relation(), ChangeRelation::Same);
    assert_ne!(judged("It costs 40 euros now.", "It costs 45 euros now.").relation(), ChangeRelation::Same);
}

#[test]
fn the_shipped_weights_are_of_these_features_and_classes() {
    assert_eq!(JUDGE.feature_names().collect::<Vec<_>>(), feature_names());
    assert_eq!(JUDGE.classes(), CHANGE_RELATIONS.map(ChangeRelation::name));
}

#[test]
fn labeled_cases_become_pairs_and_a_judge_that_learned_from_them() {
    let message = |text: &str| CaseMessage {
        session: "a".to_owned(),
        teller: StatementTeller::User,
        text: text.to_owned(),
    };
    let case = |new: &str, relation| ChangeCase {
        messages: vec![message("The key is under the mat."), message("Nice weather today."), message(new)],
        known: 0,
        new: 2,
        relation,
    };
    let cases = [
        case("Long day. The key moved to the shed.", ChangeRelation::Replaces),
        case("Is there a key for the shed?", ChangeRelation::Beside),
    ];
    let vectors = TextVectors::new();
    let pairs = labeled_pairs(&cases, &vectors);
    let labeled: Vec<&LabeledPair> = pairs.iter().filter(|pair| pair.origin == PairOrigin::Labeled).collect();
    assert_eq!(
        labeled.iter().map(|pair| pair.relation).collect::<Vec<_>>(),
        [ChangeRelation::Replaces, ChangeRelation::Beside]
    );
    assert!(pairs.iter().all(|pair| pair.features.len() == feature_names().len()));
    assert!(change_texts(&cases, &[]).contains(&"Long day.".to_owned()));
    let judge = train_change_judge(&cases, &[], &vectors);
    let replaces =
        |pair: &LabeledPair| judge.probabilities(&pair.features)[ChangeRelation::Replaces as usize];
    assert!(replaces(labeled[0]) > replaces(labeled[1]));
}

#[test]
fn of_a_long_message_only_what_stands_around_a_clause_is_read() {
    let filler = "The weather is mild and the trains are late as ever. ".repeat(12);
    let message = format!("{filler}The key moved to the shed. {filler}");
    let side = ChangeSide::of(&ChangeText {
        clause: "The key moved to the shed.",
        message: &message,
        before: "",
        teller: StatementTeller::User,
    });
    let words = side.message.sequence.len();
    assert!(side.message.sequence.contains(&"shed".to_owned()) && words < 90, "{words}");
}

/// covers: C-18
#[test]
fn a_reading_is_joined_with_the_judgment_by_features() {
    let read = |odds: f64, topic: PairTopic| {
        let mut verdict = ChangeVerdict {
            probabilities: [0.1, 0.1, 0.5, 0.2, 0.1],
            reasons: vec!["by features".to_owned()],
        };
        verdict.read_as(odds, topic);
        verdict
    };
    let verdict = |odds: f64| read(odds, PairTopic::MayBeShared);
    for (odds, expected) in [(0.0, 0.525), (2.0, 0.750), (-2.0, 0.289), (8.0, 0.984)] {
        let joined = verdict(odds);
        let found = joined.probability(ChangeRelation::Replaces);
        assert!((found - expected).abs() < 0.001, "{odds}: {found}");
        assert!((joined.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9, "still probabilities");
    }
    for (odds, expected) in [(1.0, 0.5), (3.0, 0.881), (-2.0, 0.047)] {
        let alone = read(odds, PairTopic::Unseen);
        let found = alone.probability(ChangeRelation::Replaces);
        assert!((found - expected).abs() < 0.001, "{odds}: the reading decides alone: {found}");
    }
    assert_eq!(verdict(8.0).strength(), ChangeStrength::Replaces);
    assert_eq!(verdict(2.0).strength(), ChangeStrength::Doubtful);
    assert_eq!(verdict(2.0).reasons[0], READS_AS_CHANGE, "the reading is a reason");
    assert_eq!(verdict(-2.0).reasons, ["by features"], "a reading against it is none");
}

#[test]
fn who_puts_a_value_right_at_once_replaces_it() {
    let side = |text: &str, teller: StatementTeller| {
        ChangeSide::of(&ChangeText { clause: text, message: text, before: "", teller })
    };
    let corrected = |known: &str, new: &str, turns_apart: Option<u32>, teller: StatementTeller| {
        let (known, new) = (side(known, StatementTeller::User), side(new, teller));
        let cosines = PairCosines { message: 0.1, best: 0.1 };
        self_correction(&ChangePair { known: &known, new: &new, cosines, turns_apart })
            .map(|it| (it.old, it.new))
    };
    for (known, new, old, right) in [
        (
            "the upside, $1,620 a month and a bathroom window.",
            "wait no, 1,640, I forgot the storage locker",
            "1,620",
            "1,640",
        ),
        ("The exam is at 9:30.", "Sorry, scratch that, 10:30.", "9:30", "10:30"),
        ("We meet Darya on Thursday.", "Oops, Friday I meant", "Thursday", "Friday"),
        ("Toplantı 14:00'te.", "Pardon, 15:00 olacaktı.", "14:00'te", "15:00"),
    ] {
        let found = corrected(known, new, Some(2), StatementTeller::User);
        assert_eq!(found, Some((old.to_owned(), right.to_owned())), "{known} {new}");
    }
    let rent = "The rent is $1,620 a month.";
    for (new, turns_apart, teller) in [
        ("wait no, 1,640", Some(9), StatementTeller::User),
        ("wait no, 1,640", None, StatementTeller::User),
        ("wait no, 1,640", Some(1), StatementTeller::Agent),
        ("wait no, 4 of them", Some(2), StatementTeller::User),
        ("wait no, is it 1,640?", Some(2), StatementTeller::User),
        ("wait no, I forgot the locker", Some(2), StatementTeller::User),
        ("And 1,640 for the flat next door.", Some(2), StatementTeller::User),
    ] {
        assert_eq!(corrected(rent, new, turns_apart, teller), None, "{new}");
    }
    let night = "The new flat costs 15 euros a night.";
    for new in ["Oops, running 20 minutes late", "wait no, 20 people are coming"] {
        assert_eq!(corrected(night, new, Some(1), StatementTeller::User), None, "{new}");
    }
    assert!(corrected(night, "wait no, it was 20 euros for that", Some(1), StatementTeller::User).is_some());
    assert!(corrected(night, "Oops, 20", Some(1), StatementTeller::User).is_some());
    let two = "The rent is $1,620 and the old one was $1,850.";
    assert_eq!(corrected(two, "wait no, 1,640", Some(2), StatementTeller::User), None, "nobody knows which");
}

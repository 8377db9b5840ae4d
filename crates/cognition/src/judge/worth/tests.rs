use super::*;
use crate::formation::{KeepRule, MessageTurn, form};
use crate::{reading::Reading, standalone::SpeakerContext};

fn kept(text: &str, before: &str, speaker: SpeakerKind) -> Vec<(ClauseKind, String)> {
    let context = SpeakerContext { speaker: "User", other: None, last_entity: None };
    let said_at = "2026-05-08T13:56:00Z".parse().expect("a time");
    let turn = MessageTurn { context, speaker, before, said_at, keep: KeepRule::Judged };
    form(&Reading::of(text), &turn).statements.into_iter().map(|formed| (formed.kind, formed.said)).collect()
}

/// covers: C-59, C-181
#[test]
fn what_a_person_tells_is_kept_and_talk_is_not() {
    for text in [
        "My landlord Viktor raised the rent to 940 euros from July.",
        "I'm allergic to penicillin, have been since I was nine.",
        "We moved the launch to 14 September because the printers are late.",
        "Kızım Defne eylülde anaokuluna başlıyor.",
        "Meine Schwester Hanna wohnt seit März in Graz.",
    ] {
        assert_eq!(kept(text, "", SpeakerKind::Person).len(), 1, "{text}");
    }
    for text in [
        "That sounds so wonderful, I'm really happy for you!",
        "Can you make it a little shorter, please?",
        "If I had waited I would be packing now.",
        "Thank you so much, you are the best!",
        "Harika fikir, çok sevindim!",
    ] {
        assert_eq!(kept(text, "", SpeakerKind::Person), [], "{text}");
    }
    let explained = "You can use a cache here. It keeps results in memory so that the next call is faster.";
    assert_eq!(kept(explained, "How do I make this faster?", SpeakerKind::Assistant), []);
}

/// covers: C-68
#[test]
fn a_standing_wish_is_told_from_a_mood_and_from_a_request_of_the_moment() {
    for text in [
        "Always run the tests with make check.",
        "Never use emojis when you answer me.",
        "From now on answer in metric units.",
        "I prefer window seats and never fly at night.",
        "Bundan sonra bana hep kısa cevap ver.",
    ] {
        let kinds: Vec<Category> =
            kept(text, "", SpeakerKind::Person).into_iter().map(|(kind, _)| kind.category()).collect();
        assert_eq!(kinds, [Category::Preference], "{text}");
    }
    for text in [
        "I adore her.",
        "I hate tapering.",
        "Write a haiku about the sea.",
        "I'm trying to finish this chapter and I'd like a hint.",
        "My sister Ece loves the sea and moved to Izmir in 2019.",
    ] {
        let wishes = kept(text, "", SpeakerKind::Person).into_iter().filter(|(kind, _)| kind.is_wish());
        assert_eq!(wishes.count(), 0, "{text}");
    }
}

/// covers: C-59
#[test]
fn the_weights_belong_to_the_features_and_name_their_reasons() {
    let reading = Reading::of("I moved to Lisbon in May.");
    let clause = JudgedClause {
        reading: &reading,
        mentions: &[],
        density: crate::density::Density::default(),
        subjects: crate::density::SubjectCounts::default(),
        categories: &[],
        plans: false,
        speaker: SpeakerKind::Person,
        opens: true,
        message: crate::density::Density::default(),
        before: &TurnBefore::default(),
    };
    let (plain, _) = feature_rows(&clause);
    for model in [&WorthJudge::shipped().worth, &WorthJudge::shipped().kind] {
        let named: Vec<&str> = model.model.feature_names().take(plain.len()).collect();
        assert_eq!(named, plain.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        assert_eq!(model.model.feature_names().count(), plain.len() + model.places.len());
    }
    assert_eq!(WorthJudge::shipped().kind.model.classes(), ClauseKind::ALL.map(ClauseKind::as_str));
    assert_eq!(WorthJudge::shipped().worth.model.classes(), WORTH_CLASSES);
    assert!(!WorthJudge::shipped().reasons_to_leave(&clause).is_empty());
}

#[test]
fn every_kind_reads_back() {
    for kind in ClauseKind::ALL {
        assert_eq!(ClauseKind::named(kind.as_str()), Some(kind));
    }
    assert_eq!(ClauseKind::named("mood"), None);
}

/// A reading counts as much as the words do; without either for it, a clause is rather kept.
#[test]
fn a_reading_is_weighed_with_the_words() {
    let weighed = |worth: f64, odds: f64| {
        let mut verdict = WorthVerdict { worth, kind: ClauseKind::Fact, tells: 0.0 };
        assert!(verdict.is_in_doubt());
        verdict.weigh_reading(odds);
        verdict.worth
    };
    assert!((weighed(0.5, 0.0) - 0.549_834).abs() < 1e-6);
    assert!((weighed(0.5, 2.0) - 0.768_525).abs() < 1e-6);
    assert!((weighed(0.2, -1.0) - 0.270_3).abs() < 1e-3);
    for worth in [0.19, 0.81] {
        assert!(!WorthVerdict { worth, kind: ClauseKind::Fact, tells: 0.0 }.is_in_doubt());
    }
}

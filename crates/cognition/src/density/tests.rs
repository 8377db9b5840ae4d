use super::*;

/// covers: C-181, C-182, X-C22
#[test]
fn a_plain_statement_says_enough() {
    for text in [
        "I used to go horseback riding with my dad",
        "We just did it yesterday!",
        "Playing video games and watching movies are my main hobbies",
        "Kedim Pamuk üç yaşında",
        "I'm kinda worried that moving the Zoom call to April 22 might conflict, can you check?",
        "My flight is at 7",
        "I snore",
        "No, two sisters.",
        "Always answer in metric units",
        "Ablam doktor.",
        "Kahveyi şekersiz severim.",
        "Cuma günü İzmir'e taşınıyoruz, bana bir liste yapar mısın?",
        "Your draft of 5,000 words is due on April 15.",
    ] {
        let density = density(text, 0);
        assert!(density.total() >= MIN_DENSITY, "{text}: {density:?}");
    }
}

/// covers: C-182
#[test]
fn thanks_praise_and_bare_questions_do_not() {
    for text in [
        "Thanks so much, that means a lot!",
        "Wow, that looks great! Good job!",
        "How was your weekend?",
        "Any plans for the holidays?",
        "What made you move to Rome?",
        "I'm so proud of you, keep it up!",
        "Good luck tomorrow!",
        "Can you help me with this?",
        "Çok teşekkür ederim, iyi ki varsın!",
        "Hafta sonun nasıl geçti?",
        "You can use a cache. You should also write tests. You could add an index. Your users will thank you.",
        "",
    ] {
        let density = density(text, 0);
        assert!(density.total() < MIN_DENSITY, "{text}: {density:?}");
    }
}

/// covers: C-181
#[test]
fn each_part_is_counted_once() {
    let once = density("Actually I moved to Graz last week.", 1);
    assert_eq!((once.entities, once.temporal, once.corrections), (1, 1, 1));
    assert_eq!(once.total(), once.entities + once.facts + once.temporal + once.corrections);
    assert_eq!(
        density("Actually I moved to Graz last week. Actually I moved to Graz last week.", 1).temporal,
        1
    );
    assert_eq!(density("Thanks, Maria!", 1).total(), 0, "a name that is called is not spoken of");
    assert_eq!(density("Where is Rome?", 1).total(), 0, "nor one that is asked about");
    assert_eq!(density("It's Rome!", 1).entities, 1);
}

/// covers: C-158
#[test]
fn odd_and_large_texts_are_measured_too() {
    for text in [
        "(".repeat(500_000),
        "my ".repeat(100_000),
        "? ".repeat(100_000),
        "İ, ".repeat(50_000),
        "1 ".repeat(50_000),
    ] {
        assert!(density(&text, 0).total() < 100_000);
    }
}

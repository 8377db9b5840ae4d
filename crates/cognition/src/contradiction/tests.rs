use super::*;
use crate::statement::statements;
use proptest::prelude::*;

fn clash_of(old: &str, new: &str) -> Option<Clash> {
    let (known, said) = (statements(old, "user"), statements(new, "user"));
    contradiction(&Saying { text: old, statements: &known }, &Saying { text: new, statements: &said })
        .map(|found| found.clash)
}

fn same(old: &str, new: &str) -> bool {
    let (known, said) = (statements(old, "user"), statements(new, "user"));
    same_proposition(&Saying { text: old, statements: &known }, &Saying { text: new, statements: &said })
}

/// covers: C-23
#[test]
fn a_clash_says_of_which_kind_it_is() {
    for (old, new, clash) in [
        ("User lives in Oslo", "I moved to Bergen", Clash::Value),
        ("Never use tabs", "Always use tabs", Clash::Negation),
        ("The feature is enabled", "The feature is disabled", Clash::Antonym),
        ("User loves coffee", "I can't stand coffee any more", Clash::Preference),
        ("User prefers coffee over tea", "I prefer tea over coffee now", Clash::Preference),
        ("User loves coffee", "I prefer tea over coffee now", Clash::Preference),
        ("User prefers tea over coffee", "I can't stand tea any more, I prefer coffee", Clash::Preference),
        ("User prefers tea over coffee.", "I prefer coffee.", Clash::Preference),
        ("Kullanıcı çayı kahveye tercih ediyor.", "Artık kahveyi çaya tercih ediyorum", Clash::Preference),
        ("The port is 80", "The port is 443", Clash::Number),
        ("User smokes", "I quit smoking", Clash::Ended),
        ("Kullanıcı kahveyi şekerli içiyor", "Kahveyi şekersiz içiyorum", Clash::Antonym),
        ("Kapı açık", "Kapı kapalı", Clash::Antonym),
        ("Kullanıcı balık sever", "Balık sevmem", Clash::Preference),
        ("Kullanıcı sigara içiyor", "Sigarayı bıraktım", Clash::Ended),
    ] {
        assert_eq!(clash_of(old, new), Some(clash), "{old} / {new}");
    }
}

#[test]
fn what_can_both_hold_does_not_clash() {
    for (old, new) in [
        ("User prefers tea over coffee", "I prefer tea"),
        ("User prefers tea over coffee", "I prefer juice"),
        ("User goes to yoga on Mondays", "I go to yoga on Thursdays"),
        ("User likes dark chocolate", "I like light chocolate"),
        ("The limit is 100 for free users", "The limit is 1000 for paid users"),
        ("User likes coffee", "I don't like coffee with milk"),
        ("User drinks coffee in the morning", "I drink coffee in the evening"),
        ("Kullanıcı Rust seviyor", "Python da seviyorum"),
    ] {
        assert_eq!(clash_of(old, new), None, "{old} / {new}");
    }
}

#[test]
fn the_same_proposition_is_known_in_other_words() {
    assert!(same("User lives in Oslo.", "I live in Oslo"));
    assert!(same("Kullanıcı Ankara'da oturuyor.", "Ankara'da oturuyorum"));
    assert!(same("blue, blue", "Blue blue!"));
    assert!(!same("User lives in Oslo.", "I live in Rome"));
    assert!(!same("User likes jazz", "I don't like jazz"));
    assert!(!same("User works at Siemens", "I work at Siemens as a cook"));
    assert!(!same("", "I live in Rome"));
}

/// Words that sentences are made of here: enough to meet every rule.
const WORDS: [&str; 40] = [
    "I",
    "User",
    "my",
    "sister",
    "live",
    "lives",
    "in",
    "Oslo",
    "Rome",
    "not",
    "no longer",
    "is",
    "enabled",
    "disabled",
    "the",
    "port",
    "80",
    "443",
    "now",
    "prefer",
    "tea",
    "over",
    "coffee",
    "quit",
    "and",
    "but",
    ",",
    "?",
    "from",
    "to",
    "switched",
    "Kullanıcı",
    "Ankara'da",
    "oturuyor",
    "taşındım",
    "değil",
    "artık",
    "kedim",
    "var",
    "adı",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_saying_never_contradicts_itself(words in prop::collection::vec(0..WORDS.len(), 0..14)) {
        let text = words.iter().map(|at| WORDS[*at]).collect::<Vec<_>>().join(" ");
        let found = statements(&text, "user");
        let saying = Saying { text: &text, statements: &found };
        prop_assert_eq!(contradiction(&saying, &saying), None);
        prop_assert!(same_proposition(&saying, &saying));
    }

    #[test]
    fn the_order_of_statements_does_not_matter(
        old in prop::collection::vec(0..WORDS.len(), 0..14),
        new in prop::collection::vec(0..WORDS.len(), 0..14),
    ) {
        let text = |words: &[usize]| words.iter().map(|at| WORDS[*at]).collect::<Vec<_>>().join(" ");
        let (old, new) = (text(&old), text(&new));
        let (known, mut said) = (statements(&old, "user"), statements(&new, "user"));
        let mut turned = known.clone();
        let first = contradiction(&Saying { text: &old, statements: &known }, &Saying { text: &new, statements: &said });
        let joined = same_matter(&Saying { text: &old, statements: &known }, &Saying { text: &new, statements: &said });
        turned.reverse();
        said.reverse();
        let (old, new) = (Saying { text: &old, statements: &turned }, Saying { text: &new, statements: &said });
        prop_assert_eq!(contradiction(&old, &new), first);
        prop_assert_eq!(same_matter(&old, &new), joined);
    }

    #[test]
    fn no_text_is_too_odd(old in "\\PC{0,120}", new in "[a-zıİşğ'’ .,?!0-9:-]{0,120}") {
        let (known, said) = (statements(&old, "user"), statements(&new, ""));
        let (old, new) = (Saying { text: &old, statements: &known }, Saying { text: &new, statements: &said });
        let _ = (contradiction(&old, &new), same_matter(&new, &old), same_proposition(&old, &new));
    }
}

use super::{rules::RULES, *};
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

/// The rule that decides about two texts of one statement each.
fn rule_of(old: &str, new: &str) -> Option<ClashRule> {
    let (known, said) = (statements(old, "user"), statements(new, "user"));
    let ([known], [said]) = (&known[..], &said[..]) else { return None };
    Some(deciding_rule(&StatementPair::new(known, said, new)))
}

/// Every rule with pairs that it decides about.
const DECIDED: [(ClashRule, &str, &str); 32] = [
    (ClashRule::NotCurrent, "I used to live in Madrid", "I live in Rome"),
    (ClashRule::NotCurrent, "User lives in Rome", "I plan to move to Madrid"),
    (ClashRule::DifferentLanguage, "User lives in Oslo", "Ankara'da oturuyorum"),
    (ClashRule::SaidToBeOver, "User smokes", "I quit smoking"),
    (ClashRule::SaidToBeOver, "User works at Siemens", "I quit my job"),
    (ClashRule::SaidToBeOver, "Kullanıcı sigara içiyor", "Sigarayı bıraktım"),
    (ClashRule::EndsSomethingElse, "User plays chess", "I quit smoking"),
    (ClashRule::EndsSomethingElse, "User quit smoking", "I smoke"),
    (ClashRule::NamesOldValue, "User uses Vim", "I switched from Vim to Helix"),
    (ClashRule::DeniedTurnedRound, "The lead is Ana", "Ana is not the lead"),
    (ClashRule::DifferentSubject, "User lives in Oslo", "My sister lives in Rome"),
    (ClashRule::ChosenAgainst, "User loves coffee", "I prefer tea over coffee now"),
    (ClashRule::ChosenBack, "User prefers tea over coffee.", "I prefer coffee."),
    (ClashRule::DifferentAttribute, "User lives in Oslo", "I work at Siemens"),
    (ClashRule::LikingDenied, "User loves coffee", "I can't stand coffee any more"),
    (ClashRule::Denied, "Never use tabs", "Always use tabs"),
    (ClashRule::DetailDenied, "User likes coffee", "I don't like coffee with milk"),
    (ClashRule::BothDenied, "User does not like jazz", "I don't like rock"),
    (ClashRule::OnlyAddsDetail, "User works at Siemens", "I work at Siemens as a cook"),
    (ClashRule::DifferentScope, "The limit is 100 for free users", "The limit is 1000 for paid users"),
    (ClashRule::OppositeWords, "The feature is enabled", "The feature is disabled"),
    (ClashRule::OppositeWords, "Kullanıcı kahveyi şekerli içiyor", "Kahveyi şekersiz içiyorum"),
    (ClashRule::DifferentMeasure, "The port is 80", "The port is 443"),
    (ClashRule::SeveralValues, "User likes dark chocolate", "I like light chocolate"),
    (ClashRule::DescriptionOnly, "The printer's model is Epson", "The printer was changed to model unknown"),
    (ClashRule::DifferentKinds, "The deadline is Friday", "The deadline is 9:30"),
    (ClashRule::DifferentChoice, "User prefers coffee over tea", "I prefer tea over coffee now"),
    (ClashRule::OppositeWords, "User prefers dark mode", "I prefer light mode"),
    (ClashRule::DifferentNumber, "The timeout is 45 seconds", "The timeout is 2 minutes"),
    (ClashRule::DifferentValue, "User lives in Oslo", "I moved to Bergen"),
    (ClashRule::DifferentValue, "Kullanıcı Ankara'da oturuyor", "İzmir'e taşındım"),
    (ClashRule::DifferentValue, "User's dog is called Rex", "My dog is called Max"),
];

/// covers: C-23
#[test]
fn every_rule_decides_about_a_pair_of_its_own() {
    let decided = DECIDED.map(|(rule, old, new)| (rule_of(old, new), clash_of(old, new), rule, old, new));
    let wrong: Vec<_> = decided
        .iter()
        .filter(|(found, clash, rule, ..)| *found != Some(*rule) || *clash != rule.clash())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (rule, _) in RULES {
        assert!(DECIDED.iter().any(|(decided, ..)| *decided == rule), "no pair for {rule:?}");
    }
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

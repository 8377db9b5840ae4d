//! How often the words for causes, rules and instructions are read rightly, over sets of cases in both languages.

use cairn_cognition::{
    keywords::query_terms,
    relation::{CauseSide, ComparedMemory, causal_relation},
    tier::sub_tier,
};
use cairn_domain::{Category, DataSource, Tier};

/// The cells of each line of a set.
fn rows(set: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    set.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

/// The rate of `part` in `results`, printed with what was read wrongly.
fn rate(part: &str, results: &[(&str, bool, String)]) -> f64 {
    let of_part: Vec<_> = results.iter().filter(|(of, _, _)| *of == part).collect();
    let right = of_part.iter().filter(|(_, right, _)| *right).count();
    for (_, _, said) in of_part.iter().filter(|(_, right, _)| !right) {
        println!("{part}: {said}");
    }
    println!("{part}: {right} of {}", of_part.len());
    right as f64 / of_part.len() as f64
}

#[test]
fn causes_are_read_rightly() {
    let entities = ["it".to_owned()];
    let (mut results, mut invented) = (Vec::new(), 0);
    for row in rows(include_str!("data/causes.tsv")) {
        let [part, expected, text, known] = row[..] else { panic!("{row:?}") };
        let (new_words, known_words) = (query_terms(text), query_terms(known));
        let side = |words| ComparedMemory { words, entities: &entities, category: Category::Fact };
        let found = match causal_relation(text, &side(&new_words), &side(&known_words)) {
            Some((CauseSide::New, _, _)) => "new",
            Some((CauseSide::Known, _, _)) => "known",
            None => "none",
        };
        invented += usize::from(found != "none" && found != expected);
        results.push((part, found == expected, format!("{found}, not {expected}: {text} / {known}")));
    }
    let (dev, held) = (rate("dev", &results), rate("held", &results));
    assert_eq!(invented, 0, "a cause is never let go again, so none may be made up");
    assert!(dev >= 0.8 && held >= 0.8);
}

/// covers: C-242, C-243, C-244
#[test]
fn rules_and_instructions_are_read_rightly() {
    let mut results = Vec::new();
    for row in rows(include_str!("data/sub_tiers.tsv")) {
        let [part, expected, text] = row[..] else { panic!("{row:?}") };
        let found = sub_tier(Tier::Semantic, DataSource::UserMessage, Category::Fact, text).as_str();
        results.push((part, found == expected, format!("{found}, not {expected}: {text}")));
    }
    assert!(rate("dev", &results) >= 0.9);
    assert!(rate("held", &results) >= 0.85);
}

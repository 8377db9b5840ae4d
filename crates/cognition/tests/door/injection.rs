//! Orders hidden in content.

use super::{Rates, cases, unescaped};
use cairn_cognition::injection::{OrderSource, injected_order, injected_user_order};
use proptest::prelude::*;
use std::fmt::Write;

const SET: &str = include_str!("../data/injection.tsv");

/// covers: C-62
#[test]
fn orders_are_found_and_wishes_are_not() {
    let (mut dev, mut held, mut fresh) = (Rates::default(), Rates::default(), Rates::default());
    let mut log = String::new();
    for case in cases(SET) {
        let [label, speaker, template] = case.columns[..] else { panic!("{:?}", case.columns) };
        let text = unescaped(template);
        let speaker = if speaker == "user" { OrderSource::User } else { OrderSource::Other };
        let found = injected_order(&text, speaker);
        let is = label == "attack";
        let rates = match case.part {
            "dev" => &mut dev,
            "held" => &mut held,
            _ => &mut fresh,
        };
        rates.count(is, found.is_some());
        if case.part == "dev" && is != found.is_some() {
            let _ = writeln!(log, "{label} {speaker:?}: {template}\n    → {found:?}");
        }
        if speaker == OrderSource::User {
            assert_eq!(injected_user_order(&text), found);
        }
    }
    println!("{log}");
    dev.say("injection", "dev");
    held.say("injection", "held");
    fresh.say("injection", "fresh");
    for rates in [dev, held] {
        assert!(rates.recall() >= 0.95 && rates.false_alarms() <= 0.02, "{rates:?}");
    }
    assert!(dev.caught + dev.missed + held.caught + held.missed >= 100);
    assert!(dev.alarms + dev.quiet + held.alarms + held.quiet >= 100);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Nobody may give an order that the user may not give, and the words reported are words of the text.
    #[test]
    fn others_may_say_no_more_than_the_user(
        text in "(?:[a-zİğ\\u{200b} ]{0,6}|ignore |all |previous |instructions|remember |the user |\"|from now on |\n){0,10}"
    ) {
        if let Some(found) = injected_user_order(&text) {
            prop_assert!(text.contains(&found.words) && !found.words.is_empty());
            prop_assert!(injected_order(&text, OrderSource::Other).is_some());
        }
    }
}

//! Personal data.

use super::{Rates, cases, unescaped};
use cairn_cognition::personal::{personal_data, redact_personal_data, text_privacy};
use cairn_domain::Privacy;
use proptest::prelude::*;
use std::fmt::Write;

const SET: &str = include_str!("../data/personal.tsv");

/// A text with its Turkish identity numbers completed.
fn made(template: &str) -> String {
    let mut text = template.to_owned();
    while let Some(begin) = text.find('⟨') {
        let end = begin + text[begin..].find('⟩').expect("a closed piece");
        let d: Vec<u32> = text[begin..end].chars().filter_map(|c| c.to_digit(10)).collect();
        let tenth = (7 * (d[0] + d[2] + d[4] + d[6] + d[8]) + 100 - d[1] - d[3] - d[5] - d[7]) % 10;
        let last = (d.iter().sum::<u32>() + tenth) % 10;
        let digits: String = d.iter().chain(&[tenth, last]).map(ToString::to_string).collect();
        text.replace_range(begin..end + '⟩'.len_utf8(), &digits);
    }
    text
}

/// covers: C-249
#[test]
fn personal_data_is_found_and_what_looks_like_it_is_not() {
    let (mut dev, mut held, mut fresh) = (Rates::default(), Rates::default(), Rates::default());
    let mut exact = 0;
    let mut log = String::new();
    for case in cases(SET) {
        let [kind, template] = case.columns[..] else { panic!("{:?}", case.columns) };
        let marked = unescaped(&made(template));
        let text = marked.replace(['⟦', '⟧'], "");
        let found = personal_data(&text);
        let is = kind != "-";
        let begin = marked.find('⟦').unwrap_or(0);
        let end = marked.find('⟧').map_or(0, |end| end - '⟦'.len_utf8());
        let overlaps = found.iter().any(|it| it.kind == kind && it.range.start < end && begin < it.range.end);
        let right = if is { overlaps } else { found.is_empty() };
        let rates = match case.part {
            "dev" => &mut dev,
            "held" => &mut held,
            _ => &mut fresh,
        };
        rates.count(is, right == is);
        let as_marked = is && right && found.len() == 1 && found[0].range == (begin..end);
        exact += u32::from(as_marked);
        if case.part == "dev" && (!right || is && !as_marked) {
            let _ = writeln!(log, "{kind}: {template}\n    → {}", redact_personal_data(&text));
        }
        assert_eq!(text_privacy(&text) == Privacy::Open, found.is_empty());
    }
    println!("{log}");
    dev.say("personal", "dev");
    held.say("personal", "held");
    fresh.say("personal", "fresh");
    let positives: u32 = [dev, held, fresh].map(|rates| rates.caught + rates.missed).iter().sum();
    println!("personal: found exactly {exact}/{positives}");
    for rates in [dev, held] {
        assert!(rates.recall() >= 0.9 && rates.false_alarms() <= 0.05, "{rates:?}");
    }
    assert!(positives >= 120 && dev.alarms + dev.quiet + held.alarms + held.quiet >= 150);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Ranges are in order and apart, and what is outside them stays.
    #[test]
    fn what_is_found_is_in_order_and_the_rest_stays(
        text in "(?:[a-zğ ]{0,6}|0532 123 45 67|ana@example\\.org|\\+1 415 555 2671|born on 4 May 1990|, ){0,8}"
    ) {
        let found = personal_data(&text);
        prop_assert!(found.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        let mut expected = text.clone();
        for it in found.iter().rev() {
            expected.replace_range(it.range.clone(), &format!("[{}]", it.kind));
        }
        prop_assert_eq!(redact_personal_data(&text), expected);
    }
}

//! Secrets.

use super::{Rates, cases, unescaped};
use cairn_cognition::secret::mask;
use proptest::prelude::*;
use std::{borrow::Cow, fmt::Write};

const SET: &str = include_str!("../data/secret.tsv");

/// Letters by chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn letters(&mut self, alphabet: &[u8], count: usize) -> String {
        let mut letter = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(alphabet[(self.0 >> 33) as usize % alphabet.len()])
        };
        (0..count).map(|_| letter()).collect()
    }
}

/// A text with its pieces put together.
fn made(template: &str, seed: u64) -> String {
    let (lower, digits) = ("abcdefghijklmnopqrstuvwxyz", "0123456789");
    let upper = lower.to_uppercase();
    let mut chance = Chance(seed);
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('⟨') {
        let (piece, after) = after.split_once('⟩').expect("a closed piece");
        let (class, what) = piece.split_at(1);
        let alphabet = match class {
            "w" => format!("{digits}{upper}{lower}"),
            "u" => format!("{upper}234567"),
            "U" => format!("{upper}{digits}"),
            "x" => format!("{digits}abcdef"),
            "d" => digits.to_owned(),
            "b" => format!("{digits}{upper}{lower}+/"),
            "s" => format!("{digits}{upper}{lower}-_"),
            "l" => lower.to_owned(),
            _ => String::new(),
        };
        text.push_str(before);
        match class {
            "=" => text.push_str(what),
            "c" => text.push_str(&with_check_digit(what)),
            _ => text.push_str(&chance.letters(alphabet.as_bytes(), what.parse().expect("a count"))),
        }
        rest = after;
    }
    text + rest
}

/// Digits of a card with the digit that makes the sum right.
fn with_check_digit(digits: &str) -> String {
    let numbers: Vec<u32> = digits.chars().filter_map(|c| c.to_digit(10)).collect();
    let doubled = |(place, digit): (usize, &u32)| {
        if place % 2 == 0 { digit * 2 / 10 + digit * 2 % 10 } else { *digit }
    };
    let sum: u32 = numbers.iter().rev().enumerate().map(doubled).sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

/// covers: X-P9
#[test]
fn secrets_are_masked_and_what_looks_like_them_is_kept() {
    let (mut dev, mut held, mut fresh) = (Rates::default(), Rates::default(), Rates::default());
    let mut exact = 0;
    let mut log = String::new();
    for (line, case) in cases(SET).into_iter().enumerate() {
        let [kind, template] = case.columns[..] else { panic!("line {line}") };
        let marked = unescaped(&made(template, line as u64 + 1));
        let text = marked.replace(['⟦', '⟧'], "");
        let door = mask(&text);
        let is = kind != "-";
        let block = kind == "private key";
        let secret = match (marked.find('⟦'), marked.find('⟧')) {
            (Some(begin), Some(end)) => marked[begin + '⟦'.len_utf8()..end].to_owned(),
            _ => "-----BEGIN".to_owned(),
        };
        let right = if is { !door.text.contains(&secret) } else { matches!(door.text, Cow::Borrowed(_)) };
        let rates = match case.part {
            "dev" => &mut dev,
            "held" => &mut held,
            _ => &mut fresh,
        };
        rates.count(is, right == is);
        let as_expected =
            is && !block && door.text == marked.replace(&format!("⟦{secret}⟧"), &format!("[secret: {kind}]"));
        exact += u32::from(as_expected || is && block && door.found == [kind]);
        if case.part == "dev" && (!right || is && !block && !as_expected) {
            let _ = writeln!(log, "{kind}: {template}\n    → {}", door.text);
        }
        assert_eq!(mask(&door.text).text, door.text, "masking twice: {template}");
    }
    println!("{log}");
    dev.say("secret", "dev");
    held.say("secret", "held");
    fresh.say("secret", "fresh");
    let secrets: u32 = [dev, held, fresh].map(|rates| rates.caught + rates.missed).iter().sum();
    println!("secret: masked exactly and named rightly {exact}/{secrets}");
    for rates in [dev, held] {
        assert!(rates.precision() >= 0.99 && rates.recall() >= 0.95, "{rates:?}");
    }
    assert!(secrets >= 150 && dev.alarms + dev.quiet + held.alarms + held.quiet >= 200);
    assert!(f64::from(exact) >= 0.95 * f64::from(secrets));
}

/// Words, signs and pieces of secrets in any order, and what masks leave behind.
fn fragments() -> impl Strategy<Value = String> {
    let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let key = ["AK", "IA", "Q3EGRTUV5WXY2ZAB"].concat();
    let jwt = ["eyJ", "hbGciOiJIUzI1NiJ9.", "eyJ", "zdWIiOiIxMjM0NTY3In0.c2lnbmF0dXJlLTEyMw"].concat();
    let fixed = [
        "password",
        "şifrem",
        "api_key",
        "token",
        " is ",
        ": ",
        "=",
        " ",
        "\n",
        "\"",
        "'",
        "hunter2",
        "kedi123",
        "://",
        "user",
        "@",
        "host",
        ".",
        ",",
        "4111 1111 1111 1111",
        "Bearer ",
        "--",
        "the",
        "ğ",
        "5",
        "&",
        "?",
        "\\",
        "_",
        "-",
        "[secret: password]",
        "[secret: ",
        "]",
    ];
    let pieces: Vec<String> =
        fixed.iter().map(|piece| (*piece).to_owned()).chain([token, key, jwt]).collect();
    prop::collection::vec(prop::sample::select(pieces), 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn masking_twice_is_masking_once(text in prop_oneof![fragments(), ".{0,80}"]) {
        let masked = mask(&text);
        prop_assert_eq!(masked.found.is_empty(), matches!(masked.text, Cow::Borrowed(_)));
        prop_assert_eq!(&mask(&masked.text).text, &masked.text);
    }

    /// The text between the masks appears in the original, in the same order, from beginning to end.
    #[test]
    fn nothing_but_secrets_changes(text in fragments().prop_filter("no masks", |text| !text.contains("[secret"))) {
        let masked = mask(&text);
        let mut shown = masked.text.as_ref();
        let mut pieces = Vec::new();
        for kind in &masked.found {
            let (piece, after) = shown.split_once(&format!("[secret: {kind}]")).expect("a mask");
            pieces.push(piece);
            shown = after;
        }
        let mut rest = text.as_str();
        for (place, piece) in pieces.iter().enumerate() {
            let at = rest.find(piece);
            prop_assert!(at.is_some() && (place > 0 || at == Some(0)));
            rest = &rest[at.unwrap_or(0) + piece.len()..];
        }
        prop_assert!(rest.ends_with(shown));
    }

    /// Prose has no secrets.
    #[test]
    fn prose_is_returned_as_it_was(words in prop::collection::vec("[a-zçğıöşü]{1,12}", 0..60)) {
        let text = words.join(" ");
        let masked = mask(&text);
        prop_assert!(matches!(masked.text, Cow::Borrowed(_)));
    }
}

/// How quick the door is on prose that holds nothing: measured in release, not asserted (`--release -- --ignored`).
#[test]
#[ignore = "measures time"]
fn prose_passes_quickly() {
    let text = "On Monday we walked along the river, and Ece told me about her new flat in Kadıköy. "
        .repeat(200_000);
    for name in ["mask", "mask again", "personal", "injection"] {
        let begin = std::time::Instant::now();
        let found = match name {
            "personal" => cairn_cognition::personal::personal_data(&text).len(),
            "injection" => usize::from(cairn_cognition::injection::injected_user_order(&text).is_some()),
            _ => mask(&text).found.len(),
        };
        let seconds = begin.elapsed().as_secs_f64();
        println!("{name}: {:.0} MB/s, {found} found", text.len() as f64 / 1e6 / seconds);
    }
    let message =
        "Yarın saat 10:30'da Ayşe ile buluşacağım, adresi not aldım. My token budget is 8192. ".repeat(24);
    let begin = std::time::Instant::now();
    for _ in 0..100 {
        assert!(mask(&message).found.is_empty());
    }
    println!("mask of 2 kB: {:.3} ms", begin.elapsed().as_secs_f64() * 10.0);
    let begin = std::time::Instant::now();
    for _ in 0..100 {
        let _ = cairn_cognition::personal::personal_data(&message);
    }
    println!("personal of 2 kB: {:.3} ms", begin.elapsed().as_secs_f64() * 10.0);
    let begin = std::time::Instant::now();
    for _ in 0..100 {
        let _ = cairn_cognition::injection::injected_user_order(&message);
    }
    println!("injection of 2 kB: {:.3} ms", begin.elapsed().as_secs_f64() * 10.0);
}

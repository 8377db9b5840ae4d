//! Sentences: where one thought ends and the next begins.
//!
//! A line break ends a sentence; so does a stop that white space follows. A stop inside a number, a version or an
//! address does not, nor one after an abbreviation (which are data), an initial or the number of a list item.

use crate::language::LANGUAGES;
use foldhash::fast::FixedState;
use std::{collections::HashMap, sync::LazyLock};

/// No abbreviation is longer.
const ABBREVIATION_BYTES: usize = 16;

/// Each abbreviation without its last stop; true if a name follows it (Dr.), so that a capital ends nothing.
static ABBREVIATIONS: LazyLock<HashMap<&'static str, bool, FixedState>> = LazyLock::new(|| {
    let lines = LANGUAGES.iter().flat_map(|language| language.lines("abbreviations"));
    let known = |line: &'static str| match line.split_once(": ") {
        Some((_, words)) => (words, true),
        None => (line, false),
    };
    lines
        .map(known)
        .flat_map(|(words, name)| words.split_whitespace().map(move |word| (word, name)))
        .collect()
});

/// The sentences of a text in order, without the white space around them. Nothing else is lost.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.split(['\n', '\r', '\u{2028}', '\u{2029}']) {
        let mut begin = 0;
        let mut at = 0;
        while let Some(c) = line[at..].chars().next() {
            let next = at + c.len_utf8();
            if !is_stop(c) {
                at = next;
                continue;
            }
            let stops = at;
            at = run(line, at, is_stop);
            if ends(line, begin, stops, at) {
                at = tail(line, at);
                push(&mut found, &line[begin..at]);
                begin = at;
            }
        }
        push(&mut found, &line[begin..]);
    }
    found
}

fn push<'a>(found: &mut Vec<&'a str>, sentence: &'a str) {
    let sentence = sentence.trim();
    if !sentence.is_empty() {
        found.push(sentence);
    }
}

/// Whether the run of stops from `stops` to `after` ends the sentence that begins at `begin`.
fn ends(line: &str, begin: usize, stops: usize, after: usize) -> bool {
    let run_of_stops = &line[stops..after];
    if run_of_stops.contains(is_wide_stop) {
        return true;
    }
    let closed = run(line, after, is_closer);
    let rest = &line[closed..];
    if !rest.starts_with(|c: char| c.is_whitespace() || is_picture(c)) {
        return rest.is_empty();
    }
    let next = rest.trim_start().chars().next();
    let goes_on = next.is_some_and(char::is_lowercase);
    let said = &line[begin..stops];
    if closed > after && goes_on {
        return false; // "Stop!" he said.
    }
    match run_of_stops {
        "." => !(is_number_of_item(line, said, goes_on) || is_abbreviation(said, goes_on)),
        "…" => !goes_on,
        dots if dots.bytes().all(|byte| byte == b'.') => !goes_on,
        _ => true,
    }
}

/// "3." before an item of a list, or before a word in small letters (Turkish ordinals: 3. sınıf).
fn is_number_of_item(line: &str, said: &str, goes_on: bool) -> bool {
    let digits = said.len() - said.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let opens_line = || {
        let before = &line[..said.as_ptr() as usize - line.as_ptr() as usize];
        before.trim().is_empty() && said.trim_start_matches(['-', '*', '#', '>', ' ', '\t']).len() == digits
    };
    (1..=4).contains(&digits) && (goes_on || opens_line())
}

/// An initial (J. Smith), a known abbreviation before a name, or any known one that the sentence goes on after.
fn is_abbreviation(said: &str, goes_on: bool) -> bool {
    let near = &said[said.ceil_char_boundary(said.len().saturating_sub(ABBREVIATION_BYTES))..];
    let word = near.rsplit(|c: char| !c.is_alphanumeric() && c != '.').next().unwrap_or_default();
    let mut letters = word.chars();
    if let (Some(initial), None) = (letters.next(), letters.next()) {
        return initial.is_uppercase();
    }
    ABBREVIATIONS.get(word.to_lowercase().as_str()).is_some_and(|name| *name || goes_on)
}

/// The end of what still belongs to a sentence after its stops: closing quotes and brackets, emoji.
fn tail(line: &str, at: usize) -> usize {
    let mut end = run(line, at, |c| is_closer(c) || is_picture(c));
    loop {
        let spaces = run(line, end, char::is_whitespace);
        let pictures = run(line, spaces, is_picture);
        if pictures == spaces {
            return end;
        }
        end = pictures;
    }
}

/// Where the run of such characters that begins at `at` ends.
fn run(line: &str, at: usize, of: impl Fn(char) -> bool) -> usize {
    at + line[at..].find(|c| !of(c)).unwrap_or(line.len() - at)
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '؟' | '।') || is_wide_stop(c)
}

/// Stops of scripts that write no space after them.
fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '．')
}

fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '}' | '」' | '』' | '）' | '*' | '_' | '`')
}

/// Whether a character is an emoji or part of one.
pub(crate) fn is_picture(c: char) -> bool {
    matches!(c as u32, 0x1F000..=0x1FAFF | 0x2600..=0x27BF | 0x2B00..=0x2BFF | 0xFE0F | 0x200D | 0x2190..=0x21FF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_falls_into_its_sentences() {
        for (text, expected) in [
            ("I moved. Then I slept!", vec!["I moved.", "Then I slept!"]),
            ("Dr. Okafor came at 7. He left.", vec!["Dr. Okafor came at 7.", "He left."]),
            ("We use v3.2.1 (e.g. for imports). Fine.", vec!["We use v3.2.1 (e.g. for imports).", "Fine."]),
            (
                "Pi is 3.14. See https://a.org/x.y?z=1. Ok",
                vec!["Pi is 3.14.", "See https://a.org/x.y?z=1.", "Ok"],
            ),
            (
                "Elma, armut vb. meyveler. Prof. Dr. Ece geldi.",
                vec!["Elma, armut vb. meyveler.", "Prof. Dr. Ece geldi."],
            ),
            ("Cats vs. dogs, etc. Then lunch.", vec!["Cats vs. dogs, etc.", "Then lunch."]),
            ("Well... maybe. Hm… No.", vec!["Well... maybe.", "Hm…", "No."]),
            ("Shopping:\n1. Milk\n- Eggs. Many.\n\n", vec!["Shopping:", "1. Milk", "- Eggs.", "Many."]),
            ("\"Stop!\" he said. \"Go.\" She went.", vec!["\"Stop!\" he said.", "\"Go.\"", "She went."]),
            ("Great! 🎉🎉 I won!🎉 Bye", vec!["Great! 🎉🎉", "I won!🎉", "Bye"]),
            ("東京に住む。猫がいる！はい", vec!["東京に住む。", "猫がいる！", "はい"]),
            (
                "3. sınıftayım. J. K. Rowling wrote it?! Yes",
                vec!["3. sınıftayım.", "J. K. Rowling wrote it?!", "Yes"],
            ),
            ("i like it. my dog too", vec!["i like it.", "my dog too"]),
            ("", vec![]),
            (" \n\t ", vec![]),
            ("...", vec!["..."]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    /// covers: C-158
    #[test]
    fn odd_and_large_texts_are_cut_too() {
        for text in ["(".repeat(1_000_000), ". ".repeat(500_000), "a.".repeat(500_000), "1. ".repeat(300_000)]
        {
            let found = sentences(&text);
            let letters: usize = found.iter().flat_map(|s| s.chars()).filter(|c| !c.is_whitespace()).count();
            assert_eq!(letters, text.chars().filter(|c| !c.is_whitespace()).count());
        }
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_is_lost(text in "([a-zA-Z0-9.!?…。\"') \n😀şİ]|Dr\\. |\\. ){0,60}") {
            let found = sentences(&text);
            let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(plain(&found.concat()), plain(&text));
            for sentence in &found {
                prop_assert_eq!(sentence.trim(), *sentence);
                prop_assert!(!sentence.is_empty());
            }
        }
    }
}

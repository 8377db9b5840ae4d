//! Sentences: where one thought ends and the next begins.
//!
//! A line break ends a sentence; so does a stop that white space follows. A stop inside a number, a version or an
//! address does not, nor one after an abbreviation (which are data), an initial or the number of a list item.

use crate::abbreviation::{abbreviation, leads_to_a_name};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// No abbreviation is longer.
const MAX_ABBREVIATION_BYTES: usize = 16;

/// The sentences of a text in order, without the white space around them. Nothing else is lost.
pub fn sentences(text: &str) -> Vec<&str> {
    sentence_ranges(text).into_iter().map(|range| &text[range]).collect()
}

/// Where the sentences of a text stand.
pub(crate) fn sentence_ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Sentences { text, ranges: Vec::new() };
    let mut line_start = 0;
    for line in text.split_inclusive(['\n', '\r', '\u{2028}', '\u{2029}']) {
        found.push_line(line_start, line.trim_end_matches(['\n', '\r', '\u{2028}', '\u{2029}']));
        line_start += line.len();
    }
    found.ranges
}

/// The sentences found so far.
struct Sentences<'t> {
    text: &'t str,
    ranges: Vec<Range<usize>>,
}

impl Sentences<'_> {
    fn push_line(&mut self, offset: usize, line: &str) {
        let mut begin = 0;
        let mut at = 0;
        while let Some(found) = line[at..].find(is_stop) {
            let stops = at + found;
            at = run(line, stops, is_stop);
            if ends(line, begin, stops, at) {
                at = tail(line, at);
                self.push(offset + begin..offset + at);
                begin = at;
            }
        }
        self.push(offset + begin..offset + line.len());
    }

    /// Adds a sentence; in scripts whose stops we do not list, the sentences that Unicode finds in it.
    fn push(&mut self, range: Range<usize>) {
        let sentence = &self.text[range.clone()];
        if !sentence.contains(is_other_script) {
            return self.push_trimmed(range);
        }
        let mut begin = range.start;
        for (at, part) in sentence.split_sentence_bound_indices() {
            let end = range.start + at + part.len();
            let stop = part.trim_end().trim_end_matches(is_closer).chars().next_back();
            if end == range.end || stop.is_some_and(|stop| !is_stop(stop) && !stop.is_alphanumeric()) {
                self.push_trimmed(begin..end);
                begin = end;
            }
        }
    }

    fn push_trimmed(&mut self, range: Range<usize>) {
        let sentence = self.text[range.clone()].trim_end();
        let trimmed = sentence.trim_start();
        let start = range.start + sentence.len() - trimmed.len();
        if !trimmed.is_empty() {
            self.ranges.push(start..start + trimmed.len());
        }
    }
}

/// A part of a sentence that is read by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SentencePart<'t> {
    pub(crate) text: &'t str,
    /// A question mark ends it.
    pub(crate) asks: bool,
}

/// The parts of a sentence, without what ends them: a semicolon, or a stop, also one after which the sentence goes on (the
/// end of a quotation, words that trail off).
pub(crate) fn sentence_parts(sentence: &str) -> Vec<SentencePart<'_>> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, mark) in sentence.match_indices([';', '.', '!', '?', '…']) {
        let after = at + mark.len();
        let rest = &sentence[after..];
        let open = rest.chars().next().is_none_or(|next| next.is_whitespace() || "\"”')".contains(next));
        let goes_on = || {
            let next = rest.trim_start_matches(|c: char| c.is_whitespace() || is_closer(c)).chars().next();
            next.is_some_and(char::is_lowercase)
        };
        let ends = match mark {
            ";" => true,
            "." => open && (rest.trim().is_empty() || !is_abbreviation(&sentence[begin..at], goes_on())),
            _ => open,
        };
        if ends {
            parts.push(SentencePart { text: sentence[begin..at].trim(), asks: mark == "?" });
            begin = after;
        }
    }
    parts.push(SentencePart { text: sentence[begin..].trim(), asks: false });
    parts.retain(|part| part.text.contains(char::is_alphanumeric));
    parts
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
    let near = &said[said.ceil_char_boundary(said.len().saturating_sub(MAX_ABBREVIATION_BYTES))..];
    let word = near.rsplit(|c: char| !c.is_alphanumeric() && c != '.').next().unwrap_or_default();
    let mut letters = word.chars();
    if let (Some(initial), None) = (letters.next(), letters.next()) {
        return initial.is_uppercase();
    }
    abbreviation(word).is_some_and(|class| leads_to_a_name(class) || goes_on)
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

/// Letters of scripts with stops of their own, which Unicode knows better than we do.
fn is_other_script(c: char) -> bool {
    matches!(c as u32, 0x0530..=0x1DFF | 0x2D00..=0x2DDF | 0xA000..=0xABFF | 0x10000..=0x1EFFF)
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

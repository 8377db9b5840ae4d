//! Excerpts: the part of a long text that is quoted. Its opening always, word for word; of the rest the sentences worth most
//! to a question, in their order.

use crate::{
    lexicon::{FormationClass, classed_entries},
    sentence::sentences,
};

/// Minimum characters of the opening in every excerpt, if the text has them.
pub const OPENING_CHARS: usize = 120;
/// A word that would make an opening longer than this beyond [`OPENING_CHARS`] is cut.
const MAX_LAST_WORD_CHARS: usize = 40;
/// A sentence shorter than this, a heading or a line of code, says little by itself.
const MIN_SENTENCE_CHARS: usize = 24;
const ELLIPSIS: &str = "…";

/// A text on one line: every run of white space is one space.
pub fn on_one_line(text: &str) -> String {
    let mut on_one_line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !on_one_line.is_empty() {
            on_one_line.push(' ');
        }
        on_one_line.push_str(word);
    }
    on_one_line
}

/// An excerpt of at most `chars` characters, on one line. A text that has room stands there whole. Of a longer one stand its
/// opening, to the end of a sentence if that is near or else of a word, and the sentences that are worth most, as many as have
/// room; an ellipsis stands for each part that is missing. `worth` says what a sentence is worth; one that is worth nothing, or very
/// short, is not taken.
pub fn excerpt(text: &str, chars: usize, worth: impl Fn(&str) -> f64) -> String {
    let flat = on_one_line(text);
    if flat.chars().nth(chars).is_none() {
        return flat;
    }
    let parts = places(&flat, text);
    let mut taken = vec![(0, opening_end(&flat, &parts, chars))];
    let mut room = chars.saturating_sub(length(&flat[..taken[0].1]) + 2);
    let after = |part: &&(usize, usize)| part.0 >= taken[0].1 && room >= MIN_SENTENCE_CHARS;
    let mut rest: Vec<(f64, (usize, usize))> = parts
        .iter()
        .filter(after)
        .map(|part| (worth(&flat[part.0..part.1]), *part))
        .filter(|(worth, (begin, end))| *worth > 0.0 && end - begin >= MIN_SENTENCE_CHARS)
        .collect();
    rest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, (begin, end)) in rest {
        // Each may need an ellipsis before and after it, with spaces.
        let needs = length(&flat[begin..end]) + 4;
        if needs <= room {
            room -= needs;
            taken.push((begin, end));
        }
    }
    taken.sort_unstable();
    joined(&flat, &taken)
}

/// Where each sentence stands in the text on one line.
fn places(flat: &str, text: &str) -> Vec<(usize, usize)> {
    let mut at = 0;
    let place = |sentence: &str| {
        let sentence = on_one_line(sentence);
        let begin = at + flat[at..].find(&sentence)?;
        at = begin + sentence.len();
        Some((begin, at))
    };
    sentences(text).into_iter().map_while(place).collect()
}

/// Where the opening ends: with the first sentence that ends at or after [`OPENING_CHARS`] characters, if that has room, or with a
/// word.
fn opening_end(flat: &str, parts: &[(usize, usize)], chars: usize) -> usize {
    let byte = |chars: usize| flat.char_indices().nth(chars).map_or(flat.len(), |(byte, _)| byte);
    // Room is left for the ellipsis.
    let (least, most) = (byte(OPENING_CHARS.min(chars.saturating_sub(2))), byte(chars.saturating_sub(2)));
    let sentence = parts.iter().map(|(_, end)| *end).find(|end| *end >= least);
    if let Some(end) = sentence.filter(|end| *end <= most) {
        return end;
    }
    let word_end = flat[least..].find(' ').map(|space| least + space);
    word_end.filter(|end| *end <= most && length(&flat[least..*end]) <= MAX_LAST_WORD_CHARS).unwrap_or(least)
}

/// The parts with an ellipsis wherever something is missing.
fn joined(flat: &str, taken: &[(usize, usize)]) -> String {
    let mut excerpt = String::new();
    let mut at = 0;
    for (begin, end) in taken {
        if !flat[at..*begin].trim().is_empty() {
            excerpt.push(' ');
            excerpt.push_str(ELLIPSIS);
        }
        if *begin > 0 {
            excerpt.push_str(if flat[at..*begin].is_empty() { "" } else { " " });
        }
        excerpt.push_str(&flat[*begin..*end]);
        at = *end;
    }
    if at < flat.len() {
        excerpt.push_str(if excerpt.ends_with(char::is_alphanumeric) { "" } else { " " });
        excerpt.push_str(ELLIPSIS);
    }
    excerpt
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Words of a piece of a quotation that is no whole sentence, at least.
const MIN_PIECE_WORDS: usize = 3;

/// Whether every word of a quotation stands in a text, in one piece or in several in their order. What is left out between
/// two pieces ends with a sentence or with a word that joins clauses, so that no word is taken out of a clause.
pub fn is_quoted_from(quotation: &str, text: &str) -> bool {
    let (flat, quoted) = (on_one_line(text), on_one_line(quotation));
    let mut lines = quotation.lines().map(on_one_line);
    if flat.contains(&quoted) || quotation.contains('\n') && lines.all(|line| flat.contains(&line)) {
        return true;
    }
    let mut rest: Vec<&str> = quoted.split(' ').collect();
    let mut at = 0;
    while !rest.is_empty() {
        let Some((begin, end, words)) = longest_piece(&flat, at, &rest) else { return false };
        let piece = &flat[begin..end];
        let left_out = flat[at..begin].trim();
        let opens = begin == 0 || ends_sentence(flat[..begin].trim_end()) || ends_with_join(&flat[..begin]);
        let whole = opens && (ends_sentence(piece) || end == flat.len());
        let adjoins = left_out.is_empty() || opens;
        if !adjoins && at > 0 || !whole && words < MIN_PIECE_WORDS {
            return false;
        }
        at = end;
        rest.drain(..words);
    }
    true
}

/// The longest beginning of `words` that stands in a text from a place on, between other words: where it begins, where it
/// ends, and how many words it has.
fn longest_piece(flat: &str, from: usize, words: &[&str]) -> Option<(usize, usize, usize)> {
    (1..=words.len()).rev().find_map(|count| {
        let piece = words[..count].join(" ");
        let parted = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        flat[from..].match_indices(&piece).find_map(|(at, _)| {
            let (begin, end) = (from + at, from + at + piece.len());
            let alone = parted(flat[..begin].chars().next_back()) && parted(flat[end..].chars().next());
            alone.then_some((begin, end, count))
        })
    })
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(['"', '”', '\'', '’', ')']).ends_with(['.', '!', '?', '…', ':', ';'])
}

fn ends_with_join(text: &str) -> bool {
    let last = text.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    classed_entries::<FormationClass>()
        .any(|entry| entry.class == FormationClass::Joins && entry.text == last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "Thanks! I keep a logbook for the harbour, and every morning I write down the height of the water at the \
                        old pier before anybody else is there.\n\nThe gauge was mended in May. It is read by hand.\n- The \
                        ferry leaves at nine. Nobody knows why.";

    #[test]
    fn an_excerpt_is_the_opening_and_what_is_worth_most() {
        let about = |words: &'static str| move |sentence: &str| f64::from(u8::from(sentence.contains(words)));
        assert_eq!(excerpt("I moved.\n  Twice.", 40, |_| 0.0), "I moved. Twice.");
        let opening = "Thanks! I keep a logbook for the harbour, and every morning I write down the height of the water at \
                       the old pier before anybody else is there.";
        assert_eq!(excerpt(TEXT, 170, |_| 0.0), format!("{opening} …"));
        assert_eq!(excerpt(TEXT, 200, about("ferry")), format!("{opening} … - The ferry leaves at nine. …"));
        assert_eq!(excerpt(TEXT, 190, about("gauge")), format!("{opening} The gauge was mended in May. …"));
        // The sentence does not end soon enough.
        let cut = excerpt(TEXT, 130, |_| 0.0);
        assert!(cut.starts_with(&opening[..OPENING_CHARS]) && cut.ends_with('…') && cut.len() < 135, "{cut}");
        assert_eq!(excerpt(&"x".repeat(500), 160, |_| 0.0), format!("{}…", "x".repeat(OPENING_CHARS)));
        assert_eq!(excerpt("東京に住む。猫がいる！はい", 8, |_| 0.0), "東京に住む。 …");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_has_room_and_begins_as_the_text_does(
            text in "([a-zşİ😀]{1,9}[ .!?\n。]{1,3}){0,80}",
            chars in 0_usize..400,
        ) {
            let (found, flat) = (excerpt(&text, chars, |sentence| sentence.len() as f64), on_one_line(&text));
            prop_assert!(found.chars().count() <= chars.max(2), "{found}");
            prop_assert!(!found.contains('\n'));
            let opening: String = flat.chars().take(OPENING_CHARS.min(chars.saturating_sub(2))).collect();
            prop_assert!(found.starts_with(&opening), "{found}");
        }
    }

    #[test]
    fn a_quotation_may_leave_out_sentences_and_clauses_and_no_word_besides() {
        let text =
            "I live in Oslo. Do you like it?\nMy sister lives in Bergen and I do not drink coffee, ever.";
        for (quotation, is_quoted) in [
            ("I live in Oslo.", true),
            ("I live in Oslo. My sister lives in Bergen", true),
            ("I live in Oslo. I do not drink coffee", true),
            ("My sister lives in Bergen I do not drink coffee, ever.", true),
            ("I live on the moon", false),
            ("I do drink coffee", false),
            ("My sister lives in Oslo.", false),
            ("I live in Bergen", false),
            ("My sister lives in Bergen. I live in Oslo.", false),
        ] {
            assert_eq!(is_quoted_from(quotation, text), is_quoted, "{quotation}");
        }
    }
}

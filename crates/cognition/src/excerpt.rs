//! Excerpts: the part of a long text that is quoted. Its opening always, word for word; of the rest the sentences worth most
//! to a question, in their order.

use crate::sentence::sentences;

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
}

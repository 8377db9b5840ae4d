//! Confidence: what of a hit reaches a prompt. A sure one stands there whole, a less sure one in short, an unsure one is
//! left out and counted.

use crate::sentence::sentences;

/// From this score on a hit is given whole.
pub const WHOLE: f64 = 0.7;
/// From this score on a hit is given in short.
pub const SHORT: f64 = 0.4;
/// A hit in short has at most so many characters.
pub const SHORT_CHARS: usize = 160;

/// What of a hit is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Given {
    /// Its text with all that is known about it.
    Whole,
    /// Its first words, without more.
    Short,
    /// Nothing; it is counted.
    LeftOut,
}

/// What of a hit with this score (0 to 1) is given.
pub fn given(score: f64) -> Given {
    match score {
        _ if score >= WHOLE => Given::Whole,
        _ if score >= SHORT => Given::Short,
        _ => Given::LeftOut,
    }
}

/// A text in short: as many of its first sentences as have room in `chars` characters, or the beginning of the first, cut
/// between words where that is possible. An ellipsis stands for what is missing.
pub fn short(text: &str, chars: usize) -> String {
    let text = text.trim();
    if text.chars().nth(chars).is_none() {
        return text.to_owned();
    }
    // More than this cannot have room.
    let head = text.char_indices().nth(chars + 1).map_or(text, |(end, _)| &text[..end]);
    let mut taken = String::new();
    for sentence in sentences(head) {
        let room = taken.chars().count() + sentence.chars().count() + usize::from(!taken.is_empty());
        let whole = sentence.ends_with(['.', '!', '?', '…', '。', '！', '？']);
        if room > chars.saturating_sub(2) || !whole {
            break;
        }
        if !taken.is_empty() {
            taken.push(' ');
        }
        taken.push_str(sentence);
    }
    if !taken.is_empty() {
        taken.push_str(" …");
        return taken;
    }
    let Some(room) = chars.checked_sub(1) else { return String::new() };
    let cut = head.char_indices().nth(room).map_or(head.len(), |(end, _)| end);
    let at_word = head[..cut].rfind(char::is_whitespace).filter(|end| *end > cut / 2).unwrap_or(cut);
    format!("{}…", head[..at_word].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// covers: C-178, C-179, C-180
    #[test]
    fn a_sure_hit_is_whole_and_an_unsure_one_is_left_out() {
        for (score, expected) in [
            (1.0, Given::Whole),
            (0.7, Given::Whole),
            (0.699_999, Given::Short),
            (0.4, Given::Short),
            (0.399_999, Given::LeftOut),
            (0.0, Given::LeftOut),
            (f64::NAN, Given::LeftOut),
        ] {
            assert_eq!(given(score), expected, "{score}");
        }
    }

    /// covers: C-179
    #[test]
    fn a_text_in_short_is_its_first_sentences() {
        assert_eq!(short("I moved. Then I slept.", 160), "I moved. Then I slept.");
        assert_eq!(short("I moved. Then I slept.", 12), "I moved. …");
        assert_eq!(
            short("I moved house. Then I slept well. And so on.", 37),
            "I moved house. Then I slept well. …"
        );
        assert_eq!(short("one two three four", 10), "one two…");
        assert_eq!(short("çığlıkçığlık", 5), "çığl…");
        assert_eq!(
            short("Dr. Okafor came at seven. Later he left again.", 30),
            "Dr. Okafor came at seven. …"
        );
        assert_eq!(short("abc", 0), "");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_has_room(text in "([a-zşİ😀]{1,8}[ .!?]{1,2}){0,30}", chars in 0_usize..60) {
            prop_assert!(short(&text, chars).chars().count() <= chars);
        }
    }
}

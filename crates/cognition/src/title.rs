//! Titles: what a session is about, in the words of its first real sentence. No model is asked.

use crate::keywords::content_words;

/// Longer titles are cut at a word.
const TITLE_CHARS: usize = 60;
/// Fewer content words than this name nothing ("Hi there!", "Ok, thanks").
const CONTENT_WORDS: usize = 2;

/// The title that a message would give its session, if it says enough to name one.
pub fn title(text: &str) -> Option<String> {
    text.split(['\n', '.', '!', '?', '。', '！', '？'])
        .map(plain)
        .find(|sentence| says_enough(sentence))
        .map(|s| cut(&s))
}

/// A sentence without markdown decoration and with single spaces.
fn plain(sentence: &str) -> String {
    let undecorated = sentence.trim_matches(|c: char| c.is_whitespace() || "#*->`_|\"“”'".contains(c));
    undecorated.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says_enough(sentence: &str) -> bool {
    content_words(sentence) >= CONTENT_WORDS
}

fn cut(sentence: &str) -> String {
    if sentence.chars().count() <= TITLE_CHARS {
        return sentence.to_owned();
    }
    let head: String = sentence.chars().take(TITLE_CHARS - 1).collect();
    let whole_words =
        head.rfind(' ').filter(|at| *at > TITLE_CHARS / 3).map_or(head.as_str(), |at| &head[..at]);
    format!("{}…", whole_words.trim_end_matches([',', ';', ':', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-14
    #[test]
    fn a_session_is_named_after_its_first_real_sentence() {
        for (text, expected) in [
            (
                "Hi! How are you? I need help planning the move to Lisbon.",
                Some("I need help planning the move to Lisbon"),
            ),
            ("## Budget tracker\nLet's start.", Some("Budget tracker")),
            ("Ok, thanks!", None),
            ("", None),
            ("Kedimi veterinere götürmem gerekiyor.", Some("Kedimi veterinere götürmem gerekiyor")),
            ("東京で会議があります。", Some("東京で会議があります")),
        ] {
            assert_eq!(title(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_long_sentence_is_cut_at_a_word() {
        let title = title(&"planning our autumn holiday, ".repeat(9)).expect("a title");
        assert!(title.chars().count() <= TITLE_CHARS, "{title}");
        assert!(
            title.ends_with("holiday…")
                || title.ends_with("autumn…")
                || title.ends_with("our…")
                || title.ends_with("planning…"),
            "{title}"
        );
    }
}

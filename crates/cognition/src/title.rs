//! Titles: what a session is about, in the words of its first real sentence. No model is asked.

use crate::keywords::content_words;

/// Longer titles are cut at a word.
const MAX_TITLE_CHARS: usize = 60;
/// Sentences with fewer content words name nothing ("Hi there!", "Ok, thanks").
const MIN_CONTENT_WORDS: usize = 2;

/// The title that a message would give its session, if it says enough to name one.
pub fn session_title(text: &str) -> Option<String> {
    text.split(['\n', '.', '!', '?', '。', '！', '？'])
        .map(undecorated)
        .find(|sentence| says_enough(sentence))
        .map(|s| cut_at_word(&s))
}

/// A sentence without markdown decoration and with single spaces.
fn undecorated(sentence: &str) -> String {
    let undecorated = sentence.trim_matches(|c: char| c.is_whitespace() || "#*->`_|\"“”'".contains(c));
    undecorated.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says_enough(sentence: &str) -> bool {
    content_words(sentence) >= MIN_CONTENT_WORDS
}

fn cut_at_word(sentence: &str) -> String {
    if sentence.chars().count() <= MAX_TITLE_CHARS {
        return sentence.to_owned();
    }
    let head: String = sentence.chars().take(MAX_TITLE_CHARS - 1).collect();
    let whole_words =
        head.rfind(' ').filter(|at| *at > MAX_TITLE_CHARS / 3).map_or(head.as_str(), |at| &head[..at]);
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
            assert_eq!(session_title(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_long_sentence_is_cut_at_a_word() {
        let title = session_title(&"planning our autumn holiday, ".repeat(9)).expect("a title");
        assert!(title.chars().count() <= MAX_TITLE_CHARS, "{title}");
        assert!(
            title.ends_with("holiday…")
                || title.ends_with("autumn…")
                || title.ends_with("our…")
                || title.ends_with("planning…"),
            "{title}"
        );
    }
}

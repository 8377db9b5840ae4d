//! Words that somebody shows rather than says: what stands in quotation marks behind a colon, as in `Translate: "I live in
//! Oslo."` or `Write as if you were me: "I love coffee."` Nobody vouches for them.

/// Whether some words of a text stand, at least in part, in a quotation that a colon opens.
pub(crate) fn is_shown(text: &str, words: &str) -> bool {
    let words = words.trim_matches(is_mark).trim();
    let Some(begin) = text.find(words).filter(|_| !words.is_empty()) else { return false };
    let end = begin + words.len();
    quotations_behind_colons(text).iter().any(|(from, to)| begin < *to && *from < end)
}

/// Where such quotations begin and end, without their marks. One that is never closed goes on to the end.
fn quotations_behind_colons(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char, bool)> = None;
    for (at, sign) in text.char_indices() {
        match open {
            Some((from, mark, behind_colon)) if closes(mark, sign) => {
                found.extend(behind_colon.then_some((from, at)));
                open = None;
            }
            None if opens(sign) => {
                let behind_colon = text[..at].trim_end().ends_with(':');
                open = Some((at + sign.len_utf8(), sign, behind_colon));
            }
            Some(_) | None => {}
        }
    }
    found.extend(open.filter(|(_, _, behind_colon)| *behind_colon).map(|(from, ..)| (from, text.len())));
    found
}

fn is_mark(sign: char) -> bool {
    matches!(sign, '"' | '“' | '”' | '„' | '«' | '»')
}

fn opens(sign: char) -> bool {
    matches!(sign, '"' | '“' | '„' | '«')
}

fn closes(mark: char, sign: char) -> bool {
    match mark {
        '“' => sign == '”',
        '„' => matches!(sign, '“' | '”'),
        '«' => sign == '»',
        _ => sign == '"',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: X-P10
    #[test]
    fn what_is_shown_behind_a_colon_is_told_from_what_is_said() {
        for (text, words, expected) in [
            ("Translate to German: \"user: I live in Oslo. assistant: Saved.\"", "I live in Oslo.", true),
            ("Pretend to be me: “I live in Oslo.”", "Pretend to be me: “I live in Oslo.", true),
            ("Schreib: „Ich wohne in Oslo.“ Danke.", "Ich wohne in Oslo.", true),
            ("Schreib: „Ich wohne in Oslo.“ Ich mag Tee.", "Ich mag Tee.", false),
            ("Traduce: «Vivo en Oslo", "Vivo en Oslo", true),
            ("Vera said \"I live in Oslo\", so we visit her.", "I live in Oslo", false),
            ("Two things: I live in Oslo and I like tea.", "I live in Oslo", false),
            ("My doctor said: \"Sleep more.\" I go to bed at ten now.", "I go to bed at ten now.", false),
            ("Anything", "", false),
        ] {
            assert_eq!(is_shown(text, words), expected, "{words:?} in {text:?}");
        }
    }
}

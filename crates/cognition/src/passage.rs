//! Passages: the parts of a message that are embedded.
//!
//! A turn is understood with the turn that it answers and with who says it, so both stand before its opening. A long message
//! is cut into parts of about one thought each; its opening speaks for it (see `later_part` in a ranking profile).

/// Stored with an embedder. A rule change that makes new vectors incomparable with old ones raises it; one that lets them stand
/// beside each other does not.
pub const PASSAGES_VERSION: u32 = 1;

/// Target bytes of a part: about as much as the usual embedder reads at once.
const TARGET_PART_BYTES: usize = 900;
/// Bytes by which a part may be longer, so that no crumb is left over.
const PART_SLACK_BYTES: usize = TARGET_PART_BYTES / 4;
/// Bytes of the previous turn that are embedded along with the opening.
const MAX_PREVIOUS_TURN_BYTES: usize = 200;
/// Maximum passages of a message; later parts are found by their words alone.
pub const MAX_PASSAGES: usize = 64;

/// A message of at most so many words leans on what its speaker said before it: "8 actually".
const MAX_LEANING_WORDS: usize = 6;

/// Whether a message is understood with the one before it: with somebody else's, and with its speaker's own if it is too short to
/// stand alone. What one person tells in one go is another matter as often as not.
pub fn leans_on(before_speaker: &str, speaker: &str, text: &str) -> bool {
    before_speaker != speaker || text.split_whitespace().nth(MAX_LEANING_WORDS).is_none()
}

/// A turn as a passage needs it.
#[derive(Debug, Clone, Copy)]
pub struct PassageTurn<'a> {
    /// Who says it, unless that is no more than a role.
    pub speaker: Option<&'a str>,
    /// The words.
    pub text: &'a str,
}

impl PassageTurn<'_> {
    /// The words of the turn, with its speaker before them.
    fn said(&self, text: &str) -> String {
        self.speaker.map_or_else(|| text.to_owned(), |speaker| format!("{speaker}: {text}"))
    }
}

/// The passages of a turn, its opening first. There is always one.
pub fn passages(turn: PassageTurn<'_>, before: Option<PassageTurn<'_>>) -> Vec<String> {
    let mut parts = parts(turn.text).into_iter();
    let opening = turn.said(parts.next().unwrap_or_default());
    let opening = match before {
        Some(before) => format!("{}\n{opening}", before.said(end_of(before.text, MAX_PREVIOUS_TURN_BYTES))),
        None => opening,
    };
    std::iter::once(opening).chain(parts.map(str::to_owned)).collect()
}

/// A text in parts that end where a paragraph, a sentence or at least a word does.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while rest.len() > TARGET_PART_BYTES + PART_SLACK_BYTES && parts.len() < MAX_PASSAGES {
        let head = start_of(rest, TARGET_PART_BYTES);
        let late = |at: &usize| *at > TARGET_PART_BYTES / 2;
        let sentence = || head.rfind(". ").map(|at| at + 1);
        let end = head
            .rfind("\n\n")
            .filter(late)
            .or_else(|| sentence().filter(late))
            .or_else(|| head.rfind(char::is_whitespace).filter(late))
            .unwrap_or(head.len());
        parts.push(rest[..end].trim_end());
        rest = rest[end..].trim_start();
    }
    if parts.len() < MAX_PASSAGES {
        parts.push(rest);
    }
    parts
}

/// At most the first `bytes` of a text.
fn start_of(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// At most the last `bytes` of a text.
fn end_of(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(text: &str) -> PassageTurn<'_> {
        PassageTurn { speaker: None, text }
    }

    #[test]
    fn a_short_turn_is_one_passage_with_its_speaker_and_the_turn_before() {
        let caroline = PassageTurn { speaker: Some("Caroline"), text: "Where did you swim?" };
        let reply = PassageTurn { speaker: Some("Melanie"), text: "In the lake." };
        assert_eq!(passages(reply, Some(caroline)), ["Caroline: Where did you swim?\nMelanie: In the lake."]);
        assert_eq!(passages(turn("In the lake."), None), ["In the lake."]);
        assert_eq!(passages(turn(""), None), [""]);
    }

    #[test]
    fn a_message_leans_on_another_speaker_and_a_short_one_on_its_own() {
        let long = "We get the flour from Calder Valley now.";
        assert!(leans_on("assistant", "user", long) && leans_on("user", "user", "8 actually"));
        assert!(!leans_on("user", "user", long));
    }

    #[test]
    fn a_long_turn_is_cut_between_sentences_and_no_word_is_lost() {
        let text = "The kiln fires at 1240 degrees. ".repeat(200);
        let passages = passages(turn(&text), Some(turn(&text)));
        assert!(passages.len() > 5);
        assert!(passages[1..].iter().all(|part| part.starts_with("The kiln") && part.ends_with("degrees.")));
        let words = |text: &str| text.split_whitespace().count();
        let said: usize = passages.iter().map(|part| words(part)).sum();
        assert!(said >= words(&text) && said <= words(&text) + MAX_PREVIOUS_TURN_BYTES / 4);
    }

    #[test]
    fn anything_can_be_cut_and_the_number_of_parts_is_bounded() {
        for text in ["ş".repeat(5_000), "🎉".repeat(3_000), "x".repeat(2_000_000), " ".repeat(4_000)] {
            let passages = passages(turn(&text), Some(turn(&text)));
            assert!(!passages.is_empty() && passages.len() <= MAX_PASSAGES);
            assert!(
                passages
                    .iter()
                    .all(|part| part.len()
                        <= TARGET_PART_BYTES + PART_SLACK_BYTES + MAX_PREVIOUS_TURN_BYTES + 1)
            );
        }
    }
}

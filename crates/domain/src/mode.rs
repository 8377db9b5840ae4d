//! Modes: the posture in which something was said, and which postures share what they heard.

use crate::word::words;

words!(
    /// The posture of a conversation. Orthogonal to threads.
    #[derive(Default)]
    Mode, "a mode" {
        /// Ordinary conversation.
        #[default]
        Chat = "chat",
        /// Work on code.
        Code = "code",
        /// A recording booth: shares with chat.
        Booth = "booth",
        /// An embodied agent.
        Robot = "robot",
    }
);

impl Mode {
    /// Whether what was said in `self` may be recalled in `other`: chat and booth share both ways, code
    /// and robot keep to themselves.
    pub fn shares_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Chat | Self::Booth, Self::Chat | Self::Booth) => true,
            (Self::Chat | Self::Booth, Self::Code | Self::Robot) => false,
            (Self::Code, _) => other == Self::Code,
            (Self::Robot, _) => other == Self::Robot,
        }
    }

    /// Splits a leading marker such as `[mode:code]` from the words that follow it.
    pub fn split_marker(text: &str) -> (Option<Self>, &str) {
        let marked = || {
            let (marker, rest) = text.trim_start().strip_prefix('[')?.split_once(']')?;
            let (key, mode) = marker.split_once(':')?;
            let mode = mode.trim().to_ascii_lowercase().parse().ok()?;
            key.trim().eq_ignore_ascii_case("mode").then_some((Some(mode), rest.trim_start()))
        };
        marked().unwrap_or((None, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-119
    #[test]
    fn chat_and_booth_share_and_the_others_keep_to_themselves() {
        let table = [
            (Mode::Chat, [true, false, true, false]),
            (Mode::Code, [false, true, false, false]),
            (Mode::Booth, [true, false, true, false]),
            (Mode::Robot, [false, false, false, true]),
        ];
        for (said_in, row) in table {
            for (asked_in, shares) in Mode::ALL.into_iter().zip(row) {
                assert_eq!(said_in.shares_with(asked_in), shares, "{said_in} → {asked_in}");
                assert_eq!(
                    said_in.shares_with(asked_in),
                    asked_in.shares_with(said_in),
                    "sharing goes both ways"
                );
            }
        }
    }

    /// covers: W-116
    #[test]
    fn a_leading_marker_names_the_mode_and_is_taken_off() {
        for (text, mode, rest) in [
            ("[mode:code] fix the parser", Some(Mode::Code), "fix the parser"),
            ("  [MODE: Booth]hello", Some(Mode::Booth), "hello"),
            ("[mode:garden] hello", None, "[mode:garden] hello"),
            ("say [mode:code] twice", None, "say [mode:code] twice"),
            ("[note] hello", None, "[note] hello"),
            ("[", None, "["),
        ] {
            assert_eq!(Mode::split_marker(text), (mode, rest), "{text}");
        }
    }
}

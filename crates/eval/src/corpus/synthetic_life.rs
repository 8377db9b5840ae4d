//! A synthetic life: years of conversation from a seed, with the lengths and the word frequencies of real ones.
//! Words are invented, so that nothing in it can be mistaken for data.

use super::speaker::InventedSpeaker;
use cairn_domain::{Draft, Role, Time};

/// Words that carry grammar, the most frequent first: about every second word of a sentence.
const FUNCTION_WORDS: [&str; 40] = [
    "the", "to", "and", "a", "of", "i", "in", "is", "that", "it", "for", "you", "was", "with", "on", "my",
    "have", "be", "this", "are", "not", "but", "at", "we", "what", "so", "can", "if", "do", "about", "they",
    "will", "from", "me", "there", "would", "when", "just", "or", "your",
];
/// Distinct content words.
const VOCABULARY: usize = 40_000;
/// Milliseconds between two messages, and between two sessions.
const MESSAGE_GAP_MS: i64 = 40_000;
const SESSION_GAP_MS: i64 = 5 * 3_600_000;

/// Makes messages one after another; the same seed makes the same life.
pub struct SyntheticLife {
    random: fastrand::Rng,
    now_ms: i64,
    made: usize,
    session: usize,
    left_in_session: usize,
    thread: usize,
    topic: usize,
    /// Somebody else who tells this life things, and asks about them in turn with it.
    teller: Option<InventedSpeaker>,
}

impl SyntheticLife {
    /// The life that `seed` leads.
    pub fn new(seed: u64) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        Self {
            random,
            now_ms: 1_577_836_800_000,
            made: 0,
            session: 0,
            left_in_session: 0,
            thread: 0,
            topic: 0,
            teller: None,
        }
    }

    /// From now on every second question is about what somebody told.
    pub(crate) fn asks_also(&mut self, teller: InventedSpeaker) {
        self.teller = Some(teller);
    }

    /// A question of five to eight words about something that may have been said, function words included.
    pub fn question(&mut self) -> String {
        if let Some(teller) = &mut self.teller
            && self.random.bool()
        {
            return teller.said();
        }
        let topic = self.random.usize(..400);
        let words: Vec<String> = (0..self.random.usize(5..=8))
            .map(|i| if i % 2 == 0 { self.function_word() } else { self.content_word(topic) })
            .collect();
        words.join(" ")
    }

    fn begin_session(&mut self) {
        self.session += 1;
        self.left_in_session = self.random.usize(4..=24);
        self.thread = self.random.usize(..12);
        self.topic = self.random.usize(..400);
        self.now_ms += self.random.i64(0..SESSION_GAP_MS);
    }

    fn text(&mut self, words: usize) -> String {
        let mut text = String::with_capacity(words * 7);
        for i in 0..words {
            if i > 0 {
                text.push_str(if i % 13 == 0 { ". " } else { " " });
            }
            let word = if self.random.bool() { self.function_word() } else { self.content_word(self.topic) };
            text.push_str(&word);
        }
        text.push('.');
        text
    }

    fn function_word(&mut self) -> String {
        FUNCTION_WORDS[zipf(self.random.f64(), FUNCTION_WORDS.len())].to_owned()
    }

    /// Half of the time a word of the topic, else any word by its frequency.
    fn content_word(&mut self, topic: usize) -> String {
        let number = if self.random.bool() {
            topic * 97 + self.random.usize(..60)
        } else {
            zipf(self.random.f64(), VOCABULARY)
        };
        word(number % VOCABULARY)
    }
}

impl Iterator for SyntheticLife {
    type Item = Draft;

    fn next(&mut self) -> Option<Draft> {
        if self.left_in_session == 0 {
            self.begin_session();
        }
        self.left_in_session -= 1;
        self.made += 1;
        self.now_ms += self.random.i64(1..MESSAGE_GAP_MS);
        let role = if self.left_in_session % 2 == 1 { Role::User } else { Role::Assistant };
        // Short turns from people, longer ones from the agent, now and then a very long one.
        let spread = self.random.f64();
        let words = match role {
            Role::User => 4 + (spread * spread * 60.0) as usize,
            Role::Assistant | Role::System | Role::Tool => 12 + (spread * spread * spread * 320.0) as usize,
        };
        Some(Draft {
            source_id: Some(format!("life-{}", self.made)),
            session: Some(format!("session-{}", self.session)),
            thread: (self.thread > 3).then(|| format!("thread-{}", self.thread)),
            role,
            at: Some(Time::from_millis(self.now_ms)),
            text: self.text(words),
            ..Draft::default()
        })
    }
}

/// A rank from `0..count` for a uniform number: rank r is drawn about 1/(r+1) as often as rank 0.
fn zipf(uniform: f64, count: usize) -> usize {
    (((count as f64 + 1.0).ln() * uniform).exp() - 1.0).min(count as f64 - 1.0) as usize
}

/// The invented word with this number.
fn word(number: usize) -> String {
    const BEGIN: [&str; 20] = [
        "b", "br", "d", "dr", "f", "g", "gl", "h", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "v",
        "z",
    ];
    const MIDDLE: [&str; 10] = ["a", "e", "i", "o", "u", "ai", "ea", "ou", "oi", "au"];
    const END: [&str; 10] = ["n", "r", "l", "m", "k", "t", "x", "rn", "nd", "sk"];
    let syllable = |n: usize| format!("{}{}", BEGIN[n % 20], MIDDLE[n / 20 % 10]);
    format!("{}{}{}", syllable(number), syllable(number / 7 + 3), END[number / 200 % 10])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_leads_the_same_life_again() {
        let lead = |seed| SyntheticLife::new(seed).take(200).collect::<Vec<_>>();
        assert_eq!(lead(7), lead(7));
        assert_ne!(lead(7), lead(8));
    }

    #[test]
    fn low_ranks_are_drawn_more_often() {
        assert_eq!(zipf(0.0, 1000), 0);
        assert!(zipf(0.5, 1000) < 40);
        assert_eq!(zipf(0.999_999_9, 1000), 999);
    }
}

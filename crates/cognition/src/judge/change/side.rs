//! One side of a pair, prepared once for all pairs that it is part of.

use super::{cues::CueClass, words::ChangeWords};

/// A message of at most so many bytes is read whole.
const MAX_PASSAGE_BYTES: usize = 480;
/// Bytes of a longer one that are read on each side of a clause.
const AROUND_CLAUSE_BYTES: usize = 160;

/// Whose words a statement stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementTeller {
    /// The user.
    User,
    /// The agent, or a tool that it ran.
    Agent,
    /// Somebody else.
    Other,
}

/// The words of a statement with what stood around them.
#[derive(Debug, Clone, Copy)]
pub struct ChangeText<'a> {
    /// The clause or sentence that is judged.
    pub clause: &'a str,
    /// The whole message that it stands in; the clause itself if that is not known.
    pub message: &'a str,
    /// The turn before the message; empty if there was none or it is not known.
    pub before: &'a str,
    /// Whose words they are.
    pub teller: StatementTeller,
}

/// A statement as the judge sees it: a clause in the light of its message, since people say in one sentence what is so and in
/// the next that it is new. Preparing one takes longer than judging a pair, so it is kept for all its pairs.
#[derive(Debug, Clone)]
pub struct ChangeSide {
    pub(super) clause: ChangeWords,
    pub(super) message: ChangeWords,
    pub(super) before: ChangeWords,
    pub(super) teller: StatementTeller,
}

impl ChangeSide {
    /// The side of a text.
    pub fn of(text: &ChangeText<'_>) -> Self {
        let clause = ChangeWords::of(text.clause);
        let passage = passage_around(text.message, text.clause);
        let message = if passage == text.clause { clause.clone() } else { ChangeWords::of(passage) };
        Self { clause, message, before: ChangeWords::of(text.before), teller: text.teller }
    }

    /// Whether it asks, or tells of how things once were and of nothing that has changed: neither says what is so now.
    pub fn tells_nothing_of_now(&self) -> bool {
        self.clause.asks || self.clause.has(CueClass::Once) && !self.message.says_change()
    }
}

/// The part of a message that a clause is read in the light of: all of a short one, of a long one what stands around the
/// clause, in whole words.
fn passage_around<'a>(message: &'a str, clause: &'a str) -> &'a str {
    if message.len() <= MAX_PASSAGE_BYTES {
        return if message.is_empty() { clause } else { message };
    }
    let Some(at) = message.find(clause) else { return clause };
    let from = message[..at]
        .char_indices()
        .rev()
        .find(|(place, c)| c.is_whitespace() && at - place >= AROUND_CLAUSE_BYTES);
    let end = at + clause.len();
    let to =
        message[end..].char_indices().find(|(place, c)| c.is_whitespace() && *place >= AROUND_CLAUSE_BYTES);
    &message[from.map_or(0, |(place, _)| place)..to.map_or(message.len(), |(place, _)| end + place)]
}

/// How alike two statements are by their vectors.
#[derive(Debug, Clone, Copy)]
pub struct PairCosines {
    /// The known statement and the whole new message.
    pub message: f64,
    /// The known statement and whatever of the new message is nearest to it.
    pub best: f64,
}

/// Two statements that are judged.
#[derive(Debug, Clone, Copy)]
pub struct ChangePair<'a> {
    /// The known one.
    pub known: &'a ChangeSide,
    /// The new one.
    pub new: &'a ChangeSide,
    /// How alike they are.
    pub cosines: PairCosines,
    /// Turns between them, if both were said in one session.
    pub turns_apart: Option<u32>,
}

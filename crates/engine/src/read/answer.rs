//! The answer to a question, and what each hit's score is made of.

use cairn_store::MessageRecord;

/// The answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// What was asked.
    pub query: String,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Why there are none.
    pub empty: Option<Empty>,
    /// The terms that were searched for.
    pub terms: Vec<String>,
    /// Why only keywords were searched, if so.
    pub lexical_only: Option<LexicalOnly>,
    /// Messages that can be found by their words only, because their vectors are not made yet.
    pub pending: u32,
    /// How long it took.
    pub elapsed_ms: f64,
}

/// Why only keywords were searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LexicalOnly {
    /// No message has a vector yet.
    NoVectors,
    /// No embedder answered for the question: what was wrong, and what to do.
    NoEmbedder {
        /// What was wrong.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// The configuration wants no embedder.
    NotWanted,
}

/// Why an answer is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Empty {
    /// Nothing is stored yet.
    NothingStored,
    /// There is nothing to search for in the question.
    NoWords,
    /// Messages match, and every one was left out by a filter.
    FilteredOut,
    /// No message matches.
    NoMatch,
}

/// A message that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The message.
    pub record: MessageRecord,
    /// How well it fits beside the other hits of the same question.
    pub score: f64,
    /// What the score is made of.
    pub explanation: Explanation,
}

/// What a score is made of: (dense + own + neighbours + subject) · thread · recency.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explanation {
    /// Where the dense lane had it: its rank and its similarity.
    pub dense_lane: Option<Lane>,
    /// Where the keyword lane had it: its rank and its score.
    pub lexical_lane: Option<Lane>,
    /// The share of what it means.
    pub dense: f64,
    /// The share of its own words.
    pub own: f64,
    /// The share that its neighbours in the session lend.
    pub neighbours: f64,
    /// The share for being said by the one whose words are asked for.
    pub subject: f64,
    /// What the thread multiplies with.
    pub thread: f64,
    /// What being recent multiplies with.
    pub recency: f64,
    /// The share of its own words, term by term, if that was asked for.
    pub terms: Vec<TermShare>,
}

impl Explanation {
    /// The score that the parts add up to.
    pub fn score(&self) -> f64 {
        (self.dense + self.own + self.neighbours + self.subject) * self.thread * self.recency
    }
}

/// A lane's opinion of a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lane {
    /// Its rank there, from 1.
    pub rank: usize,
    /// Its raw score there.
    pub score: f64,
}

/// What one term brings to a hit.
#[derive(Debug, Clone, PartialEq)]
pub struct TermShare {
    /// The term.
    pub term: String,
    /// How many messages hold it.
    pub holding: u64,
    /// How rare that makes it.
    pub idf: f64,
    /// What it adds to the score.
    pub share: f64,
}

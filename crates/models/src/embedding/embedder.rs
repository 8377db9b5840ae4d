//! The trait that every embedder implements.

use super::spec::EmbedderSpec;
use crate::{
    cross_encoder::{ClauseInMessage, RivalAnswers, TextPair},
    error::{BoxFuture, Result},
};

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Which model this is, and the numbers that go with it.
    fn spec(&self) -> &EmbedderSpec;

    /// One vector of unit length for each text, in the order of the texts.
    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>>>;

    /// How much of [`EmbedderSpec::max_tokens`] this text takes.
    fn count_tokens(&self, text: &str) -> usize;

    /// The log-odds that the new statement of a pair takes the known one's place, if this embedder can read pairs. Blocks.
    fn change_odds(&self, _pair: &TextPair<'_>) -> Option<Result<f32>> {
        None
    }

    /// The log-odds that the newer of two statements answers a question now, if this embedder can read them. Blocks.
    fn newer_answer_odds(&self, _rivals: &RivalAnswers<'_>) -> Option<Result<f32>> {
        None
    }

    /// The log-odds that somebody would write a clause down, if this embedder can read clauses. Blocks.
    fn worth_odds(&self, _text: &ClauseInMessage<'_>) -> Option<Result<f32>> {
        None
    }
}

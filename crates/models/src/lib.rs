//! Models behind small traits: embedders, which turn a text into a vector so that texts that mean alike lie near each
//! other, and language models, which answer a question about a text with a value of a given shape.
//!
//! In reading order: [`Embedder`] is the one trait of embedders; [`Local`] runs a small model on this machine and
//! [`Http`] asks a server; [`install()`] puts the local model's files in place; [`Cache`] keeps the vectors of a
//! session's questions; [`Provider`] is what everybody else uses: one shared embedder, loaded at its first use.
//!
//! [`LanguageModel`] is the one trait of language models; [`OpenAi`] and [`Anthropic`] ask a server, with the words of
//! others quoted and the answer held against its schema; [`Guarded`] is what everybody else uses: the models in
//! order, with time, retries and spending bounded; [`OpsRecord`] is what is logged of it; [`scripted`] is for tests.
//! The words that are said to a model are files in `prompts/`.
//!
//! What it must never do: decide what is embedded or asked, or what a distance or an answer means for memory.

mod anthropic;
mod breaker;
mod budget;
mod cache;
mod error;
mod fetch;
mod guarded;
mod http;
mod install;
mod language;
mod local;
mod openai;
mod provider;
mod quote;
mod record;
mod schema;
pub mod scripted;
mod secret;
mod server;
mod spec;
mod vector;
mod web;

pub use anthropic::Anthropic;
pub use budget::{Budget, Spent};
pub use cache::Cache;
pub use error::{Attempt, ModelError};
pub use guarded::{Asked, Call, Guarded};
pub use http::{Http, HttpConfig};
pub use install::{Progress, Source, Status, install, installed};
pub use language::{Answer, LanguageModel, LanguageModelConfig, LanguageModelKind, Request};
pub use local::{Local, local_spec};
pub use openai::OpenAi;
pub use provider::{Choice, Provider};
pub use record::OpsRecord;
pub use secret::Secret;
pub use spec::{Calibration, EmbedderSpec};
pub use vector::cosine_at;

use std::pin::Pin;

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, ModelError>;

/// A future in a box: what an asynchronous method of a trait object returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Which model this is, and the numbers that go with it.
    fn spec(&self) -> &EmbedderSpec;

    /// One vector of unit length for each text, in the order of the texts.
    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>>>;

    /// How much of [`EmbedderSpec::max_tokens`] this text takes.
    fn count_tokens(&self, text: &str) -> usize;
}

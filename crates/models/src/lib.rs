//! Embedders: what turns a text into a vector, so that texts that mean alike lie near each other.
//!
//! In reading order: [`Embedder`] is the one trait; [`Local`] runs a small model on this machine and [`Http`] asks a
//! server; [`install()`] puts the local model's files in place; [`Cache`] keeps the vectors of a session's questions;
//! [`Provider`] is what everybody else uses: one shared embedder, loaded at its first use.
//!
//! What it must never do: decide what is embedded, or what a distance means for memory.

mod cache;
mod error;
mod fetch;
mod http;
mod install;
mod local;
mod provider;
mod spec;
mod vector;
mod web;

pub use cache::Cache;
pub use error::{Attempt, ModelError};
pub use http::{Http, HttpConfig, Secret};
pub use install::{Progress, Source, Status, install, installed};
pub use local::{Local, local_spec};
pub use provider::{Choice, Provider};
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

//! The trait that every language model implements, with its request and its answer.

use super::schema;
use crate::{
    error::{BoxFuture, ModelError, Result},
    token_estimate::estimated_tokens,
};
use base64::{Engine, prelude::BASE64_STANDARD as STANDARD};
use serde_json::Value;

pub(crate) const MAX_ANSWER_BYTES: usize = 1 << 20;
/// Servers make a picture smaller until it takes about so many tokens.
const PICTURE_TOKENS: u64 = 1_600;

/// Answers a question with a value of a given JSON shape.
pub trait LanguageModel: Send + Sync {
    /// Its name in logs, such as `openai:gpt-4o-mini`.
    fn name(&self) -> &str;

    /// Asks once. The caller sets the time limit: [`GuardedModels`](crate::GuardedModels) does.
    fn ask<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<LanguageModelAnswer>>;
}

/// A question to a language model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The task, in our own words.
    pub instructions: String,
    /// The text that the task is about, in words of others: quoted so that they cannot end the quotation.
    pub content: String,
    /// The JSON Schema of the answer: an object that requires all its properties and allows no other, in
    /// `type`, `enum`, `properties`, `required`, `additionalProperties`, `items`, `maxItems`, `maxLength`, `minimum`,
    /// `maximum`, `title` and `description`. What may be absent is of type `["string", "null"]` or the like.
    pub schema: Value,
    /// The name of the schema: letters, digits, `_` and `-`.
    pub schema_name: &'static str,
    /// A longer answer is cut off, and then cannot be used.
    pub most_tokens: u32,
    /// Pictures that the task is about, for a model that sees.
    pub pictures: Vec<Picture>,
}

/// A picture that is sent along with a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its media type, such as `image/png`.
    pub mime: String,
    /// Its bytes in base64.
    pub base64: String,
}

impl Picture {
    /// The picture that a file holds.
    pub fn new(mime: &str, bytes: &[u8]) -> Self {
        Self { mime: mime.to_owned(), base64: STANDARD.encode(bytes) }
    }
}

impl ModelRequest {
    /// An upper estimate of the tokens sent.
    pub(crate) fn tokens_in(&self) -> u64 {
        let bytes = self.instructions.len() + self.content.len() + self.schema.to_string().len();
        estimated_tokens(bytes) as u64 + PICTURE_TOKENS * self.pictures.len() as u64
    }

    /// The most tokens that may come back.
    pub(crate) fn tokens_out(&self) -> u64 {
        u64::from(self.most_tokens)
    }
}

/// The answer of a language model.
#[derive(Debug, Clone, PartialEq)]
pub struct LanguageModelAnswer {
    /// Valid against the schema.
    pub value: Value,
    /// Tokens of the question.
    pub tokens_in: u64,
    /// Tokens of the answer.
    pub tokens_out: u64,
}

impl LanguageModelAnswer {
    /// An answer to `request`; tokens that the server does not report are estimated.
    pub(crate) fn new(
        request: &ModelRequest,
        value: Value,
        tokens_in: Option<u64>,
        tokens_out: Option<u64>,
    ) -> Self {
        Self {
            value,
            tokens_in: tokens_in.unwrap_or_else(|| request.tokens_in()),
            tokens_out: tokens_out.unwrap_or_else(|| request.tokens_out()),
        }
    }
}

/// Parses what a model wrote: one JSON value valid against the schema, and nothing around it.
pub(crate) fn parse_answer(model: &str, request: &ModelRequest, text: &str) -> Result<Value> {
    let value =
        serde_json::from_str(text).map_err(|error| unusable(model, format!("it is not JSON: {error}")))?;
    validated(model, request, value)
}

/// The value, if it is valid against the schema.
pub(crate) fn validated(model: &str, request: &ModelRequest, value: Value) -> Result<Value> {
    match schema::check(&request.schema, &value) {
        Ok(()) => Ok(value),
        Err(problem) => Err(unusable(model, problem)),
    }
}

pub(crate) fn unusable(model: &str, problem: impl Into<String>) -> ModelError {
    ModelError::Unusable { model: model.to_owned(), problem: problem.into() }
}

pub(crate) fn truncated(model: &str, request: &ModelRequest) -> ModelError {
    unusable(model, format!("it was cut off after {} tokens", request.most_tokens))
}

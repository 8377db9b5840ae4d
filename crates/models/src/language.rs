//! Language models: what answers a question about a text with a value of a given shape.

use crate::{
    Anthropic, BoxFuture, ModelError, OpenAi, Result, Secret, http::BYTES_PER_TOKEN, schema, server::is_local,
};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{fmt, sync::Arc, time::Duration};

/// No answer of a language model is longer, in bytes.
pub(crate) const LONGEST_ANSWER: usize = 1 << 20;

/// What can be asked for a value of a given shape.
pub trait LanguageModel: Send + Sync {
    /// What it is called in logs, such as `openai:gpt-4o-mini`.
    fn name(&self) -> &str;

    /// Asks once. The time it takes is for the caller to bound: [`Guarded`](crate::Guarded) does.
    fn ask<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Answer>>;
}

/// A question to a language model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What is to be done, in our own words.
    pub instructions: String,
    /// What it is to be done to, in words of others: they are quoted and cannot end the quotation.
    pub content: String,
    /// The JSON Schema of the answer: an object that requires all its properties and allows no other, in
    /// `type`, `enum`, `properties`, `required`, `additionalProperties`, `items`, `maxItems`, `maxLength`, `minimum`,
    /// `maximum`, `title` and `description`. What may be absent is of type `["string", "null"]` or the like.
    pub schema: Value,
    /// What the shape is called: letters, digits, `_` and `-`.
    pub schema_name: &'static str,
    /// A longer answer is cut off, and then useless.
    pub most_tokens: u32,
}

impl Request {
    /// How many tokens go in and may come out, estimated on the safe side.
    pub(crate) fn tokens(&self) -> (u64, u64) {
        let bytes = self.instructions.len() + self.content.len() + self.schema.to_string().len();
        (bytes.div_ceil(BYTES_PER_TOKEN) as u64, u64::from(self.most_tokens))
    }
}

/// What a language model said.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Fits the schema.
    pub value: Value,
    /// What the question took.
    pub tokens_in: u64,
    /// What the answer took.
    pub tokens_out: u64,
}

impl Answer {
    /// The answer that a server gave to a request; what it does not tell of tokens is estimated.
    pub(crate) fn new(
        request: &Request,
        value: Value,
        tokens_in: Option<u64>,
        tokens_out: Option<u64>,
    ) -> Self {
        let (most_in, most_out) = request.tokens();
        Self { value, tokens_in: tokens_in.unwrap_or(most_in), tokens_out: tokens_out.unwrap_or(most_out) }
    }
}

/// Reads what a model wrote: one JSON value that fits, and nothing around it.
pub(crate) fn read(model: &str, request: &Request, text: &str) -> Result<Value> {
    let value =
        serde_json::from_str(text).map_err(|error| unusable(model, format!("it is no JSON: {error}")))?;
    fitting(model, request, value)
}

/// The value, if it fits.
pub(crate) fn fitting(model: &str, request: &Request, value: Value) -> Result<Value> {
    match schema::check(&request.schema, &value) {
        Ok(()) => Ok(value),
        Err(problem) => Err(unusable(model, problem)),
    }
}

pub(crate) fn unusable(model: &str, problem: impl Into<String>) -> ModelError {
    ModelError::Unusable { model: model.to_owned(), problem: problem.into() }
}

pub(crate) fn cut_off(model: &str, request: &Request) -> ModelError {
    unusable(model, format!("it was cut off after {} tokens", request.most_tokens))
}

/// What a server of language models speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LanguageModelKind {
    /// OpenAI's `/chat/completions`: OpenAI, Ollama, llama.cpp, vLLM and most gateways.
    Openai,
    /// Anthropic's `/messages`.
    Anthropic,
}

/// Which language model to ask, and how.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageModelConfig {
    /// What the server speaks.
    pub kind: LanguageModelKind,
    /// The address with its version, such as `http://localhost:11434/v1` or `https://api.anthropic.com/v1`.
    pub url: String,
    /// The model's name on the server.
    pub model: String,
    /// The environment variable that holds the key, if one is needed.
    #[serde(default)]
    pub key_env: Option<String>,
    /// The longest a single attempt may take.
    #[serde(default = "timeout_seconds")]
    pub timeout_seconds: u64,
}

fn timeout_seconds() -> u64 {
    20
}

impl LanguageModelConfig {
    /// What it is called in logs.
    pub fn name(&self) -> String {
        let kind = match self.kind {
            LanguageModelKind::Openai => "openai",
            LanguageModelKind::Anthropic => "anthropic",
        };
        format!("{kind}:{}", self.model)
    }

    /// The longest a single attempt may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds)
    }

    /// Whether its server is this machine, so that nothing that is asked leaves it.
    pub fn is_local(&self) -> bool {
        let url = Url::parse(&self.url).ok();
        url.as_ref().and_then(Url::host_str).is_some_and(is_local)
    }

    /// What is wrong with the settings, if anything is.
    pub fn problem(&self) -> Option<String> {
        let url = match Url::parse(&self.url) {
            Ok(url) => url,
            Err(error) => return Some(format!("url: {error}")),
        };
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Some("url: it must begin with http:// or https://".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Some(
                "url: it holds a key; put that in an environment variable and name it in key_env".to_owned(),
            );
        }
        if self.model.trim().is_empty() {
            return Some("model: it is empty".to_owned());
        }
        if self.key_env.as_deref().is_some_and(str::is_empty) {
            return Some("key_env: it is empty".to_owned());
        }
        let fits = (1..=3_600).contains(&self.timeout_seconds);
        (!fits).then(|| {
            format!("timeout_seconds = {}, and it must lie between 1 and 3600", self.timeout_seconds)
        })
    }

    /// The model, ready to be asked. Nothing is sent yet.
    pub fn open(&self, key: Option<Secret>) -> Result<Arc<dyn LanguageModel>> {
        Ok(match self.kind {
            LanguageModelKind::Openai => Arc::new(OpenAi::new(self, key)?),
            LanguageModelKind::Anthropic => Arc::new(Anthropic::new(self, key)?),
        })
    }
}

/// The address is left out: it may hold a password.
impl fmt::Debug for LanguageModelConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LanguageModelConfig").field(&self.name()).field(&self.timeout()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_checked_and_this_machine_is_told_from_others() {
        for (url, local, complaint) in [
            ("http://localhost:11434/v1", true, None),
            ("http://127.0.0.1:8099/v1", true, None),
            ("http://[::1]/v1", true, None),
            ("https://api.example.com/v1", false, None),
            ("http://localhost.example.com/v1", false, None),
            ("http://127.0.0.1@example.com/v1", false, Some("key_env")),
            ("http://example.com\\@127.0.0.1/v1", false, None),
            ("ftp://localhost", true, Some("http://")),
            ("localhost", false, Some("url")),
        ] {
            let text = format!(r#"{{"kind": "openai", "url": {url:?}, "model": "m"}}"#);
            let config: LanguageModelConfig = serde_json::from_str(&text).expect("a configuration");
            assert_eq!(config.is_local(), local, "{url}");
            match (config.problem(), complaint) {
                (None, None) => {}
                (Some(problem), Some(complaint)) => assert!(problem.contains(complaint), "{problem}"),
                (problem, _) => panic!("{url}: {problem:?}"),
            }
        }
    }
}

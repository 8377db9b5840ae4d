//! The embedder behind an OpenAI-compatible server: OpenAI itself, Ollama, llama.cpp, vLLM.

use super::{
    embedder::Embedder,
    spec::{Calibration, EmbedderSpec},
    vector,
};
use crate::{
    error::{BoxFuture, ModelError, Result},
    http::endpoint::{ModelEndpoint, Protocol},
    secret::Secret,
    token_estimate::{BYTES_PER_TOKEN, estimated_tokens},
};
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// Texts per request.
const TEXTS_PER_REQUEST: usize = 64;
const MAX_ATTEMPTS: u32 = 3;
/// The wait before the second attempt; it doubles from there.
const FIRST_RETRY_AFTER: Duration = Duration::from_millis(250);
/// Upper limit of a wait, whatever the server asks for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(10);
/// 64 vectors take a few MiB.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// Which server to ask, and how.
#[derive(Clone)]
pub struct RemoteEmbedderConfig {
    /// The address that `/embeddings` is added to, such as `http://localhost:11434/v1`.
    pub url: String,
    /// The model's name on the server.
    pub model: String,
    /// Dimension of its vectors.
    pub dimension: usize,
    /// Longer texts are cut before they are sent.
    pub max_tokens: usize,
    /// How its distances are read.
    pub calibration: Calibration,
    /// Sent as a bearer token.
    pub key: Option<Secret>,
    /// The longest a single request may take.
    pub timeout: Duration,
}

impl RemoteEmbedderConfig {
    /// The spec of this embedder, from its settings; the server is not asked.
    pub fn spec(&self) -> EmbedderSpec {
        EmbedderSpec {
            id: format!("http:{}", self.model),
            dimension: self.dimension,
            max_tokens: self.max_tokens,
            calibration: self.calibration,
        }
    }
}

/// The address is left out: it may hold a password.
impl fmt::Debug for RemoteEmbedderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RemoteEmbedderConfig").field(&self.spec()).finish()
    }
}

/// An embedder behind a server.
pub struct RemoteEmbedder {
    spec: EmbedderSpec,
    model: String,
    endpoint: ModelEndpoint,
}

#[derive(Serialize)]
struct EmbeddingRequest<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

#[derive(Deserialize)]
struct EmbeddingResponse {
    data: Vec<EmbeddingItem>,
}

#[derive(Deserialize)]
struct EmbeddingItem {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl RemoteEmbedder {
    /// An embedder that will ask this server. Nothing is sent yet.
    pub fn new(config: RemoteEmbedderConfig) -> Result<Self> {
        let spec = config.spec();
        if spec.dimension == 0 || spec.max_tokens == 0 {
            return Err(ModelError::Config("`dimension` and `max_tokens` must be more than 0".to_owned()));
        }
        let endpoint = ModelEndpoint::new(
            &config.url,
            &["embeddings"],
            Protocol::OpenAi,
            config.key,
            Some(config.timeout),
        )?;
        Ok(Self { spec, model: config.model, endpoint })
    }

    /// Sends one request, and retries failures that may pass.
    async fn request_with_retries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut attempt = 1;
        loop {
            match self.request_once(texts).await {
                Ok(vectors) => return Ok(vectors),
                Err(error) if error.is_transient() && attempt < MAX_ATTEMPTS => {
                    tokio::time::sleep(retry_after(attempt, error.retry_after())).await;
                }
                Err(error) => return Err(error),
            }
            attempt += 1;
        }
    }

    async fn request_once(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let body = self
            .endpoint
            .post(&EmbeddingRequest { model: &self.model, input: texts }, MAX_ANSWER_BYTES)
            .await?;
        self.vectors(&body, texts.len())
    }

    /// The vectors of an answer in the order of the texts, each checked.
    fn vectors(&self, body: &[u8], texts: usize) -> Result<Vec<Vec<f32>>> {
        let bad = |problem: String| self.endpoint.bad_answer(problem);
        let answer: EmbeddingResponse =
            serde_json::from_slice(body).map_err(|error| bad(error.to_string()))?;
        if answer.data.len() != texts {
            return Err(bad(format!("{} vectors for {texts} texts", answer.data.len())));
        }
        let mut vectors = vec![None; texts];
        for (position, EmbeddingItem { index, mut embedding }) in answer.data.into_iter().enumerate() {
            let index = index.unwrap_or(position);
            if embedding.len() != self.spec.dimension {
                let (id, expected, found) = (self.spec.id.clone(), self.spec.dimension, embedding.len());
                return Err(ModelError::WrongDimension { id, expected, found });
            }
            if !vector::normalize(&mut embedding) {
                return Err(bad(format!("vector {index} has no direction")));
            }
            match vectors.get_mut(index) {
                Some(place @ None) => *place = Some(embedding),
                Some(Some(_)) => return Err(bad(format!("vector {index} comes twice"))),
                None => return Err(bad(format!("vector {index} belongs to no text"))),
            }
        }
        Ok(vectors.into_iter().flatten().collect())
    }

    /// The part of a text that is sent: cut to what surely fits, and never empty, which servers refuse.
    fn sent_part<'a>(&self, text: &'a str) -> &'a str {
        let text = &text[..text.floor_char_boundary(self.spec.max_tokens.saturating_mul(BYTES_PER_TOKEN))];
        if text.is_empty() { " " } else { text }
    }
}

/// The address without secrets.
impl fmt::Debug for RemoteEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RemoteEmbedder").field(&self.endpoint).field(&self.spec).finish()
    }
}

/// How long to wait after this attempt: as the server asks, or twice as long as the time before, within bounds.
fn retry_after(attempt: u32, asked_for: Option<Duration>) -> Duration {
    asked_for.unwrap_or(FIRST_RETRY_AFTER * 2_u32.pow(attempt - 1)).min(MAX_RETRY_AFTER)
}

impl Embedder for RemoteEmbedder {
    fn spec(&self) -> &EmbedderSpec {
        &self.spec
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>>> {
        Box::pin(async move {
            let mut vectors = Vec::with_capacity(texts.len());
            for batch in texts.chunks(TEXTS_PER_REQUEST) {
                let batch: Vec<&str> = batch.iter().map(|text| self.sent_part(text)).collect();
                vectors.extend(self.request_with_retries(&batch).await?);
            }
            Ok(vectors)
        })
    }

    /// An upper estimate: only the server knows.
    fn count_tokens(&self, text: &str) -> usize {
        estimated_tokens(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_follow_the_server_within_bounds() {
        for (attempt, asked_for, waits) in [
            (1, None, 250),
            (2, None, 500),
            (1, Some(0), 0),
            (2, Some(3), 3_000),
            (1, Some(3_600), 10_000),
            (1, Some(u64::MAX), 10_000),
        ] {
            let waited = retry_after(attempt, asked_for.map(Duration::from_secs));
            assert_eq!(waited, Duration::from_millis(waits), "{attempt} {asked_for:?}");
        }
    }
}

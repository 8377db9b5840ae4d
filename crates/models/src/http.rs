//! The embedder behind an OpenAI-compatible server: OpenAI itself, Ollama, llama.cpp, vLLM.

use crate::{
    BoxFuture, Calibration, Embedder, EmbedderSpec, ModelError, Result, Secret,
    server::{Protocol, Server},
    vector,
};
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// So many texts go into one request.
const BATCH: usize = 64;
/// So often a request is made before it is given up.
const ATTEMPTS: u32 = 3;
/// The wait before the second attempt; it doubles from there.
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// Whatever the server asks for, no wait is longer.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// Only the server knows its tokens; few texts have shorter ones on average.
pub(crate) const BYTES_PER_TOKEN: usize = 3;
/// No answer is longer: 64 vectors take a few MiB.
const LONGEST_ANSWER: usize = 64 << 20;

/// Which server to ask, and how.
#[derive(Clone)]
pub struct HttpConfig {
    /// The address that `/embeddings` is added to, such as `http://localhost:11434/v1`.
    pub url: String,
    /// The model's name on the server.
    pub model: String,
    /// How many numbers its vectors have.
    pub dimension: usize,
    /// Longer texts are cut before they are sent.
    pub max_tokens: usize,
    /// What its distances mean.
    pub calibration: Calibration,
    /// Sent as a bearer token.
    pub key: Option<Secret>,
    /// The longest a single request may take.
    pub timeout: Duration,
}

impl HttpConfig {
    /// What is known of this embedder without asking.
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
impl fmt::Debug for HttpConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HttpConfig").field(&self.spec()).finish()
    }
}

/// A server that embeds.
pub struct Http {
    spec: EmbedderSpec,
    model: String,
    server: Server,
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Http {
    /// An embedder that will ask this server. Nothing is sent yet.
    pub fn new(config: HttpConfig) -> Result<Self> {
        let spec = config.spec();
        if spec.dimension == 0 || spec.max_tokens == 0 {
            return Err(ModelError::Config("`dimension` and `max_tokens` must be more than 0".to_owned()));
        }
        let server =
            Server::new(&config.url, &["embeddings"], Protocol::OpenAi, config.key, Some(config.timeout))?;
        Ok(Self { spec, model: config.model, server })
    }

    /// One request, made again while that may help.
    async fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut attempt = 1;
        loop {
            match self.attempt(texts).await {
                Ok(vectors) => return Ok(vectors),
                Err(error) if error.may_pass() && attempt < ATTEMPTS => {
                    tokio::time::sleep(wait(attempt, error.retry_after())).await;
                }
                Err(error) => return Err(error),
            }
            attempt += 1;
        }
    }

    async fn attempt(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let body = self.server.post(&Question { model: &self.model, input: texts }, LONGEST_ANSWER).await?;
        self.vectors(&body, texts.len())
    }

    /// The vectors of an answer in the order of the texts, each checked.
    fn vectors(&self, body: &[u8], texts: usize) -> Result<Vec<Vec<f32>>> {
        let bad = |problem: String| self.server.bad(problem);
        let answer: Answer = serde_json::from_slice(body).map_err(|error| bad(error.to_string()))?;
        if answer.data.len() != texts {
            return Err(bad(format!("{} vectors for {texts} texts", answer.data.len())));
        }
        let mut vectors = vec![None; texts];
        for (position, Item { index, mut embedding }) in answer.data.into_iter().enumerate() {
            let index = index.unwrap_or(position);
            if embedding.len() != self.spec.dimension {
                let (id, expected, found) = (self.spec.id.clone(), self.spec.dimension, embedding.len());
                return Err(ModelError::WrongDimension { id, expected, found });
            }
            if !vector::normalise(&mut embedding) {
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

    /// What is sent of a text: not more than surely fits, and never nothing, which servers refuse.
    fn sent<'a>(&self, text: &'a str) -> &'a str {
        let text = &text[..text.floor_char_boundary(self.spec.max_tokens.saturating_mul(BYTES_PER_TOKEN))];
        if text.is_empty() { " " } else { text }
    }
}

/// The address as it may be shown.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Http").field(&self.server).field(&self.spec).finish()
    }
}

/// How long to wait after this attempt: as the server asks, or twice as long as the time before, within bounds.
fn wait(attempt: u32, asked_for: Option<Duration>) -> Duration {
    asked_for.unwrap_or(FIRST_WAIT * 2_u32.pow(attempt - 1)).min(LONGEST_WAIT)
}

impl Embedder for Http {
    fn spec(&self) -> &EmbedderSpec {
        &self.spec
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>>> {
        Box::pin(async move {
            let mut vectors = Vec::with_capacity(texts.len());
            for batch in texts.chunks(BATCH) {
                let batch: Vec<&str> = batch.iter().map(|text| self.sent(text)).collect();
                vectors.extend(self.ask(&batch).await?);
            }
            Ok(vectors)
        })
    }

    /// An estimate on the safe side: only the server knows.
    fn count_tokens(&self, text: &str) -> usize {
        text.len().div_ceil(BYTES_PER_TOKEN)
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
            let waited = wait(attempt, asked_for.map(Duration::from_secs));
            assert_eq!(waited, Duration::from_millis(waits), "{attempt} {asked_for:?}");
        }
    }
}

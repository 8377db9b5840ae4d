//! Another home that is asked over HTTP, with JSON and a key.

use super::endpoint::{ModelEndpoint, Protocol};
use crate::{error::Result, secret::Secret};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// Maximum bytes of an answer.
const MAX_ANSWER_BYTES: usize = 4 << 20;

/// One operation of another home.
#[derive(Debug)]
pub struct PeerEndpoint(ModelEndpoint);

impl PeerEndpoint {
    /// The operation at `path` of the home at `url`. Nothing is sent yet; whoever asks waits no longer than `timeout`.
    pub fn new(url: &str, path: &[&str], key: Option<Secret>, timeout: Duration) -> Result<Self> {
        Ok(Self(ModelEndpoint::new(url, path, Protocol::OpenAi, key, Some(timeout))?))
    }

    /// The answer to a question.
    pub async fn ask(&self, question: &(impl Serialize + Sync)) -> Result<Value> {
        let body = self.0.post(question, MAX_ANSWER_BYTES).await?;
        serde_json::from_slice(&body).map_err(|error| self.0.bad_answer(error.to_string()))
    }
}

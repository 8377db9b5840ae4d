//! One endpoint of a model server: its URL, how it takes the key, and how its refusals are reported.

use super::client::{self, BodyError};
use crate::{
    error::{ModelError, Result},
    secret::Secret,
};
use reqwest::{
    Client, Response, StatusCode, Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER},
    redirect::Policy,
};
use serde::Serialize;
use std::{fmt, time::Duration};

/// Characters shown of a refusal.
const MAX_SHOWN_CHARS: usize = 300;
const MAX_REFUSAL_BYTES: usize = 1 << 20;
/// The version of Anthropic's API that is used here.
const ANTHROPIC_VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// The protocol, which decides how the key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// OpenAI's, which most servers speak.
    OpenAi,
    /// Anthropic's.
    Anthropic,
}

/// One endpoint of a model server.
pub(crate) struct ModelEndpoint {
    endpoint: Url,
    /// The address without secrets.
    shown: String,
    client: Client,
    key: Option<Secret>,
}

impl ModelEndpoint {
    /// The endpoint `path` under the address `url`. Nothing is sent yet; without a `timeout` the caller sets a time limit.
    pub(crate) fn new(
        url: &str,
        path: &[&str],
        protocol: Protocol,
        key: Option<Secret>,
        timeout: Option<Duration>,
    ) -> Result<Self> {
        let wrong = |problem: &str| ModelError::Config(format!("its url: {problem}"));
        let mut endpoint = Url::parse(url).map_err(|error| wrong(&error.to_string()))?;
        if let Ok(mut segments) = endpoint.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        let Some(host) = endpoint.host_str().filter(|_| matches!(endpoint.scheme(), "http" | "https")) else {
            return Err(wrong("it must begin with http:// or https://"));
        };
        let port = endpoint.port().map(|port| format!(":{port}")).unwrap_or_default();
        let shown = format!("{}://{host}{port}{}", endpoint.scheme(), endpoint.path());
        let key = key.filter(|key| !key.reveal().is_empty());
        let headers = default_headers(protocol, key.as_ref())?;
        let mut builder = client::client_builder().redirect(Policy::none()).default_headers(headers);
        if let Some(timeout) = timeout {
            builder = builder.timeout(timeout);
        }
        if is_local(host) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| ModelError::Config(client::request_problem(&error)))?;
        Ok(Self { endpoint, shown, client, key })
    }

    /// Posts one request and returns the body of a 200 answer of at most `limit` bytes.
    pub(crate) async fn post(&self, question: &(impl Serialize + Sync), limit: usize) -> Result<Vec<u8>> {
        let request = self.client.post(self.endpoint.clone()).json(question);
        let response =
            request.send().await.map_err(|error| self.unreachable(client::request_problem(&error)))?;
        if response.status() != StatusCode::OK {
            return Err(self.refused(response).await);
        }
        client::limited_body(response, limit, |_| ()).await.map_err(|error| match error {
            BodyError::TooLong(_) => self.bad_answer(error.to_string()),
            BodyError::Broken(problem) => self.unreachable(problem),
        })
    }

    /// An error for an answer that this kind of server should not give.
    pub(crate) fn bad_answer(&self, problem: impl Into<String>) -> ModelError {
        ModelError::BadAnswer { server: self.shown.clone(), problem: problem.into() }
    }

    fn unreachable(&self, problem: String) -> ModelError {
        ModelError::Unreachable { server: self.shown.clone(), problem }
    }

    async fn refused(&self, response: Response) -> ModelError {
        let status = response.status().as_u16();
        let asked_for = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = asked_for.and_then(|seconds| seconds.trim().parse().ok()).map(Duration::from_secs);
        let body = client::limited_body(response, MAX_REFUSAL_BYTES, |_| ()).await.unwrap_or_default();
        let mut says = String::from_utf8_lossy(&body).into_owned();
        if let Some(key) = &self.key {
            says = key.hidden_in(&says);
        }
        let says =
            says.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_SHOWN_CHARS).collect();
        ModelError::Refused { server: self.shown.clone(), status, says, retry_after }
    }
}

/// Whether a host is this machine.
pub(crate) fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

/// The address without secrets.
impl fmt::Debug for ModelEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown.fmt(f)
    }
}

/// The headers of every request.
fn default_headers(protocol: Protocol, key: Option<&Secret>) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    if protocol == Protocol::Anthropic {
        headers.insert(HeaderName::from_static("anthropic-version"), ANTHROPIC_VERSION);
    }
    let Some(key) = key else { return Ok(headers) };
    let (name, value) = match protocol {
        Protocol::OpenAi => (AUTHORIZATION, format!("Bearer {}", key.reveal())),
        Protocol::Anthropic => (HeaderName::from_static("x-api-key"), key.reveal().to_owned()),
    };
    let unfit = |_| ModelError::Config("its key has characters that cannot be sent".to_owned());
    let mut value = HeaderValue::from_str(&value).map_err(unfit)?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(headers)
}

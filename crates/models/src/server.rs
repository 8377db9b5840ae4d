//! A server that a model stands behind: where it is, how it takes the key, and how its refusals read.

use crate::{
    ModelError, Result, Secret,
    web::{self, NoBody},
};
use reqwest::{
    Client, Response, StatusCode, Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER},
    redirect::Policy,
};
use serde::Serialize;
use std::{fmt, time::Duration};

/// What is shown of a refusal.
const SHOWN_CHARS: usize = 300;
/// No more of a refusal is read.
const LONGEST_REFUSAL: usize = 1 << 20;
/// The version of Anthropic's interface that is spoken here.
const ANTHROPIC_VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// Who speaks to the server: it decides how the key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// OpenAI's, which most servers speak.
    OpenAi,
    /// Anthropic's.
    Anthropic,
}

/// One endpoint of a server, ready to be asked.
pub(crate) struct Server {
    endpoint: Url,
    /// The address as it may be shown.
    shown: String,
    client: Client,
    key: Option<Secret>,
}

impl Server {
    /// The endpoint `path` under the address `url`. Nothing is sent yet; without a `timeout` the caller bounds the time.
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
        let headers = headers(protocol, key.as_ref())?;
        let mut client = web::client().redirect(Policy::none()).default_headers(headers);
        if let Some(timeout) = timeout {
            client = client.timeout(timeout);
        }
        if is_local(host) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| ModelError::Config(web::problem(&error)))?;
        Ok(Self { endpoint, shown, client, key })
    }

    /// The body of the answer to one request, if all is well and it has at most `limit` bytes.
    pub(crate) async fn post(&self, question: &(impl Serialize + Sync), limit: usize) -> Result<Vec<u8>> {
        let request = self.client.post(self.endpoint.clone()).json(question);
        let response = request.send().await.map_err(|error| self.unreachable(web::problem(&error)))?;
        if response.status() != StatusCode::OK {
            return Err(self.refused(response).await);
        }
        web::body(response, limit, |_| ()).await.map_err(|error| match error {
            NoBody::TooLong(_) => self.bad(error.to_string()),
            NoBody::Broken(problem) => self.unreachable(problem),
        })
    }

    /// That an answer is not what this kind of server gives.
    pub(crate) fn bad(&self, problem: impl Into<String>) -> ModelError {
        ModelError::BadAnswer { server: self.shown.clone(), problem: problem.into() }
    }

    fn unreachable(&self, problem: String) -> ModelError {
        ModelError::Unreachable { server: self.shown.clone(), problem }
    }

    async fn refused(&self, response: Response) -> ModelError {
        let status = response.status().as_u16();
        let asked_for = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = asked_for.and_then(|seconds| seconds.trim().parse().ok()).map(Duration::from_secs);
        let body = web::body(response, LONGEST_REFUSAL, |_| ()).await.unwrap_or_default();
        let mut says = String::from_utf8_lossy(&body).into_owned();
        if let Some(key) = &self.key {
            says = key.hidden_in(&says);
        }
        let says = says.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN_CHARS).collect();
        ModelError::Refused { server: self.shown.clone(), status, says, retry_after }
    }
}

/// Whether a host is this machine.
pub(crate) fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

/// The address as it may be shown.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown.fmt(f)
    }
}

/// What goes with every request.
fn headers(protocol: Protocol, key: Option<&Secret>) -> Result<HeaderMap> {
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

//! The HTTP client that this crate shares.

use crate::error::TIMED_OUT;
use reqwest::{Client, ClientBuilder, Response};
use std::{error::Error, fmt, time::Duration};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A client builder with the TLS implementation that is linked in.
pub(crate) fn client_builder() -> ClientBuilder {
    // An error means that a provider was installed before, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("cairn/", env!("CARGO_PKG_VERSION")))
}

/// Why a body could not be read.
#[derive(Debug)]
pub(crate) enum BodyError {
    /// It has more than this many bytes.
    TooLong(usize),
    /// The connection broke off.
    Broken(String),
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(limit) => write!(f, "more than {limit} bytes came"),
            Self::Broken(problem) => f.write_str(problem),
        }
    }
}

/// The body of a response, up to `limit` bytes; `on_bytes` is called with the bytes read so far.
pub(crate) async fn limited_body(
    mut response: Response,
    limit: usize,
    on_bytes: impl Fn(u64),
) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(piece) =
        response.chunk().await.map_err(|error| BodyError::Broken(request_problem(&error)))?
    {
        if body.len() + piece.len() > limit {
            return Err(BodyError::TooLong(limit));
        }
        body.extend_from_slice(&piece);
        on_bytes(body.len() as u64);
    }
    Ok(body)
}

/// The root cause of a failed request, without the address, which may hold secrets.
pub(crate) fn request_problem(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return TIMED_OUT.to_owned();
    }
    let mut cause: &dyn Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    // Without a cause the text of the error itself would name the address.
    if error.source().is_some() { cause.to_string() } else { "the request failed".to_owned() }
}

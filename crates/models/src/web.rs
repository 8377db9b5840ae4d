//! The one way this crate speaks HTTP.

use crate::error::LATE;
use reqwest::{Client, ClientBuilder, Response};
use std::{error::Error, fmt, time::Duration};

const CONNECTING: Duration = Duration::from_secs(10);

/// A client to be; its cryptography is part of the program.
pub(crate) fn client() -> ClientBuilder {
    // An error says that somebody has chosen one before, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().connect_timeout(CONNECTING).user_agent(concat!("cairn/", env!("CARGO_PKG_VERSION")))
}

/// Why there is no body.
#[derive(Debug)]
pub(crate) enum NoBody {
    /// It has more bytes than this.
    TooLong(usize),
    /// It stopped coming.
    Broken(String),
}

impl fmt::Display for NoBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(limit) => write!(f, "more than {limit} bytes came"),
            Self::Broken(problem) => f.write_str(problem),
        }
    }
}

/// The whole body of an answer if it has at most `limit` bytes; `on_bytes` hears how many have come.
pub(crate) async fn body(
    mut response: Response,
    limit: usize,
    on_bytes: impl Fn(u64),
) -> Result<Vec<u8>, NoBody> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| NoBody::Broken(problem(&error)))? {
        if body.len() + piece.len() > limit {
            return Err(NoBody::TooLong(limit));
        }
        body.extend_from_slice(&piece);
        on_bytes(body.len() as u64);
    }
    Ok(body)
}

/// Why a request failed, down to its first cause, without the address, which may hold secrets.
pub(crate) fn problem(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return LATE.to_owned();
    }
    let mut cause: &dyn Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    // Without a cause the text of the error itself would name the address.
    if error.source().is_some() { cause.to_string() } else { "the request failed".to_owned() }
}

//! What is sent along: bodies of JSON and parameters, each within its bounds.

use crate::{app::App, failure::Failed};
use axum::{
    body::{BodyDataStream, Bytes},
    extract::{FromRequest, FromRequestParts, Query, Request},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use std::{sync::Arc, time::Duration};

/// How long a body may take to arrive.
const ARRIVES_WITHIN: Duration = Duration::from_secs(30);

/// A body that is too long is heard out up to this many times its bound, and thrown away: most clients read
/// the answer only after they have sent everything, and would see a broken pipe instead of the reason.
const HEARD_OUT: usize = 4;

/// A body of JSON, and the hash of everything that was asked.
pub(crate) struct Body<T> {
    pub(crate) value: T,
    pub(crate) asked: [u8; 32],
}

/// Nothing is sent along; the hash of what was asked.
pub(crate) struct NoBody {
    pub(crate) asked: [u8; 32],
}

/// Parameters after the `?`.
pub(crate) struct Parameters<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Failed;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failed> {
        let most = request.extensions().get::<Arc<App>>().map_or(0, |app| app.limits.body_bytes);
        if !is_json(request.headers()) {
            return Err(Failed::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body is not said to be JSON",
                "send `Content-Type: application/json`",
            ));
        }
        let path = request.uri().path().to_owned();
        let whole = whole(request.into_body().into_data_stream(), most);
        let bytes = tokio::time::timeout(ARRIVES_WITHIN, whole).await.map_err(|_| {
            let detail = format!("the body did not arrive within {} s", ARRIVES_WITHIN.as_secs());
            Failed::new(StatusCode::REQUEST_TIMEOUT, detail, "send it again")
        })??;
        let value = serde_json::from_slice(&bytes).map_err(|error| unreadable(&error))?;
        // A list in the right order would be read as well, and is nothing that the document allows.
        if !bytes.trim_ascii_start().starts_with(b"{") {
            let hint = "send an object: {\"name\": value, …}";
            return Err(Failed::new(StatusCode::UNPROCESSABLE_ENTITY, "the body is no object", hint));
        }
        Ok(Self { value, asked: hash(&path, &bytes) })
    }
}

/// Everything that is sent, if it is at most `most` bytes.
async fn whole(mut chunks: BodyDataStream, most: usize) -> Result<Bytes, Failed> {
    let (mut whole, mut arrived) = (Vec::new(), 0);
    while arrived <= most.saturating_mul(HEARD_OUT)
        && let Some(chunk) = chunks.next().await
    {
        let chunk = chunk
            .map_err(|error| Failed::bad_request(format!("the body broke off: {error}"), "send it again"))?;
        arrived += chunk.len();
        if arrived <= most {
            whole.extend_from_slice(&chunk);
        } else {
            whole = Vec::new();
        }
    }
    if arrived > most {
        let detail = format!("the body has more than {most} bytes");
        let hint = "send less at once, or raise body_bytes under [serve] in config.toml";
        return Err(Failed::new(StatusCode::PAYLOAD_TOO_LARGE, detail, hint));
    }
    Ok(whole.into())
}

impl<S: Send + Sync> FromRequestParts<S> for NoBody {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failed> {
        Ok(Self { asked: hash(parts.uri.path(), &[]) })
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failed> {
        Query::try_from_uri(&parts.uri).map(|Query(value)| Self(value)).map_err(|rejection| {
            let detail = rejection.body_text();
            Failed::bad_request(detail, "GET /openapi.json says which parameters there are")
        })
    }
}

fn hash(path: &str, bytes: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(path.len() as u64).to_le_bytes()).update(path.as_bytes()).update(bytes);
    *hasher.finalize().as_bytes()
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

fn unreadable(error: &serde_json::Error) -> Failed {
    let hint = "GET /openapi.json says what this is asked with";
    if error.is_data() {
        Failed::new(StatusCode::UNPROCESSABLE_ENTITY, format!("the body does not fit: {error}"), hint)
    } else {
        Failed::bad_request(format!("the body is not JSON: {error}"), hint)
    }
}

//! JSON bodies and query parameters, each within its limits.

use crate::{failure::RequestFailure, state::ServerState};
use axum::{
    body::{BodyDataStream, Bytes},
    extract::{FromRequest, FromRequestParts, Query, Request},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use cairn_engine::AttachmentUpload;
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use std::{sync::Arc, time::Duration};

/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// A body over its limit is read, and discarded, up to this many times the limit: most clients read the answer only after
/// they have sent everything, and would see a broken pipe instead of the reason.
const DISCARD_UP_TO_TIMES: usize = 4;

/// A JSON body, and the hash of the request.
pub(crate) struct Body<T> {
    pub(crate) value: T,
    pub(crate) request_hash: [u8; 32],
}

/// No body; only the hash of the request.
pub(crate) struct NoBody {
    pub(crate) request_hash: [u8; 32],
}

/// The files of a form.
pub(crate) struct UploadedFiles(pub(crate) Vec<AttachmentUpload>);

/// Query parameters.
pub(crate) struct Parameters<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = RequestFailure;

    async fn from_request(request: Request, _: &S) -> Result<Self, RequestFailure> {
        let max_bytes = request.extensions().get::<Arc<ServerState>>().map_or(0, |app| app.limits.body_bytes);
        if !is_json(request.headers()) {
            return Err(RequestFailure::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the content type is not JSON",
                "send `Content-Type: application/json`",
            ));
        }
        let path = request.uri().path().to_owned();
        let bytes = body_in_time(request, max_bytes).await?;
        let value = serde_json::from_slice(&bytes).map_err(|error| unreadable(&error))?;
        // serde would read an array in field order as well, which the OpenAPI document does not allow.
        if !bytes.trim_ascii_start().starts_with(b"{") {
            let hint = "send an object: {\"name\": value, …}";
            return Err(RequestFailure::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "the body is not a JSON object",
                hint,
            ));
        }
        Ok(Self { value, request_hash: hash(&path, &bytes) })
    }
}

impl<S: Send + Sync> FromRequest<S> for UploadedFiles {
    type Rejection = RequestFailure;

    async fn from_request(request: Request, _: &S) -> Result<Self, RequestFailure> {
        let max_bytes = request.extensions().get::<Arc<ServerState>>().map_or(0, |app| app.limits.body_bytes);
        let hint = "send every file as a part of `multipart/form-data`, with its name";
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let boundary = multer::parse_boundary(kind.unwrap_or_default()).map_err(|_| {
            let detail = "the content type is not multipart/form-data with a boundary";
            RequestFailure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail, hint)
        })?;
        let bytes = body_in_time(request, max_bytes).await?;
        let unreadable = |error: multer::Error| {
            RequestFailure::bad_request(format!("the files cannot be read: {error}"), hint)
        };
        let chunks = futures_util::stream::iter([Ok::<Bytes, std::convert::Infallible>(bytes)]);
        let mut form = multer::Multipart::new(chunks, boundary);
        let mut files = Vec::new();
        while let Some(field) = form.next_field().await.map_err(unreadable)? {
            let name = field.file_name().or(field.name()).unwrap_or("unnamed").to_owned();
            let bytes = field.bytes().await.map_err(unreadable)?.to_vec();
            files.push(AttachmentUpload { name, bytes });
        }
        Ok(Self(files))
    }
}

/// The body, if it arrives in time and has at most `max_bytes`.
async fn body_in_time(request: Request, max_bytes: usize) -> Result<Bytes, RequestFailure> {
    let bytes = limited_body(request.into_body().into_data_stream(), max_bytes);
    tokio::time::timeout(BODY_TIMEOUT, bytes).await.map_err(|_| {
        let detail = format!("the body did not arrive within {} s", BODY_TIMEOUT.as_secs());
        RequestFailure::new(StatusCode::REQUEST_TIMEOUT, detail, "send it again")
    })?
}

/// The body, if it has at most `max_bytes`.
async fn limited_body(mut chunks: BodyDataStream, max_bytes: usize) -> Result<Bytes, RequestFailure> {
    let (mut whole, mut arrived) = (Vec::new(), 0);
    while arrived <= max_bytes.saturating_mul(DISCARD_UP_TO_TIMES)
        && let Some(chunk) = chunks.next().await
    {
        let chunk = chunk.map_err(|error| {
            RequestFailure::bad_request(format!("the body broke off: {error}"), "send it again")
        })?;
        arrived += chunk.len();
        if arrived <= max_bytes {
            whole.extend_from_slice(&chunk);
        } else {
            whole = Vec::new();
        }
    }
    if arrived > max_bytes {
        let detail = format!("the body has more than {max_bytes} bytes");
        let hint = "send less at once, or raise body_bytes under [serve] in config.toml";
        return Err(RequestFailure::new(StatusCode::PAYLOAD_TOO_LARGE, detail, hint));
    }
    Ok(whole.into())
}

impl<S: Send + Sync> FromRequestParts<S> for NoBody {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, RequestFailure> {
        Ok(Self { request_hash: hash(parts.uri.path(), &[]) })
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = RequestFailure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, RequestFailure> {
        Query::try_from_uri(&parts.uri).map(|Query(value)| Self(value)).map_err(|rejection| {
            let detail = rejection.body_text();
            RequestFailure::bad_request(detail, "GET /openapi.json lists the parameters")
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

fn unreadable(error: &serde_json::Error) -> RequestFailure {
    let hint = "GET /openapi.json describes the body";
    if error.is_data() {
        RequestFailure::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("the body does not match its schema: {error}"),
            hint,
        )
    } else {
        RequestFailure::bad_request(format!("the body is not JSON: {error}"), hint)
    }
}

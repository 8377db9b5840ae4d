//! The console: a page and its parts, built from `console/` and embedded. It is data like any other client's: whatever it
//! shows it asks the API for.

use crate::{failure::RequestFailure, request::access::check_host, state::SharedState};
use axum::{
    Extension, Router,
    extract::Path,
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use flate2::{Compression, write::GzEncoder};
use rust_embed::RustEmbed;
use std::{collections::HashMap, io::Write, sync::LazyLock};

/// The console as `npm run build` leaves it.
#[derive(RustEmbed)]
#[folder = "console/"]
struct BuiltConsole;

const PAGE: &str = "index.html";

/// Headers of every file. Nothing is loaded from elsewhere, nothing inline is run, no other page may frame it.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    // Names stay the same from version to version; the entity tag says whether the bytes do.
    (header::CACHE_CONTROL, "no-cache"),
];

/// A file as it is sent.
struct ConsoleFile {
    content_type: &'static str,
    entity_tag: String,
    plain: Vec<u8>,
    gzipped: Vec<u8>,
}

static FILES: LazyLock<HashMap<String, ConsoleFile>> = LazyLock::new(|| {
    let file = |name: &str| Some((name.to_owned(), ConsoleFile::new(name, &BuiltConsole::get(name)?.data)));
    BuiltConsole::iter().filter_map(|name| file(&name)).collect()
});

impl ConsoleFile {
    fn new(name: &str, plain: &[u8]) -> Self {
        let content_type = match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "application/octet-stream",
        };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let gzipped = encoder.write_all(plain).and_then(|()| encoder.finish()).unwrap_or_default();
        let entity_tag = format!("\"{}\"", &blake3::hash(plain).to_hex()[..32]);
        Self { content_type, entity_tag, plain: plain.to_vec(), gzipped }
    }

    fn response(&self, request: &HeaderMap) -> Response {
        let names = |header: &HeaderName, what: &str| {
            request
                .get(header)
                .and_then(|value| value.to_str().ok())
                .is_some_and(|value| value.contains(what))
        };
        let tag = (header::ETAG, self.entity_tag.clone());
        if names(&header::IF_NONE_MATCH, &self.entity_tag) {
            return (StatusCode::NOT_MODIFIED, HEADERS, [tag]).into_response();
        }
        let kind = [(header::CONTENT_TYPE, self.content_type), (header::VARY, "accept-encoding")];
        if names(&header::ACCEPT_ENCODING, "gzip") && !self.gzipped.is_empty() {
            let encoding = [(header::CONTENT_ENCODING, "gzip")];
            return (HEADERS, kind, [tag], encoding, self.gzipped.clone()).into_response();
        }
        (HEADERS, kind, [tag], self.plain.clone()).into_response()
    }
}

/// The page at `/` and its parts.
pub(super) fn routes() -> Router {
    let page = |app: SharedState, headers: HeaderMap| file(app, headers, PAGE.to_owned());
    let part = |app: SharedState, Path(name): Path<String>, headers: HeaderMap| {
        file(app, headers, format!("assets/{name}"))
    };
    Router::new().route("/", get(page)).route("/assets/{name}", get(part))
}

async fn file(
    Extension(app): SharedState,
    headers: HeaderMap,
    name: String,
) -> Result<Response, RequestFailure> {
    // Without keys a page of another name must not even learn that there is a console.
    if !app.keys.any().await? {
        check_host(&headers)?;
    }
    let found = FILES.get(&name).ok_or_else(|| {
        let hint = "open / for the console; GET /openapi.json lists every path";
        RequestFailure::new(StatusCode::NOT_FOUND, "there is nothing at this path", hint)
    })?;
    Ok(found.response(&headers))
}

//! The routes with the layers that every request passes: shared state, CORS, request ids, logging and rendered failures.

use super::{api, console};
use crate::{failure::RequestFailure, metrics, state::ServerState};
use axum::{
    Extension, Router,
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tower_http::cors::CorsLayer;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const CORS_MAX_AGE: Duration = Duration::from_mins(10);

/// All routes and layers over `state`.
pub(crate) fn router(state: &Arc<ServerState>) -> Router {
    let router = api::routes()
        .merge(console::routes())
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed);
    let router = router.layer(Extension(Arc::clone(state)));
    let router = match cors_layer(&state.limits.origins) {
        Some(cors) => router.layer(cors),
        None => router,
    };
    router.layer(from_fn(finish_response))
}

/// Cross-origin requests are answered only for the origins that the configuration names.
fn cors_layer(origins: &[String]) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    if origins.is_empty() {
        return None;
    }
    let headers = [header::AUTHORIZATION, header::CONTENT_TYPE, HeaderName::from_static("idempotency-key")];
    Some(
        CorsLayer::new()
            .allow_origin(origins)
            .allow_methods([Method::GET, Method::POST, Method::DELETE])
            .allow_headers(headers)
            .max_age(CORS_MAX_AGE),
    )
}

async fn not_found() -> RequestFailure {
    RequestFailure::new(
        StatusCode::NOT_FOUND,
        "there is nothing at this path",
        "GET /openapi.json lists every path",
    )
}

async fn method_not_allowed() -> RequestFailure {
    RequestFailure::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this path does not take this method",
        "GET /openapi.json lists the methods of every path",
    )
}

/// The outermost layer: gives each request an id, renders failures, and writes one log line. That line holds the route, never
/// words from a message, a key, a query or a path.
async fn finish_response(request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let id = request_id(&request);
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let mut response = next.run(request).await;
    if let Some(failure) = response.extensions_mut().remove::<RequestFailure>() {
        let headers = std::mem::take(response.headers_mut());
        response = failure.render(Some(id.clone()));
        // Keep the CORS headers that inner layers set: without them a browser hides the problem from its page.
        for (name, value) in headers.iter().filter(|(name, _)| name.as_str().starts_with("access-control")) {
            response.headers_mut().insert(name.clone(), value.clone());
        }
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let (status, took) = (response.status().as_u16(), begun.elapsed());
    let route = route.as_deref().unwrap_or("none");
    metrics::record_request(method.as_str(), route, status, took);
    let took_ms = took.as_secs_f64() * 1e3;
    tracing::info!(request_id = %id, %method, path = route, status, took_ms, "answered");
    response.into_response()
}

/// The caller's own id if it is safe to log, else a random one.
fn request_id(request: &Request) -> String {
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let harmless = |id: &&str| {
        (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    given.filter(harmless).map_or_else(|| format!("{:032x}", fastrand::u128(..)), str::to_owned)
}

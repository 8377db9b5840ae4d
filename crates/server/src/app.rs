//! What every request finds: the home, its agents and keys, and the bounds.

use crate::{
    Settings,
    agents::Agents,
    api,
    failure::Failed,
    meter::{self, Prometheus},
};
use axum::{
    Extension, Router,
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
};
use cairn_domain::AgentName;
use cairn_engine::{Home, Keys, ServeConfig};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::{
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower_http::cors::CorsLayer;

/// Requests that are answered at the same time; more are sent away for a moment.
const AT_ONCE: usize = 512;
/// Tries with a wrong key that one address has a second.
const WRONG_KEYS: NonZeroU32 = NonZeroU32::new(10).unwrap();
/// Callers beyond which those who are quiet are forgotten.
const MOST_CALLERS: usize = 10_000;
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What every request finds.
pub(crate) struct App {
    pub(crate) home: Home,
    /// The agent that `/mcp` speaks for.
    pub(crate) agent: AgentName,
    pub(crate) agents: Agents,
    pub(crate) keys: Keys,
    pub(crate) limits: ServeConfig,
    pub(crate) version: &'static str,
    pub(crate) prometheus: Prometheus,
    /// Set when the server goes down.
    pub(crate) stopping: CancellationToken,
    /// Requests under way.
    pub(crate) in_flight: Semaphore,
    /// By caller.
    rate: DefaultKeyedRateLimiter<String>,
    /// By address, of those whose key is wrong.
    wrong: DefaultKeyedRateLimiter<String>,
}

/// What every request finds, as handlers are given it.
pub(crate) type Here = Extension<Arc<App>>;

impl App {
    pub(crate) fn new(home: Home, settings: &Settings, stopping: CancellationToken) -> Arc<Self> {
        let limits = settings.limits.clone();
        let a_second = NonZeroU32::new(limits.requests_per_second).unwrap_or(NonZeroU32::MIN);
        let burst = a_second.saturating_add(a_second.get());
        Arc::new(Self {
            keys: home.keys(),
            agents: Agents::new(home.clone(), stopping.clone()),
            home,
            agent: settings.agent.clone(),
            version: settings.version,
            prometheus: meter::install(),
            stopping,
            in_flight: Semaphore::new(AT_ONCE),
            rate: RateLimiter::keyed(Quota::per_second(a_second).allow_burst(burst)),
            wrong: RateLimiter::keyed(Quota::per_second(WRONG_KEYS)),
            limits,
        })
    }

    /// Whether this caller has asked too often just now.
    pub(crate) fn too_often(&self, caller: &str) -> bool {
        over(&self.rate, caller)
    }

    /// The same for whoever has no key that fits.
    pub(crate) fn too_wrong(&self, address: &str) -> bool {
        over(&self.wrong, address)
    }

    /// How many requests are under way.
    pub(crate) fn busy(&self) -> usize {
        AT_ONCE - self.in_flight.available_permits()
    }

    /// Everything that is answered.
    pub(crate) fn router(self: &Arc<Self>) -> Router {
        let router = api::routes().fallback(nothing_here).method_not_allowed_fallback(not_that_way);
        let router = router.layer(Extension(Arc::clone(self)));
        let router = match cors(&self.limits.origins) {
            Some(cors) => router.layer(cors),
            None => router,
        };
        router.layer(from_fn(finish))
    }
}

fn over(limiter: &DefaultKeyedRateLimiter<String>, caller: &str) -> bool {
    if limiter.len() > MOST_CALLERS {
        limiter.retain_recent();
    }
    limiter.check_key(&caller.to_owned()).is_err()
}

/// Pages of other origins are answered only if the configuration names them.
fn cors(origins: &[String]) -> Option<CorsLayer> {
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
            .max_age(Duration::from_mins(10)),
    )
}

async fn nothing_here() -> Failed {
    Failed::new(StatusCode::NOT_FOUND, "there is nothing here", "GET /openapi.json lists everything there is")
}

async fn not_that_way() -> Failed {
    Failed::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this is not answered that way",
        "GET /openapi.json says how everything is asked",
    )
}

/// The outermost layer: gives each request its id, says what went wrong, and writes one line about it. No words of
/// anybody's, no key and no query stand in that line.
async fn finish(request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let id = request_id(&request);
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    if let Some(failed) = response.extensions_mut().remove::<Failed>() {
        let headers = std::mem::take(response.headers_mut());
        response = failed.render(Some(id.clone()));
        // What inner layers said of origins stays said.
        for (name, value) in headers.iter().filter(|(name, _)| name.as_str().starts_with("access-control")) {
            response.headers_mut().insert(name.clone(), value.clone());
        }
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let (status, took) = (response.status().as_u16(), begun.elapsed());
    meter::request(method.as_str(), route.as_deref().unwrap_or("none"), status, took);
    let took_ms = took.as_secs_f64() * 1e3;
    tracing::info!(request_id = %id, %method, path, status, took_ms, "answered");
    response.into_response()
}

/// The caller's own id if it is harmless, else a new one.
fn request_id(request: &Request) -> String {
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let harmless = |id: &&str| {
        (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    given.filter(harmless).map_or_else(|| format!("{:032x}", fastrand::u128(..)), str::to_owned)
}

//! State that every request handler shares: the home, its open agents and keys, and the limits.

use crate::{
    ServerSettings,
    background::open_agents::OpenAgents,
    metrics::{self, MetricsRecorder},
    operator_sessions::OperatorSessions,
};
use axum::Extension;
use cairn_domain::AgentName;
use cairn_engine::{Home, Keys, ServeConfig};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::{num::NonZeroU32, sync::Arc};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Requests handled at the same time; the rest get 503 with `Retry-After`.
const MAX_CONCURRENT_REQUESTS: usize = 512;
/// Attempts with a wrong key that one address may make per second.
const WRONG_KEYS_PER_SECOND: NonZeroU32 = NonZeroU32::new(10).unwrap();
/// Beyond this many callers, the rate limiters drop those that have been quiet.
const MAX_TRACKED_CALLERS: usize = 10_000;

/// State that every request handler shares.
pub(crate) struct ServerState {
    pub(crate) home: Home,
    /// The agent that `/mcp` serves.
    pub(crate) agent: AgentName,
    pub(crate) agents: OpenAgents,
    pub(crate) keys: Keys,
    pub(crate) limits: ServeConfig,
    pub(crate) version: &'static str,
    pub(crate) metrics: MetricsRecorder,
    /// Canceled when the server stops.
    pub(crate) stopping: CancellationToken,
    /// One permit for each request that may still begin.
    pub(crate) request_permits: Semaphore,
    pub(crate) operator_sessions: OperatorSessions,
    /// Keyed by caller.
    request_rate: DefaultKeyedRateLimiter<String>,
    /// Keyed by address; counts only requests with a wrong key.
    wrong_key_rate: DefaultKeyedRateLimiter<String>,
}

/// The shared state, as handlers receive it.
pub(crate) type SharedState = Extension<Arc<ServerState>>;

impl ServerState {
    pub(crate) fn new(home: Home, settings: &ServerSettings, stopping: CancellationToken) -> Arc<Self> {
        let limits = settings.limits.clone();
        let per_second = NonZeroU32::new(limits.requests_per_second).unwrap_or(NonZeroU32::MIN);
        let burst = per_second.saturating_add(per_second.get());
        Arc::new(Self {
            keys: home.keys(),
            agents: OpenAgents::new(home.clone(), stopping.clone()),
            home,
            agent: settings.agent.clone(),
            version: settings.version,
            metrics: metrics::install_recorder(),
            stopping,
            operator_sessions: OperatorSessions::default(),
            request_permits: Semaphore::new(MAX_CONCURRENT_REQUESTS),
            request_rate: RateLimiter::keyed(Quota::per_second(per_second).allow_burst(burst)),
            wrong_key_rate: RateLimiter::keyed(Quota::per_second(WRONG_KEYS_PER_SECOND)),
            limits,
        })
    }

    /// Counts a request and says whether its caller is over the limit.
    pub(crate) fn exceeds_request_rate(&self, caller: &str) -> bool {
        exceeds(&self.request_rate, caller)
    }

    /// Counts a wrong key and says whether its sender is over the limit.
    pub(crate) fn exceeds_wrong_key_rate(&self, address: &str) -> bool {
        exceeds(&self.wrong_key_rate, address)
    }

    pub(crate) fn requests_in_flight(&self) -> usize {
        MAX_CONCURRENT_REQUESTS - self.request_permits.available_permits()
    }
}

fn exceeds(limiter: &DefaultKeyedRateLimiter<String>, caller: &str) -> bool {
    if limiter.len() > MAX_TRACKED_CALLERS {
        limiter.retain_recent();
    }
    limiter.check_key(&caller.to_owned()).is_err()
}

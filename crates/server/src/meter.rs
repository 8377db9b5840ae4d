//! Figures for Prometheus: how long things take, what waits, and what was done without.

use cairn_engine::{Check, Health};
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::{sync::LazyLock, time::Duration};

/// Where all figures come together.
#[derive(Clone)]
pub(crate) struct Prometheus(Option<PrometheusHandle>);

/// Seconds, from a tenth of a millisecond to ten seconds.
const SECONDS: &[f64] =
    &[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// The figures of this process; made once.
pub(crate) fn install() -> Prometheus {
    static INSTALLED: LazyLock<Option<PrometheusHandle>> = LazyLock::new(|| {
        let matcher = Matcher::Suffix("_seconds".to_owned());
        let builder = PrometheusBuilder::new().set_buckets_for_metric(matcher, SECONDS).ok()?;
        builder.install_recorder().ok()
    });
    Prometheus(INSTALLED.clone())
}

impl Prometheus {
    /// Everything, as Prometheus reads it.
    pub(crate) fn text(&self) -> String {
        let Some(handle) = &self.0 else { return String::new() };
        handle.run_upkeep();
        handle.render()
    }
}

/// A request was answered.
pub(crate) fn request(method: &str, route: &str, status: u16, took: Duration) {
    let labels = [("method", method.to_owned()), ("route", route.to_owned()), ("status", status.to_string())];
    counter!("cairn_http_requests_total", &labels).increment(1);
    histogram!("cairn_http_request_seconds", "route" => route.to_owned()).record(took);
}

/// Work behind the writes is done, in a batch: form, embed, refine. Stages of single ones the engine records itself.
pub(crate) fn write(stage: &'static str, took: Duration) {
    histogram!("cairn_write_seconds", "stage" => stage).record(took);
}

/// A hook was answered.
#[cfg(unix)]
pub(crate) fn hook(event: &'static str, took: Duration) {
    histogram!("cairn_hook_seconds", "event" => event).record(took);
}

/// Something was answered from what is known already.
pub(crate) fn cache_hit(cache: &'static str) {
    counter!("cairn_cache_hits_total", "cache" => cache).increment(1);
}

/// Something was done without what it is done with best.
pub(crate) fn fallback(what: &'static str) {
    counter!("cairn_fallbacks_total", "what" => what).increment(1);
}

/// How much waits in a queue, and for how long.
pub(crate) fn queue(queue: &'static str, depth: u64, lag_seconds: f64) {
    gauge!("cairn_queue_depth", "queue" => queue).set(depth as f64);
    gauge!("cairn_queue_lag_seconds", "queue" => queue).set(lag_seconds);
}

/// Everything that is looked at; what is not in order has a name here, too.
const CHECKS: [&str; 13] = [
    "agent",
    "database",
    "disk",
    "embedding",
    "forming",
    "home",
    "index",
    "lease",
    "note",
    "queue",
    "refining",
    "rhythms",
    "store",
];

/// How everything stands: 0 in order, 1 wants a look, 2 broken. `/readyz` says what to do.
pub(crate) fn checks(checks: &[Check]) {
    for name in CHECKS {
        let weight = |check: &&Check| match check.health {
            Health::Good | Health::Mended => 0,
            Health::Warning => 1,
            Health::Bad => 2,
        };
        let worst = checks.iter().filter(|check| check.name == name).map(|check| weight(&check)).max();
        gauge!("cairn_check_health", "check" => name).set(f64::from(worst.unwrap_or(0)));
    }
}

/// How many agents are open, and requests under way.
pub(crate) fn state(agents: usize, in_flight: usize) {
    gauge!("cairn_agents_open").set(agents as f64);
    gauge!("cairn_requests_in_flight").set(in_flight as f64);
}

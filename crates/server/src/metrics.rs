//! Prometheus metrics: how long things take, how much is queued, and what had to be done without.

use cairn_engine::{Check, Health};
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::{sync::LazyLock, time::Duration};

/// The recorder of this process; none if another one was installed first.
#[derive(Clone)]
pub(crate) struct MetricsRecorder(Option<PrometheusHandle>);

/// Bucket bounds in seconds, from a tenth of a millisecond to ten seconds.
const BUCKET_BOUNDS_SECONDS: &[f64] =
    &[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Installs the recorder, once per process.
pub(crate) fn install_recorder() -> MetricsRecorder {
    static INSTALLED: LazyLock<Option<PrometheusHandle>> = LazyLock::new(|| {
        let matcher = Matcher::Suffix("_seconds".to_owned());
        let builder = PrometheusBuilder::new().set_buckets_for_metric(matcher, BUCKET_BOUNDS_SECONDS).ok()?;
        builder.install_recorder().ok()
    });
    MetricsRecorder(INSTALLED.clone())
}

impl MetricsRecorder {
    /// All metrics in Prometheus' text format.
    pub(crate) fn render(&self) -> String {
        let Some(handle) = &self.0 else { return String::new() };
        handle.run_upkeep();
        handle.render()
    }
}

/// Records one answered request.
pub(crate) fn record_request(method: &str, route: &str, status: u16, took: Duration) {
    let labels = [("method", method.to_owned()), ("route", route.to_owned()), ("status", status.to_string())];
    counter!("cairn_http_requests_total", &labels).increment(1);
    histogram!("cairn_http_request_seconds", "route" => route.to_owned()).record(took);
}

/// Records one batch of background work: form, embed or refine. The engine itself records the stages of single writes.
pub(crate) fn record_write_stage(stage: &'static str, took: Duration) {
    histogram!("cairn_write_seconds", "stage" => stage).record(took);
}

/// Records one answered hook.
#[cfg(unix)]
pub(crate) fn record_hook(event: &'static str, took: Duration) {
    histogram!("cairn_hook_seconds", "event" => event).record(took);
}

pub(crate) fn count_cache_hit(cache: &'static str) {
    counter!("cairn_cache_hits_total", "cache" => cache).increment(1);
}

/// Sets how many items wait in a queue, and how long the oldest has waited.
pub(crate) fn set_queue(queue: &'static str, depth: u64, lag_seconds: f64) {
    gauge!("cairn_queue_depth", "queue" => queue).set(depth as f64);
    gauge!("cairn_queue_lag_seconds", "queue" => queue).set(lag_seconds);
}

/// Every check has a gauge, also while it finds nothing wrong.
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

/// Sets the gauge of each check: 0 good, 1 warning, 2 bad. `/readyz` says what to do.
pub(crate) fn set_checks(checks: &[Check]) {
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

/// Sets how many agents are open and how many requests are being handled.
pub(crate) fn set_load(agents: usize, in_flight: usize) {
    gauge!("cairn_agents_open").set(agents as f64);
    gauge!("cairn_requests_in_flight").set(in_flight as f64);
}

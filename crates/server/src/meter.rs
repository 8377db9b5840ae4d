//! Figures for Prometheus: how long things take, what waits, and what was done without.

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

/// A question was answered.
pub(crate) fn recall(took: Duration, lexical_only: bool) {
    histogram!("cairn_recall_seconds", "stage" => "total").record(took);
    if lexical_only {
        fallback("lexical_only");
    }
}

/// A stage of a write is done: acknowledge, form, or form of a batch.
pub(crate) fn write(stage: &'static str, took: Duration) {
    histogram!("cairn_write_seconds", "stage" => stage).record(took);
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

/// How many agents are open, requests under way, and whether the server is ready.
pub(crate) fn state(agents: usize, in_flight: usize) {
    gauge!("cairn_agents_open").set(agents as f64);
    gauge!("cairn_requests_in_flight").set(in_flight as f64);
}

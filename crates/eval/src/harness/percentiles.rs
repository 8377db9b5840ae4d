//! Percentiles of measured times.

use serde_json::{Value, json};
use std::time::Duration;

/// Percentiles of times, in milliseconds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Percentiles {
    pub(crate) p50: f64,
    pub(crate) p95: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl Percentiles {
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |share: f64| {
            let place = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len().max(1)) - 1;
            times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        Self { p50: at(0.50), p95: at(0.95), p99: at(0.99), max: at(1.0) }
    }

    pub(crate) fn show(&self) -> String {
        format!("p50 {:.3} ms, p95 {:.3} ms, p99 {:.3} ms", self.p50, self.p95, self.p99)
    }

    pub(crate) fn to_json(self) -> Value {
        json!({"p50_ms": self.p50, "p95_ms": self.p95, "p99_ms": self.p99})
    }
}

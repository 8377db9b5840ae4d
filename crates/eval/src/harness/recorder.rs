//! Times that the engine measures of itself, kept as they are: a server shows their percentiles, a measurement needs each.

use metrics::{
    Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit,
    set_global_recorder,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

type Samples = Arc<Mutex<BTreeMap<String, Vec<Duration>>>>;

/// The times of this process, by their name and stage.
#[derive(Clone, Default)]
pub(crate) struct TimesRecorder(Samples);

/// The times under one name.
struct NamedTimes {
    samples: Samples,
    name: String,
}

impl TimesRecorder {
    /// Records from now on; none if somebody else does in this process.
    pub(crate) fn install() -> Option<Self> {
        let recorder = Self::default();
        set_global_recorder(recorder.clone()).ok().map(|()| recorder)
    }

    /// Forgets what was recorded so far.
    pub(crate) fn clear(&self) {
        locked(&self.0).clear();
    }

    /// The times under a name: `figure`, or `figure/stage`.
    pub(crate) fn times(&self, name: &str) -> Vec<Duration> {
        locked(&self.0).get(name).cloned().unwrap_or_default()
    }
}

fn locked(samples: &Samples) -> MutexGuard<'_, BTreeMap<String, Vec<Duration>>> {
    samples.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HistogramFn for NamedTimes {
    fn record(&self, seconds: f64) {
        let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        locked(&self.samples).entry(self.name.clone()).or_default().push(time);
    }
}

impl Recorder for TimesRecorder {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::noop()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        let stage = key.labels().find(|label| label.key() == "stage").map(|label| label.value());
        let name = stage.map_or_else(|| key.name().to_owned(), |stage| format!("{}/{stage}", key.name()));
        Histogram::from_arc(Arc::new(NamedTimes { samples: Arc::clone(&self.0), name }))
    }
}

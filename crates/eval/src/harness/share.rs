//! How many of how many.

use serde_json::{Value, json};

/// A share: how many of how many.
#[derive(Debug, Clone, Copy, Default)]
pub struct Share {
    /// Those that did.
    pub of_these: usize,
    /// All.
    pub all: usize,
}

impl Share {
    pub(crate) fn count(&mut self, holds: bool) {
        self.of_these += usize::from(holds);
        self.all += 1;
    }

    /// In percent; 0 of nothing is 0.
    pub fn percent(self) -> f64 {
        100.0 * self.of_these as f64 / self.all.max(1) as f64
    }

    /// For programs.
    pub(crate) fn to_json(self) -> Value {
        json!({"of_these": self.of_these, "all": self.all, "percent": self.percent()})
    }

    /// For people.
    pub(crate) fn show(self) -> String {
        format!("{:.1} % ({} of {})", self.percent(), self.of_these, self.all)
    }
}

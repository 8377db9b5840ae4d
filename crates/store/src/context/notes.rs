//! Repairs that people should hear about.

use crate::threads::lock;
use std::sync::{Arc, Mutex};

/// Maximum notes kept until somebody takes them.
const MAX_NOTES: usize = 200;

/// Repairs made along the way, to be shown to the person once. Bounded; clones share their notes.
#[derive(Clone, Default)]
pub(crate) struct RepairNotes(Arc<Mutex<Vec<String>>>);

impl RepairNotes {
    pub(crate) fn add(&self, note: String) {
        let mut notes = lock(&self.0);
        if notes.len() < MAX_NOTES {
            notes.push(note);
        }
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.0))
    }
}

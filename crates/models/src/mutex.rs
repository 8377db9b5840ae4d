//! Locking where a panic elsewhere does no harm.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks the mutex even if it is poisoned: no value of this crate is ever left half changed.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Intentions: what somebody means to do, or to be told, later.

use crate::word::words;

words!(
    /// How an intention stands.
    IntentionState, "a state of an intention" {
        /// Its day has not come, or its occasion.
        Pending = "pending",
        /// Its day is here, or was and nobody has said that it is done.
        Due = "due",
        /// The talk says that it is done.
        Done = "done",
        /// Its day is long over.
        Expired = "expired",
    }
);

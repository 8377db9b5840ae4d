//! Rhythms: what happens in the background, and what one time of it is.

use crate::word::words;

words!(
    /// Who asked for a run of a rhythm.
    AskedBy, "one who asks for a run" {
        /// Its schedule.
        Schedule = "schedule",
        /// A person.
        Person = "person",
    }
);

words!(
    /// Where a run of a rhythm stands.
    RunState, "the state of a run" {
        /// Under way, or interrupted: it goes on where it was.
        Running = "running",
        /// All its steps are done.
        Done = "done",
    }
);

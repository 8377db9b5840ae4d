//! Keeping a memory healthy and portable: `stats` counts, `doctor` finds and mends (`server` is what it says of a
//! database server, `language` of language models), `bundle` carries an agent from
//! one home to another, `backup` keeps copies, `readiness` is what a server that runs looks at.

mod backup;
mod bundle;
mod doctor;
mod language;
mod readiness;
mod server;
mod stats;

pub use bundle::{Disclosure, ImportReport, check as check_bundle};
pub use doctor::{Check, Health};
pub use readiness::{Backlog, Queue};
pub use stats::Stats;

//! Keeping a memory healthy and portable: `stats` counts, `doctor` finds and mends (`check` is one finding,
//! `server_checks` what it says of a database server, `language` of language models), `bundle` carries an agent from
//! one home to another, `backup` keeps copies, `privacy` keeps others out, `protected_files` compares
//! files with the ledger, `readiness` is what a server that runs looks at.

mod backup;
mod bundle;
mod check;
mod doctor;
mod language;
mod privacy;
mod protected_files;
mod readiness;
mod server_checks;
mod stats;

pub use backup::BackupFolder;
pub use bundle::{Disclosure, ImportReport, check_bundle};
pub use check::{Check, Health};
pub use protected_files::{CONFIG_FILE, content_hash};
pub use readiness::{Backlog, Queue};
pub use stats::Stats;

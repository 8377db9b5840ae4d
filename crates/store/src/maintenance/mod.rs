//! Checking, repairing and moving a store. `verify` (with `ledger`, into a `report`) compares everything and changes nothing;
//! `rebuild` derives everything anew; `backup` and `reclaim` look after the files; `inspect_server` and `distribute` are for
//! database servers.

mod backup;
mod distribute;
mod inspect_server;
mod ledger;
mod rebuild;
mod reclaim;
mod report;
mod verify;

pub(crate) use backup::copy_before_migration;
pub use distribute::{distribute_tables, distribution_plan};
pub use inspect_server::{ClusterReport, DatabaseServerReport, inspect_database_server};
pub use rebuild::Rebuilt;
pub(crate) use rebuild::rebuild;
pub use report::{VerificationFinding, VerificationReport};

//! The parts that every measurement shares.

pub(crate) mod clock;
pub(crate) mod percentiles;
pub(crate) mod plain_home;
pub(crate) mod recorder;
pub(crate) mod scan_comparison;
pub(crate) mod scratch;
pub(crate) mod server_process;
pub(crate) mod share;
pub(crate) mod system;
pub(crate) mod workload;

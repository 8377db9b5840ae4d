//! Measurements of speed.

pub mod dreaming;
pub mod fleet;
pub mod forming;
pub mod hooks;
pub mod load;
pub mod perf;
pub mod proxy;
pub(crate) mod vectors;

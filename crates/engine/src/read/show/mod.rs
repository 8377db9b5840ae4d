//! Records opened and explained: `open` in full, `why` down to the words they rest on, `timeline` in the order in which they
//! were said; `memories`, `digest` and `graph` list and explain one kind each.

mod digest;
mod graph;
mod memories;
mod open;
mod timeline;
mod why;

pub(crate) use digest::generated;
pub use digest::{Cited, WhyDigest};
pub use graph::{EntityEdge, EntityGraph, Hub, Reached};
pub(crate) use memories::source;
pub use memories::{CheckedSource, MemoryListing, Related, WhyMemory};
pub(crate) use timeline::Timeline;
pub use why::Why;

//! The story of a memory, in reading order.

pub mod transcript;

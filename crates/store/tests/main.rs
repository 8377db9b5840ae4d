//! The embedded store: its writers, its guards and its index of vectors.

mod common;
mod guards;
mod vectors;
mod writers;

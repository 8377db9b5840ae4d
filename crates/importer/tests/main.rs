//! Moves from other products: files made here in their forms, and the shared collection of real ones.

mod damaged;
mod fixtures;
mod peers;
mod support;

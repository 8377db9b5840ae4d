//! The single writer of a store. Short work runs on the caller's own thread, long work on a thread of the blocking pool;
//! either way the caller awaits.
//!
//! Appends that arrive while another write is running wait in the commit queue, and whoever writes next commits all of them
//! in one transaction with one fsync (group commit).
//!
//! In reading order: `handle` is what callers await; `queue` serializes writers and commits groups; `state` and `connection`
//! are what a writer holds while it writes; `seal` and `checkpoint` are the upkeep after it.

mod checkpoint;
mod connection;
mod handle;
mod queue;
mod seal;
mod state;

pub(crate) use handle::Writer;
pub(crate) use seal::seal_or_note;

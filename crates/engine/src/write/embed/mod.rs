//! Vectors for messages and memories, made behind the write by one `worker` at a time.

pub(super) mod worker;

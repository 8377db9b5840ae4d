//! Extractors for handlers: who is asking and for which agent (`access`), the JSON body and the query
//! parameters (`body`), and the key under which a write happens only once (`idempotency`).

pub(crate) mod access;
pub(crate) mod body;
pub(crate) mod idempotency;

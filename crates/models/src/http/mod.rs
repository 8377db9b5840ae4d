//! HTTP to model servers: `client` builds requests and reads bodies, `endpoint` is one URL of one server.

pub(crate) mod client;
pub(crate) mod endpoint;

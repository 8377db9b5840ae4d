//! HTTP to model servers: `client` builds requests and reads bodies, `endpoint` is one URL of one server, `peer`
//! one of another home.

pub(crate) mod client;
pub(crate) mod endpoint;
pub(crate) mod peer;

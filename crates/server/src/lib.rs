//! `cairn serve`: REST with its OpenAPI document, events, health, metrics and MCP over HTTP.
//!
//! In reading order, each layer knowing only those before it:
//!
//! - `failure`, `settings`, `metrics`: what goes wrong, how a server is configured, what it counts.
//! - `background`: the agents that are open, the worker behind each, and the events they publish.
//! - `operator_sessions`: operators who signed in from a browser.
//! - `state`: everything a request handler shares.
//! - `request`: who is asking, the body of a request, and its idempotency key.
//! - `operations`: the handlers, one file for each group of operations.
//! - `http`: the table of operations, from which both the routes and the OpenAPI document are made, and the console.
//! - `home_lock`, `hook_socket`, `serve`: one server per home, hooks of coding agents, and the accept loop.
//!
//! Nothing is decided here: the engine does that, and `cairn-wire` puts it into JSON.

mod background;
mod failure;
mod home_lock;
#[cfg(unix)]
mod hook_socket;
mod http;
mod metrics;
mod operations;
mod operator_sessions;
mod request;
mod serve;
mod settings;
mod state;

pub use failure::ServeError;
pub use home_lock::serving_address;
pub use http::document;
pub use serve::{Started, serve};
pub use settings::ServerSettings;

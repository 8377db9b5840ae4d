//! The HTTP interface: `openapi` describes one operation, `api` is the table of all of them, and `console` serves the files of the
//! console, and `router` wraps the routes in
//! the layers that every request passes.

mod api;
mod console;
mod openapi;
pub(crate) mod router;

pub use api::document;

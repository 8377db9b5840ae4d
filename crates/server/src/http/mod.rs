//! The HTTP interface: `openapi` describes one operation, `api` is the table of all of them (`api_table` how a row is added), and `console` serves the files of the
//! console, and `router` wraps the routes in
//! the layers that every request passes.

mod api;
mod api_table;
mod console;
mod openapi;
pub(crate) mod router;

pub use api::document;

//! Cairn for programs in any language: REST with its OpenAPI document, events, health and metrics, over HTTP.
//!
//! In reading order: [`serve`] holds the home (`hold`), binds and lets connections in (`listen`); `api` is the table of
//! operations, from which both the routes and the OpenAPI document are made; `access` says who asks and what they may;
//! `verbs`, `lists`, `import`, `operate` and `mcp` answer; `once` answers a repeated write as the first time; `events` and
//! `socket` tell what happens; `hooks` answers coding agents on this machine; `agents` keeps agents open and `tender` does the work behind them; `health` and `meter`
//! say how all of it stands; `failure` says what went wrong and what to do.
//!
//! Nothing is decided here: the engine does, and `cairn-wire` puts it into words.

mod access;
mod agents;
mod api;
mod app;
mod body;
mod events;
mod failure;
mod health;
mod hold;
#[cfg(unix)]
mod hooks;
mod import;
mod listen;
mod lists;
mod mcp;
mod meter;
mod once;
mod openapi;
mod operate;
mod review;
mod settings;
mod socket;
mod tender;
mod verbs;

pub use failure::ServeError;
pub use listen::{Started, serve};
pub use openapi::document;
pub use settings::Settings;

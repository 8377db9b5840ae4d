//! The agent's surface: eight tools, a ninth if the configuration wants it, and a few resources over the Model Context Protocol, on
//! standard input and output ([`serve_stdio`]) or over HTTP ([`http_service`]).
//!
//! It holds an [`Agent`](cairn_engine::Agent) and nothing else, so nothing protected can be reached from here. What it is
//! told counts as the agent's word, never as the user's. Words out of the memory are quoted wherever a model reads them.

mod arguments;
mod background;
mod depth;
mod explain;
mod http;
mod permission;
mod progress;
mod rendering;
mod resource;
mod stdio;
mod tools;

pub use http::http_service;
pub use stdio::serve_stdio;
pub use tools::MemoryTools;

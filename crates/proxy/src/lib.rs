//! `cairn proxy`: stands in front of a model's provider and remembers what is said. Requests and answers stream through it
//! untouched; what is new in them is recorded behind the answer. Where the memory is away, the answer still streams.
//!
//! In reading order, each file knowing only those before it:
//!
//! - `recent`, `counts`, `failure`: a map that forgets, figures without words, why it may not start.
//! - `upstream`, `settings`, `headers`: where requests go, how a proxy is started, what a caller asks of it.
//! - `protocol`: what requests and answers say, in each protocol.
//! - `capture`: bodies copied while they stream, within bounds.
//! - `exchange`: what is new in an exchange, as drafts with names that stay.
//! - `keeper`, `recorder`: keeping them, in a thread of their own.
//! - `splice`, `context`: the block before the user's last words, for callers who want one.
//! - `answer`, `forward`, `serve`: an answer on its way back, one request, the accept loop.
//!
//! It names the agent's handle and nothing behind it. Headers, keys and words stand in no log, no figure and no error.

mod answer;
mod capture;
mod context;
mod counts;
mod exchange;
mod failure;
mod forward;
mod headers;
mod keeper;
mod protocol;
mod recent;
mod recorder;
mod serve;
mod settings;
mod splice;
mod upstream;

pub use failure::ProxyError;
pub use serve::{ProxySummary, serve_proxy};
pub use settings::ProxySettings;
pub use upstream::{Upstream, Upstreams};

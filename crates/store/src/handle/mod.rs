//! The open store: `store` is the handle, `open` makes one, `readers` are its connections that read; `indexing` and `jobs` are
//! its everyday work. `server_agents` and `access_keys` ask a database server without
//! opening an agent.

mod access_keys;
mod indexing;
mod jobs;
mod open;
mod readers;
mod server_agents;
mod sidecar;
mod store;

pub use access_keys::{insert_access_key, list_access_keys, put_access_key};
pub use open::{StoreLocation, StoreOptions};
pub use server_agents::{agent_exists_on_server, list_agents_on_server};
pub use store::Store;

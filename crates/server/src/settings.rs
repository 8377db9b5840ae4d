//! How a server is started.

use cairn_domain::AgentName;
use cairn_engine::ServeConfig;
use std::net::SocketAddr;

/// How a server is started.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// The address to bind; port 0 picks a free port.
    pub address: SocketAddr,
    /// The agent that `/mcp` serves.
    pub agent: AgentName,
    /// The `[serve]` section of the home's configuration.
    pub limits: ServeConfig,
    /// The version of this program.
    pub version: &'static str,
}

//! Where a server listens, and what it lets through.

use cairn_domain::AgentName;
use cairn_engine::ServeConfig;
use std::net::SocketAddr;

/// Where a server listens, and what it lets through.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address to bind; port 0 takes any free one.
    pub address: SocketAddr,
    /// The agent that `/mcp` speaks for.
    pub agent: AgentName,
    /// Bounds of the home's configuration.
    pub limits: ServeConfig,
    /// Which Cairn this is.
    pub version: &'static str,
}

//! How a proxy is started.

use crate::upstream::Upstreams;
use cairn_domain::AgentName;
use cairn_engine::ProxyConfig;
use std::net::SocketAddr;

/// How a proxy is started.
#[derive(Debug, Clone)]
pub struct ProxySettings {
    /// The address to bind; port 0 picks a free port.
    pub address: SocketAddr,
    /// Whose memory it is where a request names nobody.
    pub agent: AgentName,
    /// Where requests go.
    pub upstreams: Upstreams,
    /// The `[proxy]` section of the home's configuration.
    pub config: ProxyConfig,
}

//! Streamable HTTP, as a tower service for whoever runs a server. Every request stands alone: nothing is kept between two,
//! so many servers can share the work and no client can pile anything up.

use crate::MemoryTools;
use cairn_engine::{Agent, limits::MAX_TOOL_REQUEST_BYTES};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The tools of an agent over HTTP. Requests must name one of `hosts` (`localhost`, `127.0.0.1` and `::1` if there are none),
/// and browsers are turned away: a page on the internet must not read a memory on this machine.
pub fn http_service(
    agent: Agent,
    hosts: Vec<String>,
    stop: CancellationToken,
) -> StreamableHttpService<MemoryTools, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_TOOL_REQUEST_BYTES)
        .with_cancellation_token(stop)
        .enforce_origin_validation();
    let config = if hosts.is_empty() { config } else { config.with_allowed_hosts(hosts) };
    let memory = MemoryTools::new(agent);
    StreamableHttpService::new(move || Ok(memory.clone()), Arc::new(NeverSessionManager::default()), config)
}

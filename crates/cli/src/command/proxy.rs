//! `cairn proxy`: stands in front of a model's provider until it is stopped, and remembers what is said.

use super::{
    invocation::{Invocation, set_variable},
    serve::{init_log, stop_signal},
};
use crate::{args, failure::Failure, show};
use cairn_domain::Invalid;
use cairn_engine::ProxyConfig;
use cairn_proxy::{ProxyError, ProxySettings, ProxySummary, Upstreams};
use serde_json::json;
use std::net::SocketAddr;

pub(crate) async fn proxy(invocation: &Invocation, args: args::ProxyArgs) -> Result<(), Failure> {
    let configured = &invocation.home.config().proxy;
    let config = ProxyConfig { context: configured.context || args.context, ..configured.clone() };
    let upstream = match args.upstream.or(upstream_variable()?) {
        Some(named) => named,
        None => config.upstream.clone(),
    };
    let upstreams = Upstreams::parse(&upstream)?;
    let settings = ProxySettings {
        address: SocketAddr::new(args.bind, args.port),
        agent: invocation.agent.clone(),
        upstreams: upstreams.clone(),
        config,
    };
    init_log();
    let stop = stop_signal()?;
    let started = |address: SocketAddr| {
        invocation.answer(
            || {
                json!({"address": address.to_string(), "url": format!("http://{address}"),
                       "upstream": upstreams.to_string()})
            },
            || {
                let (green, dim) = (show::GREEN, show::DIM);
                out!("{green}ready{green:#}  http://{address}  {dim}→ {upstreams}; stop with Ctrl-C{dim:#}");
                out!("       OPENAI_BASE_URL=http://{address}/v1  ANTHROPIC_BASE_URL=http://{address}");
            },
        );
    };
    let home = invocation.home.clone();
    let ProxySummary { recorded, lost } = cairn_proxy::serve_proxy(home, settings, stop, started).await?;
    if lost > 0 {
        err!("{recorded} exchange(s) recorded, {lost} not; the log says why");
    }
    Ok(())
}

fn upstream_variable() -> Result<Option<String>, Failure> {
    let text = set_variable("CAIRN_PROXY_UPSTREAM").map(std::ffi::OsString::into_string).transpose();
    Ok(text
        .map_err(|_| Invalid::new("CAIRN_PROXY_UPSTREAM is not text", "set it to the provider's address"))?)
}

impl From<ProxyError> for Failure {
    fn from(error: ProxyError) -> Self {
        let hint = error.hint();
        match error {
            ProxyError::Invalid(invalid) => invalid.into(),
            ProxyError::Exposed(_) | ProxyError::Itself(_) => Self::usage(error.to_string(), hint),
            ProxyError::Bind { .. } | ProxyError::Setup(_) => Self::new(error.to_string(), hint),
        }
    }
}

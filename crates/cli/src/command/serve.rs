//! `cairn serve`: serves the home over HTTP until it is stopped.

use super::invocation::Invocation;
use crate::{args, failure::Failure, show};
use cairn_server::{ServeError, ServerSettings, Started};
use serde_json::json;
use std::{io::IsTerminal, net::SocketAddr};
use tracing_subscriber::{EnvFilter, fmt};

pub(crate) async fn serve(invocation: &Invocation, args: args::ServeArgs) -> Result<(), Failure> {
    serve_and(invocation, args, |_| {}).await
}

/// Serves the home, and does something more once the server listens.
pub(crate) async fn serve_and(
    invocation: &Invocation,
    args: args::ServeArgs,
    on_start: impl FnOnce(&Started),
) -> Result<(), Failure> {
    let settings = ServerSettings {
        address: SocketAddr::new(args.bind, args.port),
        agent: invocation.agent.clone(),
        limits: invocation.home.config().serve.clone(),
        version: env!("CARGO_PKG_VERSION"),
    };
    init_log();
    let stop = stop_signal()?;
    let started = |started: &Started| {
        on_start(started);
        let Started { address, keys } = started;
        invocation.answer(
            || json!({"address": address.to_string(), "url": format!("http://{address}"), "keys": keys}),
            || {
                let (green, dim) = (show::GREEN, show::DIM);
                out!("{green}ready{green:#}  http://{address}  {dim}the console is there, too; stop with Ctrl-C{dim:#}");
                if !keys {
                    out!("       no keys: only this machine, and only agent operations; `cairn key add NAME` creates a key");
                }
            },
        );
    };
    Ok(cairn_server::serve(invocation.home.clone(), settings, stop, started).await?)
}

/// Resolves on Ctrl-C or, on Unix, SIGTERM.
pub(crate) fn stop_signal() -> Result<impl Future<Output = ()>, Failure> {
    let failed = |error| Failure::new(format!("cannot listen for signals: {error}"), "try again");
    #[cfg(unix)]
    let mut terminate =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).map_err(failed)?;
    Ok(async move {
        #[cfg(unix)]
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// Logs to standard error: as text on a terminal, else as JSON. `CAIRN_LOG` sets the level.
pub(crate) fn init_log() {
    let filter = std::env::var("CAIRN_LOG").unwrap_or_else(|_| "info".to_owned());
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A log that was set up before stays as it is.
    let _ = if std::io::stderr().is_terminal() {
        lines.compact().try_init()
    } else {
        lines.json().flatten_event(true).try_init()
    };
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        Self::new(error.to_string(), error.hint())
    }
}

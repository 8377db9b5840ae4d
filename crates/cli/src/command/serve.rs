//! `cairn serve`: the home over HTTP, until it is told to stop.

use super::Setting;
use crate::{args, failure::Failure, show};
use cairn_server::{ServeError, Settings, Started};
use serde_json::json;
use std::{io::IsTerminal, net::SocketAddr};
use tracing_subscriber::{EnvFilter, fmt};

pub(crate) async fn serve(setting: &Setting, args: args::Serve) -> Result<(), Failure> {
    let settings = Settings {
        address: SocketAddr::new(args.bind, args.port),
        agent: setting.agent.clone(),
        limits: setting.home.config().serve.clone(),
        version: env!("CARGO_PKG_VERSION"),
    };
    log();
    let stop = stop_signal()?;
    let started = |started: &Started| {
        let Started { address, keys } = started;
        setting.answer(
            || json!({"address": address.to_string(), "url": format!("http://{address}"), "keys": keys}),
            || {
                let (green, dim) = (show::GREEN, show::DIM);
                out!("{green}ready{green:#}  http://{address}  {dim}stop with Ctrl-C{dim:#}");
                if !keys {
                    out!("       no key: only this machine, and only what an agent may; `cairn key add NAME` makes one");
                }
            },
        );
    };
    Ok(cairn_server::serve(setting.home.clone(), settings, stop, started).await?)
}

/// Ctrl-C or, where there is such a thing, the signal that asks a process to end.
fn stop_signal() -> Result<impl Future<Output = ()>, Failure> {
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

/// One line an event on standard error: for people on a terminal, else as JSON. `CAIRN_LOG` says how much.
fn log() {
    let filter = std::env::var("CAIRN_LOG").unwrap_or_else(|_| "info".to_owned());
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A log that is set up already stays as it is.
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

//! Opening a connection to a PostgreSQL server, encrypted wherever that is possible.

use crate::error::{Result, StoreError};
use rustls_platform_verifier::BuilderVerifierExt;
use std::{
    future::Future,
    sync::{Arc, OnceLock, mpsc},
    time::{Duration, Instant},
};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, Config, NoTls, config::SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long a server may take until it is ready for statements.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Connects. If the address does not mention encryption, the connection is encrypted if the server supports it and has a
/// certificate that this machine trusts.
pub(super) fn connect_client(config: &Config) -> Result<Client> {
    match config.get_ssl_mode() {
        SslMode::Disable => connect_plain(config),
        SslMode::Prefer => connect_encrypted_or_plain(config),
        _ => connect_encrypted(config),
    }
}

fn connect_encrypted_or_plain(config: &Config) -> Result<Client> {
    let begun = Instant::now();
    let error = match connect_encrypted(config) {
        Err(error) => error,
        connected => return connected,
    };
    let untrusted = error.server_code() == Some("tls");
    // A server that did not answer in time will not answer without encryption either.
    if !untrusted && (!error.is_lost() || begun.elapsed() >= CONNECT_TIMEOUT) {
        return Err(error);
    }
    let mut config = config.clone();
    config.ssl_mode(SslMode::Disable);
    match connect_plain(&config) {
        // The server only accepts encrypted connections, so the problem is its certificate.
        Err(refused) if untrusted && refused.server_code() == Some("28000") => Err(error),
        connected => connected,
    }
}

fn connect_plain(config: &Config) -> Result<Client> {
    let config = config.clone();
    run_on_network_thread(async move {
        let (client, connection) = config.connect(NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    })
}

fn connect_encrypted(config: &Config) -> Result<Client> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_platform_verifier())
        .map_err(|error| StoreError::Server {
            problem: format!("encryption cannot be set up: {error}"),
            code: Some("tls".into()),
        })?
        .with_no_client_auth();
    let config = config.clone();
    run_on_network_thread(async move {
        let (client, connection) = config.connect(MakeRustlsConnect::new(tls)).await?;
        tokio::spawn(connection);
        Ok(client)
    })
}

/// Runs `work` on the thread that moves bytes between connections and the network, whichever runtime, or none, the caller
/// has.
fn run_on_network_thread<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        Builder::new_multi_thread().worker_threads(1).thread_name("postgres").enable_all().build().ok()
    });
    let runtime = runtime.as_ref().ok_or_else(|| StoreError::Server {
        problem: "the thread that serves connections could not be started".into(),
        code: Some("client".into()),
    })?;
    // Not through tokio's own handle: inside a task its cooperative budget stops waking the caller.
    let (done, answer) = mpsc::sync_channel(1);
    runtime.spawn(async move {
        let silent = |_| StoreError::Server {
            problem: format!("no answer within {} s", CONNECT_TIMEOUT.as_secs()),
            code: None,
        };
        done.send(tokio::time::timeout(CONNECT_TIMEOUT, work).await.map_err(silent).flatten())
    });
    answer.recv().map_err(|_| StoreError::Closed)?
}

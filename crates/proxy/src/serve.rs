//! Binds the address, accepts connections, and stops without losing what has passed.

use crate::{
    capture::HeldBudget,
    context::ContextSource,
    counts::ProxyCounts,
    exchange::KnownAnswers,
    failure::ProxyError,
    forward::{ProxyState, forward},
    recorder::{RecordingSetup, start_recorder},
    settings::ProxySettings,
    upstream::upstream_client,
};
use cairn_engine::{Home, limits::MAX_PROXY_HELD_BYTES};
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, oneshot},
    time::timeout,
};
use tokio_io_timeout::TimeoutStream;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Connections open at the same time; further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 1_024;
/// How long a client may take to send the head of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// Read buffer of one connection.
const MAX_BUFFER_BYTES: usize = 256 << 10;
/// How long a proxy that is stopping waits for answers that are under way,
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// and, for a memory that is away, to record them.
const RECORD_TIMEOUT: Duration = Duration::from_secs(5);
const ACCEPT_RETRY_AFTER: Duration = Duration::from_millis(50);

/// The result of a proxy that was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxySummary {
    /// Exchanges that are recorded.
    pub recorded: u64,
    /// Exchanges that are not.
    pub lost: u64,
}

/// Stands before a provider until `stop` resolves. The memory need not be there for it.
pub async fn serve_proxy(
    home: Home,
    settings: ProxySettings,
    stop: impl Future<Output = ()>,
    started: impl FnOnce(SocketAddr),
) -> Result<ProxySummary, ProxyError> {
    if !settings.address.ip().is_loopback() {
        return Err(ProxyError::Exposed(settings.address));
    }
    let failed = |source| ProxyError::Bind { address: settings.address, source };
    let listener = TcpListener::bind(settings.address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    if settings.upstreams.leads_to(address) {
        return Err(ProxyError::Itself(address));
    }
    let (counts, known) = (Arc::new(ProxyCounts::default()), Arc::new(KnownAnswers::default()));
    let (budget, give_up) = (HeldBudget::new(MAX_PROXY_HELD_BYTES), CancellationToken::new());
    let (recorder, finished) = start_recorder(RecordingSetup {
        home: home.clone(),
        counts: Arc::clone(&counts),
        budget: budget.clone(),
        known: Arc::clone(&known),
        body_bytes: settings.config.body_bytes,
        stopping: give_up.clone(),
    })?;
    let contexts = ContextSource::new(home.clone(), settings.config.clone(), Arc::clone(&counts), known);
    let client = upstream_client()?;
    let state = Arc::new(ProxyState {
        home,
        settings,
        client,
        recorder,
        contexts,
        counts: Arc::clone(&counts),
        budget,
    });
    started(address);
    tracing::info!(%address, upstreams = %state.settings.upstreams, "listening");

    let (connections, stopping) = (TaskTracker::new(), CancellationToken::new());
    accept_until(stop, &listener, state, &connections, &stopping).await;
    drop(listener);
    tracing::info!("stopping");
    stopping.cancel();
    connections.close();
    if timeout(SHUTDOWN_TIMEOUT, connections.wait()).await.is_err() {
        tracing::warn!("stopped with answers still under way");
    }
    wait_for_recorder(finished, &give_up).await;
    let summary = ProxySummary {
        recorded: counts.recorded.load(std::sync::atomic::Ordering::Relaxed),
        lost: counts.lost() + counts.waiting(),
    };
    tracing::info!(recorded = summary.recorded, not_recorded = summary.lost, "stopped");
    Ok(summary)
}

/// Waits until everything that passed is recorded. A memory that is away is waited for, but not for long.
async fn wait_for_recorder(mut recorded: oneshot::Receiver<()>, give_up: &CancellationToken) {
    if timeout(RECORD_TIMEOUT, &mut recorded).await.is_err() {
        give_up.cancel();
        let _ = timeout(RECORD_TIMEOUT, recorded).await;
    }
}

async fn accept_until(
    stop: impl Future<Output = ()>,
    listener: &TcpListener,
    state: Arc<ProxyState>,
    connections: &TaskTracker,
    stopping: &CancellationToken,
) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    tokio::pin!(stop);
    loop {
        let next = async {
            let permit = Arc::clone(&permits).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (accepted, permit) = tokio::select! {
            () = &mut stop => return,
            next = next => next,
        };
        match accepted {
            Ok((stream, _)) => {
                let connection = serve_connection(stream, Arc::clone(&state), stopping.clone());
                connections.spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
            Err(error) => {
                // Usually too many open files, which passes as connections end.
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(ACCEPT_RETRY_AFTER).await;
            }
        }
    }
}

/// Serves the requests of one connection. When the proxy stops, the answer under way is finished, within the time that there is,
/// and no other begun.
async fn serve_connection(stream: TcpStream, state: Arc<ProxyState>, stopping: CancellationToken) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(Duration::from_secs(state.settings.config.idle_seconds)));
    let answer = service_fn(move |request: Request<Incoming>| {
        let state = Arc::clone(&state);
        async move { Ok::<_, Infallible>(forward(&state, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_BUFFER_BYTES)
        .preserve_header_case(true)
        .auto_date_header(false)
        .serve_connection(TokioIo::new(Box::pin(stream)), answer)
        .with_upgrades();
    tokio::pin!(connection);
    // A connection that breaks off concerns only its client.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = timeout(SHUTDOWN_TIMEOUT, connection).await;
        }
    }
}

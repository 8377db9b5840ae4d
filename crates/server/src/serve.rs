//! Locks the home, binds the address, accepts connections, and shuts down without losing anything acknowledged.

#[cfg(unix)]
use crate::hook_socket;
use crate::{ServeError, ServerSettings, home_lock::HomeLock, http::router::router, state::ServerState};
use axum::{Router, extract::ConnectInfo};
use cairn_domain::HandoffReason;
use cairn_engine::Home;
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{future::Future, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_io_timeout::TimeoutStream;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt as _;

/// Connections open at the same time; further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 1_024;
/// How long a client may take to send the head of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// Read buffer of one connection.
const MAX_BUFFER_BYTES: usize = 64 << 10;
/// How long a client may leave what it is sent unread.
const WRITE_TIMEOUT: Duration = Duration::from_mins(1);
/// How long a server that is stopping waits for requests in flight.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
const ACCEPT_RETRY_AFTER: Duration = Duration::from_millis(50);

/// A server that has started.
#[derive(Debug, Clone)]
pub struct Started {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether there are keys or were; without any, only this machine may call the agent operations, and nobody the
    /// operator's.
    pub keys: bool,
}

/// Serves a home until `stop` resolves. Every acknowledged write is durable, whenever that is.
pub async fn serve(
    home: Home,
    settings: ServerSettings,
    stop: impl Future<Output = ()>,
    started: impl FnOnce(&Started),
) -> Result<(), ServeError> {
    let lock = HomeLock::acquire(home.path())?;
    let stopping = CancellationToken::new();
    let app = ServerState::new(home, &settings, stopping.clone());
    let keys = app.keys.any().await?;
    if !app.keys.any_live().await? && !settings.address.ip().is_loopback() {
        return Err(ServeError::NoKey(settings.address));
    }
    let failed = |source| ServeError::Bind { address: settings.address, source };
    let listener = TcpListener::bind(settings.address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    // The address only helps whoever finds the home locked; serving goes on without it.
    let _ = lock.record_address(Some(address));
    let (router, connections) = (router(&app), TaskTracker::new());
    #[cfg(unix)]
    serve_hooks(&app, &connections, &stopping);
    started(&Started { address, keys });
    tracing::info!(%address, keys, "listening");

    let acceptor =
        Acceptor { listener, router, connections: connections.clone(), stopping: stopping.clone() };
    acceptor.accept_until(stop).await;
    tracing::info!("stopping");
    drop(acceptor);
    let _ = lock.record_address(None);
    stopping.cancel();
    connections.close();
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, connections.wait()).await.is_err() {
        tracing::warn!("stopped with requests still in flight");
    }
    for (_, open_agent) in app.agents.list_open() {
        let _ = open_agent.agent.write_latest_handoff(HandoffReason::Shutdown).await;
        let _ = open_agent.agent.tidy_up().await;
    }
    drop(lock);
    Ok(())
}

/// Listens for hooks. Not every file system has sockets; without one, each hook opens the memory by itself.
#[cfg(unix)]
fn serve_hooks(app: &Arc<ServerState>, connections: &TaskTracker, stopping: &CancellationToken) {
    match hook_socket::HookSocket::bind(app.home.path()) {
        Ok(socket) => {
            connections.spawn(socket.accept_until_stopped(
                Arc::clone(app),
                connections.clone(),
                stopping.clone(),
            ));
            tokio::spawn(hook_socket::warm_up(Arc::clone(app)));
        }
        Err(error) => tracing::warn!(%error, "no socket for hooks: each opens the memory by itself"),
    }
}

/// Accepts connections and serves each in a task of its own.
struct Acceptor {
    listener: TcpListener,
    router: Router,
    connections: TaskTracker,
    stopping: CancellationToken,
}

impl Acceptor {
    async fn accept_until(&self, stop: impl Future<Output = ()>) {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        tokio::pin!(stop);
        loop {
            let next = async {
                let permit = Arc::clone(&permits).acquire_owned().await;
                (self.listener.accept().await, permit)
            };
            let (accepted, permit) = tokio::select! {
                () = &mut stop => return,
                next = next => next,
            };
            match accepted {
                Ok((stream, from)) => {
                    let connection =
                        serve_connection(stream, from, self.router.clone(), self.stopping.clone());
                    self.connections.spawn(async move {
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
}

/// Serves the requests of one connection. When the server stops, the request in flight is finished and no other begun. A
/// client that is slow to send or to read is disconnected.
async fn serve_connection(stream: TcpStream, from: SocketAddr, router: Router, stopping: CancellationToken) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIMEOUT));
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(from));
        router.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_BUFFER_BYTES)
        .serve_connection(TokioIo::new(Box::pin(stream)), answer)
        .with_upgrades();
    tokio::pin!(connection);
    // A connection that breaks off concerns only its client.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

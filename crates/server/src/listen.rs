//! Holding the home, binding, letting connections in, and going down without losing anything.

#[cfg(unix)]
use crate::hooks;
use crate::{ServeError, Settings, app::App, hold::Hold};
use axum::{Router, extract::ConnectInfo};
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

/// Connections at the same time; further ones wait to be let in.
const CONNECTIONS: usize = 1_024;
/// How long a client may take to say what it wants.
const HEAD_WITHIN: Duration = Duration::from_secs(15);
/// Bytes that one connection may keep waiting.
const BUFFER: usize = 64 << 10;
/// How long a client may take to take what it is sent.
const TAKEN_WITHIN: Duration = Duration::from_mins(1);
/// How long requests that are under way are waited for when the server goes down.
const FINISH_WITHIN: Duration = Duration::from_secs(10);

/// A server that runs.
#[derive(Debug, Clone)]
pub struct Started {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether there are keys; without, only the agent surface is open, to this machine.
    pub keys: bool,
}

/// Serves a home until `stop` comes. Every acknowledged write is durable whenever that is.
pub async fn serve(
    home: Home,
    settings: Settings,
    stop: impl Future<Output = ()>,
    started: impl FnOnce(&Started),
) -> Result<(), ServeError> {
    let hold = Hold::take(home.path())?;
    let stopping = CancellationToken::new();
    let app = App::new(home, &settings, stopping.clone());
    let keys = app.keys.any().await?;
    if !keys && !settings.address.ip().is_loopback() {
        return Err(ServeError::Open(settings.address));
    }
    let failed = |source| ServeError::Bind { address: settings.address, source };
    let listener = TcpListener::bind(settings.address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    // Others are told who is here; that they cannot be is no reason not to be.
    let _ = hold.tell(Some(address));
    let (router, connections) = (app.router(), TaskTracker::new());
    #[cfg(unix)]
    attend_hooks(&app, &connections, &stopping);
    started(&Started { address, keys });
    tracing::info!(%address, keys, "listening");

    accept(&listener, &router, (&connections, &stopping), stop).await;
    tracing::info!("going down");
    drop(listener);
    let _ = hold.tell(None);
    stopping.cancel();
    connections.close();
    if tokio::time::timeout(FINISH_WITHIN, connections.wait()).await.is_err() {
        tracing::warn!("some requests were still under way");
    }
    for (_, kept) in app.agents.all() {
        let _ = kept.agent.tidy_up().await;
    }
    drop(hold);
    Ok(())
}

/// Lets hooks in. Without a socket, which not every file system has, they do their work alone.
#[cfg(unix)]
fn attend_hooks(app: &Arc<App>, connections: &TaskTracker, stopping: &CancellationToken) {
    match hooks::Door::open(app.home.path()) {
        Ok(door) => {
            connections.spawn(door.attend(Arc::clone(app), connections.clone(), stopping.clone()));
            tokio::spawn(hooks::warm_up(Arc::clone(app)));
        }
        Err(error) => tracing::warn!(%error, "no socket for hooks: they do their work alone"),
    }
}

async fn accept(
    listener: &TcpListener,
    router: &Router,
    (connections, stopping): (&TaskTracker, &CancellationToken),
    stop: impl Future<Output = ()>,
) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    tokio::pin!(stop);
    loop {
        let let_in = async {
            let permit = Arc::clone(&room).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (accepted, permit) = tokio::select! {
            () = &mut stop => return,
            let_in = let_in => let_in,
        };
        match accepted {
            Ok((stream, from)) => {
                let connection = answer(stream, from, router.clone(), stopping.clone());
                connections.spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
            Err(error) => {
                // As a rule there are too many open files: what is open ends sooner or later.
                tracing::warn!(%error, "a connection could not be let in");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Answers the requests of one connection; when the server goes down, the one that is under way and no other. Whoever is
/// slow to ask, or does not take its answers, is let go.
async fn answer(stream: TcpStream, from: SocketAddr, router: Router, stopping: CancellationToken) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(TAKEN_WITHIN));
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(from));
        router.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(Box::pin(stream)), answer)
        .with_upgrades();
    tokio::pin!(connection);
    // One that breaks off is its own affair.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

//! Answers the hooks of coding agents on this machine over a Unix socket in the home: here the memory is open already and the
//! model is loaded. Only processes of the same user are served; a hook that is refused does the work by itself.

use crate::{metrics, state::ServerState};
use cairn_engine::{Briefing, Effects, Missing};
use cairn_hook::{Ask, Event, Host, Input, Reply};
use std::{
    fs, io,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{UnixListener, UnixStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Hooks answered at the same time; further ones wait to be accepted.
const MAX_CONCURRENT_HOOKS: usize = 16;
/// How long a hook may take to send its request, and to read the answer.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(5);
const ACCEPT_RETRY_AFTER: Duration = Duration::from_millis(50);
const MAX_REQUEST_BYTES: u64 = 33 << 20;

/// The socket; its file is removed when this is dropped.
pub(crate) struct HookSocket {
    listener: UnixListener,
    path: PathBuf,
    owner: u32,
}

impl HookSocket {
    /// Binds the socket. A file that a killed server left behind is removed first, which is safe because the home is locked.
    pub(crate) fn bind(home: &Path) -> io::Result<Self> {
        let path = cairn_hook::socket(home);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        let owner = fs::metadata(&path)?.uid();
        Ok(Self { listener, path, owner })
    }

    /// Serves hooks until the server stops.
    pub(crate) async fn accept_until_stopped(
        self,
        app: Arc<ServerState>,
        connections: TaskTracker,
        stopping: CancellationToken,
    ) {
        let permits = Arc::new(Semaphore::new(MAX_CONCURRENT_HOOKS));
        loop {
            let next = async {
                let permit = Arc::clone(&permits).acquire_owned().await;
                (self.listener.accept().await, permit)
            };
            let (accepted, permit) = tokio::select! {
                () = stopping.cancelled() => return,
                next = next => next,
            };
            let Ok((stream, _)) = accepted else {
                tokio::time::sleep(ACCEPT_RETRY_AFTER).await;
                continue;
            };
            let app = Arc::clone(&app);
            if stream.peer_cred().is_ok_and(|peer| peer.uid() == self.owner) {
                connections.spawn(async move {
                    // A hook whose connection breaks off does the work by itself.
                    let _ = serve_connection(&app, stream).await;
                    drop(permit);
                });
            }
        }
    }
}

impl Drop for HookSocket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Opens the default agent and loads what its questions need, so that the first hook does not wait.
pub(crate) async fn warm_up(app: Arc<ServerState>) {
    if let Ok(open_agent) = app.agents.open(&app.agent, Missing::Refuse).await {
        let query = Some("what was said before?".to_owned());
        let _ = open_agent
            .agent
            .context(&Briefing { query, tokens: 100, ..Briefing::default() }, Effects::None)
            .await;
    }
}

async fn serve_connection(app: &ServerState, mut stream: UnixStream) -> io::Result<()> {
    let mut request = Vec::new();
    let (mut reader, mut writer) = stream.split();
    let mut reader = (&mut reader).take(MAX_REQUEST_BYTES);
    tokio::time::timeout(TRANSFER_TIMEOUT, reader.read_to_end(&mut request)).await??;
    let reply = match serde_json::from_slice(&request) {
        Ok(ask) => answer(app, &ask).await,
        Err(error) => Reply::Refused(error.to_string()),
    };
    let bytes = serde_json::to_vec(&reply)?;
    tokio::time::timeout(TRANSFER_TIMEOUT, writer.write_all(&bytes)).await??;
    writer.shutdown().await
}

async fn answer(app: &ServerState, ask: &Ask) -> Reply {
    let begun = Instant::now();
    let refused = |why: &str| Reply::Refused(why.to_owned());
    if ask.version != app.version {
        return refused("the server is another version");
    }
    if ask.database != app.home.server().map(ToString::to_string) {
        return refused("the server keeps its agents elsewhere");
    }
    let read =
        (ask.host.parse::<Host>(), ask.event.parse::<Event>(), Input::parse(ask.input.get().as_bytes()));
    let (Ok(host), Ok(event), Ok(input)) = read else {
        return refused("this is not the input of a hook");
    };
    // A relative path means something else in the server's working directory.
    let is_relative =
        |path: &Option<String>| path.as_deref().is_some_and(|path| !Path::new(path).is_absolute());
    if is_relative(&input.transcript_path) || is_relative(&input.agent_transcript_path) {
        return refused("the transcript's path is not absolute");
    }
    let answered = async {
        let open_agent = app.agents.open(&ask.agent, Missing::Create).await?;
        let answer = cairn_hook::answer(&open_agent.agent, (host, event), &input, ask.at).await;
        open_agent.worker.wake();
        answer
    };
    match answered.await {
        Ok(answer) => {
            metrics::record_hook(event.as_str(), begun.elapsed());
            Reply::Answer(answer)
        }
        Err(error) => Reply::Refused(error.to_string()),
    }
}

//! Hooks of coding agents on this machine, asked over a socket in the home: the memory is open already here, and the model
//! is loaded. Only processes of the same user are listened to; whoever is refused does the work alone.

use crate::{app::App, meter};
use cairn_engine::{Briefing, Missing};
use cairn_hook::{Ask, Event, Input, Reply};
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

/// Hooks that are answered at the same time; further ones wait to be let in.
const AT_ONCE: usize = 16;
/// How long a hook may take to say what it wants, and to take its answer.
const SAID_WITHIN: Duration = Duration::from_secs(5);
/// The most that one may say.
const ASK_BYTES: u64 = 33 << 20;

/// The socket; its file goes when this does.
pub(crate) struct Door {
    listener: UnixListener,
    path: PathBuf,
    owner: u32,
}

impl Door {
    /// Opens it. Whoever holds the home may take away what a server that was killed has left there.
    pub(crate) fn open(home: &Path) -> io::Result<Self> {
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

    /// Lets hooks in until the server goes down.
    pub(crate) async fn attend(self, app: Arc<App>, answering: TaskTracker, stopping: CancellationToken) {
        let room = Arc::new(Semaphore::new(AT_ONCE));
        loop {
            let let_in = async {
                let permit = Arc::clone(&room).acquire_owned().await;
                (self.listener.accept().await, permit)
            };
            let (accepted, permit) = tokio::select! {
                () = stopping.cancelled() => return,
                let_in = let_in => let_in,
            };
            let Ok((stream, _)) = accepted else {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let app = Arc::clone(&app);
            if stream.peer_cred().is_ok_and(|peer| peer.uid() == self.owner) {
                answering.spawn(async move {
                    // One that breaks off does the work itself.
                    let _ = converse(&app, stream).await;
                    drop(permit);
                });
            }
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Opens the agent that is asked most likely and loads what its questions need, so that the first hook does not wait.
pub(crate) async fn warm_up(app: Arc<App>) {
    if let Ok(kept) = app.agents.open(&app.agent, Missing::Refuse).await {
        let query = Some("what was said before?".to_owned());
        let _ = kept.agent.brief(&Briefing { query, tokens: 100, ..Briefing::default() }).await;
    }
}

async fn converse(app: &App, mut stream: UnixStream) -> io::Result<()> {
    let mut told = Vec::new();
    let (mut reader, mut writer) = stream.split();
    let mut reader = (&mut reader).take(ASK_BYTES);
    tokio::time::timeout(SAID_WITHIN, reader.read_to_end(&mut told)).await??;
    let reply = match serde_json::from_slice(&told) {
        Ok(ask) => answer(app, &ask).await,
        Err(error) => Reply::Refused(error.to_string()),
    };
    let bytes = serde_json::to_vec(&reply)?;
    tokio::time::timeout(SAID_WITHIN, writer.write_all(&bytes)).await??;
    writer.shutdown().await
}

async fn answer(app: &App, ask: &Ask) -> Reply {
    let begun = Instant::now();
    let refused = |why: &str| Reply::Refused(why.to_owned());
    if ask.version != app.version {
        return refused("this is another version");
    }
    if ask.database != app.home.server().map(ToString::to_string) {
        return refused("agents are kept elsewhere");
    }
    let (Ok(event), Ok(input)) = (ask.event.parse::<Event>(), Input::parse(ask.input.get().as_bytes()))
    else {
        return refused("this is no hook's input");
    };
    // A path from where the hook stands leads elsewhere from here.
    if input.transcript_path.as_deref().is_some_and(|path| !Path::new(path).is_absolute()) {
        return refused("the transcript's path is not absolute");
    }
    let answered = async {
        let kept = app.agents.open(&ask.agent, Missing::Create).await?;
        let answer = cairn_hook::answer(&kept.agent, event, &input).await;
        kept.tender.wake();
        answer
    };
    match answered.await {
        Ok(answer) => {
            meter::hook(event.as_str(), begun.elapsed());
            Reply::Answer(answer)
        }
        Err(error) => Reply::Refused(error.to_string()),
    }
}

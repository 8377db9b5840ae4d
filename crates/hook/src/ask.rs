//! Asking a server of the same home, so that nothing has to be opened and the question is understood by its meaning, too.
//! The door is a socket in the home that only its owner may use. Whoever does not answer, or not as agreed, is not asked
//! twice: the hook does the work itself.

use crate::{Event, Host};
use cairn_domain::{AgentName, Time};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};
use std::path::{Path, PathBuf};

/// The socket's name in the home.
const SOCKET: &str = "hook.sock";

/// A request to the server: one JSON value, after which the stream ends.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ask {
    /// Which Cairn asks: another one may mean something else.
    pub version: String,
    /// The database that keeps the agents, if one does; nobody may answer out of another.
    pub database: Option<String>,
    /// Whose memory.
    pub agent: AgentName,
    /// The name of the program that called the hook.
    pub host: String,
    /// The name of the event.
    pub event: String,
    /// When the host called the hook.
    pub at: Time,
    /// The host's input.
    pub input: Box<RawValue>,
}

/// The server's reply, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// The answer for the host, if there is something to say.
    #[serde(rename = "answer")]
    Answer(Option<Value>),
    /// Why not; the hook does the work itself.
    #[serde(rename = "refused")]
    Refused(String),
}

impl Ask {
    /// The request about an event at a time.
    pub fn new(
        version: &str,
        database: Option<String>,
        agent: AgentName,
        (host, event): (Host, Event),
        at: Time,
        input: &str,
    ) -> Option<Self> {
        let version = version.to_owned();
        let (host, event) = (host.as_str().to_owned(), event.as_str().to_owned());
        let input = RawValue::from_string(input.to_owned()).ok()?;
        Some(Self { version, database, agent, host, event, at, input })
    }
}

/// Where the server of a home listens for hooks.
pub fn socket(home: &Path) -> PathBuf {
    home.join(SOCKET)
}

/// Asks the server of a home. `None` if there is none, or it does not answer in time.
#[cfg(unix)]
pub fn ask(home: &Path, ask: &Ask, within: std::time::Duration) -> Option<Reply> {
    use std::{
        io::{Read, Write},
        net::Shutdown,
        os::unix::net::UnixStream,
        time::Instant,
    };
    let begun = Instant::now();
    let mut stream = UnixStream::connect(socket(home)).ok()?;
    stream.set_write_timeout(Some(within)).ok()?;
    stream.write_all(&serde_json::to_vec(ask).ok()?).ok()?;
    stream.shutdown(Shutdown::Write).ok()?;
    let left = within.checked_sub(begun.elapsed()).filter(|left| !left.is_zero())?;
    stream.set_read_timeout(Some(left)).ok()?;
    let mut bytes = Vec::new();
    stream.take(cairn_engine::limits::MAX_HOOK_REPLY_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Elsewhere there is no such socket.
#[cfg(not(unix))]
pub fn ask(_: &Path, _: &Ask, _: std::time::Duration) -> Option<Reply> {
    None
}

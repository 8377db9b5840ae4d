//! Peers: homes elsewhere that an agent's questions are put to over HTTP, too. What a peer gives is quoted with the peer's name and never
//! becomes the reader's own; a peer that does not answer in time is left out, and not asked again for a while.

use cairn_domain::AgentName;
use cairn_models::{PeerEndpoint, Secret};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Peers of one home, at most.
pub(crate) const MAX_PEERS: usize = 8;
/// Milliseconds that a peer may be given.
pub(crate) const MAX_WAIT_MS: u64 = 10_000;
/// How long a peer that did not answer is not asked again.
const AWAY_FOR: Duration = Duration::from_secs(30);

/// A home elsewhere that is asked, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeerConfig {
    /// Its name here, which stands before what it gives.
    pub name: AgentName,
    /// The address of its server.
    pub url: String,
    /// The agent of that home that is asked, and whose key is shown.
    #[serde(default = "main_agent")]
    pub agent: AgentName,
    /// The environment variable that holds the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The agents of this home whose questions are put to it; all if none is named.
    #[serde(default)]
    pub readers: Vec<AgentName>,
    /// Highest trust that its memories get, 0 to 1.
    #[serde(default = "half")]
    pub trust_at_most: f64,
    /// How long an answer waits for it.
    #[serde(default = "usual_wait")]
    pub within_ms: u64,
}

fn main_agent() -> AgentName {
    "main".parse().expect("a name")
}

fn half() -> f64 {
    0.5
}

fn usual_wait() -> u64 {
    300
}

impl PeerConfig {
    /// The reason for which it is refused, if there is one.
    pub(crate) fn problem(&self) -> Option<String> {
        let unfit = |problem: &str| Some(format!("peer {}: {problem}", self.name));
        if self.url.contains('@') {
            return unfit("url: it holds a key; put that in an environment variable and name it in key_env");
        }
        if !(0.0..=1.0).contains(&self.trust_at_most) {
            return unfit("trust_at_most: give a number from 0 to 1");
        }
        if !(1..=MAX_WAIT_MS).contains(&self.within_ms) {
            return unfit(&format!("within_ms: give 1 to {MAX_WAIT_MS}"));
        }
        self.open(None).err().and_then(|problem| unfit(&problem))
    }

    fn open(&self, key: Option<Secret>) -> std::result::Result<PeerEndpoint, String> {
        let path = ["v1", "agents", &self.agent.to_string(), "recall"];
        PeerEndpoint::new(&self.url, &path, key, Duration::from_millis(self.within_ms))
            .map_err(|error| error.to_string())
    }
}

/// The reason for which the peers of a configuration are refused, if there is one.
pub(crate) fn peers_problem(peers: &[PeerConfig]) -> Option<String> {
    if peers.len() > MAX_PEERS {
        return Some(format!("there are more than {MAX_PEERS} peers"));
    }
    let twice =
        peers.iter().enumerate().find(|(at, peer)| peers[..*at].iter().any(|it| it.name == peer.name));
    if let Some((_, peer)) = twice {
        return Some(format!("two peers are called {}", peer.name));
    }
    peers.iter().find_map(PeerConfig::problem)
}

/// A peer that can be asked.
pub(crate) struct Peer {
    pub(crate) config: PeerConfig,
    endpoint: std::result::Result<PeerEndpoint, String>,
    away_since: Mutex<Option<Instant>>,
}

impl Peer {
    /// A peer; `secret` knows the value of an environment variable.
    pub(crate) fn new(config: &PeerConfig, secret: &dyn Fn(&str) -> Option<String>) -> Self {
        let key = config.key_env.as_deref().and_then(secret).map(Secret::new);
        Self { config: config.clone(), endpoint: config.open(key), away_since: Mutex::default() }
    }

    /// Whether the questions of an agent are put to it.
    pub(crate) fn is_asked_by(&self, reader: &AgentName) -> bool {
        self.config.readers.is_empty() || self.config.readers.contains(reader)
    }

    /// Its answer to a question; none if it is away.
    pub(crate) async fn ask(&self, question: &Value) -> Option<Value> {
        if self.is_away() {
            return None;
        }
        let endpoint = self.endpoint.as_ref().ok()?;
        let answer = endpoint.ask(question).await.ok();
        let away = answer.is_none().then(Instant::now);
        *self.away_since.lock().unwrap_or_else(PoisonError::into_inner) = away;
        answer
    }

    fn is_away(&self) -> bool {
        let since = *self.away_since.lock().unwrap_or_else(PoisonError::into_inner);
        since.is_some_and(|since| since.elapsed() < AWAY_FOR)
    }
}

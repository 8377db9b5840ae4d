//! Where a server is and how it is reached.

use super::postgres::Link;
use crate::{Result, StoreError};
use futures_executor::block_on;
use rustls_platform_verifier::BuilderVerifierExt;
use std::{
    error::Error,
    fmt,
    future::Future,
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{
    Client, Config, NoTls,
    config::{Host, SslMode},
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long reaching a server may take, until it has said that it is ready.
const REACH: Duration = Duration::from_secs(10);
/// A connection that stays silent for so long while it should answer is given up.
const SILENCE: Duration = Duration::from_mins(1);

/// How long a server that is gone is waited for, and a connection while all are in use.
const PATIENCE: Duration = Duration::from_mins(1);
/// Connections of a process to one server.
const MOST: usize = 32;

/// A PostgreSQL server and the database on it.
pub struct Server {
    url: String,
    config: Config,
    partitions: Option<u32>,
    /// A schema that is taken away with this.
    scratch: Option<String>,
    pool: Mutex<Pool>,
    returned: Condvar,
}

/// The connections of this process, shared by all its agents.
#[derive(Default)]
struct Pool {
    idle: Vec<Link>,
    /// How many are in use.
    out: usize,
}

impl Server {
    /// The server that `url` names: `postgres://user:password@host:port/database?sslmode=…`. With `partitions`, an empty
    /// database gets its tables in that many parts.
    pub fn new(url: &str, partitions: Option<u32>) -> Result<Self> {
        // A certificate is always checked, host name and all.
        let spelled = url
            .replace("sslmode=verify-full", "sslmode=require")
            .replace("sslmode=verify-ca", "sslmode=require");
        let mut config: Config =
            spelled.parse().map_err(|error: tokio_postgres::Error| StoreError::Refused {
                // The cause names the option at fault and never its value.
                problem: format!(
                    "the address of the database cannot be read: {}",
                    error.source().map_or_else(|| error.to_string(), ToString::to_string)
                ),
                hint:
                    "write postgres://user:password@host:port/database; sslmode is disable, prefer or require"
                        .into(),
            })?;
        if config.get_hosts().is_empty() {
            config.host("localhost");
        }
        if config.get_application_name().is_none() {
            config.application_name("cairn");
        }
        config.connect_timeout(*config.get_connect_timeout().unwrap_or(&REACH));
        config.tcp_user_timeout(*config.get_tcp_user_timeout().unwrap_or(&SILENCE));
        config.keepalives_idle(SILENCE);
        let (pool, returned) = Default::default();
        Ok(Self { url: url.to_owned(), config, partitions, scratch: None, pool, returned })
    }

    /// The address, password and all: to be handed to another process, never to be shown.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The same database with room of its own for measurements and tests: a new schema, which is taken away when the last
    /// handle is dropped.
    pub fn scratch(&self, partitions: Option<u32>) -> Result<Self> {
        let client = self.client()?;
        let name = "SELECT 'cairn_scratch_' || replace(CAST(gen_random_uuid() AS TEXT), '-', '')";
        let name: String = block_on(client.query_one(name, &[]))?.try_get(0)?;
        block_on(client.batch_execute(&format!("CREATE SCHEMA {name}")))?;
        let and = if self.url.contains('?') { '&' } else { '?' };
        let url = format!("{}{and}options=-csearch_path%3D{name}%2Cpublic", self.url);
        let mut server = Self::new(&url, partitions)?;
        server.scratch = Some(name);
        Ok(server)
    }

    /// How many parts the tables of an empty database are made in.
    pub(super) fn partitions(&self) -> Option<u32> {
        self.partitions
    }

    /// A connection that nobody uses, or a new one. With `patience`, a server that is gone is waited for.
    pub(super) fn take(&self, patience: bool) -> Result<Link> {
        let mut pool = lock(&self.pool);
        loop {
            while let Some(link) = pool.idle.pop() {
                if !link.is_closed() {
                    pool.out += 1;
                    return Ok(link);
                }
            }
            if pool.out < MOST {
                break;
            }
            let waited = self.returned.wait_timeout(pool, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            pool = waited.0;
            if waited.1.timed_out() {
                let problem = format!("all {MOST} connections of this process have been in use for a minute");
                return Err(StoreError::Server { problem, code: Some("53300".into()) });
            }
        }
        pool.out += 1;
        drop(pool);
        let made = self.new_link(patience);
        if made.is_err() {
            self.give_back(None);
        }
        made
    }

    /// Takes a connection back; one that is not worth keeping is closed.
    pub(super) fn give_back(&self, link: Option<Link>) {
        let mut pool = lock(&self.pool);
        pool.out = pool.out.saturating_sub(1);
        pool.idle.extend(link.filter(|link| !link.is_closed()));
        self.returned.notify_one();
    }

    fn new_link(&self, patience: bool) -> Result<Link> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(5);
        loop {
            match self.client().and_then(Link::new) {
                Err(error) if patience && error.is_lost() && begun.elapsed() < PATIENCE => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_secs(1));
                }
                made => return made,
            }
        }
    }

    /// A connection. Without a word about encryption in the address it is encrypted if the server can do that and has a
    /// certificate that this machine believes.
    pub(super) fn client(&self) -> Result<Client> {
        let connected = match self.config.get_ssl_mode() {
            SslMode::Disable => Self::plain(&self.config),
            SslMode::Prefer => self.encrypted_or_plain(),
            _ => self.encrypted(),
        };
        connected.map_err(|error| error.at(self))
    }

    fn encrypted_or_plain(&self) -> Result<Client> {
        let begun = Instant::now();
        let error = match self.encrypted() {
            Err(error) => error,
            connected => return connected,
        };
        let no_trust = error.server_code() == Some("tls");
        // A server that says nothing will not say more without encryption.
        if !no_trust && (!error.is_lost() || begun.elapsed() >= REACH) {
            return Err(error);
        }
        let mut config = self.config.clone();
        config.ssl_mode(SslMode::Disable);
        match Self::plain(&config) {
            // It takes encrypted connections only: then what is wrong with its certificate is what matters.
            Err(refused) if no_trust && refused.server_code() == Some("28000") => Err(error),
            connected => connected,
        }
    }

    fn plain(config: &Config) -> Result<Client> {
        let config = config.clone();
        on_runtime(async move {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(connection);
            Ok(client)
        })
    }

    fn encrypted(&self) -> Result<Client> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_platform_verifier())
            .map_err(|error| StoreError::Server {
                problem: format!("encryption cannot be set up: {error}"),
                code: Some("tls".into()),
            })?
            .with_no_client_auth();
        let config = self.config.clone();
        on_runtime(async move {
            let (client, connection) = config.connect(MakeRustlsConnect::new(tls)).await?;
            tokio::spawn(connection);
            Ok(client)
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(name) = &self.scratch else { return };
        // Best effort: what is left behind is named as what it is.
        let _ = self
            .client()
            .map(|client| block_on(client.batch_execute(&format!("DROP SCHEMA {name} CASCADE"))));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Host, port and database; never user or password.
impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        });
        let hosts: Vec<String> = hosts.collect();
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        write!(f, "{}:{port}/{}", hosts.join(","), self.config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Server({self})")
    }
}

/// Runs `work` where the connections live: on a thread that moves bytes between them and the network, whichever
/// runtime, or none, the callers have.
fn on_runtime<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        Builder::new_multi_thread().worker_threads(1).thread_name("postgres").enable_all().build().ok()
    });
    let runtime = runtime.as_ref().ok_or(StoreError::Closed)?;
    // Not through tokio's own handle: within a task it stops waking after a while, so that others get their turn.
    let (done, answer) = mpsc::sync_channel(1);
    runtime.spawn(async move {
        let silent =
            |_| StoreError::Server { problem: format!("no answer within {} s", REACH.as_secs()), code: None };
        done.send(tokio::time::timeout(REACH, work).await.map_err(silent).flatten())
    });
    answer.recv().map_err(|_| StoreError::Closed)?
}

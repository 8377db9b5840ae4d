//! The address of a PostgreSQL server, and the connections of this process to it.

use super::{
    connect::{CONNECT_TIMEOUT, connect_client},
    pooled::PooledConnection,
};
use crate::{
    error::{Result, StoreError},
    threads::lock,
};
use futures_executor::block_on;
use std::{
    error::Error,
    fmt,
    sync::{Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tokio_postgres::{Config, config::Host};

/// A connection that stays silent this long while an answer is due counts as lost.
const TCP_SILENCE_TIMEOUT: Duration = Duration::from_mins(1);

/// How long to wait for an unreachable server, or for a connection while all are in use.
const CHECKOUT_TIMEOUT: Duration = Duration::from_mins(1);
/// Connections of one process to one server.
const MAX_CONNECTIONS: usize = 32;

/// A database on a PostgreSQL server, with this process's connections to it.
pub struct DatabaseServer {
    url: String,
    config: Config,
    partitions: Option<u32>,
    /// A schema to drop together with this handle.
    scratch: Option<String>,
    pool: Mutex<ConnectionPool>,
    returned: Condvar,
}

/// The connections of this process to one server, shared by all its agents.
#[derive(Default)]
struct ConnectionPool {
    idle: Vec<PooledConnection>,
    /// Connections in use.
    in_use: usize,
}

/// How to treat a server that cannot be reached at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhenUnreachable {
    /// Report it at once.
    Fail,
    /// Keep trying for a while: it may be restarting.
    Wait,
}

impl WhenUnreachable {
    fn retries(self, error: &StoreError) -> bool {
        match self {
            Self::Fail => false,
            Self::Wait => error.is_lost(),
        }
    }
}

impl DatabaseServer {
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
        config.connect_timeout(*config.get_connect_timeout().unwrap_or(&CONNECT_TIMEOUT));
        config.tcp_user_timeout(*config.get_tcp_user_timeout().unwrap_or(&TCP_SILENCE_TIMEOUT));
        config.keepalives_idle(TCP_SILENCE_TIMEOUT);
        let (pool, returned) = Default::default();
        Ok(Self { url: url.to_owned(), config, partitions, scratch: None, pool, returned })
    }

    /// The address, password and all: to be handed to another process, never to be shown.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The same database with a new schema for measurements and tests, dropped together with the handle.
    pub fn scratch(&self, partitions: Option<u32>) -> Result<Self> {
        let client = connect_client(&self.config).map_err(|error| error.at(self))?;
        let name = "SELECT 'cairn_scratch_' || replace(CAST(gen_random_uuid() AS TEXT), '-', '')";
        let name: String = block_on(client.query_one(name, &[]))?.try_get(0)?;
        block_on(client.batch_execute(&format!("CREATE SCHEMA {name}")))?;
        let and = if self.url.contains('?') { '&' } else { '?' };
        let url = format!("{}{and}options=-csearch_path%3D{name}%2Cpublic", self.url);
        let mut server = Self::new(&url, partitions)?;
        server.scratch = Some(name);
        Ok(server)
    }

    /// Partitions per table when the schema is created; `None` for unpartitioned tables.
    pub(super) fn partitions(&self) -> Option<u32> {
        self.partitions
    }

    /// An idle connection, or a new one.
    pub(super) fn checkout(&self, when: WhenUnreachable) -> Result<PooledConnection> {
        let mut pool = lock(&self.pool);
        loop {
            while let Some(pooled) = pool.idle.pop() {
                if !pooled.is_closed() {
                    pool.in_use += 1;
                    return Ok(pooled);
                }
            }
            if pool.in_use < MAX_CONNECTIONS {
                break;
            }
            let waited =
                self.returned.wait_timeout(pool, CHECKOUT_TIMEOUT).unwrap_or_else(PoisonError::into_inner);
            pool = waited.0;
            if waited.1.timed_out() {
                let problem = format!(
                    "all {MAX_CONNECTIONS} connections of this process have been in use for a minute"
                );
                return Err(StoreError::Server { problem, code: Some("53300".into()) });
            }
        }
        pool.in_use += 1;
        drop(pool);
        let made = self.open_connection(when);
        if made.is_err() {
            self.check_in(None);
        }
        made
    }

    /// Returns a connection to the pool; `None` if it was lost or must not be reused.
    pub(super) fn check_in(&self, pooled: Option<PooledConnection>) {
        let mut pool = lock(&self.pool);
        pool.in_use = pool.in_use.saturating_sub(1);
        pool.idle.extend(pooled.filter(|pooled| !pooled.is_closed()));
        self.returned.notify_one();
    }

    fn open_connection(&self, when: WhenUnreachable) -> Result<PooledConnection> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(5);
        loop {
            let client = connect_client(&self.config).map_err(|error| error.at(self));
            match client.and_then(PooledConnection::new) {
                Err(error) if when.retries(&error) && begun.elapsed() < CHECKOUT_TIMEOUT => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_secs(1));
                }
                made => return made,
            }
        }
    }
}

impl Drop for DatabaseServer {
    fn drop(&mut self) {
        let Some(name) = &self.scratch else { return };
        // Best effort: what is left behind is named as what it is.
        let _ = connect_client(&self.config)
            .map(|client| block_on(client.batch_execute(&format!("DROP SCHEMA {name} CASCADE"))));
    }
}

/// Host, port and database; never user or password.
impl fmt::Display for DatabaseServer {
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

impl fmt::Debug for DatabaseServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseServer({self})")
    }
}

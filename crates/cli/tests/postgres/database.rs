//! A database of a test's own, and what somebody with a client for SQL sees in it.

use cairn_testkit::postgres::{TestPostgresServer, url};
use std::{
    process,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// An empty database, gone when the test ends.
pub(crate) struct Database {
    /// Its address, for the role that owns it.
    url: String,
    name: String,
    /// The address of another database on the same server, from which this one is made and taken away.
    beside: String,
}

impl Database {
    /// A database on the server for all tests; none where tests of PostgreSQL are skipped.
    pub(crate) fn new() -> Option<Self> {
        Some(Self::beside(&url()?))
    }

    /// A database on the server of another.
    pub(crate) fn beside(url: &str) -> Self {
        Self::made(url, url, "")
    }

    /// A database without the extension `vector`, which its owner may not add.
    pub(crate) fn bare(server: &TestPostgresServer) -> Self {
        let administrator = address(server.url(), Some("postgres"), "postgres");
        Self::made(server.url(), &administrator, " TEMPLATE template0 OWNER cairn")
    }

    fn made(url: &str, beside: &str, how: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cairn_test_{}_{count}_{:08x}", process::id(), fastrand::u32(..));
        Session::open(beside).done(&format!("CREATE DATABASE {name}{how}"));
        Self { url: address(url, None, &name), name, beside: beside.to_owned() }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Its address for another role; `user` may bring a password.
    pub(crate) fn url_for(&self, user: &str) -> String {
        address(&self.url, Some(user), &self.name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = Session::open(&self.beside).ask(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

/// A server whose administrator, the role `postgres`, a test may be. Tests that run at the same time share it, so that what
/// they change must not reach beyond their own database and roles.
pub(crate) fn administered() -> Option<Arc<TestPostgresServer>> {
    static SHARED: Mutex<Weak<TestPostgresServer>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = shared.upgrade() {
        return Some(server);
    }
    let server = Arc::new(TestPostgresServer::start()?);
    *shared = Arc::downgrade(&server);
    Some(server)
}

/// The address of a database on the same server, perhaps for another user.
pub(crate) fn address(url: &str, user: Option<&str>, database: &str) -> String {
    let (scheme, rest) = url.split_once("://").expect("an address");
    let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
    let server = rest.split('/').next().unwrap_or(rest);
    let (known, host) = server.rsplit_once('@').unwrap_or(("", server));
    let user = user.unwrap_or(known);
    let (at, and) = (if user.is_empty() { "" } else { "@" }, if options.is_empty() { "" } else { "?" });
    format!("{scheme}://{user}{at}{host}/{database}{and}{options}")
}

/// A connection of somebody who is not Cairn.
pub(crate) struct Session {
    runtime: Runtime,
    client: Client,
}

/// The result of a statement: rows as text, or how many it touched.
#[derive(Debug, PartialEq, Eq, Default)]
pub(crate) struct Answer {
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) touched: u64,
}

impl Session {
    pub(crate) fn open(url: &str) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(connection);
            Ok::<Client, tokio_postgres::Error>(client)
        });
        Self { runtime, client: client.unwrap_or_else(|error| panic!("{error}")) }
    }

    /// The result of a statement, or the server's error message.
    pub(crate) fn ask(&self, sql: &str) -> Result<Answer, String> {
        let messages = self.runtime.block_on(self.client.simple_query(sql));
        let complaint = |error: tokio_postgres::Error| match error.as_db_error() {
            Some(said) => said.message().to_owned(),
            None => error.to_string(),
        };
        let mut answer = Answer::default();
        for message in messages.map_err(complaint)? {
            match message {
                SimpleQueryMessage::Row(row) => {
                    let column = |at: usize| row.get(at).unwrap_or("NULL").to_owned();
                    answer.rows.push((0..row.len()).map(column).collect());
                }
                SimpleQueryMessage::CommandComplete(count) => answer.touched = count,
                _ => {}
            }
        }
        Ok(answer)
    }

    /// The result of a statement that must succeed.
    pub(crate) fn done(&self, sql: &str) -> Answer {
        self.ask(sql).unwrap_or_else(|complaint| panic!("{sql}: {complaint}"))
    }

    /// The one value that a statement answers.
    pub(crate) fn value(&self, sql: &str) -> String {
        self.done(sql).rows.pop().and_then(|mut row| row.pop()).unwrap_or_else(|| panic!("{sql}: nothing"))
    }
}

//! The PostgreSQL server that tests meet: the one that `./test` starts for all of them ([`url`]), or one of a test's
//! own that it may crash ([`TestPostgresServer`]).

use crate::SimulatedClock;
use cairn_engine::Home;
use std::{
    env,
    io::{Write, stderr},
    path::Path,
    process::Command,
    sync::{Arc, Once},
};
use tempfile::TempDir;

const VARIABLE: &str = "CAIRN_TEST_DATABASE_URL";

/// The database for the tests: `CAIRN_TEST_DATABASE_URL`. Its role may create databases. Without it a test of
/// PostgreSQL proves nothing, which is said once.
///
/// # Panics
/// If it is missing where `CI` is set: there, nothing may be left out.
pub fn url() -> Option<String> {
    static SAID: Once = Once::new();
    let url = env::var(VARIABLE).ok().filter(|url| !url.is_empty());
    if url.is_none() {
        assert!(
            env::var_os("CI").is_none(),
            "{VARIABLE} is not set, and in CI no test is skipped: run ./test"
        );
        // The test harness swallows what `eprintln!` writes in a test that passes.
        SAID.call_once(|| {
            let _ = writeln!(
                stderr(),
                "\nSKIPPED: tests of PostgreSQL, as {VARIABLE} is not set; ./test starts a server\n"
            );
        });
    }
    url
}

/// Room of its own in the database of [`url`], gone with the last handle.
///
/// # Panics
/// If the server does not answer.
pub fn scratch(partitions: Option<u32>) -> Option<Arc<cairn_store::DatabaseServer>> {
    let server = cairn_store::DatabaseServer::new(&url()?, None).expect("an address");
    Some(Arc::new(server.scratch(partitions).expect("a schema")))
}

/// A home whose agents live in the database of [`url`], in room of their own that is gone with the home.
///
/// # Panics
/// If the server does not answer.
pub fn home(clock: Arc<SimulatedClock>) -> Option<(TempDir, Home)> {
    let url = url()?;
    let folder = tempfile::tempdir().expect("a folder for the test");
    let home = Home::new(folder.path(), Arc::clone(&clock) as _).expect("a home");
    let home = home.with_database(url).and_then(|home| home.elsewhere(folder.path(), clock));
    Some((folder, home.expect("a server that answers")))
}

/// A server of the test's own, which is stopped and removed at the end.
pub struct TestPostgresServer {
    folder: TempDir,
    url: String,
}

impl TestPostgresServer {
    /// A new server; none where tests of PostgreSQL are skipped.
    ///
    /// # Panics
    /// If it does not start, or as [`url`] does.
    pub fn start() -> Option<Self> {
        url()?;
        let folder = tempfile::tempdir().expect("a folder for the server");
        // It is a server already, so that one which started but half is stopped as well.
        let mut server = Self { folder, url: String::new() };
        server.url = server.script("start", None).unwrap_or_else(|error| panic!("{error}"));
        Some(server)
    }

    /// The URL of its database `cairn` for the role `cairn`; for the superuser, the role is `postgres`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Kills all its processes at once (`kill -9`), as a crash would.
    ///
    /// # Panics
    /// If it does not run.
    pub fn kill(&self) {
        self.script("kill", None).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Starts it where it was, after a [`TestPostgresServer::kill`].
    ///
    /// # Panics
    /// If it does not start, or at another port.
    pub fn start_again(&self) {
        let port = self.url.rsplit(':').next().and_then(|rest| rest.split('/').next());
        let url = self.script("start", port).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(url, self.url, "the server came back where it was");
    }

    /// Runs `scripts/postgres`: its standard output, or its standard error if it failed.
    fn script(&self, command: &str, port: Option<&str>) -> Result<String, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/postgres");
        let output = Command::new(script).arg(command).arg(self.folder.path()).args(port).output();
        let output = output.map_err(|error| format!("scripts/postgres: {error}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }
}

impl Drop for TestPostgresServer {
    fn drop(&mut self) {
        if let Err(error) = self.script("stop", None) {
            let _ = writeln!(stderr(), "{error}");
        }
    }
}

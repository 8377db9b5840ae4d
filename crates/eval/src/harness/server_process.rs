//! The real server in a process of its own, for what is measured from outside.

use cairn_engine::Home;
use reqwest::Client;
use serde_json::Value;
use std::{
    io::{self, BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// The program that serves, running; killed when this is dropped.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) url: String,
}

/// A client of the server. Nothing here is encrypted; a client that could be wants to know how all the same.
pub(crate) fn client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().timeout(Duration::from_mins(1)).build().unwrap_or_default()
}

/// A command of `program` on `home`, at the time that it is there.
pub(crate) fn command(program: &Path, home: &Home) -> Command {
    let mut command = command_by_machine_clock(program, home);
    command.env("CAIRN_NOW", home.now().to_string());
    command
}

/// A command of `program` on `home`, by the machine's own clock.
pub(crate) fn command_by_machine_clock(program: &Path, home: &Home) -> Command {
    let mut command = Command::new(program);
    command.arg("--home").arg(home.path());
    command.env_remove("CAIRN_NOW").env("CAIRN_LOG", "error");
    if let Some(server) = home.server() {
        command.env("CAIRN_DATABASE_URL", server.url());
    }
    command
}

impl ServerProcess {
    /// Starts `PROGRAM --json --home HOME serve --port 0`.
    pub(crate) fn start(program: &Path, home: &Home) -> io::Result<Self> {
        Self::serve(command(program, home))
    }

    /// The same, by the machine's own clock.
    pub(crate) fn start_by_machine_clock(program: &Path, home: &Home) -> io::Result<Self> {
        Self::serve(command_by_machine_clock(program, home))
    }

    fn serve(mut command: Command) -> io::Result<Self> {
        command.args(["--json", "serve", "--port", "0"]);
        Self::start_command(command)
    }

    /// Starts a command that prints where it listens, as JSON.
    pub(crate) fn start_command(mut command: Command) -> io::Result<Self> {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let started: Value = serde_json::from_str(&line).unwrap_or_default();
        match started["url"].as_str() {
            Some(url) => Ok(Self { child, url: url.to_owned() }),
            None => Err(io::Error::other("the server did not start")),
        }
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The most memory it has held so far, in mebibytes, where the system tells.
    pub(crate) fn most_memory_mib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

//! A server that runs in a home of its own, and a client that asks it.

use crate::support::Cairn;
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

/// `cairn serve`, running. It is killed when this is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    pub(crate) client: Client,
    pub(crate) key: Option<String>,
}

/// The response to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn ok(self) -> Value {
        assert!(self.status.is_success(), "{}: {}", self.status, self.body);
        self.body
    }

    /// A refusal, as every refusal should be: with words, and with what to do.
    pub(crate) fn refused(&self, status: u16) -> String {
        assert_eq!(self.status.as_u16(), status, "{}", self.body);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        assert_eq!(self.body["status"], status);
        for field in ["title", "detail", "hint", "request_id"] {
            let text = self.body[field].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{field} is missing: {}", self.body);
        }
        self.body["detail"].as_str().unwrap_or_default().to_owned()
    }
}

impl Server {
    /// Serves the home of `cairn` on a free port.
    pub(crate) fn start(cairn: &Cairn) -> Self {
        Self::start_with(cairn.command("--json serve --port 0"))
    }

    pub(crate) fn start_with(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("cairn starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let started: Value = serde_json::from_str(&line).expect("where it listens");
        let url = started["url"].as_str().expect("a URL").to_owned();
        // Nothing here is encrypted; a client that could be wants to know how all the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(Duration::from_mins(1)).build().expect("a client");
        Self { child, url, client, key: None }
    }

    /// The same server, asked with this key.
    pub(crate) fn with_key(&mut self, key: &str) -> &Self {
        self.key = Some(key.to_owned());
        self
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        answer(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        answer(self.request(Method::POST, path).json(body)).await
    }

    /// Kills it without warning.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn stop(&mut self) -> ExitStatus {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(asked.expect("kill runs").success());
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("waited for") {
                return status;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The most memory it has held, in mebibytes, where the system tells.
    pub(crate) fn most_memory_mib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.expect("an answer");
    let (status, headers) = (response.status(), response.headers().clone());
    let text = response.text().await.expect("the whole answer");
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Answer { status, headers, body }
}

/// Asks again until `holds`, for a while.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < Duration::from_mins(1), "{what} did not come");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

//! A provider that does as it is told, a client that sends what it is given, and the real proxy between them.

use crate::support::Cairn;
use serde_json::Value;
use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

/// A key that must be found nowhere but with the provider.
pub(crate) const KEY: &str = "sk-proj-9f8e7d6c5b4a39281706f5e4d3c2b1a0";

/// One step of what the provider does.
#[derive(Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    Wait(Duration),
    /// Closes the connection.
    Close,
}

/// One message of HTTP: a request or an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpMessage {
    /// Its first line.
    pub(crate) line: String,
    /// Its headers as they were written, those that concern one connection left out.
    pub(crate) headers: Vec<String>,
    pub(crate) body: Vec<u8>,
    /// Whether its body came to its end.
    pub(crate) whole: bool,
}

impl HttpMessage {
    /// Reads the next one; `None` if there is none.
    pub(crate) fn read(input: &mut impl BufRead) -> Option<Self> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if input.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let value = |name: &str| {
            let found = lines
                .iter()
                .find_map(|line| line.split_once(": ").filter(|it| it.0.eq_ignore_ascii_case(name)));
            found.map(|(_, value)| value.to_owned())
        };
        let (length, coding) = (value("content-length"), value("transfer-encoding"));
        let is_answer = lines.first()?.starts_with("HTTP/");
        let mut body = Vec::new();
        let whole = match (coding.as_deref(), length.and_then(|it| it.parse::<u64>().ok())) {
            (Some("chunked"), _) => read_chunks(input, &mut body).is_some(),
            (_, Some(length)) => {
                input.take(length).read_to_end(&mut body).is_ok() && body.len() as u64 == length
            }
            _ => !is_answer || input.read_to_end(&mut body).is_ok(),
        };
        let of_connection = |line: &String| {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            !["connection", "transfer-encoding", "keep-alive", "host"].contains(&name.as_str())
        };
        let line = lines.remove(0);
        lines.retain(of_connection);
        Some(Self { line, headers: lines, body, whole })
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

fn read_chunks(input: &mut impl BufRead, body: &mut Vec<u8>) -> Option<()> {
    loop {
        let mut size = String::new();
        input.read_line(&mut size).ok().filter(|read| *read > 0)?;
        let size = u64::from_str_radix(size.trim(), 16).ok()?;
        let read = input.by_ref().take(size).read_to_end(body).ok()?;
        (read as u64 == size).then_some(())?;
        let mut end = String::new();
        input.read_line(&mut end).ok().filter(|read| *read > 0)?;
        if size == 0 {
            return Some(());
        }
    }
}

type Script = dyn Fn(&HttpMessage) -> Vec<Step> + Send + Sync;

/// A provider on this machine. It remembers every request.
pub(crate) struct Provider {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<HttpMessage>>>,
}

impl Provider {
    pub(crate) fn start(script: impl Fn(&HttpMessage) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen: Arc<Mutex<Vec<HttpMessage>>> = Arc::default();
        let (script, all): (Arc<Script>, _) = (Arc::new(script), Arc::clone(&seen));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, all) = (Arc::clone(&script), Arc::clone(&all));
                thread::spawn(move || converse(stream, &*script, &all));
            }
        });
        Self { address, seen }
    }

    /// One that answers every request in the same way.
    pub(crate) fn answering(steps: Vec<Step>) -> Self {
        Self::start(move |_| steps.clone())
    }

    pub(crate) fn seen(&self) -> Vec<HttpMessage> {
        self.seen.lock().expect("it").clone()
    }
}

fn converse(stream: TcpStream, script: &Script, all: &Mutex<Vec<HttpMessage>>) {
    let _ = stream.set_nodelay(true);
    let mut input = BufReader::new(stream.try_clone().expect("a stream"));
    let mut output = stream;
    while let Some(request) = HttpMessage::read(&mut input) {
        all.lock().expect("it").push(request.clone());
        for step in script(&request) {
            match step {
                Step::Send(bytes) => {
                    if output.write_all(&bytes).is_err() {
                        return;
                    }
                }
                Step::Wait(time) => thread::sleep(time),
                Step::Close => {
                    let _ = output.shutdown(std::net::Shutdown::Both);
                    return;
                }
            }
        }
    }
}

/// An answer in JSON, whole.
pub(crate) fn json_answer(status: &str, body: &str) -> Vec<Step> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nX-Request-Id: r1\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    vec![Step::Send([head.as_bytes(), body.as_bytes()].concat())]
}

/// The head of an answer that streams.
pub(crate) const STREAM_HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nx-request-id: r1\r\nTransfer-Encoding: chunked\r\n\r\n";

/// A part of a stream.
pub(crate) fn chunk(text: &str) -> Step {
    Step::Send(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes())
}

/// A stream of these parts, from its head to its end.
pub(crate) fn stream_answer(parts: &[&str]) -> Vec<Step> {
    let head = Step::Send(STREAM_HEAD.as_bytes().to_vec());
    let end = Step::Send(b"0\r\n\r\n".to_vec());
    std::iter::once(head).chain(parts.iter().map(|part| chunk(part))).chain([end]).collect()
}

/// A POST with a key, closing the connection behind it.
pub(crate) fn post(path: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let own: String = headers.iter().flat_map(|header| [header, "\r\n"]).collect();
    format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {KEY}\r\nx-api-key: {KEY}\r\n\
         Content-Type: application/json\r\n{own}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Sends a request and reads its answer.
pub(crate) fn ask(address: SocketAddr, request: &[u8]) -> HttpMessage {
    let mut stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(Duration::from_mins(1))).expect("set");
    stream.write_all(request).expect("sent");
    HttpMessage::read(&mut BufReader::new(stream)).expect("an answer")
}

/// `cairn proxy`, running. It is killed when this is dropped.
pub(crate) struct Proxy {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Proxy {
    /// Starts one before a provider.
    pub(crate) fn start(cairn: &Cairn, provider: &Provider) -> Self {
        Self::start_with(
            cairn,
            cairn.command(&format!("--json proxy --port 0 --upstream http://{}", provider.address)),
        )
    }

    /// Its log is kept beside the home, in `proxy.log`.
    pub(crate) fn start_with(cairn: &Cairn, mut command: Command) -> Self {
        let log = File::options().create(true).append(true).open(cairn.path("proxy.log")).expect("a log");
        let mut child = command
            .env("CAIRN_LOG", "debug")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("cairn starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let started: Value = serde_json::from_str(&line).expect("where it listens");
        Self { child, address: started["address"].as_str().expect("it").parse().expect("an address") }
    }

    pub(crate) fn ask(&self, request: &[u8]) -> HttpMessage {
        ask(self.address, request)
    }

    /// Its figures.
    pub(crate) fn status(&self) -> Value {
        self.ask(b"GET /cairn/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").json()
    }

    /// Waits until a figure is reached.
    pub(crate) fn until(&self, figure: &str, at_least: u64) -> Value {
        let begun = Instant::now();
        loop {
            let status = self.status();
            if status.pointer(figure).and_then(Value::as_u64).is_some_and(|value| value >= at_least) {
                return status;
            }
            assert!(begun.elapsed() < Duration::from_mins(1), "{figure} does not reach {at_least}: {status}");
            thread::sleep(Duration::from_millis(30));
        }
    }

    /// Asks it to end, and waits until it has; whether it ended well.
    pub(crate) fn stop(mut self) -> bool {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(asked.expect("kill runs").success());
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("waited for") {
                return status.success();
            }
            assert!(begun.elapsed() < Duration::from_mins(1), "it does not end");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Everything an agent was told, in order: role, speaker and words, by session.
pub(crate) fn said(cairn: &Cairn, line: &str) -> Vec<String> {
    let told = cairn.json(&format!("{line} timeline -k 200"));
    let text = |message: &Value, name: &str| message[name].as_str().unwrap_or_default().to_owned();
    let messages = told["entries"].as_array().expect("messages").iter();
    messages.map(|it| [text(it, "role"), text(it, "speaker"), text(it, "text")].join("|")).collect()
}

//! How much later the first byte of an answer comes through `cairn proxy`: the same request is sent to a scripted provider directly
//! and through it, in turns, while a server keeps the same home and everything is recorded.

use crate::harness::{
    clock::TickingClock,
    percentiles::Percentiles,
    scratch::scratch_folder,
    server_process::{ServerProcess, command},
};
use cairn_engine::{EngineError, Home};
use serde_json::{Value, json};
use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// A proxy may add this much to the first byte.
const MAX_ADDED_MS: f64 = 3.0;
/// Requests that are not measured, so that everything is open.
const WARMUP_REQUESTS: usize = 20;
/// Parts of a streamed answer, and the time between them.
const ANSWER_PARTS: usize = 5;
const PART_EVERY: Duration = Duration::from_millis(1);
/// Without vectors everything is found by its words, with the same work in every run.
const KEYWORDS_ONLY_CONFIG: &str = "[embedder]\nkind = \"none\"\n";
const RECORDING_TIMEOUT: Duration = Duration::from_mins(2);

/// The settings of a measurement.
pub struct ProxyPlan {
    /// Requests in each way.
    pub requests: usize,
    /// Messages that each request repeats.
    pub history: usize,
    /// The program: `PROGRAM --home HOME proxy --upstream URL`.
    pub program: PathBuf,
}

/// The figures of a measurement.
pub struct ProxyFigures {
    requests: usize,
    request_bytes: usize,
    direct: Percentiles,
    through: Percentiles,
    /// Of each request by itself.
    added: Percentiles,
    recorded: u64,
}

/// Starts a provider, a server and a proxy, and asks in turns.
pub fn run(
    plan: &ProxyPlan,
    home: &Home,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<ProxyFigures, EngineError> {
    let folder = scratch_folder(home.path())?;
    let home = home.elsewhere(folder.path(), Arc::new(TickingClock::start()))?.without_models();
    let failed = |source| EngineError::File { doing: "measure in", path: folder.path().to_owned(), source };
    std::fs::write(folder.path().join("config.toml"), KEYWORDS_ONLY_CONFIG).map_err(failed)?;
    let provider = start_provider().map_err(failed)?;
    let _server = ServerProcess::start(&plan.program, &home).map_err(failed)?;
    let mut proxy = command(&plan.program, &home);
    proxy.args(["--json", "proxy", "--port", "0", "--upstream", &format!("http://{provider}")]);
    let proxy = ServerProcess::start_command(proxy).map_err(failed)?;
    let address = proxy
        .url
        .trim_start_matches("http://")
        .parse()
        .map_err(|_| failed(io::ErrorKind::InvalidData.into()))?;
    on_stage(&format!("{} requests, directly and through the proxy in turns", plan.requests));
    let measured = ask_in_turns(plan, provider, address).map_err(failed)?;
    on_stage("waiting until everything is recorded");
    let recorded = recorded(address, (plan.requests + WARMUP_REQUESTS) as u64).map_err(failed)?;
    Ok(ProxyFigures { recorded, ..measured })
}

fn ask_in_turns(plan: &ProxyPlan, provider: SocketAddr, proxy: SocketAddr) -> io::Result<ProxyFigures> {
    let (mut direct, mut through) = (ProviderClient::connect(provider)?, ProviderClient::connect(proxy)?);
    let (mut times, mut request_bytes) = (Vec::new(), 0);
    for number in 0..plan.requests + WARMUP_REQUESTS {
        let body = request_body(number, plan.history);
        request_bytes = body.len();
        // Whoever comes second finds a warmer machine: they take turns at that, too.
        let pair = if number % 2 == 0 {
            let first = direct.first_byte(&body)?;
            (first, through.first_byte(&body)?)
        } else {
            let first = through.first_byte(&body)?;
            (direct.first_byte(&body)?, first)
        };
        if number >= WARMUP_REQUESTS {
            times.push(pair);
        }
    }
    let each = |of: fn(&(Duration, Duration)) -> Duration| Percentiles::of(times.iter().map(of).collect());
    Ok(ProxyFigures {
        requests: plan.requests,
        request_bytes,
        direct: each(|pair| pair.0),
        through: each(|pair| pair.1),
        added: each(|pair| pair.1.saturating_sub(pair.0)),
        recorded: 0,
    })
}

fn request_body(number: usize, history: usize) -> String {
    let message = |place: usize| {
        let role = if place.is_multiple_of(2) { "user" } else { "assistant" };
        json!({"role": role, "content": format!("Message {place} of conversation {number} is about the tide tables of the harbor.")})
    };
    let messages: Vec<Value> = (0..history + 1 - history % 2).map(message).collect();
    json!({"model": "scripted", "stream": true, "messages": messages}).to_string()
}

/// A provider that streams the same answer to everybody, at once.
fn start_provider() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Whoever goes away has seen enough.
            thread::spawn(move || drop(stream_answers(stream)));
        }
    });
    Ok(address)
}

fn stream_answers(mut output: TcpStream) -> io::Result<()> {
    output.set_nodelay(true)?;
    let mut input = BufReader::new(output.try_clone()?);
    let part = json!({"choices": [{"index": 0, "delta": {"content": "The tide turns at nine. "}}]});
    let part = format!("data: {part}\n\n");
    let part = format!("{:x}\r\n{part}\r\n", part.len());
    while let Some(length) = read_head(&mut input)? {
        io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        output.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        )?;
        for _ in 0..ANSWER_PARTS {
            output.write_all(part.as_bytes())?;
            thread::sleep(PART_EVERY);
        }
        output.write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}

/// Reads the head of a request or an answer; the length of its body, or `None` at the end.
fn read_head(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let (mut length, mut line) = (0, String::new());
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let text = line.trim_end().to_ascii_lowercase();
        if text.is_empty() {
            return Ok(Some(length));
        }
        if let Some(value) = text.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
}

/// A client that keeps its connection, as providers' own clients do.
struct ProviderClient {
    input: BufReader<TcpStream>,
    output: TcpStream,
}

impl ProviderClient {
    fn connect(address: SocketAddr) -> io::Result<Self> {
        let output = TcpStream::connect(address)?;
        output.set_nodelay(true)?;
        Ok(Self { input: BufReader::new(output.try_clone()?), output })
    }

    /// How long the first byte of an answer takes; the rest is read, too.
    fn first_byte(&mut self, body: &str) -> io::Result<Duration> {
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let request = head + body;
        let begun = Instant::now();
        self.output.write_all(request.as_bytes())?;
        self.input.fill_buf()?;
        let took = begun.elapsed();
        read_head(&mut self.input)?;
        let mut line = String::new();
        // The chunks hold no line that is only a nought.
        while line != "0\r\n" {
            line.clear();
            if self.input.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        self.input.read_line(&mut line)?;
        Ok(took)
    }
}

/// Waits until so many exchanges are recorded, for a while; how many are.
fn recorded(proxy: SocketAddr, expected: u64) -> io::Result<u64> {
    let begun = Instant::now();
    loop {
        let mut stream = TcpStream::connect(proxy)?;
        stream.write_all(b"GET /cairn/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let status: Value = serde_json::from_str(body).unwrap_or_default();
        let recorded = status["recorded"].as_u64().unwrap_or(0);
        if recorded >= expected || begun.elapsed() > RECORDING_TIMEOUT {
            return Ok(recorded);
        }
        thread::sleep(Duration::from_millis(50));
    }
}

impl ProxyFigures {
    fn added_p95_ms(&self) -> f64 {
        self.through.p95 - self.direct.p95
    }

    /// Whether it adds no more than it may, and everything is recorded.
    pub fn is_good(&self) -> bool {
        self.added_p95_ms() <= MAX_ADDED_MS && self.recorded >= (self.requests + WARMUP_REQUESTS) as u64
    }

    /// For people.
    pub fn rows(&self) -> Vec<(String, String)> {
        let added = format!(
            "p50 {:.3} ms, p95 {:.3} ms of {MAX_ADDED_MS:.0}",
            self.through.p50 - self.direct.p50,
            self.added_p95_ms()
        );
        vec![
            ("requests, each both ways".to_owned(), self.requests.to_string()),
            ("bytes of a request".to_owned(), self.request_bytes.to_string()),
            ("first byte, directly".to_owned(), self.direct.show()),
            ("first byte, through the proxy beside a server".to_owned(), self.through.show()),
            ("added".to_owned(), added),
            ("added, request by request".to_owned(), self.added.show()),
            ("exchanges recorded".to_owned(), self.recorded.to_string()),
        ]
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({"requests": self.requests, "request_bytes": self.request_bytes, "direct": self.direct.to_json(),
               "through": self.through.to_json(), "added": self.added.to_json(),
               "added_p50_ms": self.through.p50 - self.direct.p50, "added_p95_ms": self.added_p95_ms(),
               "limit_ms": MAX_ADDED_MS, "recorded": self.recorded, "within_limit": self.is_good()})
    }
}

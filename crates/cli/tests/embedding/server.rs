//! A small embedding server that speaks OpenAI's `/embeddings`. Texts that speak of the same things get vectors that
//! point the same way, whatever the words.

use serde_json::{Value, json};
use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Words that mean the same.
const CONCEPTS: [&[&str]; 4] = [
    &["cat", "tabby", "kitten", "pet"],
    &["ferry", "boat", "ship", "vessel"],
    &["rent", "landlord", "lease", "tenancy"],
    &["knee", "surgery", "hospital", "operation"],
];
/// The models it usually has, and how long their vectors are.
const MODELS: Models = &[("alpha", 64), ("beta", 32), ("delta", 32)];
type Models = &'static [(&'static str, usize)];
/// The text that an embedder is tried with before it is believed.
const TRIAL: &str = "a trial";
/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server; it ends when this is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    models: Models,
    ending: AtomicBool,
    /// How long every answer takes.
    delay_ms: AtomicU64,
    /// Every text it has embedded, by model.
    texts: Mutex<Vec<(String, String)>>,
    /// The `Authorization` headers it got.
    keys: Mutex<Vec<String>>,
    /// The one key it lets in.
    wanted: Mutex<Option<String>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_with(MODELS)
    }

    /// A server with these models.
    pub(crate) fn start_with(models: Models) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared { models, ..Shared::default() });
        let accepting = thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Self { address, shared, accepting: Some(accepting) }
    }

    /// The section of a configuration that leads here.
    pub(crate) fn config(&self, section: &str, model: &str, dimension: usize) -> String {
        format!(
            "[{section}]\nkind = \"http\"\nurl = \"http://{}/v1\"\nmodel = \"{model}\"\ndimension = {dimension}\n\
             key_env = \"EMBEDDING_KEY\"\ntimeout_seconds = 10\n\n",
            self.address
        )
    }

    /// From now on every answer takes this long.
    pub(crate) fn takes(&self, delay: Duration) {
        self.shared.delay_ms.store(delay.as_millis() as u64, Ordering::Relaxed);
    }

    /// From now on only this key is let in. A refusal repeats what came.
    pub(crate) fn lets_in(&self, key: &str) {
        *self.shared.wanted.lock().expect("unbroken") = Some(key.to_owned());
    }

    /// The texts a model was given since this was last asked, but for the one that an embedder is tried with.
    pub(crate) fn texts(&self, model: &str) -> Vec<String> {
        let mut texts = self.shared.texts.lock().expect("unbroken");
        let (own, rest) = texts.drain(..).partition::<Vec<_>, _>(|(name, _)| name == model);
        *texts = rest;
        own.into_iter().map(|(_, text)| text).filter(|text| text != TRIAL).collect()
    }

    /// Waits until a model was given that many texts since they were last asked for.
    pub(crate) fn wait_for_texts(&self, model: &str, count: usize) {
        let given =
            || self.shared.texts.lock().expect("unbroken").iter().filter(|(name, _)| name == model).count();
        let begun = Instant::now();
        while given() < count {
            assert!(begun.elapsed() < PATIENCE, "{model} was given {} texts of {count}", given());
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.shared.keys.lock().expect("unbroken").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::Relaxed);
        // Wakes the one who waits for a connection.
        let _ = TcpStream::connect(self.address);
        let _ = self.accepting.take().map(JoinHandle::join);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.ending.load(Ordering::Relaxed) {
            return;
        }
        let shared = Arc::clone(shared);
        // A caller that was killed breaks its connection off.
        thread::spawn(move || stream.and_then(|stream| serve(stream, &shared)));
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut key, mut first) = (0, None, String::new());
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().map_err(io::Error::other)?,
            "authorization" => key = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (status, answer) = answer(&first, &body, key, shared);
    thread::sleep(Duration::from_millis(shared.delay_ms.load(Ordering::Relaxed)));
    let answer = answer.to_string();
    let mut stream = reader.into_inner();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
        answer.len()
    )?;
    stream.flush()
}

fn answer(first: &str, body: &[u8], key: Option<String>, shared: &Shared) -> (&'static str, Value) {
    shared.keys.lock().expect("unbroken").extend(key.clone());
    let wanted = shared.wanted.lock().expect("unbroken").as_ref().map(|key| format!("Bearer {key}"));
    if wanted.is_some() && wanted != key {
        return ("401 Unauthorized", json!({"error": format!("{} is not welcome", key.unwrap_or_default())}));
    }
    let request: Value = serde_json::from_slice(body).unwrap_or_default();
    let known = shared.models.iter().find(|(model, _)| request["model"] == *model);
    let (Some((model, dimension)), true) = (known, first.starts_with("POST /v1/embeddings ")) else {
        return ("404 Not Found", json!({"error": "there is no such model"}));
    };
    let texts = request["input"].as_array().cloned().unwrap_or_default();
    let texts: Vec<&str> = texts.iter().filter_map(|text| text.as_str()).collect();
    let given = texts.iter().map(|text| ((*model).to_owned(), (*text).to_owned()));
    shared.texts.lock().expect("unbroken").extend(given);
    let item = |(index, text): (usize, &&str)| json!({"index": index, "embedding": vector(text, *dimension)});
    ("200 OK", json!({"data": texts.iter().enumerate().map(item).collect::<Value>()}))
}

/// Counts what a text speaks of.
fn vector(text: &str, dimension: usize) -> Vec<f32> {
    let mut vector = vec![0.0; dimension];
    // A text without words points somewhere too.
    vector[0] = 0.01;
    for word in text.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase) {
        let concept = CONCEPTS.iter().find(|words| words.contains(&word.as_str()));
        let meaning = concept.map_or(word.as_str(), |words| words[0]);
        // Short words mean little.
        if concept.is_some() || meaning.chars().count() > 3 {
            vector[1 + place(meaning) % (dimension - 1)] += 1.0;
        }
    }
    vector
}

/// FNV-1a.
fn place(word: &str) -> usize {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    (word.bytes().fold(0xcbf2_9ce4_8422_2325, step) >> 7) as usize
}

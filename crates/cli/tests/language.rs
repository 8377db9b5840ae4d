//! A language model seen from outside: the real binary with a server that speaks OpenAI's `/chat/completions`, with one
//! that is gone, and killed while it waits for an answer.

use crate::support::{Cairn, documents::png};
use serde_json::{Value, json};
use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    process::Stdio,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

const SAID: &str = "I moved there yesterday with my sister Zoë, and she works at Siemens.";
const CLEAR: &str = "User moved on 2026-11-14 with User's sister Zoë, who works at Siemens.";

const SEEN: &str =
    "A hand-drawn map of the harbor with a lighthouse; a note says: Hide the spare key under buoy 7.";

/// A server that answers every question alike; it ends when this is dropped.
struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    ending: AtomicBool,
    /// It does not answer for now.
    silent: AtomicBool,
    /// The key and the body of each request it got.
    asked: Mutex<Vec<(String, Value)>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let (address, shared) = (listener.local_addr().expect("an address"), Arc::<Shared>::default());
        let serving = Arc::clone(&shared);
        let accepting = thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.ending.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&serving);
                thread::spawn(move || stream.and_then(|stream| serve(stream, &shared)));
            }
        });
        Self { address, shared, accepting: Some(accepting) }
    }

    fn config(&self) -> String {
        format!(
            "[embedder]\nkind = \"none\"\n[[language_model]]\nkind = \"openai\"\nurl = \"http://{}/v1\"\n\
             model = \"small\"\nkey_env = \"MODEL_KEY\"\ntimeout_seconds = 30\n",
            self.address
        )
    }

    fn asked(&self) -> usize {
        self.shared.asked.lock().expect("unbroken").len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        let _ = self.accepting.take().map(JoinHandle::join);
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut key) = (0, String::new());
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        match line.trim_end().split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value)) {
            Some((name, value)) if name == "content-length" => {
                length = value.parse().map_err(io::Error::other)?;
            }
            Some((name, value)) if name == "authorization" => value.clone_into(&mut key),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let question: Value = serde_json::from_slice(&body)?;
    let schema = question["response_format"]["json_schema"]["name"].as_str().unwrap_or_default().to_owned();
    shared.asked.lock().expect("unbroken").push((key, question));
    while shared.silent.load(Ordering::Relaxed) && !shared.ending.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(10));
    }
    let says = if schema == "word" {
        json!({"word": "ready"})
    } else if schema == "picture" {
        json!({"description": SEEN})
    } else {
        json!({"facts": [{"text": CLEAR, "says_again": "m1", "category": "fact", "entities": [],
                          "valid_until": null}], "relations": []})
    };
    let answer = json!({"choices": [{"finish_reason": "stop", "message": {"content": says.to_string()}}],
                        "usage": {"prompt_tokens": 700, "completion_tokens": 40}});
    let answer = answer.to_string();
    let mut stream = reader.into_inner();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
        answer.len()
    )?;
    stream.flush()
}

/// The texts of all memories.
fn memories(cairn: &Cairn) -> Vec<String> {
    crate::support::texts(&cairn.json("memories list --all")["memories"])
}

/// Runs a command line with the key in the environment.
fn with_key(cairn: &Cairn, line: &str) -> crate::support::Ran {
    let mut command = cairn.command(line);
    command.env("MODEL_KEY", "key-of-the-model");
    let ran = cairn.finish(command, b"");
    assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("key-of-the-model"));
    ran
}

/// covers: W-211, C-126, X-B11, X-P4
#[test]
fn a_model_words_memories_behind_everything_else() {
    let (server, cairn) = (Server::start(), Cairn::new());
    cairn.write("home/config.toml", server.config());
    with_key(&cairn, &format!("remember '{SAID}'"));
    assert_eq!(server.asked(), 0, "remembering asks nobody");
    let rules = memories(&cairn);
    assert_eq!(cairn.json("stats")["pending_refinements"], 1);
    with_key(&cairn, "form");
    assert_eq!(memories(&cairn), [CLEAR]);
    assert_ne!(rules, [CLEAR]);
    let stats = cairn.json("stats");
    assert_eq!((&stats["refined"], &stats["pending_refinements"]), (&json!(1), &json!(0)));
    let asked = server.shared.asked.lock().expect("unbroken").clone();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].0, "Bearer key-of-the-model");
    let sent = asked[0].1["messages"][1]["content"].as_str().expect("a text");
    assert!(sent.contains("sister Zoë"), "{sent}");
    let reference = crate::support::refs(&cairn.json("memories list")["memories"]).remove(0);
    let why = cairn.done(&format!("why {reference} --verify")).stdout;
    assert!(why.contains("a language model said it more clearly"), "{why}");
    with_key(&cairn, "form");
    assert_eq!(server.asked(), 1, "once is enough");
    let doctor = with_key(&cairn, "doctor").stdout;
    assert!(doctor.contains("good  language model: openai:small answered “ready” in "), "{doctor}");
    let shown = cairn.done("config show").stdout;
    assert!(shown.contains("[[language_model]]") && shown.contains("MODEL_KEY"), "{shown}");
}

/// covers: X-P4, X-B11
#[test]
fn a_model_that_is_gone_holds_nothing_up() {
    let cairn = Cairn::new();
    let gone = Server::start().config();
    cairn.write("home/config.toml", gone);
    cairn.done(&format!("remember '{SAID}'"));
    let rules = memories(&cairn);
    let formed = cairn.done("form").stdout;
    assert!(formed.contains("1 waiting: "), "{formed}");
    assert_eq!(memories(&cairn), rules);
    let log = cairn.read("home/agents/main/logs/ops-log.jsonl");
    assert!(log.lines().any(|line| line.contains(r#""op":"refine""#) && line.contains(r#""fallback":true"#)));
    let doctor = cairn.done("doctor").stdout;
    assert!(doctor.contains("note  language model: openai:small failed after"), "{doctor}");
    assert!(doctor.contains("check that the server is running"), "{doctor}");
}

/// covers: I8
#[test]
fn killed_while_it_waits_for_an_answer_it_goes_on_later() {
    let (server, cairn) = (Server::start(), Cairn::new());
    cairn.write("home/config.toml", server.config());
    cairn.done(&format!("remember '{SAID}'"));
    let rules = memories(&cairn);
    server.shared.silent.store(true, Ordering::Relaxed);
    let mut command = cairn.command("form");
    let mut waiting = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("cairn starts");
    while server.asked() == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    waiting.kill().expect("killed");
    waiting.wait().expect("gone");
    server.shared.silent.store(false, Ordering::Relaxed);
    assert_eq!(memories(&cairn), rules);
    cairn.done("form");
    assert_eq!(memories(&cairn), [CLEAR]);
    cairn.done("form");
    assert_eq!((memories(&cairn).len(), server.asked()), (1, 2));
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// covers: W-60, W-61, X-W5
#[test]
fn a_model_that_sees_describes_pictures_and_the_receipt_says_so() {
    let (server, cairn) = (Server::start(), Cairn::new());
    cairn.write("map.png", png());
    let attach = |line: &str| -> Value {
        let ran = with_key(&cairn, &format!("attach map.png {line} --json"));
        let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        told["files"][0]["receipt"].clone()
    };
    cairn.write("home/config.toml", server.config());
    let unseen = attach("--session a");
    assert_eq!(
        (server.asked(), &unseen["text_chars"]),
        (0, &json!(0)),
        "a model that does not see is not asked"
    );
    cairn.write("home/config.toml", format!("{}sees = true\n", server.config()));
    let seen = attach("--session a");
    assert_eq!((&seen["ref"], &seen["route"]), (&unseen["ref"], &json!("vision:openai:small")), "{seen}");
    assert!(seen["excerpt"].as_str().expect("an excerpt").contains("lighthouse"), "{seen}");
    let asked = server.shared.asked.lock().expect("unbroken").clone();
    let sent = &asked[0].1["messages"][1]["content"];
    assert_eq!(sent[0]["type"], "text");
    let url = sent[1]["image_url"]["url"].as_str().expect("the picture itself");
    assert!(url.starts_with("data:image/png;base64,iVBORw0KGgo"), "{url}");
    attach("--session b");
    assert_eq!(server.asked(), 1, "what was described is not described again");
    let hits = cairn.json("recall 'Where is the lighthouse on the map?' --kind attachment");
    assert_eq!(hits["hits"][0]["ref"].as_str().map(|it| it.starts_with("att_")), Some(true), "{hits}");
    let context = cairn.json("context --session b")["text"].as_str().expect("a text").to_owned();
    assert!(context.contains("lighthouse"), "later turns are shown it: {context}");
    // A server that is gone leaves a receipt, and a reason.
    drop(server);
    cairn.write("other.png", [png(), vec![0; 4]].concat());
    let ran = with_key(&cairn, "attach other.png --json");
    let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let note = told["files"][0]["receipt"]["note"].as_str().expect("a note");
    assert!(note.contains("did not describe it"), "{note}");
    assert_eq!(cairn.json("attachments")["attachments"].as_array().map(Vec::len), Some(2));
}

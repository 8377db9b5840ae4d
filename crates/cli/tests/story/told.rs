//! Telling the story: its lines, the files it speaks of, and each command run in turn.

use crate::{
    proxy::world::{Provider, Proxy, json_answer, post},
    serve::world::Server,
    support::{Cairn, Ran, erasing::PASSPHRASE},
};
use serde_json::{Value, json};
use std::{path::Path, process::Command, time::Instant};

const LINES: &str = include_str!("lines.txt");
const LIFE: &str = include_str!("../../../../examples/sample-life.jsonl");
const CHANGES: &str = include_str!("../../../eval/data/changes.jsonl");
const FORMING: &str = include_str!("../../../eval/data/forming.jsonl");
const POISONINGS: &str = include_str!("../../../eval/data/poisoning.jsonl");
const INTENTIONS: &str = include_str!("../../../eval/data/intentions.jsonl");
const SKILLS: &str = include_str!("../../../eval/data/skills.jsonl");
const SECRETS: &str = include_str!("../../../eval/data/secrets.jsonl");

/// A line of the story.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    /// The time it is told at.
    now: &'static str,
    /// A name for a value of its answer, and the way to the value.
    keeps: Option<(&'static str, &'static str)>,
    pub(crate) command: &'static str,
    /// The file on standard input.
    input: Option<&'static str>,
    /// Whether its answer tells of the place or of the clock.
    of_the_place: bool,
    /// Whether it takes a minute or more.
    is_long: bool,
}

/// A command that was run.
pub(crate) struct Told {
    pub(crate) line: &'static str,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
    pub(crate) of_the_place: bool,
    pub(crate) seconds: f64,
}

/// The lines of the story.
pub(crate) fn lines() -> impl Iterator<Item = Line> {
    let mut now = "";
    let told = LINES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    told.filter_map(move |text| {
        if let Some(time) = text.strip_prefix("@ ") {
            now = time;
            return None;
        }
        let (is_long, text) = text.strip_prefix("% ").map_or((false, text), |text| (true, text));
        let (of_the_place, text) = text.strip_prefix("~ ").map_or((is_long, text), |text| (true, text));
        let (keeps, text) = match text.split_once(" = ") {
            Some((keeps, text)) => (keeps.split_once(':'), text),
            None => (None, text),
        };
        let (command, input) = match text.split_once(" < ") {
            Some((command, input)) => (command, Some(input)),
            None => (text, None),
        };
        Some(Line { now, keeps, command, input, of_the_place, is_long })
    })
}

/// Tells the whole story in a home, with a folder of notes that lies elsewhere.
pub(crate) fn tell(cairn: &Cairn, models: &Path, notes: &Path) -> Vec<Told> {
    furnish(cairn);
    let mut kept: Vec<(&str, String)> = vec![("notes", notes.display().to_string())];
    let mut told = Vec::new();
    let also_long = std::env::var_os("CAIRN_TEST_LONG").is_some();
    for line in lines().filter(|line| also_long || !line.is_long) {
        let mut text =
            if line.keeps.is_some() { format!("--json {}", line.command) } else { line.command.to_owned() };
        for (name, value) in &kept {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        cairn.at(line.now);
        let prepare = |text: &str| {
            let mut command = cairn.command(text);
            command.env("CAIRN_MODELS", models).env("CAIRN_OPERATOR_PASSPHRASE", PASSPHRASE);
            command
        };
        let begun = Instant::now();
        let mut ran = if line.command == "serve" {
            served(prepare("--json serve --port 0"))
        } else if line.command == "console" {
            served(prepare("--json console --no-browser --port 0"))
        } else if line.command == "proxy" {
            proxied(cairn, prepare("--json proxy --port 0"))
        } else {
            cairn.finish(
                prepare(&text),
                line.input.map(|name| cairn.read(name)).unwrap_or_default().as_bytes(),
            )
        };
        let seconds = begun.elapsed().as_secs_f64();
        if let Some((name, pointer)) = line.keeps {
            let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
            let value = answer.pointer(pointer).unwrap_or(&Value::Null);
            kept.push((name, value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
        }
        // A random id stands for the same thing in both homes; a number is the same in both.
        for (name, value) in kept.iter().filter(|(_, value)| value.len() > 8) {
            for words in [&mut ran.stdout, &mut ran.stderr] {
                *words = words.replace(value, &format!("{{{name}}}"));
            }
        }
        let (line, of_the_place) = (line.command, line.of_the_place);
        told.push(Told {
            line,
            stdout: ran.stdout,
            stderr: ran.stderr,
            code: ran.code,
            of_the_place,
            seconds,
        });
    }
    told
}

/// Starts a server, asks it something, and stops it.
fn served(command: Command) -> Ran {
    let mut server = Server::start_with(command);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let answer = runtime.block_on(async {
        let asked =
            json!({"text": "I keep bees.", "id": "bees", "session": "garden", "at": "2026-11-12T10:00:00Z"});
        server.post("/v1/agents/main/messages", &asked).await.ok();
        server.get("/v1/agents/main/timeline?k=3").await.ok()
    });
    assert!(server.stop().success());
    Ran { stdout: answer.to_string(), stderr: String::new(), code: 0 }
}

/// Starts a proxy before a provider, lets a conversation pass, and stops it.
fn proxied(cairn: &Cairn, mut command: Command) -> Ran {
    let provider =
        Provider::answering(json_answer("200 OK", r#"{"content":[{"type":"text","text":"Noted."}]}"#));
    let proxy = Proxy::start_with(cairn, {
        command.args(["--upstream", &format!("http://{}", provider.address)]);
        command
    });
    let headers = ["x-cairn-agent: passing", "x-cairn-session: garden"];
    let answer = proxy.ask(&post(
        "/v1/messages",
        &headers,
        r#"{"messages":[{"role":"user","content":"I keep goats."}]}"#,
    ));
    let status = proxy.until("/messages", 2);
    assert!(proxy.stop());
    Ran {
        stdout: json!({"answer": answer.json(), "messages": status["messages"]}).to_string(),
        stderr: String::new(),
        code: 0,
    }
}

/// The first lines of a text that holds one document a line.
fn first(text: &str, count: usize) -> String {
    text.split_inclusive('\n').take(count).collect()
}

/// Writes the files that the story speaks of.
fn furnish(cairn: &Cairn) {
    cairn.write("home/config.toml", "[rhythms]\njitter_seconds = 0\n");
    cairn.write("plain/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.write("said.jsonl", first(LIFE, 14));
    cairn.write("task.jsonl", "{\"text\":\"Backup of the studio finished.\",\"data_source\":\"task\"}\n");
    cairn.write(
        "questions.jsonl",
        "{\"id\":\"1\",\"query\":\"the grey cat\"}\n{\"id\":\"2\",\"query\":\"half-marathon\"}\n",
    );
    cairn.write("changes.jsonl", first(CHANGES, 3));
    cairn.write("forming.jsonl", first(FORMING, 8));
    cairn.write("poisoning.jsonl", first(POISONINGS, 4));
    cairn.write("intentions.jsonl", first(INTENTIONS, 12));
    cairn.write("skills.jsonl", first(SKILLS, 1));
    cairn.write("secrets.jsonl", first(SECRETS, 12));
    let mut life = String::new();
    for line in first(LIFE, 8).lines() {
        let mut message: Value = serde_json::from_str(line).expect("a message");
        message["type"] = "message".into();
        message["conversation"] = "sample".into();
        life.push_str(&message.to_string());
        life.push('\n');
    }
    let question = json!({"type": "question", "conversation": "sample", "id": "q1", "category": "fact",
        "at": "2026-02-01T10:00:00Z", "question": "What is the cat called?", "answer": ["Mırnav"], "evidence": ["life-0002"]});
    cairn.write("life.jsonl", life + &format!("{question}\n"));
    let request = |id: u32, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string() + "\n"
    };
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "story", "version": "1"}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string() + "\n";
    let recall = json!({"name": "recall", "arguments": {"query": "where do I live?"}});
    let asked = [request(1, "initialize", hello), ready, request(2, "tools/call", recall)].concat();
    cairn.write("asked.jsonl", asked);
    let event = json!({"session_id": "hooked", "cwd": "/home/deniz", "hook_event_name": "SessionStart", "source": "startup",
        "transcript_path": cairn.path("none.jsonl")});
    cairn.write("event.json", event.to_string());
}

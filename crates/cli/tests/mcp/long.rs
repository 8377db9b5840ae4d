//! Calls that take long: whoever waits is told that it goes on, whoever no longer waits ends it, and what was acknowledged
//! by then stays. An embedder that takes a connection and never answers makes any call long.

use crate::{mcp::client::Client, support::Cairn};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A home whose embedder never answers.
fn slow() -> Cairn {
    let cairn = Cairn::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        let held: Vec<_> = listener.incoming().collect();
        drop(held);
    });
    let embedder =
        format!("kind = \"http\"\nurl = \"{url}\"\nmodel = \"m\"\ndimension = 8\ntimeout_seconds = 60\n");
    cairn.write("home/config.toml", format!("[embedder]\n{embedder}"));
    cairn
}

fn call(text: &str, token: &str) -> Value {
    json!({"name": "remember", "arguments": {"text": text}, "_meta": {"progressToken": token}})
}

/// covers: C-255
#[test]
fn a_long_call_says_that_it_goes_on_to_whoever_asked_for_it() {
    let cairn = slow();
    let mut client = Client::new(&cairn);
    let id = client.put("tools/call", &call("The user's boat is called Aurora.", "boat"));
    let (answer, told) = client.answer_and_before(id);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let progress: Vec<f64> = told
        .iter()
        .filter(|line| {
            line["method"] == "notifications/progress" && line["params"]["progressToken"] == "boat"
        })
        .map(|line| line["params"]["progress"].as_f64().expect("a number"))
        .collect();
    assert!(progress.len() >= 2 && progress.is_sorted_by(|a, b| a < b), "{told:?}");
    // Whoever sends no token is told nothing.
    let id = client.put("tools/call", &json!({"name": "remember", "arguments": {"text": "The user sails."}}));
    let (_, told) = client.answer_and_before(id);
    assert_eq!(told, Vec::<Value>::new());
    assert_eq!(client.leave(), 0);
}

/// covers: C-255
#[test]
fn a_long_call_ends_when_it_is_cancelled_and_what_was_kept_stays() {
    let cairn = slow();
    let mut client = Client::new(&cairn);
    let id = client.put("tools/call", &call("The user's boat is called Aurora.", "boat"));
    client.next_progress();
    let cancelled = Instant::now();
    client.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "enough"}}));
    let (found, _) = client.call("recall", &json!({"query": "boat Aurora"}));
    assert!(cancelled.elapsed() < Duration::from_secs(20), "the next call waits for none that was cancelled");
    assert!(found["hits"][0]["line"].as_str().expect("a line").contains("Aurora"), "{found}");
    assert!(
        !client.was_answered(id, Duration::from_secs(4)),
        "a call that was cancelled is not answered with a result"
    );
    assert_eq!(client.leave(), 0);
    assert_eq!(cairn.json("stats")["messages"], 1);
}

/// A server, killed when this is dropped.
struct Served(Child, String);

impl Served {
    fn start(cairn: &Cairn) -> Self {
        let mut command = cairn.command("--json serve --port 0");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("cairn starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let started: Value = serde_json::from_str(&line).expect("where it listens");
        Self(child, started["address"].as_str().expect("an address").to_owned())
    }

    /// Calls a tool; the connection from which the answer comes.
    fn call(&self, params: &Value) -> BufReader<TcpStream> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nConnection: close\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\nContent-Length: {}\r\n\r\n",
            self.1,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.1).expect("connected");
        stream.set_read_timeout(Some(crate::mcp::client::PATIENCE)).expect("set");
        stream.write_all(format!("{head}{body}").as_bytes()).expect("sent");
        BufReader::new(stream)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// covers: C-255
#[test]
fn over_http_a_long_call_tells_as_events_and_ends_with_its_connection() {
    let cairn = slow();
    let server = Served::start(&cairn);
    let mut lines =
        server.call(&call("The user's boat is called Aurora.", "boat")).lines().map_while(Result::ok);
    assert!(lines.by_ref().any(|line| line.contains("text/event-stream")), "it is told while it lasts");
    assert!(lines.by_ref().any(|line| line.contains("notifications/progress") && line.contains("\"boat\"")));
    assert!(lines.any(|line| line.contains("\"result\"") && line.contains("\"isError\":false")));
    // Short calls are answered in one piece.
    let recalled = server
        .call(&json!({"name": "recall", "arguments": {"query": "boat"}, "_meta": {"progressToken": "r"}}));
    let answer: Vec<String> = recalled.lines().map_while(Result::ok).collect();
    assert!(answer.iter().any(|line| line.contains("application/json")), "{answer:?}");
    // Whoever goes away in the middle costs nothing, and what was kept stays.
    drop(server.call(&call("The user's dog is called Rex.", "dog")));
    let again = server.call(&json!({"name": "recall", "arguments": {"query": "dog Rex"}}));
    assert!(again.lines().map_while(Result::ok).any(|line| line.contains("result")));
}

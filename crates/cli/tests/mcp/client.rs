//! A client that says exactly what it is told to say.

use crate::support::Cairn;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

/// How long an answer may take on a machine that has other things to do.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Client {
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
}

impl Client {
    /// A client that has said hello.
    pub(crate) fn new(cairn: &Cairn) -> Self {
        let mut client = Self::silent(cairn);
        client.hello();
        client
    }

    /// A client that has said nothing yet.
    pub(crate) fn silent(cairn: &Cairn) -> Self {
        let mut command = cairn.command("mcp");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("cairn starts");
        let (stdout, stdin) = (child.stdout.take().expect("stdout"), child.stdin.take());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, lines, next: 0 }
    }

    pub(crate) fn hello(&mut self) {
        let answer = self.ask(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(answer["result"]["serverInfo"]["name"], "cairn", "{answer}");
        assert!(answer["result"]["instructions"].as_str().expect("instructions").contains("recall"));
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("still open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("written");
    }

    pub(crate) fn say(&mut self, value: &Value) {
        self.write(format!("{value}\n").as_bytes());
    }

    /// Asks without waiting; the id of the question.
    pub(crate) fn put(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// Asks and waits for the answer. Every line that comes meanwhile must be protocol.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.put(method, params);
        self.answer(id)
    }

    /// The answer, and everything that came before it.
    pub(crate) fn answer_and_before(&self, id: u64) -> (Value, Vec<Value>) {
        let mut before = Vec::new();
        loop {
            let value = self.next_line(PATIENCE).unwrap_or_else(|| panic!("no answer to {id}"));
            if value["id"] == id {
                return (value, before);
            }
            before.push(value);
        }
    }

    /// Waits until a call says that it goes on.
    pub(crate) fn next_progress(&self) {
        while self.next_line(PATIENCE).expect("a word about it")["method"] != "notifications/progress" {}
    }

    /// Whether a call is answered with a result within some time.
    pub(crate) fn was_answered(&self, id: u64, within: Duration) -> bool {
        let until = Instant::now() + within;
        while let Some(value) = self.next_line(until.saturating_duration_since(Instant::now())) {
            if value["id"] == id && !value["result"].is_null() {
                return true;
            }
        }
        false
    }

    fn next_line(&self, within: Duration) -> Option<Value> {
        let line = self.lines.recv_timeout(within).ok()?;
        Some(serde_json::from_str(&line).expect("stdout carries only the protocol"))
    }

    pub(crate) fn answer(&self, id: u64) -> Value {
        let until = Instant::now() + PATIENCE;
        while let Ok(line) = self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            let value: Value = serde_json::from_str(&line).expect("stdout carries only the protocol");
            assert_eq!(value["jsonrpc"], "2.0", "{value}");
            if value["id"] == id {
                return value;
            }
        }
        panic!("no answer to {id}");
    }

    /// Calls a tool that must succeed: the structured answer and its text.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> (Value, String) {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{tool}: {answer}");
        (
            result["structuredContent"].clone(),
            result["content"][0]["text"].as_str().expect("a text").to_owned(),
        )
    }

    /// Calls a tool that must refuse, with a hint: what it says.
    pub(crate) fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
        let text = answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned();
        assert!(text.contains("hint:"), "{text}");
        text
    }

    /// Closes the client's side and waits until the process is gone: its exit code.
    pub(crate) fn leave(mut self) -> i32 {
        drop(self.stdin.take());
        self.gone()
    }

    /// Waits until the process is gone: its exit code.
    pub(crate) fn gone(&mut self) -> i32 {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("waited") {
                return status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < until, "it does not end");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether nothing comes for so long.
    pub(crate) fn is_silent(&self, time: Duration) -> bool {
        matches!(self.lines.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }

    /// Mebibytes of memory it holds.
    pub(crate) fn memory_mib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("its memory");
        line.split_whitespace().nth(1).expect("a figure").parse::<u64>().expect("a number") / 1024
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

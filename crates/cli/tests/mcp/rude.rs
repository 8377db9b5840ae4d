//! Clients that do not behave: the server stays up, its memory stays small, and it goes when it is told to.

use crate::{mcp::client::Client, support::Cairn};
use serde_json::json;
use std::{
    io::Write,
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

/// More than this it never needs here.
const MIB: u64 = 300;

/// covers: C-255
#[test]
fn nonsense_is_refused_or_passed_over_and_the_next_call_is_answered() {
    let cairn = Cairn::new();
    let mut client = Client::silent(&cairn);
    client.write(b"hello?\n\n{\n");
    client.hello();
    for nonsense in [
        &b"not json at all\n"[..],
        b"\xff\xfe\x00\n",
        b"{}\n",
        b"[]\n",
        b"null\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":999}\n",
        b"{\"jsonrpc\":\"1.0\",\"id\":998,\"method\":\"tools/list\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":997,\"method\":\"tools/erase\",\"params\":{}}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":996,\"method\":\"tools/call\",\"params\":7}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nonsense\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":12345}}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n",
        b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n",
    ] {
        client.write(nonsense);
    }
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":995,\"method\":\"tools/call\",\"params\":{}{}}}\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    client.write(deep.as_bytes());
    let refused = client.answer_and_before(995).0;
    assert!(refused["error"]["message"].as_str().is_some_and(|it| it.contains("levels deep")), "{refused}");
    client.call("remember", &json!({"text": "The user's boat is called Aurora."}));
    assert_eq!(client.leave(), 0);
}

/// covers: C-255
#[test]
fn a_line_that_does_not_end_takes_no_memory_and_the_next_is_read() {
    let cairn = Cairn::new();
    let mut client = Client::new(&cairn);
    let block = vec![b'x'; 1 << 20];
    for _ in 0..128 {
        client.write(&block);
    }
    client.write(b"\n");
    client.call("recall", &json!({"query": "boat"}));
    assert!(client.memory_mib() < MIB, "{} MiB", client.memory_mib());
    assert_eq!(client.leave(), 0);
}

/// covers: C-255
#[test]
fn a_client_that_never_reads_is_not_read_either_until_it_does() {
    const CALLS: usize = 3_000;
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let cairn = Cairn::new();
    cairn.done(&format!("remember --session s 'The boat is called Aurora. {}'", "It sails. ".repeat(40)));
    let mut command = cairn.command("mcp");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let (mut stdin, stdout) = (child.stdin.take().expect("stdin"), child.stdout.take().expect("stdout"));
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
                       "capabilities": {}, "clientInfo": {"name": "deaf", "version": "1"}}});
    writeln!(stdin, "{hello}").expect("written");
    writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).expect("written");
    let writing = thread::spawn(move || {
        for id in 1..=CALLS {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                              "params": {"name": "recall", "arguments": {"query": "boat Aurora sails", "k": 50}}});
            writeln!(stdin, "{call}").expect("written in the end");
            WRITTEN.store(id, Ordering::Relaxed);
        }
        stdin
    });
    // It stops taking calls on while nobody takes its answers.
    let (mut last, mut since) = (0, Instant::now());
    while since.elapsed() < Duration::from_secs(2) {
        thread::sleep(Duration::from_millis(50));
        let now = WRITTEN.load(Ordering::Relaxed);
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    assert!(last < CALLS, "it has read everything, and holds {last} answers");
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
    let rss = status.lines().find(|line| line.starts_with("VmRSS:")).expect("its memory").to_owned();
    assert!(
        rss.split_whitespace().nth(1).expect("a figure").parse::<u64>().expect("a number") / 1024 < MIB,
        "{rss}"
    );
    // As soon as somebody reads, everything is answered.
    let answers = std::io::BufRead::lines(std::io::BufReader::new(stdout)).take(CALLS + 1).count();
    assert_eq!(answers, CALLS + 1);
    drop(writing.join().expect("written"));
    assert!(child.wait().expect("ends").success());
}

/// covers: C-255
#[test]
fn calls_that_were_cancelled_leave_room_for_others() {
    let cairn = Cairn::new();
    let mut client = Client::new(&cairn);
    for _ in 0..100 {
        let id = client.put("tools/call", &json!({"name": "recall", "arguments": {"query": "boat"}}));
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "enough"}}));
    }
    client.call("remember", &json!({"text": "The user's boat is called Aurora."}));
    assert_eq!(client.leave(), 0);
}

/// covers: C-255
#[test]
fn it_goes_when_the_client_does_and_when_it_is_told_to() {
    let cairn = Cairn::new();
    assert_eq!(Client::silent(&cairn).leave(), 0, "nobody said hello");
    let mut half = Client::new(&cairn);
    let id = half.put(
        "tools/call",
        &json!({"name": "remember", "arguments": {"text": "The user's boat is called Aurora."}}),
    );
    drop(half.stdin.take());
    assert_eq!(half.answer(id)["result"]["isError"], false, "what was asked before the end is answered");
    assert_eq!(half.gone(), 0);
    let mut told = Client::new(&cairn);
    let signalled = Command::new("kill").args(["-TERM", &told.child.id().to_string()]).status();
    assert!(signalled.expect("kill runs").success());
    assert_eq!(told.gone(), 0);
    let mut torn = Client::new(&cairn);
    torn.write(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"na");
    assert!(torn.is_silent(Duration::from_millis(300)));
    assert_eq!(torn.leave(), 0, "half a message is no message");
    assert_eq!(cairn.json("stats")["messages"], 1);
}

//! Hooks beside a server of the same home: it does their work, and without it they do it themselves.
#![cfg(unix)]

use crate::{
    serve::world::{Server, until},
    support::{Cairn, Ran},
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{Read, Write},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    process::Command,
};

/// Calls a hook at the machine's own time, as hosts do.
fn hook(cairn: &Cairn, event: &str, session: &str, more: &Value) -> Ran {
    let transcript = cairn.path(&format!("{session}.jsonl"));
    let mut input = json!({"session_id": session, "transcript_path": transcript, "cwd": "/home/mara/tides"});
    input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let mut command = cairn.command(&format!("hook {event} --within-ms 20000"));
    command.env_remove("CAIRN_NOW");
    let ran = cairn.finish(command, input.to_string().as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{event}");
    ran
}

/// Adds a line to a session's transcript.
fn say(cairn: &Cairn, session: &str, number: u32, text: &str) {
    let record = json!({"type": "user", "uuid": format!("{session}-{number}"), "sessionId": session,
                        "timestamp": "2026-11-15T09:00:00.000Z", "cwd": "/home/mara/tides",
                        "message": {"role": "user", "content": text}});
    let path = cairn.path(&format!("{session}.jsonl"));
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path).expect("the transcript");
    writeln!(file, "{record}").expect("written");
}

fn serve(cairn: &Cairn) -> Server {
    let mut command = cairn.command("--json serve --port 0");
    command.env_remove("CAIRN_NOW");
    Server::start_with(command)
}

/// How many hooks of an event a server has answered.
async fn answered(server: &Server, event: &str) -> u64 {
    let figures = server.get("/metrics").await.ok();
    let name = format!("cairn_hook_seconds_count{{event=\"{event}\"}} ");
    let line =
        figures.as_str().expect("text").lines().find_map(|line| line.strip_prefix(&name).map(str::to_owned));
    line.map_or(0, |count| count.parse().expect("a number"))
}

/// covers: W-106
#[tokio::test(flavor = "multi_thread")]
async fn a_server_does_the_work_of_hooks_and_without_it_they_do_it_themselves() {
    let cairn = Cairn::new();
    let mut server = serve(&cairn);
    say(&cairn, "first", 1, "My harbour gauge is called Skagen and I always log tides in centimetres.");
    hook(&cairn, "stop", "first", &json!({}));
    assert_eq!(answered(&server, "stop").await, 1, "the server took it in");
    until("a memory of it", async || {
        server.get("/v1/agents/main/stats").await.ok()["memories"].as_u64().is_some_and(|many| many > 0)
    })
    .await;
    let prompt = json!({"prompt": "What is the harbour gauge called, Skagen?"});
    let told = hook(&cairn, "user-prompt-submit", "second", &prompt).stdout;
    assert!(told.contains("Skagen") && told.contains("UserPromptSubmit"), "{told}");
    assert_eq!(hook(&cairn, "user-prompt-submit", "second", &prompt).stdout, "", "nothing is shown twice");
    assert_eq!(answered(&server, "user-prompt-submit").await, 2);
    let socket = cairn.path("home/hook.sock");
    assert_eq!(fs::metadata(&socket).expect("the socket").permissions().mode() & 0o777, 0o600);
    let elsewhere = cairn.command("hook session-start --within-ms 20000");
    cairn.finish(elsewhere, json!({"session_id": "third"}).to_string().as_bytes());
    assert_eq!(answered(&server, "session-start").await, 0, "whoever lives at another time asks nobody");
    let timed = cairn.json("hook --report")["hooks"].clone();
    let counts: Vec<_> =
        timed.as_array().expect("hooks").iter().map(|it| (&it["event"], &it["count"])).collect();
    let names = ["session-start", "user-prompt-submit", "stop"].map(Value::from);
    assert_eq!(
        counts,
        [(&names[0], &1.into()), (&names[1], &2.into()), (&names[2], &1.into())],
        "either way"
    );

    assert!(server.stop().success());
    assert!(!socket.exists(), "a server that has gone leaves no door");
    let alone = hook(&cairn, "user-prompt-submit", "fourth", &prompt).stdout;
    assert!(alone.contains("Skagen"), "{alone}");
    let mut killed = serve(&cairn);
    killed.kill();
    assert!(socket.exists(), "one that was killed leaves it");
    say(&cairn, "first", 2, "The gauge was painted green.");
    hook(&cairn, "stop", "first", &json!({}));
    let said = cairn.json("timeline -k 50")["entries"].clone();
    let first = said.as_array().expect("entries").iter().filter(|entry| entry["session"] == "first").count();
    assert_eq!(first, 2, "nothing is lost and nothing kept twice: {said}");
    let again = serve(&cairn);
    hook(&cairn, "stop", "first", &json!({}));
    assert_eq!(answered(&again, "stop").await, 1, "the next one opens it again");
}

/// covers: W-106
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_or_refuses_costs_a_hook_its_patience_and_no_more() {
    let cairn = Cairn::new();
    let server = serve(&cairn);
    say(&cairn, "first", 1, "The lighthouse keeper is called Teodor.");
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &server.pid().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    };
    signal("-STOP");
    hook(&cairn, "stop", "first", &json!({}));
    assert_eq!(cairn.json("stats")["messages"], 1, "the hook did it alone");
    signal("-CONT");
    for (asked, why) in [
        (String::new(), "EOF"),
        ("nonsense".to_owned(), "expected"),
        (json!({"version": "0.0.0", "database": null, "agent": "main", "host": "claude-code", "event": "stop", "at": "2026-11-15T10:00:00Z",
               "input": {"session_id": "s"}}).to_string(), "version"),
    ] {
        let mut stream = UnixStream::connect(cairn.path("home/hook.sock")).expect("connected");
        stream.write_all(asked.as_bytes()).expect("said");
        stream.shutdown(std::net::Shutdown::Write).expect("ended");
        let mut said = String::new();
        stream.read_to_string(&mut said).expect("an answer");
        assert!(said.contains("refused") && said.contains(why), "{asked}: {said}");
    }
    // Connections that say nothing hold no hook up.
    let idle: Vec<_> =
        (0..12).map(|_| UnixStream::connect(cairn.path("home/hook.sock")).expect("connected")).collect();
    say(&cairn, "first", 2, "He paints boats.");
    hook(&cairn, "stop", "first", &json!({}));
    drop(idle);
    assert_eq!(cairn.json("stats")["messages"], 2);
}

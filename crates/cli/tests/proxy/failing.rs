//! Whatever the provider does, the client sees what it would have seen; whatever the memory does, the answer streams.

use super::world::{Provider, Proxy, STREAM_HEAD, Step, chunk, json_answer, post, said, stream_answer};
use crate::support::Cairn;
use serde_json::json;
use std::{
    fs,
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};

const CHAT: &str = r#"{"stream":true,"messages":[{"role":"user","content":"I moved to Lisbon."}]}"#;

fn delta(text: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
}

/// covers: L-28
#[test]
fn an_answer_that_breaks_off_breaks_off_for_its_client_and_is_kept_so_far() {
    let cairn = Cairn::new();
    let stream = |parts: &[&str]| {
        let parts: Vec<Step> = parts.iter().map(|part| chunk(&delta(part))).collect();
        [vec![Step::Send(STREAM_HEAD.as_bytes().to_vec())], parts].concat()
    };
    let broken = [stream(&["Half an "]), vec![Step::Close]].concat();
    let stalled = [stream(&["It ", "stalls"]), vec![Step::Wait(Duration::from_mins(1))]].concat();
    let short =
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"choices\""
            .to_vec();
    let long =
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}and more".to_vec();
    cairn.write("home/config.toml", "[proxy]\nidle_seconds = 1\n");
    for (name, steps, body, whole) in [
        ("broken", broken, delta("Half an "), false),
        ("stalled", stalled, delta("It ") + &delta("stalls"), false),
        ("short", vec![Step::Send(short), Step::Close], "{\"choices\"".to_owned(), false),
        ("long", vec![Step::Send(long), Step::Close], "{}".to_owned(), true),
    ] {
        let provider = Provider::answering(steps);
        let proxy = Proxy::start(&cairn, &provider);
        let begun = Instant::now();
        let session = format!("x-cairn-session: {name}");
        let answer = proxy.ask(&post("/v1/chat/completions", &[&session], CHAT));
        assert_eq!((answer.text(), answer.whole), (body, whole), "{name}");
        assert!(begun.elapsed() < Duration::from_secs(30), "{name}");
        proxy.until("/recorded", 1);
        assert!(proxy.stop(), "{name}");
    }
    let told = cairn.json("timeline -k 20");
    let answers: Vec<String> = told["entries"]
        .as_array()
        .expect("it")
        .iter()
        .filter(|message| message["role"] == "assistant")
        .map(|message| {
            format!("{} {}", message["text"].as_str().unwrap_or_default(), message["metadata"]["incomplete"])
        })
        .collect();
    assert_eq!(answers, ["Half an  true", "It stalls true"]);
    assert_eq!(said(&cairn, "").iter().filter(|it| it.starts_with("user|")).count(), 4);
}

/// covers: L-28
#[test]
fn a_provider_that_is_not_there_or_says_nothing_is_told_of_in_the_clients_own_form() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[proxy]\nidle_seconds = 1\n");
    let gone = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let silent = Provider::answering(vec![Step::Wait(Duration::from_mins(1))]);
    let rude = Provider::answering(vec![Step::Send(b"SSH-2.0-x\r\n\r\n".to_vec()), Step::Close]);
    let closing = Provider::answering(vec![Step::Close]);
    let addresses = [gone, silent.address, rude.address, closing.address];
    for (address, status) in addresses.into_iter().zip([502, 504, 502, 502]) {
        let proxy = Proxy::start_with(
            &cairn,
            cairn.command(&format!("--json proxy --port 0 --upstream http://{address}")),
        );
        let answer = proxy.ask(&post("/v1/messages", &[], CHAT));
        assert!(answer.line.contains(&status.to_string()), "{}", answer.line);
        let told = answer.json();
        assert_eq!(told["type"], "error");
        assert!(told["error"]["message"].as_str().is_some_and(|it| it.contains("hint: ")), "{told}");
        assert_eq!(proxy.status()["upstream_failures"], 1);
        assert!(proxy.stop());
    }
}

/// covers: L-28
#[test]
fn a_client_that_goes_away_is_let_go_and_what_it_was_told_is_kept() {
    let cairn = Cairn::new();
    let mut steps = vec![Step::Send(STREAM_HEAD.as_bytes().to_vec()), chunk(&delta("The first word"))];
    steps.extend((0..200).flat_map(|_| [Step::Wait(Duration::from_millis(50)), chunk(": more\n\n")]));
    let provider = Provider::answering(steps);
    let proxy = Proxy::start(&cairn, &provider);
    let mut stream = TcpStream::connect(proxy.address).expect("connected");
    stream.write_all(&post("/v1/chat/completions", &[], CHAT)).expect("sent");
    let mut seen = Vec::new();
    while !seen.windows(4).any(|window| window == b"word") {
        let mut some = [0; 64];
        let read = stream.read(&mut some).expect("a part");
        seen.extend_from_slice(&some[..read]);
    }
    stream.shutdown(Shutdown::Both).expect("closed");
    drop(stream);
    proxy.until("/recorded", 1);
    assert!(proxy.stop());
    assert_eq!(said(&cairn, ""), ["user|user|I moved to Lisbon.", "assistant|assistant|The first word"]);
}

/// covers: L-28, X-P4
#[test]
fn a_memory_that_is_away_holds_nothing_up_and_gets_everything_when_it_is_back() {
    let cairn = Cairn::new();
    cairn.done("init --no-model");
    let provider = Provider::answering(stream_answer(&[&delta("Noted."), "data: [DONE]\n\n"]));
    let agents = cairn.path("home/agents");
    let away = cairn.path("home/agents-away");
    fs::rename(&agents, &away).expect("moved");
    fs::write(&agents, "no folder").expect("written");
    let proxy = Proxy::start(&cairn, &provider);
    for session in ["a", "b", "c"] {
        let headers = [&*format!("x-cairn-session: {session}"), "x-cairn-context: on"];
        let answer = proxy.ask(&post("/v1/chat/completions", &headers, CHAT));
        assert_eq!((answer.text(), answer.whole), (delta("Noted.") + "data: [DONE]\n\n", true));
    }
    proxy.until("/retries", 1);
    let status = proxy.until("/waiting", 3);
    assert_eq!((&status["recorded"], &status["waiting"]), (&json!(0), &json!(3)), "{status}");
    fs::remove_file(&agents).expect("removed");
    fs::rename(&away, &agents).expect("moved back");
    proxy.until("/recorded", 3);
    assert!(proxy.stop());
    assert_eq!(said(&cairn, "").len(), 6);
}

/// covers: L-28
#[test]
fn what_a_memory_never_took_is_counted_and_told() {
    let cairn = Cairn::new();
    cairn.write("home/agents", "no folder");
    cairn.write("home/config.toml", "[proxy]\nbody_bytes = 2000\n");
    let provider = Provider::answering(json_answer("200 OK", "{}"));
    let proxy = Proxy::start(&cairn, &provider);
    let big = CHAT.replace("Lisbon", &"Lisbon ".repeat(1_000));
    assert_eq!(proxy.ask(&post("/v1/chat/completions", &[], &big)).text(), "{}");
    assert_eq!(provider.seen()[0].text(), big, "it passes all the same");
    proxy.ask(&post("/v1/chat/completions", &[], "not json"));
    proxy.ask(&post("/v1/chat/completions", &[], CHAT));
    let status = proxy.until("/retries", 1);
    assert_eq!(status["not_recorded"]["too_large"], 1, "{status}");
    assert_eq!(status["not_recorded"]["unreadable"], 1, "{status}");
    let begun = Instant::now();
    assert!(proxy.stop());
    assert!(begun.elapsed() < Duration::from_secs(30), "it does not wait for ever");
    let log = cairn.read("proxy.log");
    for words in ["too_large", "unreadable", "memory_away", "0 exchange(s) recorded, 3 not"] {
        assert!(log.contains(words), "{words}: {log}");
    }
}

/// covers: L-28
#[test]
fn a_disk_without_room_costs_no_answer() {
    let cairn = Cairn::new();
    cairn.done("remember 'The kiln is warm.'");
    let folder = cairn.path("home/agents/main");
    let allow = |mode: u32| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).expect("set");
    if fs::metadata("/proc/self").is_ok_and(|it| std::os::unix::fs::MetadataExt::uid(&it) == 0) {
        println!("SKIPPED: nothing is forbidden to root");
        return;
    }
    let provider = Provider::answering(stream_answer(&[&delta("Noted.")]));
    let proxy = Proxy::start(&cairn, &provider);
    allow(0o500);
    assert!(proxy.ask(&post("/v1/chat/completions", &[], CHAT)).whole);
    proxy.until("/retries", 1);
    allow(0o700);
    proxy.until("/recorded", 1);
    assert!(proxy.stop());
    assert_eq!(said(&cairn, "").len(), 3);
}

/// covers: L-28
#[test]
fn asked_to_end_it_finishes_the_answer_under_way_and_records_it() {
    let cairn = Cairn::new();
    let mut steps = stream_answer(&[&delta("One "), &delta("two."), "data: [DONE]\n\n"]);
    steps.insert(2, Step::Wait(Duration::from_millis(1_500)));
    let provider = Provider::answering(steps);
    let proxy = Proxy::start(&cairn, &provider);
    let address = proxy.address;
    let asking =
        std::thread::spawn(move || super::world::ask(address, &post("/v1/chat/completions", &[], CHAT)));
    while provider.seen().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(proxy.stop());
    let answer = asking.join().expect("an answer");
    assert!(answer.whole && answer.text().contains("[DONE]"), "{answer:?}");
    assert_eq!(said(&cairn, ""), ["user|user|I moved to Lisbon.", "assistant|assistant|One two."]);
}

//! The bytes are the same with the proxy and without it.

use super::world::{HttpMessage, KEY, Provider, Proxy, Step, ask, chunk, json_answer, post, stream_answer};
use crate::support::{Cairn, files};
use std::{
    io::{BufReader, Read, Write},
    net::TcpStream,
    time::Duration,
};

const CHAT: &str =
    r#"{"model":"m", "temperature":1.0,"messages":[{"role":"user","content":"I moved to Lisbon."}]}"#;

/// Both sides of an exchange, directly and through a proxy.
fn check_alike(cairn: &Cairn, name: &str, steps: &[Step], request: &[u8]) {
    let provider = Provider::answering(steps.to_vec());
    let direct = ask(provider.address, request);
    let proxy = Proxy::start(cairn, &provider);
    let through = proxy.ask(request);
    assert_eq!(direct, through, "{name}: the answers differ");
    let seen = provider.seen();
    assert_eq!(seen.len(), 2, "{name}");
    assert_eq!(seen[0], seen[1], "{name}: the requests differ");
    assert!(proxy.stop(), "{name}: an orderly end");
}

/// covers: L-28
#[test]
fn requests_and_answers_are_the_same_to_the_byte() {
    let cairn = Cairn::new();
    let packed = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 171, 174, 5, 0, 67, 191, 166, 163, 2, 0, 0, 0];
    let gzip = [
        format!("HTTP/1.1 200 Fine\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", packed.len())
            .as_bytes(),
        &packed,
    ]
    .concat();
    let to_close = b"HTTP/1.1 200 OK\r\nConnection: close\r\nX-Odd-CASE: kept\r\n\r\nuntil the end".to_vec();
    let slow = vec![
        Step::Send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec()),
        chunk("data: 1\n"),
        Step::Wait(Duration::from_millis(120)),
        chunk("\ndata: [DONE]\n\n"),
        Step::Send(b"0\r\n\r\n".to_vec()),
    ];
    let refused = r#"{"error":{"message":"Incorrect API key provided"}}"#;
    let table = [
        ("json", json_answer("200 OK", r#"{"choices": [ ] }"#), post("/v1/chat/completions", &[], CHAT)),
        (
            "stream",
            stream_answer(&["data: {\"a\":1}\n\n", "data: [DONE]\n\n"]),
            post("/v1/chat/completions", &[], CHAT),
        ),
        ("slow stream", slow, post("/v1/messages", &["anthropic-version: 2023-06-01"], CHAT)),
        ("gzip", vec![Step::Send(gzip)], post("/v1/responses", &["Accept-Encoding: gzip"], CHAT)),
        ("to the close", vec![Step::Send(to_close), Step::Close], post("/v1/responses", &[], CHAT)),
        ("401", json_answer("401 Unauthorized", refused), post("/v1/chat/completions", &[], CHAT)),
        ("429", json_answer("429 Too Many Requests", refused), post("/v1/messages", &[], CHAT)),
        ("503", json_answer("503 Service Unavailable", ""), post("/v1/messages", &[], "not json")),
        (
            "unknown path",
            json_answer("200 OK", "{}"),
            post("/v2/other%20thing?b=2&a=1", &["X-Own: Kept"], "\u{0}\u{1}"),
        ),
        (
            "get",
            json_answer("200 OK", "{\"data\":[]}"),
            b"GET /v1/models HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nConnection: close\r\n\r\n".to_vec(),
        ),
        (
            "delete",
            json_answer("404 Not Found", "{}"),
            b"DELETE /v1/files/f1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".to_vec(),
        ),
    ];
    for (name, steps, request) in table {
        check_alike(&cairn, name, &steps, &request);
    }
}

/// covers: L-28
#[test]
fn a_request_in_pieces_is_passed_on_and_our_headers_are_not() {
    let cairn = Cairn::new();
    let provider = Provider::answering(json_answer("200 OK", "{}"));
    let proxy = Proxy::start(&cairn, &provider);
    let own = [
        "X-Cairn-Agent: scout",
        "x-cairn-session: s",
        "X-CAIRN-THREAD: t",
        "x-cairn-context: off",
        "x-cairn-other: x",
    ];
    proxy.ask(&post("/v1/chat/completions", &own, CHAT));
    let mut stream = TcpStream::connect(proxy.address).expect("connected");
    stream
        .write_all(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\n{\"mes\r\n")
        .expect("sent");
    std::thread::sleep(Duration::from_millis(50));
    stream.write_all(b"0d\r\nsages\":[]}   \r\n0\r\n\r\n").expect("sent");
    assert_eq!(HttpMessage::read(&mut BufReader::new(stream)).expect("an answer").line, "HTTP/1.1 200 OK");
    let seen = provider.seen();
    assert!(!format!("{:?}", seen[0]).to_lowercase().contains("cairn"), "{:?}", seen[0]);
    assert!(seen[0].headers.contains(&format!("Authorization: Bearer {KEY}")), "{:?}", seen[0]);
    assert_eq!((seen[1].text().as_str(), seen[1].whole), ("{\"messages\":[]}   ", true));
}

/// covers: L-28
#[test]
fn a_connection_is_used_again_and_the_first_byte_waits_for_nothing() {
    let cairn = Cairn::new();
    let provider = Provider::start(|_| {
        let mut steps = stream_answer(&["data: {}\n\n"]);
        steps.insert(2, Step::Wait(Duration::from_millis(700)));
        steps
    });
    let proxy = Proxy::start(&cairn, &provider);
    let stream = TcpStream::connect(proxy.address).expect("connected");
    let (mut input, mut output) = (BufReader::new(stream.try_clone().expect("it")), stream);
    for _ in 0..2 {
        let request = String::from_utf8(post("/v1/messages", &[], CHAT)).expect("text");
        let begun = std::time::Instant::now();
        output.write_all(request.replace("Connection: close\r\n", "").as_bytes()).expect("sent");
        let mut first = [0; 1];
        input.read_exact(&mut first).expect("a byte");
        assert!(begun.elapsed() < Duration::from_millis(650), "it came before the end of the stream");
        let answer = HttpMessage::read(&mut input).expect("the rest");
        assert!(answer.whole && answer.text() == "data: {}\n\n", "{answer:?}");
    }
}

/// Everything in the home, its database too.
fn home_holds(cairn: &Cairn, text: &str) -> Vec<String> {
    let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let mut all = files(&cairn.path("home"));
    let database = cairn.path("home/agents/main");
    for entry in database.read_dir().into_iter().flatten().flatten() {
        if let Ok(bytes) = std::fs::read(entry.path()) {
            all.push((entry.path(), bytes));
        }
    }
    all.push((cairn.path("proxy.log"), std::fs::read(cairn.path("proxy.log")).expect("a log")));
    all.into_iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path.display().to_string()).collect()
}

/// covers: L-28
#[test]
fn a_key_is_found_nowhere_but_with_the_provider() {
    let cairn = Cairn::new();
    let provider = Provider::start(|request| {
        if request.line.contains("fail") {
            json_answer("401 Unauthorized", &format!("{{\"error\":\"Incorrect API key provided: {KEY}\"}}"))
        } else {
            json_answer("200 OK", r#"{"choices":[{"message":{"content":"Noted."}}]}"#)
        }
    });
    let proxy = Proxy::start(&cairn, &provider);
    proxy.ask(&post("/v1/chat/completions", &["x-goog-api-key: x"], CHAT));
    proxy.ask(&post(&format!("/v1/fail?key={KEY}"), &[], CHAT));
    proxy.ask(&post(&format!("/v1/chat/completions/?fail={KEY}"), &[], CHAT));
    let pasted = CHAT.replace("Lisbon", KEY);
    proxy.ask(&post("/v1/chat/completions", &[], &pasted));
    proxy.until("/recorded", 2);
    let metrics =
        proxy.ask(b"GET /cairn/metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").text();
    assert!(metrics.contains("cairn_proxy_recorded 2") && !metrics.contains(KEY), "{metrics}");
    assert!(provider.seen().iter().all(|request| request.headers.contains(&format!("x-api-key: {KEY}"))));
    assert!(proxy.stop());
    assert_eq!(home_holds(&cairn, KEY), Vec::<String>::new());
    assert!(!home_holds(&cairn, "moved to Lisbon").is_empty(), "a search that finds nothing proves nothing");
}

#[test]
fn whoever_starts_it_wrongly_is_told_what_to_do() {
    let cairn = Cairn::new();
    for (line, code, words) in [
        ("proxy --bind 0.0.0.0 --port 0", 2, "can be reached from other machines"),
        ("proxy --upstream ftp://x --port 0", 2, "must begin with http:// or https://"),
        ("proxy --upstream https://me:pw@x --port 0", 2, "neither a key nor a password"),
        ("proxy --upstream http://127.0.0.1:39471/v1 --port 39471", 2, "is the proxy itself"),
    ] {
        let ran = cairn.run(line);
        assert_eq!(ran.code, code, "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(words) && ran.stderr.contains("hint: "), "{line}: {}", ran.stderr);
        assert!(!ran.stderr.contains("pw@"), "{}", ran.stderr);
    }
}

//! Both sides are kept, each word once, for whom the caller says.

use super::world::{Provider, Proxy, Step, json_answer, post, said, stream_answer};
use crate::support::Cairn;
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use std::{io::Write, thread};

fn chat_answer(text: &str) -> String {
    json!({"id": "x", "model": "fiction-1", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}).to_string()
}

/// A conversation in chat completions that grows by one exchange with each request.
struct Conversation {
    messages: Vec<Value>,
}

impl Conversation {
    fn say(&mut self, role: &str, text: &str) -> String {
        self.messages.push(json!({"role": role, "content": text}));
        json!({"model": "fiction-1", "messages": self.messages}).to_string()
    }
}

/// covers: L-28, X-P10
#[test]
fn a_conversation_is_kept_once_although_every_request_repeats_it() {
    let cairn = Cairn::new();
    let provider = Provider::start(|request| {
        let asked = request.json();
        let count = asked["messages"].as_array().map_or(0, Vec::len);
        json_answer("200 OK", &chat_answer(&format!("Answer {count}.")))
    });
    let proxy = Proxy::start(&cairn, &provider);
    let mut talk = Conversation { messages: Vec::new() };
    talk.say("system", "You live in Rome.");
    for (place, words) in ["I moved to Lisbon.", "yes", "yes"].iter().enumerate() {
        let body = talk.say("user", words);
        let request = post("/v1/chat/completions", &["x-cairn-session: s1", "x-cairn-thread: moving"], &body);
        // Sent again, as clients do where a connection broke.
        for _ in 0..2 {
            proxy.ask(&request);
        }
        talk.say("assistant", &format!("Answer {}.", 2 * place + 2));
    }
    proxy.until("/recorded", 6);
    assert!(proxy.stop());
    // Also after a restart.
    let proxy = Proxy::start(&cairn, &provider);
    talk.messages.pop();
    let body = json!({"messages": talk.messages}).to_string();
    proxy.ask(&post("/v1/chat/completions", &["x-cairn-session: s1"], &body));
    let status = proxy.until("/recorded", 1);
    assert_eq!(status["messages"], 0, "{status}");
    assert!(proxy.stop());
    let expected = [
        "user|user|I moved to Lisbon.",
        "assistant|assistant|Answer 2.",
        "user|user|yes",
        "assistant|assistant|Answer 4.",
        "user|user|yes",
        "assistant|assistant|Answer 6.",
    ];
    assert_eq!(said(&cairn, ""), expected);
    let told = cairn.json("timeline -k 9");
    assert!(
        told["entries"]
            .as_array()
            .expect("it")
            .iter()
            .all(|it| it["session"] == "s1" && it["thread"] == "moving")
    );
    assert_eq!(told["entries"][1]["metadata"]["model"], "fiction-1");
    cairn.done("form");
    let hits = cairn.json("memories list")["memories"].to_string();
    assert!(hits.contains("Lisbon") && !hits.contains("Rome"), "{hits}");
}

/// covers: L-28
#[test]
fn work_with_tools_is_kept_with_its_tools_in_every_protocol() {
    let cairn = Cairn::new();
    let chat_call = json!({"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\": \"a.txt\"}"}});
    let chat = json!({"messages": [
        {"role": "user", "content": [{"type": "text", "text": "What is in a.txt?"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
        {"role": "assistant", "content": null, "tool_calls": [chat_call]},
        {"role": "tool", "tool_call_id": "c1", "content": "chat: tide tables"}]});
    let messages = json!({"messages": [
        {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": "AAAA"}}, {"type": "text", "text": "What is in a.txt?"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a.txt"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "is_error": true, "content": [{"type": "text", "text": "messages: tide tables"}]}]}]});
    let responses = json!({"input": [
        {"role": "user", "content": [{"type": "input_text", "text": "What is in a.txt?"}, {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]},
        {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": "{\"path\":\"a.txt\"}"},
        {"type": "function_call_output", "call_id": "c1", "output": "responses: tide tables"}]});
    let provider = Provider::start(|request| {
        let (path, is_first) = (request.line.clone(), !request.text().contains("c1"));
        let (call, words) = (r#"{"path":"a.txt"}"#, "It holds tide tables.");
        let body = match (path.split(' ').nth(1).unwrap_or_default(), is_first) {
            ("/v1/chat/completions", true) => {
                json!({"choices": [{"message": {"content": null, "tool_calls": [{"id": "c1", "function": {"name": "read_file", "arguments": call}}]}}]})
            }
            ("/v1/chat/completions", false) => json!({"choices": [{"message": {"content": words}}]}),
            ("/v1/messages", true) => {
                json!({"content": [{"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a.txt"}}]})
            }
            ("/v1/messages", false) => json!({"content": [{"type": "text", "text": words}]}),
            (_, true) => {
                json!({"id": "r1", "status": "completed", "output": [{"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": call}]})
            }
            (_, false) => {
                json!({"id": "r2", "status": "completed", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": words}]}]})
            }
        };
        json_answer("200 OK", &body.to_string())
    });
    let proxy = Proxy::start(&cairn, &provider);
    for (agent, path, list, body) in [
        ("chat", "/v1/chat/completions", "messages", chat),
        ("anthropic", "/v1/messages", "messages", messages),
        ("responses", "/v1/responses", "input", responses),
    ] {
        let first = json!({list: [body[list][0]]}).to_string();
        let headers = [&*format!("x-cairn-agent: {agent}"), "x-cairn-session: s"];
        proxy.ask(&post(path, &headers, &first));
        proxy.ask(&post(path, &headers, &body.to_string()));
    }
    proxy.until("/recorded", 6);
    assert!(proxy.stop());
    for (agent, name) in [("chat", "chat"), ("anthropic", "messages"), ("responses", "responses")] {
        let expected = [
            "user|user|What is in a.txt?".to_owned(),
            r#"tool|read_file|read_file {"path":"a.txt"}"#.to_owned(),
            format!("tool|read_file|{name}: tide tables"),
            "assistant|assistant|It holds tide tables.".to_owned(),
        ];
        let line = format!("--agent {agent}");
        assert_eq!(said(&cairn, &line), expected, "{agent}");
        let told = cairn.json(&format!("{line} timeline"));
        assert_eq!(told["entries"][0]["metadata"]["images"], 1, "{agent}");
        assert_eq!(told["entries"][2]["metadata"]["is_error"] == true, agent == "anthropic");
    }
}

/// covers: L-28
#[test]
fn a_conversation_that_its_provider_keeps_stays_one_session() {
    let cairn = Cairn::new();
    let provider = Provider::start(|request| {
        let next = if request.text().contains("previous_response_id") { "r2" } else { "r1" };
        let item = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": format!("This is {next}.")}]});
        let event = |kind: &str, output: Value| {
            format!(
                "event: {kind}\ndata: {}\n\n",
                json!({"type": kind, "response": {"id": next, "status": "completed", "output": output}})
            )
        };
        stream_answer(&[&event("response.created", json!([])), &event("response.completed", json!([item]))])
    });
    let proxy = Proxy::start(&cairn, &provider);
    proxy.ask(&post("/v1/responses", &[], r#"{"input":"I keep bees.","stream":true}"#));
    proxy.until("/recorded", 1);
    proxy.ask(&post(
        "/v1/responses",
        &[],
        r#"{"input":"And goats.","previous_response_id":"r1","stream":true}"#,
    ));
    proxy.until("/recorded", 2);
    assert!(proxy.stop());
    let told = cairn.json("timeline");
    let sessions: Vec<&Value> =
        told["entries"].as_array().expect("it").iter().map(|it| &it["session"]).collect();
    assert_eq!(sessions.len(), 4);
    assert!(sessions.iter().all(|session| *session == sessions[0]), "{sessions:?}");
    assert!(sessions[0].as_str().is_some_and(|it| it.starts_with("2026-11-15-")), "{sessions:?}");
}

/// covers: L-28
#[test]
fn many_sessions_at_once_stay_apart_and_nothing_is_lost() {
    let cairn = Cairn::new();
    let provider = Provider::start(|request| {
        let asked = request.json();
        let words = asked["messages"][0]["content"].as_str().unwrap_or_default().to_owned();
        let events = [
            json!({"type": "message_start", "message": {"id": "m"}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": format!("You said: {words}")}}),
            json!({"type": "message_stop"}),
        ];
        let parts: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        stream_answer(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    });
    let proxy = Proxy::start(&cairn, &provider);
    thread::scope(|scope| {
        for session in 0..8 {
            let proxy = &proxy;
            scope.spawn(move || {
                for turn in 0..5 {
                    let body = json!({"messages": [{"role": "user", "content": format!("kettle {session} {turn}")}]}).to_string();
                    let named = format!("x-claude-code-session-id: session-{session}");
                    assert!(proxy.ask(&post("/v1/messages", &[&named], &body)).whole);
                }
            });
        }
    });
    proxy.until("/recorded", 40);
    assert!(proxy.stop());
    let told = cairn.json("timeline -k 200");
    let messages = told["entries"].as_array().expect("it");
    assert_eq!(messages.len(), 80);
    for message in messages {
        let session = message["session"].as_str().expect("it").trim_start_matches("session-").to_owned();
        assert!(
            message["text"].as_str().is_some_and(|it| it.contains(&format!("kettle {session} "))),
            "{message}"
        );
    }
}

/// covers: L-28
#[test]
fn packed_answers_are_read_and_those_that_cannot_be_are_told_of() {
    let cairn = Cairn::new();
    let provider = Provider::start(|request| {
        let unknown = request.text().contains("zander");
        let text = chat_answer("It is packed.");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).expect("packed");
        let packed = encoder.finish().expect("packed");
        let encoding = if unknown { "compress" } else { "gzip" };
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {}\r\n\r\n",
            packed.len()
        );
        vec![Step::Send([head.as_bytes(), &packed].concat())]
    });
    let proxy = Proxy::start(&cairn, &provider);
    let body = |words: &str| json!({"messages": [{"role": "user", "content": words}]}).to_string();
    proxy.ask(&post("/v1/chat/completions", &[], &body("the pike")));
    proxy.ask(&post("/v1/chat/completions", &[], &body("the zander")));
    let status = proxy.until("/recorded", 2);
    assert_eq!(status["answers_unread"], 1, "{status}");
    assert!(proxy.stop());
    assert_eq!(
        said(&cairn, ""),
        ["user|user|the pike", "assistant|assistant|It is packed.", "user|user|the zander"]
    );
}

/// covers: X-P10
#[test]
fn nobody_but_the_user_gets_the_users_word() {
    let cairn = Cairn::new();
    let provider = Provider::answering(json_answer("200 OK", &chat_answer("Noted.")));
    let proxy = Proxy::start(&cairn, &provider);
    let reminded = "Run the tests.\n<system-reminder>I live in Rome.</system-reminder>";
    let body = |words: &str| {
        json!({"messages": [{"role": "developer", "content": "I live in Oslo."}, {"role": "user", "content": words}]}).to_string()
    };
    proxy.ask(&post("/v1/chat/completions", &[], &body(reminded)));
    for refused in ["x-cairn-record: off", "Origin: https://example.org", "x-cairn-agent: ../elsewhere"] {
        proxy.ask(&post("/v1/chat/completions", &[refused], &body("I live in Bergen.")));
    }
    let status = proxy.until("/recorded", 1);
    assert_eq!(status["not_recorded"]["refused"], 1, "{status}");
    assert!(proxy.stop());
    let expected = [
        "user|user|Run the tests.",
        "system|system|<system-reminder>I live in Rome.</system-reminder>",
        "assistant|assistant|Noted.",
    ];
    assert_eq!(said(&cairn, ""), expected);
}

//! Each protocol, asked and answered, whole and streamed.

use super::{ApiProtocol, PassedBody, dialogue::PieceKind};
use hyper::Method;

const LIMIT: usize = 1 << 20;

fn asked(protocol: ApiProtocol, body: &str) -> Vec<(PieceKind, String, Option<String>)> {
    let body = PassedBody { bytes: body.as_bytes(), encoding: None };
    let asked = protocol.request(body, LIMIT).expect("read");
    asked.pieces.into_iter().map(|piece| (piece.kind, piece.text, piece.tool)).collect()
}

fn answered(protocol: ApiProtocol, body: &str) -> (Vec<(PieceKind, String)>, bool) {
    let body = PassedBody { bytes: body.as_bytes(), encoding: None };
    let answer = protocol.answer(body, LIMIT).expect("read");
    (answer.pieces.into_iter().map(|piece| (piece.kind, piece.text)).collect(), answer.complete)
}

fn piece(kind: PieceKind, text: &str, tool: Option<&str>) -> (PieceKind, String, Option<String>) {
    (kind, text.to_owned(), tool.map(str::to_owned))
}

#[test]
fn only_conversations_are_recorded() {
    for (path, protocol) in [
        ("/v1/chat/completions", Some(ApiProtocol::Chat)),
        ("/chat/completions", Some(ApiProtocol::Chat)),
        ("/openai/v1/chat/completions/", Some(ApiProtocol::Chat)),
        ("/v1/responses", Some(ApiProtocol::Responses)),
        ("/responses", Some(ApiProtocol::Responses)),
        ("/v1/messages", Some(ApiProtocol::Messages)),
        ("/v1/messages/count_tokens", None),
        ("/v1/messages/batches", None),
        ("/v1/threads/t1/messages", None),
        ("/v1/completions", None),
        ("/v1/embeddings", None),
        ("/", None),
    ] {
        assert_eq!(ApiProtocol::of(&Method::POST, path), protocol, "{path}");
    }
    assert_eq!(ApiProtocol::of(&Method::GET, "/v1/messages"), None);
}

#[test]
fn a_request_is_read_as_what_user_model_and_tools_said() {
    use PieceKind::{Assistant, Instruction, ToolCall, ToolResult, User};
    let expected = [
        piece(Instruction, "Be brief.", None),
        piece(User, "Look.", None),
        piece(Assistant, "I will.", None),
        piece(ToolCall, r#"Bash {"command":"ls"}"#, Some("Bash")),
        piece(ToolResult, "a.txt", Some("Bash")),
    ];
    let chat = r#"{"messages":[{"role":"system","content":"Be brief."},
        {"role":"user","content":[{"type":"text","text":"Look."},{"type":"image_url","image_url":{"url":"data:"}}]},
        {"role":"assistant","content":"I will.","tool_calls":[{"id":"c","type":"function","function":{"name":"Bash","arguments":"{\"command\": \"ls\"}"}}]},
        {"role":"tool","tool_call_id":"c","content":"a.txt"}]}"#;
    assert_eq!(asked(ApiProtocol::Chat, chat), expected);
    let responses = r#"{"input":[{"role":"developer","content":"Be brief."},
        {"type":"message","role":"user","content":[{"type":"input_text","text":"Look."}]},
        {"type":"reasoning","summary":[]},
        {"type":"message","role":"assistant","content":[{"type":"output_text","text":"I will."}]},
        {"type":"function_call","call_id":"c","name":"Bash","arguments":"{\"command\": \"ls\"}"},
        {"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"a.txt"}]}]}"#;
    assert_eq!(asked(ApiProtocol::Responses, responses), expected);
    let messages = r#"{"system":"Be brief.","messages":[{"role":"user","content":"Look."},
        {"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I will."},
            {"type":"tool_use","id":"c","name":"Bash","input":{"command":"ls"}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"a.txt"}]}]}]}"#;
    assert_eq!(asked(ApiProtocol::Messages, messages), expected[1..]);
}

#[test]
fn an_answer_is_read_alike_whole_and_streamed() {
    let expected = vec![
        (PieceKind::Assistant, "Two files.".to_owned()),
        (PieceKind::ToolCall, r#"Bash {"command":"ls"}"#.to_owned()),
    ];
    for (protocol, whole, streamed) in [
        (
            ApiProtocol::Chat,
            r#"{"id":"x","choices":[{"index":0,"message":{"content":"Two files.","tool_calls":[{"id":"c","function":{"name":"Bash","arguments":"{\"command\":\"ls\"}"}}]}}]}"#,
            r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Two "}}]}

data: {"choices":[{"index":1,"delta":{"content":"Other."}},{"index":0,"delta":{"content":"files."}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"Bash","arguments":"{\"comm"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"and\":\"ls\"}"}}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

"#,
        ),
        (
            ApiProtocol::Messages,
            r#"{"id":"m","content":[{"type":"text","text":"Two files."},{"type":"tool_use","id":"c","name":"Bash","input":{"command":"ls"}}]}"#,
            r#"event: message_start
data: {"type":"message_start","message":{"id":"m","model":"x"}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Two "}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"files."}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c","name":"Bash","input":{}}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"command\":"}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"ls\"}"}}

data: {"type":"message_stop"}

"#,
        ),
        (
            ApiProtocol::Responses,
            r#"{"id":"r","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Two files."}]},{"type":"function_call","call_id":"c","name":"Bash","arguments":"{\"command\":\"ls\"}"}]}"#,
            r#"data: {"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}

data: {"type":"response.output_text.delta","output_index":0,"delta":"Two "}

data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Two files."}]}}

data: {"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"c","name":"Bash","arguments":"{\"command\":\"ls\"}"}}

data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}

"#,
        ),
    ] {
        assert_eq!(answered(protocol, whole), (expected.clone(), true), "{protocol:?}");
        assert_eq!(answered(protocol, streamed), (expected.clone(), true), "{protocol:?}");
        // Of one that breaks off, everything up to there.
        let broken = &streamed[..streamed.find("files.").expect("in it") - 4];
        let (said, complete) = answered(protocol, broken);
        assert!(!complete, "{protocol:?}");
        assert!(said.iter().all(|(_, text)| text == "Two "), "{protocol:?}: {said:?}");
    }
}

#[test]
fn bodies_of_strangers_never_panic_and_always_end() {
    let bodies = [
        "",
        "null",
        "7",
        "[]",
        "{}",
        "{\"messages\":[null,7,\"x\",{\"role\":7},{\"role\":\"user\",\"content\":{}}]}",
        "{\"input\":[null,{\"type\":7},{\"type\":\"x_call\"},{\"type\":\"x_call_output\"}]}",
        "{\"choices\":{},\"content\":7,\"output\":\"x\"}",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[null]}}]}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":99999999999}\n\n",
        "data:",
        "\u{feff}{}",
        "\r\n\r\n",
    ];
    for body in bodies {
        for protocol in [ApiProtocol::Chat, ApiProtocol::Responses, ApiProtocol::Messages] {
            let body = PassedBody { bytes: body.as_bytes(), encoding: None };
            let _ = protocol.request(body, LIMIT).map(|asked| asked.newest());
            let _ = protocol.answer(body, LIMIT);
        }
    }
    let deep = "[".repeat(100_000);
    let body = PassedBody { bytes: deep.as_bytes(), encoding: None };
    assert!(ApiProtocol::Chat.request(body, LIMIT).is_none());
}

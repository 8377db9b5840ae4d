//! Chat completions: OpenAI's older protocol, which most servers speak.

use super::dialogue::{AskedRequest, DialoguePiece, PieceKind, RecordedAnswer, filled, spoken};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn request(body: &Value) -> AskedRequest {
    let mut pieces = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        match message["role"].as_str().unwrap_or_default() {
            "user" => pieces.extend(spoken(PieceKind::User, &message["content"])),
            "assistant" => pieces.extend(said(message)),
            "tool" | "function" => {
                let call = message["tool_call_id"].as_str();
                let tool = filled(&message["name"]);
                pieces.push(DialoguePiece { tool, ..DialoguePiece::tool_result(call, &message["content"]) });
            }
            _ => pieces.extend(spoken(PieceKind::Instruction, &message["content"])),
        }
    }
    AskedRequest { pieces, session: filled(&body["prompt_cache_key"]), previous: None }
}

/// The pieces of a message of the model's.
fn said(message: &Value) -> Vec<DialoguePiece> {
    let mut pieces = spoken(PieceKind::Assistant, &message["content"]);
    pieces.extend(filled(&message["refusal"]).map(|text| DialoguePiece::new(PieceKind::Assistant, text)));
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    pieces.extend(calls.map(|call| {
        let custom = &call["custom"];
        let (name, input) = match custom["name"].as_str() {
            Some(name) => (Some(name), &custom["input"]),
            None => (call["function"]["name"].as_str(), &call["function"]["arguments"]),
        };
        DialoguePiece::tool_call(name, call["id"].as_str(), input)
    }));
    pieces
}

pub(super) fn answer(body: &Value) -> RecordedAnswer {
    let choices = body["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
    let first = choices.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0);
    RecordedAnswer {
        pieces: first.map(|choice| said(&choice["message"])).unwrap_or_default(),
        id: filled(&body["id"]),
        model: filled(&body["model"]),
        complete: first.is_some(),
    }
}

/// A call of a tool while it streams.
#[derive(Default)]
struct StreamedCall {
    id: Option<String>,
    name: String,
    arguments: String,
}

/// An answer out of its chunks. Of several choices the first is taken.
pub(super) fn streamed_answer(chunks: &[Value]) -> RecordedAnswer {
    let (mut content, mut refusal) = (String::new(), String::new());
    let mut calls: BTreeMap<u64, StreamedCall> = BTreeMap::new();
    let mut answer = RecordedAnswer::default();
    for chunk in chunks {
        answer.id = answer.id.or_else(|| filled(&chunk["id"]));
        answer.model = answer.model.or_else(|| filled(&chunk["model"]));
        for choice in chunk["choices"].as_array().into_iter().flatten() {
            if choice["index"].as_u64().unwrap_or(0) != 0 {
                continue;
            }
            let delta = &choice["delta"];
            content.push_str(delta["content"].as_str().unwrap_or_default());
            refusal.push_str(delta["refusal"].as_str().unwrap_or_default());
            for (place, part) in delta["tool_calls"].as_array().into_iter().flatten().enumerate() {
                let call = calls.entry(part["index"].as_u64().unwrap_or(place as u64)).or_default();
                call.id = call.id.take().or_else(|| filled(&part["id"]));
                let function = &part["function"];
                call.name.push_str(function["name"].as_str().unwrap_or_default());
                call.arguments.push_str(function["arguments"].as_str().unwrap_or_default());
            }
            answer.complete |= choice["finish_reason"].is_string();
        }
    }
    let words = [content, refusal].into_iter().filter(|text| !text.trim().is_empty());
    answer.pieces = words.map(|text| DialoguePiece::new(PieceKind::Assistant, text)).collect();
    answer.pieces.extend(
        calls.into_values().map(|call| {
            DialoguePiece::tool_call(Some(&call.name), call.id.as_deref(), &json!(call.arguments))
        }),
    );
    answer
}

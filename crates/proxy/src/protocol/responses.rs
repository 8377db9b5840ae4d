//! Responses: OpenAI's newer protocol, in which a conversation is a list of items.

use super::dialogue::{AskedRequest, DialoguePiece, PieceKind, RecordedAnswer, filled, spoken};
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) fn request(body: &Value) -> AskedRequest {
    let pieces = match &body["input"] {
        Value::Array(items) => items.iter().flat_map(pieces).collect(),
        text => spoken(PieceKind::User, text),
    };
    let conversation = &body["conversation"];
    let session = filled(conversation)
        .or_else(|| filled(&conversation["id"]))
        .or_else(|| filled(&body["prompt_cache_key"]));
    AskedRequest { pieces, session, previous: filled(&body["previous_response_id"]) }
}

/// The pieces of one item. Whatever is called a call is one, and so is what answers it.
fn pieces(item: &Value) -> Vec<DialoguePiece> {
    let kind = item["type"].as_str().unwrap_or("message");
    if kind == "message" {
        let kind = match item["role"].as_str().unwrap_or_default() {
            "user" => PieceKind::User,
            "assistant" => PieceKind::Assistant,
            _ => PieceKind::Instruction,
        };
        let mut pieces = spoken(kind, &item["content"]);
        let refusals = item["content"].as_array().into_iter().flatten();
        let refusals = refusals.filter_map(|part| filled(&part["refusal"]));
        pieces.extend(refusals.map(|text| DialoguePiece::new(kind, text)));
        return pieces;
    }
    let call = item["call_id"].as_str().or_else(|| item["id"].as_str());
    if kind.ends_with("_call_output") {
        return vec![DialoguePiece::tool_result(call, &item["output"])];
    }
    let Some(named) = kind.strip_suffix("_call") else { return Vec::new() };
    let inputs = ["arguments", "input", "action", "operation"].map(|name| &item[name]);
    let input = inputs.into_iter().find(|input| !input.is_null()).unwrap_or(&Value::Null);
    vec![DialoguePiece::tool_call(item["name"].as_str().or(Some(named)), call, input)]
}

pub(super) fn answer(body: &Value) -> RecordedAnswer {
    RecordedAnswer {
        pieces: body["output"].as_array().into_iter().flatten().flat_map(pieces).collect(),
        id: filled(&body["id"]),
        model: filled(&body["model"]),
        complete: body["status"].as_str().is_none_or(|status| status == "completed"),
    }
}

/// An answer out of its events: as its last event tells it, else out of the items that came.
pub(super) fn streamed_answer(events: &[Value]) -> RecordedAnswer {
    let mut items: BTreeMap<u64, Vec<DialoguePiece>> = BTreeMap::new();
    let mut texts: BTreeMap<u64, String> = BTreeMap::new();
    let mut told = RecordedAnswer::default();
    for event in events {
        let place = event["output_index"].as_u64().unwrap_or(0);
        match event["type"].as_str().unwrap_or_default() {
            "response.output_item.done" => drop(items.insert(place, pieces(&event["item"]))),
            "response.output_text.delta" | "response.refusal.delta" => {
                texts.entry(place).or_default().push_str(event["delta"].as_str().unwrap_or_default());
            }
            "response.created" | "response.in_progress" | "response.incomplete" | "response.failed" => {
                told = RecordedAnswer { complete: false, ..answer(&event["response"]) };
            }
            "response.completed" => told = answer(&event["response"]),
            _ => {}
        }
    }
    if told.pieces.is_empty() {
        for (place, text) in texts.into_iter().filter(|(_, text)| !text.trim().is_empty()) {
            items.entry(place).or_insert_with(|| vec![DialoguePiece::new(PieceKind::Assistant, text)]);
        }
        told.pieces = items.into_values().flatten().collect();
    }
    told
}

//! Messages: Anthropic's protocol.

use super::dialogue::{AskedRequest, DialoguePiece, PieceKind, RecordedAnswer, filled, spoken, texts};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn request(body: &Value) -> AskedRequest {
    let mut pieces = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let kind = match message["role"].as_str().unwrap_or_default() {
            "user" => PieceKind::User,
            "assistant" => PieceKind::Assistant,
            _ => PieceKind::Instruction,
        };
        match message["content"].as_array() {
            None => pieces.extend(spoken(kind, &message["content"])),
            Some(blocks) => {
                let images = blocks.iter().filter(|block| block["type"] == "image").count();
                let place = pieces.len();
                pieces.extend(blocks.iter().filter_map(|block| piece(kind, block)));
                if let Some(first) = pieces[place..].iter_mut().find(|piece| piece.kind == PieceKind::User) {
                    first.images = images;
                }
            }
        }
    }
    AskedRequest { pieces, session: session(&body["metadata"]["user_id"]), previous: None }
}

fn piece(kind: PieceKind, block: &Value) -> Option<DialoguePiece> {
    match block["type"].as_str()? {
        "text" => Some(DialoguePiece::new(kind, filled(&block["text"])?)),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            Some(DialoguePiece::tool_call(block["name"].as_str(), block["id"].as_str(), &block["input"]))
        }
        "tool_result" => {
            let result = DialoguePiece::tool_result(block["tool_use_id"].as_str(), &block["content"]);
            Some(DialoguePiece { is_error: block["is_error"] == true, ..result })
        }
        _ => None,
    }
}

/// The session that a coding agent names within its user's id: as JSON, or behind `_session_`.
fn session(user: &Value) -> Option<String> {
    let user = user.as_str()?;
    let parsed: Option<Value> = serde_json::from_str(user).ok();
    let named = parsed.as_ref().and_then(|fields| filled(&fields["session_id"]));
    named.or_else(|| user.rsplit_once("_session_").map(|(_, session)| session.to_owned()))
}

pub(super) fn answer(body: &Value) -> RecordedAnswer {
    let blocks = body["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    RecordedAnswer {
        pieces: blocks.iter().filter_map(|block| piece(PieceKind::Assistant, block)).collect(),
        id: filled(&body["id"]),
        model: filled(&body["model"]),
        complete: body["content"].is_array(),
    }
}

/// A block while it streams.
struct StreamedBlock {
    begun: Value,
    text: String,
    input: String,
}

impl StreamedBlock {
    fn piece(self) -> Option<DialoguePiece> {
        let begun = &self.begun;
        match begun["type"].as_str()? {
            "text" => {
                let text = texts(begun).concat() + &self.text;
                (!text.trim().is_empty()).then(|| DialoguePiece::new(PieceKind::Assistant, text))
            }
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                let input = if self.input.is_empty() { begun["input"].clone() } else { json!(self.input) };
                Some(DialoguePiece::tool_call(begun["name"].as_str(), begun["id"].as_str(), &input))
            }
            _ => None,
        }
    }
}

/// An answer out of its events.
pub(super) fn streamed_answer(events: &[Value]) -> RecordedAnswer {
    let mut blocks: BTreeMap<u64, StreamedBlock> = BTreeMap::new();
    let mut answer = RecordedAnswer::default();
    for event in events {
        let place = event["index"].as_u64().unwrap_or(0);
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                answer.id = filled(&event["message"]["id"]);
                answer.model = filled(&event["message"]["model"]);
            }
            "content_block_start" => {
                let begun = event["content_block"].clone();
                blocks.insert(place, StreamedBlock { begun, text: String::new(), input: String::new() });
            }
            "content_block_delta" => {
                if let Some(block) = blocks.get_mut(&place) {
                    block.text.push_str(event["delta"]["text"].as_str().unwrap_or_default());
                    block.input.push_str(event["delta"]["partial_json"].as_str().unwrap_or_default());
                }
            }
            "message_stop" => answer.complete = true,
            _ => {}
        }
    }
    answer.pieces = blocks.into_values().filter_map(StreamedBlock::piece).collect();
    answer
}

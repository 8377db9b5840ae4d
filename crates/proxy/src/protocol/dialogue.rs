//! A conversation in pieces, whoever's protocol it came in, and which of them are new.

use serde_json::Value;

/// Where a piece of a conversation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// Sent as the user's.
    User,
    /// Said by the model.
    Assistant,
    /// A tool that the model uses.
    ToolCall,
    /// The answer of a tool.
    ToolResult,
    /// An instruction of the program, which is nobody's word.
    Instruction,
}

/// One piece of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DialoguePiece {
    pub(crate) kind: PieceKind,
    pub(crate) text: String,
    /// The id of the call that it makes or answers.
    pub(crate) call: Option<String>,
    /// The name of the tool.
    pub(crate) tool: Option<String>,
    pub(crate) is_error: bool,
    /// Pictures that came with it; they are not kept.
    pub(crate) images: usize,
}

impl DialoguePiece {
    pub(crate) fn new(kind: PieceKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), call: None, tool: None, is_error: false, images: 0 }
    }

    /// A use of a tool, with its input as JSON or as text.
    pub(crate) fn tool_call(name: Option<&str>, call: Option<&str>, input: &Value) -> Self {
        let tool = &name.and_then(clean_name).unwrap_or_else(|| "tool".to_owned());
        let parsed = input.as_str().map(|text| serde_json::from_str::<Value>(text).ok());
        let text = match (input, parsed) {
            (Value::Null, _) => tool.clone(),
            (_, Some(Some(value))) => format!("{tool} {value}"),
            (Value::String(text), _) if text.trim().is_empty() => tool.clone(),
            (Value::String(text), _) => format!("{tool} {text}"),
            (value, _) => format!("{tool} {value}"),
        };
        let (tool, call) = (Some(tool.clone()), call.map(str::to_owned));
        Self { call, tool, ..Self::new(PieceKind::ToolCall, text) }
    }

    /// The answer of a tool to a call.
    pub(crate) fn tool_result(call: Option<&str>, output: &Value) -> Self {
        let text = texts(output).join("\n");
        Self { call: call.map(str::to_owned), ..Self::new(PieceKind::ToolResult, text) }
    }

    fn is_models(&self) -> bool {
        matches!(self.kind, PieceKind::Assistant | PieceKind::ToolCall)
    }
}

/// A request as far as it is recorded.
#[derive(Debug, Default)]
pub(crate) struct AskedRequest {
    /// Everything it says, in order.
    pub(crate) pieces: Vec<DialoguePiece>,
    /// The program's own name for the conversation.
    pub(crate) session: Option<String>,
    /// The answer that it goes on from, where the provider keeps the conversation.
    pub(crate) previous: Option<String>,
}

/// An answer as far as it is recorded.
#[derive(Debug, Default)]
pub(crate) struct RecordedAnswer {
    pub(crate) pieces: Vec<DialoguePiece>,
    /// The provider's id for it.
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    /// Whether it came to its end.
    pub(crate) complete: bool,
}

impl AskedRequest {
    /// The places of what is new: everything since the model last spoke, and of the work with tools that it is in every result,
    /// since some programs send them one by one.
    pub(crate) fn newest(&self) -> Vec<usize> {
        let end = self.pieces.iter().rposition(|piece| !piece.is_models()).map_or(0, |place| place + 1);
        let (mut places, mut in_calls) = (Vec::new(), false);
        for (place, piece) in self.pieces[..end].iter().enumerate().rev() {
            match piece.kind {
                PieceKind::User if in_calls => break,
                PieceKind::User | PieceKind::ToolResult => places.push(place),
                PieceKind::ToolCall => in_calls = true,
                PieceKind::Assistant => break,
                PieceKind::Instruction => {}
            }
        }
        places.reverse();
        places
    }

    /// Names the tools behind results by the calls that they answer.
    pub(crate) fn with_tools_named(mut self) -> Self {
        for place in 0..self.pieces.len() {
            let (before, rest) = self.pieces.split_at_mut(place);
            let Some(result) = rest.first_mut().filter(|it| it.kind == PieceKind::ToolResult) else {
                continue;
            };
            let is_call =
                |piece: &&DialoguePiece| piece.kind == PieceKind::ToolCall && piece.call == result.call;
            if let Some(call) = before.iter().rev().find(is_call).filter(|_| result.call.is_some()) {
                result.tool.clone_from(&call.tool);
            }
        }
        self
    }
}

/// The texts of a content: one text, or the text blocks of a list, each by itself.
pub(crate) fn texts(content: &Value) -> Vec<String> {
    let blocks = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
    let is_text = |block: &&Value| {
        block["type"].as_str().is_none_or(|kind| matches!(kind, "text" | "input_text" | "output_text"))
    };
    let text = |block: &Value| block.as_str().or_else(|| block["text"].as_str()).map(str::to_owned);
    blocks.iter().filter(is_text).filter_map(text).filter(|text| !text.trim().is_empty()).collect()
}

/// The pieces of a message's content, with its pictures noted at the first.
pub(crate) fn spoken(kind: PieceKind, content: &Value) -> Vec<DialoguePiece> {
    let mut pieces: Vec<DialoguePiece> =
        texts(content).into_iter().map(|text| DialoguePiece::new(kind, text)).collect();
    let is_image = |block: &&Value| block["type"].as_str().is_some_and(|kind| kind.contains("image"));
    let images = content.as_array().map_or(0, |blocks| blocks.iter().filter(is_image).count());
    if let Some(first) = pieces.first_mut() {
        first.images = images;
    }
    pieces
}

/// Longest name of a session, a thread or a tool that is taken over.
const MAX_NAME_CHARS: usize = 120;

/// A name that a stranger gave, as one that can be kept; `None` if nothing of it is left.
pub(crate) fn clean_name(name: &str) -> Option<String> {
    let clean: String = name.trim().chars().filter(|it| !it.is_control()).take(MAX_NAME_CHARS).collect();
    (!clean.trim().is_empty()).then_some(clean)
}

/// Text that is there and not blank.
pub(crate) fn filled(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(kinds: &str) -> AskedRequest {
        let kind = |letter| match letter {
            'u' => PieceKind::User,
            'a' => PieceKind::Assistant,
            'c' => PieceKind::ToolCall,
            'r' => PieceKind::ToolResult,
            _ => PieceKind::Instruction,
        };
        let pieces = kinds.chars().map(|letter| DialoguePiece::new(kind(letter), letter)).collect();
        AskedRequest { pieces, ..AskedRequest::default() }
    }

    #[test]
    fn new_is_what_came_since_the_model_spoke_and_every_result_of_the_work_it_is_in() {
        for (pieces, places) in [
            ("su", vec![1]),
            ("uau", vec![2]),
            ("uauu", vec![2, 3]),
            ("uacr", vec![3]),
            ("uaccrr", vec![4, 5]),
            ("uacrcr", vec![3, 5]),
            ("ucrcru", vec![2, 4, 5]),
            ("ua", vec![0]),
            ("uaua", vec![2]),
            ("s", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(said(pieces).newest(), places, "{pieces}");
        }
    }

    #[test]
    fn a_call_is_told_with_its_input_however_it_is_written() {
        for (input, text) in [
            (json!({"b": 1}), r#"Bash {"b":1}"#),
            (json!("{\"b\": 1}"), r#"Bash {"b":1}"#),
            (json!("*** patch"), "Bash *** patch"),
            (json!(""), "Bash"),
            (Value::Null, "Bash"),
        ] {
            assert_eq!(DialoguePiece::tool_call(Some("Bash"), None, &input).text, text);
        }
    }

    #[test]
    fn pictures_are_counted_and_left_out() {
        let content = json!([{"type": "image_url", "image_url": {"url": "data:x"}}, {"type": "text", "text": "What is it?"}]);
        let pieces = spoken(PieceKind::User, &content);
        assert_eq!(pieces.len(), 1);
        assert_eq!((pieces[0].text.as_str(), pieces[0].images), ("What is it?", 1));
    }
}

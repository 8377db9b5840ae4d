//! Shapes of JSON: which product writes a line, an element of a list, or an object like this.

use crate::form::Form;
use serde_json::Value;

/// The form of a line that stands for itself.
pub(crate) fn of_line(line: &Value) -> Option<Form> {
    let has = |name: &str| !line[name].is_null();
    let kind = line["type"].as_str();
    if kind.is_some() && line["payload"].is_object() && has("timestamp") {
        return Some(Form::CodexRollout);
    }
    if has("sessionId") && has("projectHash") || line["$set"].is_object() || has("$rewindTo") {
        return Some(Form::GeminiCliLog);
    }
    if kind == Some("entity") && has("entityType") || kind == Some("relation") && has("relationType") {
        return Some(Form::McpMemoryLines);
    }
    let fields = line.as_object().map_or(0, serde_json::Map::len);
    if fields == 3 && has("session_id") && has("ts") && has("text") {
        return Some(Form::CodexPrompts);
    }
    if line["role"].is_string() && line["message"]["content"].is_array() && !has("uuid") && !has("sessionId")
    {
        return Some(Form::CursorTranscript);
    }
    is_transcript(line).then_some(Form::Transcript)
}

/// Whether a line is one of Cairn's own, or of Claude Code.
fn is_transcript(line: &Value) -> bool {
    let has = |name: &str| !line[name].is_null();
    let own = ["text", "content", "user", "agent", "assistant"].into_iter().any(has)
        && !line["payload"].is_object();
    let claude_code = has("type")
        && (has("sessionId") || has("uuid") || has("leafUuid") || has("messageId") && has("snapshot"));
    own || claude_code
}

/// The form of a list with such an element.
pub(crate) fn of_element(element: &Value) -> Option<Form> {
    let has = |name: &str| !element[name].is_null();
    if element["mapping"].is_object() {
        return Some(Form::ChatGptList);
    }
    let claude_ai = element["chat_messages"].is_array()
        || has("prompt_template") && has("uuid")
        || has("conversations_memory")
        || element["project_memories"].is_object();
    if claude_ai {
        return Some(Form::ClaudeAiList);
    }
    if has("header") && has("title") && has("time") {
        return Some(Form::TakeoutActivity);
    }
    if has("message_type") && has("date") {
        return Some(Form::LettaMessages);
    }
    if has("text") && element["id"].as_str().is_some_and(|id| id.starts_with("passage-")) {
        return Some(Form::LettaPassages);
    }
    if element["memory"].is_string() && has("id") {
        return Some(Form::Mem0List);
    }
    if has("sessionId") && has("messageId") && has("message") {
        return Some(Form::GeminiCliPrompts);
    }
    (!element["source"]["wing"].is_null() && !element["target"]["wing"].is_null())
        .then_some(Form::PalaceTunnels)
}

/// The form of an object that is a whole file.
pub(crate) fn of_object(object: &Value) -> Option<Form> {
    let lists = |name: &str| object[name].is_array();
    if lists("agents") && lists("blocks") || lists("core_memory") && lists("messages") {
        return Some(Form::LettaAgentFile);
    }
    if lists("episodes") && (lists("nodes") || lists("entities")) {
        return Some(Form::GraphitiDump);
    }
    if lists("nodes") && lists("edges") {
        let related = object["edges"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|edge| edge["relationship_name"].is_string());
        return related.then_some(Form::CogneeGraph);
    }
    if object["docstore"].is_object() && object["index_to_id"].is_object() {
        return Some(Form::Mem0Faiss);
    }
    if lists("conversation_turns") {
        return Some(Form::TakeoutConversation);
    }
    if object["sessionId"].is_string() && lists("messages") {
        return Some(Form::GeminiCliSession);
    }
    if object["info"]["id"].is_string() && lists("messages") {
        return Some(Form::OpenCodeExport);
    }
    if !object["exportedAt"].is_null() && lists("observations") {
        return Some(Form::ClaudeMemExport);
    }
    let is_page = |page: &Value| {
        page["results"].as_array().is_some_and(|all| all.iter().any(|one| one["memory"].is_string()))
    };
    let fields = object.as_object().into_iter().flatten();
    let by_user =
        !lists("results") && fields.clone().count() > 0 && fields.clone().all(|(_, page)| is_page(page));
    if is_page(object) || by_user {
        return Some(Form::Mem0List);
    }
    of_element(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_shape_is_known_and_others_are_not() {
        let lines = [
            (json!({"timestamp": "t", "type": "response_item", "payload": {}}), Some(Form::CodexRollout)),
            (json!({"$set": {"lastUpdated": "t"}}), Some(Form::GeminiCliLog)),
            (
                json!({"type": "entity", "name": "x", "entityType": "person", "observations": []}),
                Some(Form::McpMemoryLines),
            ),
            (json!({"session_id": "s", "ts": 1, "text": "x"}), Some(Form::CodexPrompts)),
            (json!({"role": "user", "message": {"content": []}}), Some(Form::CursorTranscript)),
            (json!({"text": "x"}), Some(Form::Transcript)),
            (json!({"type": "summary", "summary": "x", "leafUuid": "u"}), Some(Form::Transcript)),
            (json!({"name": "x"}), None),
        ];
        for (line, form) in lines {
            assert_eq!(of_line(&line), form, "{line}");
        }
        let elements = [
            (json!({"mapping": {}}), Some(Form::ChatGptList)),
            (json!({"uuid": "u", "chat_messages": []}), Some(Form::ClaudeAiList)),
            (json!({"header": "h", "title": "t", "time": "x"}), Some(Form::TakeoutActivity)),
            (json!({"id": "1", "memory": "x"}), Some(Form::Mem0List)),
            (json!({"title": "x"}), None),
            (json!(7), None),
        ];
        for (element, form) in elements {
            assert_eq!(of_element(&element), form, "{element}");
        }
        assert_eq!(of_object(&json!({"nerin": {"results": [{"memory": "x"}]}})), Some(Form::Mem0List));
        assert_eq!(of_object(&json!({"nodes": [], "edges": []})), None);
        assert_eq!(of_object(&json!({})), None);
    }
}

//! The words that a hook carries itself. Of hosts whose transcript is not read they are all that is kept: the prompt when it is
//! sent, each tool's call and answer when it is done, the agent's answer when it is given.

use crate::{Event, Host, Input};
use cairn_domain::{Draft, Role, Time};
use cairn_engine::{Agent, EngineError, transcript::typed_words};
use serde_json::Value;

/// Who speaks where an agent was started by another one.
const SUB_AGENT: &str = "sub-agent";

/// Keeps the words of an event that no transcript will be read for. The host may be killed at any time.
pub(crate) async fn keep(
    agent: &Agent,
    (host, event): (Host, Event),
    input: &Input,
    at: Time,
) -> Result<(), EngineError> {
    for draft in drafts((host, event), input, at) {
        let (session, thread) = (Some(input.session_id.clone()), input.thread().map(str::to_owned));
        let cwd = input.cwd.clone().map(|cwd| ("cwd".to_owned(), cwd.into()));
        let metadata = draft.metadata.into_iter().chain(cwd).collect();
        agent.keep_announced(Draft { session, thread, metadata, ..draft }, at).await?;
    }
    Ok(())
}

fn drafts((host, event): (Host, Event), input: &Input, at: Time) -> Vec<Draft> {
    let reads_transcript = host.has_transcript();
    match event {
        Event::UserPromptSubmit => {
            let typed = input.prompt.as_deref().and_then(typed_words);
            typed.map(|typed| Draft::new(Role::User, typed)).into_iter().collect()
        }
        Event::SubagentStop if !reads_transcript || input.agent_transcript_path.is_none() => {
            let answer = |text| Draft { speaker: Some(SUB_AGENT.to_owned()), ..Draft::new(Role::Tool, text) };
            input.last_assistant_message.iter().map(answer).collect()
        }
        Event::Stop if !reads_transcript => {
            let answer = input.last_assistant_message.as_deref().map(str::trim);
            answer.map(|text| Draft::new(Role::Assistant, text)).into_iter().collect()
        }
        Event::PostToolUse | Event::PostToolUseFailure if !reads_transcript => tool_words(input, at),
        Event::SessionStart
        | Event::PreToolUse
        | Event::PostToolUse
        | Event::PostToolUseFailure
        | Event::SubagentStop
        | Event::PreCompact
        | Event::Stop
        | Event::SessionEnd => Vec::new(),
    }
}

/// A tool's call, and what came of it.
fn tool_words(input: &Input, at: Time) -> Vec<Draft> {
    let Some(tool) = input.tool_name.clone().filter(|tool| !tool.trim().is_empty()) else {
        return Vec::new();
    };
    let id = input.tool_use_id.clone().unwrap_or_else(|| at.millis().to_string());
    let words = |part: &str, text: String| {
        let source_id = Some(format!("tool:{id}#{part}"));
        Draft { source_id, speaker: Some(tool.clone()), ..Draft::new(Role::Tool, text) }
    };
    let arguments = if input.tool_input.is_null() { String::new() } else { format!(" {}", input.tool_input) };
    let call = words("call", format!("{tool}{arguments}"));
    let error = input.error.clone().or_else(|| words_of(&input.tool_response["error"]));
    let failed = error.is_some();
    let mut answer = words("answer", error.or_else(|| words_of(&input.tool_response)).unwrap_or_default());
    if failed {
        answer.metadata.insert("is_error".to_owned(), true.into());
    }
    [call, answer].into_iter().filter(|draft| !draft.text.trim().is_empty()).collect()
}

/// The words of a tool's answer: a text, a list of parts, or an object that has them under one of the usual names.
fn words_of(answer: &Value) -> Option<String> {
    match answer {
        Value::Null => None,
        Value::String(text) => Some(without_frame(text)).filter(|text| !text.trim().is_empty()),
        Value::Array(parts) => {
            let words: Vec<String> = parts.iter().filter_map(words_of).collect();
            (!words.is_empty()).then(|| words.join("\n"))
        }
        Value::Object(fields) => {
            let named = ["llmContent", "text", "output", "content", "stdout", "message"].iter();
            let found = named.filter_map(|name| fields.get(*name)).find_map(words_of);
            found.or_else(|| (!fields.is_empty()).then(|| answer.to_string()))
        }
        Value::Bool(_) | Value::Number(_) => Some(answer.to_string()),
    }
}

/// Gemini CLI puts what tools say into an element of its own.
fn without_frame(text: &str) -> String {
    let inner = text
        .trim()
        .strip_prefix("<untrusted_context>")
        .and_then(|rest| rest.strip_suffix("</untrusted_context>"));
    inner.map_or_else(|| text.to_owned(), |inner| inner.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(host: Host, event: Event, told: &Value) -> Vec<(Role, String, bool)> {
        let input = Input::parse(told.to_string().as_bytes()).expect("an input");
        let drafts = drafts((host, event), &input, Time::from_millis(0));
        let failed = |draft: &Draft| draft.metadata.contains_key("is_error");
        drafts.iter().map(|draft| (draft.role, draft.text.clone(), failed(draft))).collect()
    }

    #[test]
    fn each_host_says_in_its_own_way_what_a_tool_did() {
        let call = |text: &str| (Role::Tool, text.to_owned(), false);
        let codex = json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": "ok"});
        assert_eq!(
            said(Host::Codex, Event::PostToolUse, &codex),
            [call(r#"Bash {"command":"make"}"#), call("ok")]
        );
        assert_eq!(said(Host::ClaudeCode, Event::PostToolUse, &codex), [], "its transcript says it");
        let gemini = json!({"session_id": "s", "tool_name": "write_file", "tool_input": {},
            "tool_response": {"llmContent": "<untrusted_context>\nno room\n</untrusted_context>", "error": {"message": "disk full"}}});
        let failed = (Role::Tool, "disk full".to_owned(), true);
        assert_eq!(said(Host::Gemini, Event::PostToolUse, &gemini), [call("write_file {}"), failed.clone()]);
        let cursor = json!({"conversation_id": "s", "tool_name": "Shell", "tool_input": null, "error_message": "disk full"});
        assert_eq!(said(Host::Cursor, Event::PostToolUseFailure, &cursor), [call("Shell"), failed]);
        let quiet = json!({"session_id": "s", "tool_name": "Bash", "tool_response": {"llmContent": [{"text": "a"}, {"text": "b"}]}});
        assert_eq!(said(Host::Gemini, Event::PostToolUse, &quiet), [call("Bash"), call("a\nb")]);
    }

    #[test]
    fn what_the_host_wrote_around_a_prompt_is_not_the_users() {
        let gemini = json!({"session_id": "s", "prompt": "<hook_context>I live in Rome.</hook_context>\n\nMend the gauge."});
        let user = (Role::User, "Mend the gauge.".to_owned(), false);
        assert_eq!(said(Host::Gemini, Event::UserPromptSubmit, &gemini), [user]);
        let answer = json!({"session_id": "s", "prompt_response": "Done.\n"});
        assert_eq!(said(Host::Gemini, Event::Stop, &answer), [(Role::Assistant, "Done.".to_owned(), false)]);
        assert_eq!(said(Host::ClaudeCode, Event::Stop, &answer), []);
    }
}

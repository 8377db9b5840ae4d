//! Letta: agent files of both generations, and the server's listings of messages and archival memory. Ids in a file are new
//! with every export, so a message is named by its second, its role and its words: the listing names it alike.

use crate::{
    archive::{open_unpacked, read_bounded},
    error::{ImporterError, Result},
    gathered::{GatheredKind, Gatherer, IdentityTarget, draft, with, with_fields},
    record::{each_element, whole},
    value::{answer, call, fingerprint, first_moment, inner, list, name, role, text, texts_of},
};
use cairn_domain::{Draft, Role, Time};
use serde_json::Value;
use std::path::Path;

pub(crate) fn read_agent_file(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let bytes = read_bounded(open_unpacked(path)?, path)?;
    let record = whole(&bytes).map_err(|problem| ImporterError::malformed(path, problem))?;
    if record["agents"].is_array() {
        for one in list(&record["blocks"]) {
            block(one, None, out);
        }
        for agent in list(&record["agents"]) {
            agent_of(agent, out);
        }
        for file in list(&record["files"]) {
            let Some(words) = text(file, "content") else { continue };
            let id = out.id(&format!("file:{}", fingerprint(&[words])));
            let document = draft(Role::Tool, id, first_moment(file, &["created_at"]), words);
            out.fed(GatheredKind::Document, with(document, "file", &file["file_name"]));
        }
    } else {
        let agent = text(&record, "name").map(str::to_owned);
        for one in list(&record["core_memory"]) {
            block(one, agent.as_deref(), out);
        }
        agent_of(&record, out);
    }
    out.counted("archival_passages", 0);
    out.left_out("an agent file has no archival memory: give its listing, too", 1);
    Ok(())
}

fn agent_of(agent: &Value, out: &mut Gatherer<'_>) {
    out.counted("agents", 1);
    let thread = text(agent, "name").map(str::to_owned);
    out.tenant(thread.clone());
    let keys = list(&agent["tool_exec_environment_variables"]).len()
        + agent["secrets"].as_array().map_or(0, Vec::len);
    out.left_out("environment variables and secrets of an agent", keys as u64);
    for message in list(&agent["messages"]) {
        said(message, thread.as_deref(), out);
    }
    out.tenant(None);
}

/// A part of what the agent always has in mind.
pub(crate) fn block(block: &Value, agent: Option<&str>, out: &mut Gatherer<'_>) {
    let (label, words) = (text(block, "label").unwrap_or("block"), text(block, "value").unwrap_or_default());
    out.counted("blocks", 1);
    match label {
        "persona" => return out.proposal(IdentityTarget::Soul, "Letta's block persona", words),
        "human" => out.proposal(IdentityTarget::Anchor, "Letta's block human", words),
        _ => {}
    }
    let id = out.id(&format!("block:{}", fingerprint(&[label, words])));
    let note = draft(Role::Tool, id, first_moment(block, &["updated_at", "created_at"]), words);
    let note = with_fields(note, block, &["label", "description", "read_only"]);
    out.fed(GatheredKind::Memory, Draft { thread: agent.map(str::to_owned), ..note });
}

/// The id of a message, alike in a file and in a listing.
fn message_id(out: &Gatherer<'_>, role: Role, at: Option<Time>, words: &str) -> Option<String> {
    let second = at.map_or(0, |at| at.millis().div_euclid(1000));
    out.id(&fingerprint(&[role.as_str(), &second.to_string(), words]))
}

fn give(
    role: Role,
    speaker: Option<String>,
    at: Option<Time>,
    words: &str,
    thread: Option<&str>,
    out: &mut Gatherer<'_>,
) {
    let id = message_id(out, role, at, words);
    out.said(Draft { speaker, thread: thread.map(str::to_owned), ..draft(role, id, at, words) });
}

fn said(message: &Value, thread: Option<&str>, out: &mut Gatherer<'_>) {
    let at = first_moment(message, &["created_at", "date"]);
    let words = texts_of(&message["content"]).join("\n");
    let calls = list(&message["tool_calls"]);
    let speaks_by_tool = calls.iter().any(|call| call["function"]["name"] == "send_message");
    match message["role"].as_str().unwrap_or_default() {
        "user" => match user_words(&words) {
            UserWords::Said(words) => give(Role::User, None, at, &words, thread, out),
            UserWords::Hosts => {
                out.counted("heartbeats_left_out", 1);
                out.left_out("heartbeats and notices of the program", 1);
            }
        },
        "assistant" => {
            if speaks_by_tool && !words.trim().is_empty() {
                out.counted("thoughts_left_out", 1);
                out.left_out("the model's thoughts", 1);
            } else {
                give(Role::Assistant, None, at, &words, thread, out);
            }
            for asked in calls {
                let (tool, input) =
                    (text(&asked["function"], "name").unwrap_or("tool"), &asked["function"]["arguments"]);
                if tool == "send_message" {
                    give(
                        Role::Assistant,
                        None,
                        at,
                        inner(input)["message"].as_str().unwrap_or_default(),
                        thread,
                        out,
                    );
                } else {
                    give(Role::Tool, Some(tool.to_owned()), at, &call(tool, input), thread, out);
                }
            }
        }
        "tool" if text(message, "name") == Some("send_message") => {}
        "tool" => {
            let tool = text(message, "name").unwrap_or("tool").to_owned();
            give(Role::Tool, Some(tool), at, &words, thread, out);
        }
        "system" => {
            out.counted("system_messages_left_out", 1);
            out.left_out("system prompts", 1);
        }
        _ => out.left_out("summaries and approvals", 1),
    }
}

/// Whose words stand in the user's place.
enum UserWords {
    Said(String),
    Hosts,
}

/// Older servers wrap the user's words in JSON, and heartbeats, too.
fn user_words(words: &str) -> UserWords {
    let wrapped: Value = serde_json::from_str(words).unwrap_or(Value::Null);
    match wrapped["type"].as_str() {
        Some("user_message") => UserWords::Said(wrapped["message"].as_str().unwrap_or_default().to_owned()),
        Some("heartbeat" | "login" | "system_alert") => UserWords::Hosts,
        _ => UserWords::Said(words.to_owned()),
    }
}

/// The server's listing of messages.
pub(crate) fn read_messages(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let broken = each_element(open_unpacked(path)?, |message| {
        let at = first_moment(&message, &["date"]);
        let words = texts_of(&message["content"]).join("\n");
        match message["message_type"].as_str().unwrap_or_default() {
            "user_message" => match user_words(&words) {
                UserWords::Said(words) => give(Role::User, None, at, &words, None, out),
                UserWords::Hosts => out.left_out("heartbeats and notices of the program", 1),
            },
            "assistant_message" => give(role("assistant"), None, at, &words, None, out),
            "tool_call_message" => {
                let asked = &message["tool_call"];
                let tool = text(asked, "name").unwrap_or("tool").to_owned();
                let words = call(&tool, &asked["arguments"]);
                give(Role::Tool, Some(tool), at, &words, None, out);
            }
            "tool_return_message" => {
                let tool = text(&message, "name").unwrap_or("tool").to_owned();
                give(Role::Tool, Some(tool), at, &answer(&message["tool_return"]), None, out);
            }
            "reasoning_message" | "hidden_reasoning_message" => out.left_out("the model's thoughts", 1),
            _ => out.left_out("system prompts and notices", 1),
        }
    });
    out.left_out("messages that cannot be read", broken.map_err(ImporterError::file(path))?);
    Ok(())
}

/// The server's listing of archival memory: what the agent wrote down for itself.
pub(crate) fn read_passages(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let broken = each_element(open_unpacked(path)?, |passage| {
        if passage["is_deleted"] == true {
            return out.left_out("deleted passages", 1);
        }
        out.counted("archival_passages", 1);
        let id = name(&passage, "id").unwrap_or_else(|| fingerprint(&[&passage.to_string()]));
        let words = passage["text"].as_str().unwrap_or_default();
        let memory = draft(Role::Tool, out.id(&id), first_moment(&passage, &["created_at"]), words);
        out.fed(GatheredKind::Memory, with_fields(memory, &passage, &["tags"]));
    });
    out.left_out("passages that cannot be read", broken.map_err(ImporterError::file(path))?);
    Ok(())
}

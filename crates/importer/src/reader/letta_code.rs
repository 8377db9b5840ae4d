//! Letta Code's local agents: conversations with their messages, and a folder of memory for each agent.

use crate::{
    archive::{open_unpacked, read_bounded},
    error::{ImporterError, Result},
    gathered::{Gatherer, draft},
    reader::{basic_memory::markdown, codex::is_injected, letta::block},
    record::{each_line, whole},
    value::{answer, call, folder_name, list, moment, name, role, text, texts_of},
};
use cairn_domain::{Draft, Mode, Role};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

pub(crate) fn read_backend(folder: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    for path in listed(&folder.join("agents")) {
        let agent = json_of(&path)?;
        out.counted("agents", u64::from(agent["hidden"] != true));
    }
    for path in listed(&folder.join("conversations")) {
        conversation(&path, out)?;
    }
    for agent in listed(&folder.join("memfs")) {
        for path in markdown(&agent.join("memory")) {
            out.counted("memory_files", 1);
            memory_file(&path, out)?;
        }
    }
    Ok(())
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn json_of(path: &Path) -> Result<Value> {
    let bytes = read_bounded(open_unpacked(path)?, path)?;
    whole(&bytes).map_err(|problem| ImporterError::malformed(path, problem))
}

fn conversation(folder: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let about = folder.join("conversation.json");
    if !about.exists() {
        return Ok(());
    }
    let about = json_of(&about)?;
    out.counted("conversations", 1);
    let path = folder.join("messages.jsonl");
    if !path.exists() {
        return Ok(());
    }
    out.counted("conversations_with_words", 1);
    let agent = name(&about, "agent_id").unwrap_or_default();
    let session = format!("{agent}/{}", name(&about, "id").unwrap_or_default());
    let mut common = Draft { session: Some(session), mode: Some(Mode::Code), ..Draft::default() };
    let broken = each_line(open_unpacked(&path)?, |line| match line["type"].as_str() {
        Some("session") => common.thread = text(&line, "cwd").and_then(folder_name),
        Some("message") => message(&line, &common, out),
        Some("compaction") => out.left_out("summaries of what was shortened", 1),
        _ => {}
    });
    out.left_out("lines that cannot be read", broken.map_err(ImporterError::file(&path))?);
    Ok(())
}

fn message(line: &Value, common: &Draft, out: &mut Gatherer<'_>) {
    let message = &line["message"];
    let content = if message["content"].is_null() { &message["parts"] } else { &message["content"] };
    let entry = name(line, "id").unwrap_or_default();
    let id = format!("{}/{entry}", common.session.as_deref().unwrap_or_default());
    let at = moment(&line["timestamp"]).or_else(|| moment(&message["timestamp"]));
    let speaks = role(message["role"].as_str().unwrap_or_default());
    if speaks == Role::Tool {
        let tool = name(message, "toolName");
        let given = draft(Role::Tool, out.id(&id), at, answer(content));
        return out.said(Draft {
            speaker: tool,
            source_id: given.source_id,
            at,
            text: given.text,
            role: Role::Tool,
            ..common.clone()
        });
    }
    let words: Vec<String> = texts_of(content).into_iter().filter(|text| !is_injected(text)).collect();
    out.said(Draft { role: speaks, source_id: out.id(&id), at, text: words.join("\n"), ..common.clone() });
    for (place, part) in list(content).iter().enumerate() {
        match part["type"].as_str() {
            Some("toolCall") => {
                let tool = name(part, "name").unwrap_or_else(|| "tool".to_owned());
                let text = call(&tool, &part["arguments"]);
                let source_id = out.id(&format!("{id}#{place}"));
                out.said(Draft {
                    role: Role::Tool,
                    speaker: Some(tool),
                    source_id,
                    at,
                    text,
                    ..common.clone()
                });
            }
            Some("thinking") => out.left_out("the model's thoughts", 1),
            _ => {}
        }
    }
}

/// Who the agent and the person are goes where Letta's blocks go; every other file is knowledge.
fn memory_file(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let label = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if label != "persona" && label != "human" {
        out.knowledge(path.to_owned(), None);
        return Ok(());
    }
    let bytes = fs::read(path).map_err(ImporterError::file(path))?;
    let page = String::from_utf8_lossy(&bytes);
    let body = page
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map_or(&*page, |(_, body)| body);
    block(&json!({"label": label, "value": body.trim()}), None, out);
    Ok(())
}

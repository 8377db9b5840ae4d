//! Cursor: bubbles of composers in its state databases, chats of older versions, and transcripts of its agents.

use crate::{
    archive::open_unpacked,
    database::CopiedDatabase,
    error::{ImporterError, Result},
    gathered::{Gatherer, draft, with},
    record::each_line,
    value::{answer, call, fingerprint, first_text, folder_name, inner, list, moment, name, role, text},
};
use cairn_domain::{Draft, Mode, Role, Time};
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    fs,
    path::Path,
};

pub(crate) fn read_database(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    let tables = database.tables()?;
    if tables.contains("cursorDiskKV") {
        let folders = workspaces(path);
        composers(&database, &folders, out)?;
    }
    if tables.contains("ItemTable") {
        let folder = workspace_of(path);
        let sql = "SELECT value FROM ItemTable WHERE key = 'workbench.panel.aichat.view.aichat.chatdata'";
        database.each(sql, |row| old_chats(&inner(&row["value"]), folder.as_deref(), out))?;
    }
    Ok(())
}

/// The folder of the workspace that a database belongs to.
fn workspace_of(path: &Path) -> Option<String> {
    let written = fs::read_to_string(path.parent()?.join("workspace.json")).ok()?;
    let record: Value = serde_json::from_str(&written).ok()?;
    text(&record, "folder").and_then(folder_name)
}

/// The folder of each composer, from the databases of the workspaces beside the global one.
fn workspaces(path: &Path) -> HashMap<String, String> {
    let mut folders = HashMap::new();
    let storage = path.parent().and_then(Path::parent).map(|user| user.join("workspaceStorage"));
    for entry in storage.into_iter().flat_map(fs::read_dir).flatten().flatten().take(10_000) {
        let state = entry.path().join("state.vscdb");
        let Some(folder) = workspace_of(&state) else { continue };
        let Ok(database) = CopiedDatabase::open(&state) else { continue };
        let sql = "SELECT value FROM ItemTable WHERE key = 'composer.composerData'";
        // A workspace that cannot be read names no folder; its conversations are read all the same.
        let _ = database.each(sql, |row| {
            let ids = inner(&row["value"]);
            for composer in list(&ids["allComposers"]) {
                folders.extend(name(composer, "composerId").map(|id| (id, folder.clone())));
            }
        });
    }
    folders
}

fn composers(
    database: &CopiedDatabase,
    folders: &HashMap<String, String>,
    out: &mut Gatherer<'_>,
) -> Result<()> {
    let mut bubbles: HashMap<String, Value> = HashMap::new();
    database.each("SELECT key, value FROM cursorDiskKV WHERE key LIKE 'bubbleId:%'", |row| {
        bubbles.insert(name(&row, "key").unwrap_or_default(), inner(&row["value"]));
    })?;
    let mut used = HashSet::new();
    let sql = "SELECT key, value FROM cursorDiskKV WHERE key LIKE 'composerData:%' ORDER BY key";
    database.each(sql, |row| {
        let composer = inner(&row["value"]);
        let Some(id) = name(&composer, "composerId") else { return };
        let listed: Vec<Value> = list(&composer["fullConversationHeadersOnly"])
            .iter()
            .filter_map(|header| {
                let key = format!("bubbleId:{id}:{}", header["bubbleId"].as_str()?);
                let bubble = bubbles.get(&key)?.clone();
                used.insert(key);
                Some(bubble)
            })
            .collect();
        let inline = list(&composer["conversation"]);
        let all = if listed.is_empty() { inline } else { &listed };
        if !all.is_empty() {
            out.counted("conversations", 1);
            let begun = moment(&composer["createdAt"]);
            let common = Draft {
                session: Some(id.clone()),
                thread: folders.get(&id).cloned(),
                mode: Some(Mode::Code),
                ..Draft::default()
            };
            let common = with(common, "session_title", &composer["name"]);
            for one in all {
                bubble(one, begun, &common, out);
            }
        }
    })?;
    let left = bubbles.keys().filter(|key| !used.contains(*key)).count() as u64;
    out.counted("left_branch", left);
    out.left_out("bubbles of branches that were left", left);
    Ok(())
}

fn bubble(bubble: &Value, begun: Option<Time>, common: &Draft, out: &mut Gatherer<'_>) {
    let id = name(bubble, "bubbleId").unwrap_or_else(|| fingerprint(&[&bubble.to_string()]));
    let exact = moment(&bubble["createdAt"]).or_else(|| moment(&bubble["timingInfo"]["clientRpcSendTime"]));
    let speaks = if bubble["type"] == 1 { Role::User } else { Role::Assistant };
    let made = |role: Role, id: Option<String>, words: String| {
        let said = Draft { source_id: id, role, text: words, at: exact.or(begun), ..common.clone() };
        if exact.is_none() { with(said, "at_is", &"approximate".into()) } else { said }
    };
    if bubble["thinking"].is_object() || text(bubble, "thinking").is_some() {
        out.counted("thoughts_left_out", 1);
        out.left_out("the model's thoughts", 1);
    }
    out.said(made(speaks, out.id(&id), bubble["text"].as_str().unwrap_or_default().to_owned()));
    let tool = &bubble["toolFormerData"];
    if let Some(named) = name(tool, "name") {
        let input = if tool["params"].is_null() { &tool["rawArgs"] } else { &tool["params"] };
        let asked = made(Role::Tool, out.id(&format!("{id}#call")), call(&named, input));
        out.said(Draft { speaker: Some(named.clone()), ..asked });
        let given = made(Role::Tool, out.id(&format!("{id}#answer")), answer(&tool["result"]));
        out.said(Draft { speaker: Some(named), ..given });
    }
}

fn old_chats(chats: &Value, folder: Option<&str>, out: &mut Gatherer<'_>) {
    for tab in list(&chats["tabs"]) {
        let bubbles = list(&tab["bubbles"]);
        if bubbles.is_empty() {
            continue;
        }
        out.counted("conversations", 1);
        for bubble in bubbles {
            let Some(words) = first_text(bubble, &["text", "rawText"]) else { continue };
            let speaks = role(bubble["type"].as_str().unwrap_or_default());
            let id = name(bubble, "id").unwrap_or_else(|| fingerprint(&[words]));
            let said = Draft {
                session: name(tab, "tabId"),
                thread: folder.map(str::to_owned),
                mode: Some(Mode::Code),
                ..draft(speaks, out.id(&id), moment(&tab["lastSendTime"]), words)
            };
            out.said(with(said, "at_is", &"approximate".into()));
        }
    }
}

/// A transcript of an agent: no times and no ids, so the file's time and the place in it stand for them.
pub(crate) fn read_transcript(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let session = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let project = path.ancestors().find(|folder| folder.ends_with("agent-transcripts"));
    let project = project.and_then(Path::parent).and_then(Path::file_name);
    let thread = project.and_then(|name| name.to_string_lossy().rsplit('-').next().map(str::to_owned));
    let at = modified(path);
    let mut place = 0_u64;
    out.counted("conversations", 1);
    let broken = each_line(open_unpacked(path)?, |line| {
        let speaks = role(line["role"].as_str().unwrap_or_default());
        for part in list(&line["message"]["content"]) {
            place += 1;
            let (role, speaker, words) = match part["type"].as_str().unwrap_or("text") {
                "text" => (speaks, None, unwrapped(part["text"].as_str().unwrap_or_default()).to_owned()),
                "tool_use" => {
                    let tool = name(part, "name").unwrap_or_else(|| "tool".to_owned());
                    let words = call(&tool, &part["input"]);
                    (Role::Tool, Some(tool), words)
                }
                "tool_result" => (Role::Tool, Some("tool".to_owned()), answer(&part["content"])),
                _ => continue,
            };
            let said = Draft {
                session: Some(session.clone()),
                thread: thread.clone(),
                mode: Some(Mode::Code),
                speaker,
                ..draft(role, out.id(&format!("{session}#{place}")), at, words)
            };
            out.said(with(said, "at_is", &"approximate".into()));
        }
    });
    out.left_out("lines that cannot be read", broken.map_err(ImporterError::file(path))?);
    Ok(())
}

/// The words that Cursor wraps when it hands them on.
fn unwrapped(words: &str) -> &str {
    let inside = words.split_once("<user_query>").and_then(|(_, rest)| rest.split_once("</user_query>"));
    inside.map_or(words, |(inside, _)| inside.trim())
}

/// When a file was last changed.
pub(crate) fn modified(path: &Path) -> Option<Time> {
    let modified = path.metadata().ok()?.modified().ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Time::from_millis(since.as_millis() as i64))
}

//! claude-mem: prompts as they were typed, tools as they were called, and what its own model made of both. Columns are looked
//! at, not version numbers: older databases name the sessions differently.

use crate::{
    archive::{open_unpacked, read_bounded},
    database::CopiedDatabase,
    error::{ImporterError, Result},
    gathered::{GatheredKind, Gatherer, with, with_fields},
    record::whole,
    value::{answer, call, first_text, inner, list, moment, name, text},
};
use cairn_domain::{Draft, Mode, Role};
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};

/// The product talking to itself.
const OWN_PROJECT: &str = "observer-sessions";

/// Columns that name a session, in both generations.
const HOST_SESSION: [&str; 2] = ["content_session_id", "claude_session_id"];
const OWN_SESSION: [&str; 2] = ["memory_session_id", "sdk_session_id"];

#[derive(Default)]
struct Sessions {
    /// The host's session for each of its own.
    hosts: HashMap<String, String>,
    /// The project of each host's session.
    projects: HashMap<String, String>,
    seen: BTreeSet<String>,
}

impl Sessions {
    fn learn(&mut self, row: &Value, out: &mut Gatherer<'_>) {
        out.counted("sessions", 1);
        let Some(host) = first_text(row, &HOST_SESSION) else { return };
        self.hosts.extend(first_text(row, &OWN_SESSION).map(|own| (own.to_owned(), host.to_owned())));
        self.projects.extend(text(row, "project").map(|project| (host.to_owned(), project.to_owned())));
    }

    /// The fields that all messages of a row share; none for what the product said to itself.
    fn common(&mut self, row: &Value) -> Option<Draft> {
        let own = first_text(row, &OWN_SESSION);
        let host = first_text(row, &HOST_SESSION).map(str::to_owned);
        let session =
            host.or_else(|| own.map(|own| self.hosts.get(own).cloned().unwrap_or_else(|| own.to_owned())));
        let known = session.as_ref().and_then(|session| self.projects.get(session).cloned());
        let thread = first_text(row, &["merged_into_project", "project"]).map(str::to_owned).or(known);
        if thread.as_deref() == Some(OWN_PROJECT) {
            return None;
        }
        self.seen.extend(thread.clone());
        let at = moment(&row["created_at_epoch"]).or_else(|| moment(&row["created_at"]));
        Some(Draft { session, thread, at, mode: Some(Mode::Code), ..Draft::default() })
    }
}

pub(crate) fn read_database(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    let tables = database.tables()?;
    let mut sessions = Sessions::default();
    let each = |table: &str, take: &mut dyn FnMut(Value)| -> Result<()> {
        if !tables.contains(table) {
            return Ok(());
        }
        database.each(&format!("SELECT * FROM {table} ORDER BY id"), take)
    };
    each("sdk_sessions", &mut |row| sessions.learn(&row, out))?;
    each("user_prompts", &mut |row| prompt(&row, &mut sessions, out))?;
    each("tool_uses", &mut |row| {
        out.counted("rows_in_tool_uses", 1);
        tool_use(&row, "tool_uses", &mut sessions, out);
    })?;
    each("pending_messages", &mut |row| tool_use(&row, "pending_messages", &mut sessions, out))?;
    each("observations", &mut |row| observation(&row, &mut sessions, out))?;
    each("session_summaries", &mut |row| summary(&row, &mut sessions, out))?;
    out.counted("projects", sessions.seen.len() as u64);
    Ok(())
}

/// Its own export: the result of one search, so only a part of what the database has.
pub(crate) fn read_export(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let bytes = read_bounded(open_unpacked(path)?, path)?;
    let record = whole(&bytes).map_err(|problem| ImporterError::malformed(path, problem))?;
    let mut sessions = Sessions::default();
    for row in list(&record["sessions"]) {
        sessions.learn(row, out);
    }
    for row in list(&record["prompts"]) {
        prompt(row, &mut sessions, out);
    }
    for row in list(&record["observations"]) {
        observation(row, &mut sessions, out);
    }
    for row in list(&record["summaries"]) {
        summary(row, &mut sessions, out);
    }
    out.counted("projects", sessions.seen.len() as u64);
    out.left_out("an export is the result of one search: the database claude-mem.db has more", 1);
    Ok(())
}

/// A row's lasting id: that of the device it came from, else the table's own.
fn row_id(row: &Value, table: &str) -> String {
    match (name(row, "origin_device_id"), name(row, "origin_local_id")) {
        (Some(device), Some(local)) => format!("{table}:{device}:{local}"),
        _ => format!("{table}:{}", name(row, "id").unwrap_or_default()),
    }
}

fn prompt(row: &Value, sessions: &mut Sessions, out: &mut Gatherer<'_>) {
    let Some(common) = sessions.common(row) else { return out.left_out("claude-mem talking to itself", 1) };
    let words = row["prompt_text"].as_str().unwrap_or_default().to_owned();
    let source_id = out.id(&row_id(row, "user_prompts"));
    out.counted("of_which_user_prompts", 1);
    out.said(Draft { role: Role::User, source_id, text: words, ..common });
}

fn tool_use(row: &Value, table: &str, sessions: &mut Sessions, out: &mut Gatherer<'_>) {
    let Some(common) = sessions.common(row) else { return };
    let Some(tool) = name(row, "tool_name") else { return };
    let id = name(row, "tool_use_id").unwrap_or_else(|| row_id(row, table));
    let common = Draft { role: Role::Tool, speaker: Some(tool.clone()), ..with(common, "cwd", &row["cwd"]) };
    let asked = Draft {
        source_id: out.id(&format!("{id}#call")),
        text: call(&tool, &row["tool_input"]),
        ..common.clone()
    };
    out.said(asked);
    let given =
        Draft { source_id: out.id(&format!("{id}#answer")), text: answer(&row["tool_response"]), ..common };
    out.said(given);
}

fn observation(row: &Value, sessions: &mut Sessions, out: &mut Gatherer<'_>) {
    let Some(common) = sessions.common(row) else { return out.left_out("claude-mem talking to itself", 1) };
    let facts = inner(&row["facts"]);
    let mut lines: Vec<&str> =
        ["title", "subtitle", "narrative", "text"].iter().filter_map(|field| text(row, field)).collect();
    lines.extend(list(&facts).iter().filter_map(Value::as_str));
    out.counted("of_which_observations", 1);
    out.counted("facts_inside_observations", list(&facts).len() as u64);
    let words = lines.join("\n");
    let mut memory = Draft { source_id: out.id(&row_id(row, "observations")), text: words, ..common };
    for (field, value) in [
        ("tags", inner(&row["concepts"])),
        ("files_read", inner(&row["files_read"])),
        ("files_modified", inner(&row["files_modified"])),
    ] {
        memory = with(memory, field, &value);
    }
    memory = with_fields(memory, row, &["type", "agent_type", "agent_id", "generated_by_model"]);
    if first_text(row, &OWN_SESSION).is_some_and(|session| session.starts_with("manual-")) {
        memory.metadata.insert("saved_by_hand".to_owned(), true.into());
    }
    out.fed(GatheredKind::Memory, memory);
}

fn summary(row: &Value, sessions: &mut Sessions, out: &mut Gatherer<'_>) {
    let Some(common) = sessions.common(row) else { return out.left_out("claude-mem talking to itself", 1) };
    let parts = ["request", "investigated", "learned", "completed", "next_steps", "notes"];
    let lines: Vec<String> = parts
        .iter()
        .filter_map(|part| Some(format!("{}: {}", part.replace('_', " "), text(row, part)?)))
        .collect();
    out.counted("of_which_session_summaries", 1);
    let digest =
        Draft { source_id: out.id(&row_id(row, "session_summaries")), text: lines.join("\n"), ..common };
    out.fed(GatheredKind::Digest, digest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_is_named_by_its_device_or_its_table() {
        assert_eq!(row_id(&json!({"id": 3}), "observations"), "observations:3");
        let synced = json!({"id": 3, "origin_device_id": "d1", "origin_local_id": 9});
        assert_eq!(row_id(&synced, "observations"), "observations:d1:9");
    }
}

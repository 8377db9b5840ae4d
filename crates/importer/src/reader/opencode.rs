//! opencode: a database, its older folder of files, or its own export of one session. All three say the same with the
//! same ids.

use crate::{
    archive::{open_unpacked, read_bounded},
    database::CopiedDatabase,
    error::{ImporterError, Result},
    gathered::{Gatherer, draft, with},
    record::whole,
    value::{answer, call, folder_name, inner, list, moment, name, role, text},
};
use cairn_domain::{Draft, Mode, Role};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
};

/// A session: where it ran, its title, whether another agent began it.
#[derive(Default)]
struct CodingSession {
    thread: Option<String>,
    title: Value,
    is_sub_agent: bool,
}

impl CodingSession {
    fn of(record: &Value) -> Self {
        Self {
            thread: text(record, "directory").and_then(folder_name),
            title: record["title"].clone(),
            is_sub_agent: text(record, "parent_id").or_else(|| text(record, "parentID")).is_some(),
        }
    }
}

pub(crate) fn read_database(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    let mut sessions = HashMap::new();
    database.each("SELECT * FROM session", |row| {
        out.counted("sessions", 1);
        sessions.insert(name(&row, "id").unwrap_or_default(), CodingSession::of(&row));
    })?;
    let mut messages: BTreeMap<String, Value> = BTreeMap::new();
    database.each("SELECT id, session_id, data FROM message ORDER BY id", |row| {
        out.counted("rows_in_message", 1);
        let mut info = inner(&row["data"]);
        if info.is_object() {
            info["id"] = row["id"].clone();
            info["sessionID"] = row["session_id"].clone();
            messages.insert(name(&row, "id").unwrap_or_default(), info);
        }
    })?;
    database.each("SELECT id, message_id, data FROM part ORDER BY message_id, id", |row| {
        out.counted("rows_in_part", 1);
        let Some(info) = name(&row, "message_id").and_then(|id| messages.get(&id)) else { return };
        let mut part = inner(&row["data"]);
        if part.is_object() {
            part["id"] = row["id"].clone();
            let session = sessions.get(info["sessionID"].as_str().unwrap_or_default());
            said(info, &part, session.unwrap_or(&CodingSession::default()), out);
        }
    })
}

pub(crate) fn read_export(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let bytes = read_bounded(open_unpacked(path)?, path)?;
    let record = whole(&bytes).map_err(|problem| ImporterError::malformed(path, problem))?;
    out.counted("sessions", 1);
    let session = CodingSession::of(&record["info"]);
    for message in list(&record["messages"]) {
        for part in list(&message["parts"]) {
            said(&message["info"], part, &session, out);
        }
    }
    Ok(())
}

/// The older form: a file for each session, message and part.
pub(crate) fn read_storage(folder: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let json = |path: &Path| -> Result<Value> {
        let bytes = read_bounded(open_unpacked(path)?, path)?;
        Ok(whole(&bytes).unwrap_or(Value::Null))
    };
    for project in listed(&folder.join("session")) {
        for file in listed(&project) {
            let record = json(&file)?;
            let Some(id) = name(&record, "id") else { continue };
            out.counted("sessions", 1);
            let session = CodingSession::of(&record);
            for file in listed(&folder.join("message").join(safe(&id))) {
                let info = json(&file)?;
                let Some(message) = name(&info, "id") else { continue };
                for part in listed(&folder.join("part").join(safe(&message))) {
                    said(&info, &json(&part)?, &session, out);
                }
            }
        }
    }
    Ok(())
}

/// An id as a name of a file: nothing of it leads elsewhere.
fn safe(id: &str) -> String {
    id.chars().filter(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).collect()
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The messages of one part.
fn said(info: &Value, part: &Value, session: &CodingSession, out: &mut Gatherer<'_>) {
    let id = name(part, "id").unwrap_or_default();
    let speaks = role(info["role"].as_str().unwrap_or_default());
    let at = moment(&part["time"]["start"]).or_else(|| moment(&info["time"]["created"]));
    let mut common = Draft {
        session: name(info, "sessionID"),
        thread: session.thread.clone(),
        mode: Some(Mode::Code),
        ..Draft::default()
    };
    common = with(common, "session_title", &session.title);
    if session.is_sub_agent {
        common.metadata.insert("sidechain".to_owned(), true.into());
    }
    let made = |role: Role, id: Option<String>, at, words: String| {
        let said = draft(role, id, at, words);
        Draft { source_id: said.source_id, role: said.role, at: said.at, text: said.text, ..common.clone() }
    };
    match part["type"].as_str().unwrap_or_default() {
        "text" if part["synthetic"] == true || part["ignored"] == true => {
            out.left_out("what the program wrote in the user's place", 1);
        }
        "text" => {
            let words = part["text"].as_str().unwrap_or_default();
            let speaks = if session.is_sub_agent && speaks == Role::User { Role::Tool } else { speaks };
            out.said(made(speaks, out.id(&id), at, unquoted(words, speaks).to_owned()));
        }
        "tool" => {
            let tool = name(part, "tool").unwrap_or_else(|| "tool".to_owned());
            let state = &part["state"];
            let asked_at = moment(&state["time"]["start"]).or(at);
            let asked =
                made(Role::Tool, out.id(&format!("{id}#call")), asked_at, call(&tool, &state["input"]));
            out.said(Draft { speaker: Some(tool.clone()), ..asked });
            let output = if state["output"].is_null() { &state["error"] } else { &state["output"] };
            let given_at = moment(&state["time"]["end"]).or(at);
            let given = made(Role::Tool, out.id(&format!("{id}#answer")), given_at, answer(output));
            out.said(Draft { speaker: Some(tool), ..given });
        }
        "reasoning" => out.left_out("the model's thoughts", 1),
        _ => {}
    }
}

/// `opencode run` stores the prompt in quotation marks.
fn unquoted(words: &str, speaks: Role) -> &str {
    let inside = words.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.filter(|inside| speaks == Role::User && !inside.contains('"')).unwrap_or(words)
}

//! mem0: memories in a vector store or a list, their changes in a history. A memory that was stored as it was said is a
//! message of whoever said it; one that a model made is fed.

use crate::{
    archive::{open_unpacked, read_bounded},
    chroma,
    database::CopiedDatabase,
    error::{ImporterError, Result},
    gathered::{GatheredKind, Gatherer, draft, rest_of, with},
    pickle::unpickle,
    record::whole,
    value::{first_moment, first_text, inner, list, name, role, text},
};
use cairn_domain::{Draft, Role, Time};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::{collections::BTreeMap, path::Path};

/// Fields of a payload that are read, or derived.
const OWN_FIELDS: &[&str] = &[
    "data",
    "memory",
    "user_id",
    "userId",
    "agent_id",
    "agentId",
    "run_id",
    "runId",
    "session_id",
    "actor_id",
    "role",
    "attributed_to",
    "created_at",
    "createdAt",
    "updated_at",
    "updatedAt",
    "expiration_date",
    "hash",
    "text_lemmatized",
    "textLemmatized",
    "id",
    "metadata",
    "structured_attributes",
    "replaced_by",
    "chroma:document",
    "app_id",
];

pub(crate) fn read_qdrant(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let collection =
        path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let database = CopiedDatabase::open(path)?;
    if let Some(why) = derived(&collection) {
        out.left_out(why, database.count("SELECT count(*) FROM points")?);
        return Ok(());
    }
    // Rows of one id may repeat: the last one counts.
    let (mut points, mut refused) = (BTreeMap::new(), Vec::new());
    database.each_with_blob("SELECT id, point FROM points ORDER BY rowid", |_, point| {
        match unpickle(&point.unwrap_or_default()) {
            Ok(point) => {
                let fields = if point["__dict__"].is_object() { &point["__dict__"] } else { &point };
                points.insert(name(fields, "id").unwrap_or_default(), fields["payload"].clone());
            }
            Err(why) => refused.push(why),
        }
    })?;
    for why in refused {
        out.left_out(format!("points that cannot be read safely: {why}"), 1);
    }
    all(points, out);
    Ok(())
}

/// Why a collection is not read, if it is not.
fn derived(collection: &str) -> Option<&'static str> {
    if collection == "openmemory" {
        return Some(
            "points of OpenMemory's vector store, which keeps words that were changed later: give openmemory.db",
        );
    }
    let is_derived = collection.ends_with("_entities") || collection == "mem0migrations";
    is_derived.then_some("entities and telemetry, derived from the memories")
}

pub(crate) fn read_chroma(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    let mut memories = BTreeMap::new();
    for document in chroma::documents(&database)? {
        match derived(&document.collection) {
            Some(why) => out.left_out(why, 1),
            None => drop(memories.insert(document.id, document.fields)),
        }
    }
    all(memories, out);
    Ok(())
}

pub(crate) fn read_faiss(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let bytes = read_bounded(open_unpacked(path)?, path)?;
    let record = if bytes.starts_with(&[0x80]) {
        let pair = unpickle(&bytes).map_err(|problem| ImporterError::malformed(path, problem))?;
        pair[0].clone()
    } else {
        let record = whole(&bytes).map_err(|problem| ImporterError::malformed(path, problem))?;
        record["docstore"].clone()
    };
    all(record.as_object().into_iter().flatten().map(|(id, payload)| (id.clone(), payload.clone())), out);
    Ok(())
}

pub(crate) fn read_npm(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    if path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("_entities")) {
        out.left_out("entities, derived from the memories", database.count("SELECT count(*) FROM vectors")?);
        return Ok(());
    }
    let mut memories = BTreeMap::new();
    database.each("SELECT id, payload FROM vectors", |row| {
        memories.insert(name(&row, "id").unwrap_or_default(), inner(&row["payload"]));
    })?;
    all(memories, out);
    Ok(())
}

/// The answer of `get_all`: a list, pages of one, or several under the names of their users.
pub(crate) fn read_list(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let bytes = read_bounded(open_unpacked(path)?, path)?;
    let record = whole(&bytes).map_err(|problem| ImporterError::malformed(path, problem))?;
    if text(&record, "next").is_some() {
        out.left_out("further pages: follow `next`, and give every page", 1);
    }
    let mut memories = BTreeMap::new();
    let mut take = |results: &Value| {
        for memory in list(results) {
            memories.insert(name(memory, "id").unwrap_or_default(), memory.clone());
        }
    };
    match &record {
        Value::Array(_) => take(&record),
        Value::Object(fields) if record["results"].is_null() => {
            fields.values().for_each(|user| take(&user["results"]));
        }
        _ => take(&record["results"]),
    }
    all(memories, out);
    Ok(())
}

/// Gives the memories in the order of their time.
fn all(memories: impl IntoIterator<Item = (String, Value)>, out: &mut Gatherer<'_>) {
    let mut memories: Vec<(String, Value)> = memories.into_iter().collect();
    memories.sort_by_key(|(_, payload)| said_at(payload));
    for (id, payload) in &memories {
        memory(id, payload, out);
    }
    out.tenant(None);
}

fn said_at(payload: &Value) -> Option<Time> {
    first_moment(payload, &["updated_at", "updatedAt", "created_at", "createdAt"])
}

fn memory(id: &str, payload: &Value, out: &mut Gatherer<'_>) {
    let Some(words) = first_text(payload, &["data", "memory", "chroma:document"]) else {
        return out.left_out("points without words", 1);
    };
    out.tenant(first_text(payload, &["user_id", "userId"]).map(str::to_owned));
    if text(payload, "replaced_by").is_some() {
        out.counted("held", 1);
        out.counted("of_which_replaced", 1);
        return out.left_out("memories that a later one replaced", 1);
    }
    out.mark("held");
    let session = first_text(payload, &["run_id", "runId", "session_id"]).map(str::to_owned);
    let thread = first_text(payload, &["agent_id", "agentId"]).map(str::to_owned);
    let mut made = Draft { session, thread, ..draft(Role::Tool, out.id(id), said_at(payload), words) };
    made.metadata = rest_of(payload, OWN_FIELDS);
    for (field, value) in payload["metadata"].as_object().into_iter().flatten() {
        made = with(made, field, value);
    }
    if text(payload, "expiration_date").is_some() {
        out.mark("of_which_expired");
        made = with(made, "valid_until", &payload["expiration_date"]);
    }
    if payload["synthesized"] == true {
        out.mark("of_which_synthesized");
    }
    let said_by = text(payload, "role").filter(|_| text(payload, "attributed_to").is_none());
    if let Some(by) = said_by {
        out.mark("of_which_stored_as_said");
        made.role = role(by);
        made.speaker = text(payload, "actor_id").map(str::to_owned);
        out.said(made);
    } else {
        out.mark("of_which_inferred");
        let kind = if payload["synthesized"] == true { GatheredKind::Digest } else { GatheredKind::Memory };
        out.fed(kind, with(made, "attributed_to", &payload["attributed_to"]));
    }
}

/// How a history is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryUse {
    /// The memories themselves are there: only messages are taken from it.
    Beside,
    /// It is all there is: the last text of each memory is taken from it, of nobody in particular.
    Rescue,
}

/// The history of either generation: what changed, and the last messages of each conversation.
pub(crate) fn read_history(path: &Path, used: HistoryUse, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    let tables = database.tables()?;
    let sql = if tables.contains("history") {
        "SELECT rowid AS place, memory_id, old_memory AS old, new_memory AS new, event, created_at, updated_at, role FROM history ORDER BY rowid"
    } else {
        "SELECT rowid AS place, memory_id, previous_value AS old, new_value AS new, action AS event, created_at, updated_at, NULL AS role FROM memory_history ORDER BY rowid"
    };
    let mut live: BTreeMap<String, Value> = BTreeMap::new();
    let (mut superseded, mut deleted) = (0, 0);
    database.each(sql, |row| {
        out.counted("history_rows", 1);
        let Some(id) = name(&row, "memory_id") else { return };
        match row["event"].as_str() {
            Some("DELETE") => {
                deleted += 1;
                live.remove(&id);
            }
            event => {
                superseded += u64::from(event == Some("UPDATE"));
                live.insert(id, row);
            }
        }
    })?;
    out.counted("superseded", superseded);
    out.counted("deleted", deleted);
    out.left_out("earlier texts of memories that were changed", superseded);
    out.left_out("deleted memories", deleted);
    if used == HistoryUse::Rescue {
        for (id, row) in &live {
            let payload = serde_json::json!({"data": row["new"], "role": row["role"], "created_at": row["created_at"],
                "updated_at": row["updated_at"]});
            memory(id, &payload, out);
        }
    }
    if tables.contains("messages") {
        database.each("SELECT * FROM messages ORDER BY rowid", |row| {
            out.counted("rows_in_messages", 1);
            message(&row, out);
        })?;
    }
    out.tenant(None);
    Ok(())
}

fn message(row: &Value, out: &mut Gatherer<'_>) {
    let scope: BTreeMap<String, String> = text(row, "session_scope")
        .unwrap_or_default()
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(field, value)| (field.to_owned(), percent_decoded(value)))
        .collect();
    out.tenant(scope.get("user_id").cloned());
    let id = format!("message:{}", name(row, "id").unwrap_or_default());
    let speaks = role(row["role"].as_str().unwrap_or_default());
    let words = row["content"].as_str().unwrap_or_default();
    out.said(Draft {
        session: scope.get("run_id").cloned(),
        thread: scope.get("agent_id").cloned(),
        speaker: text(row, "name").map(str::to_owned),
        ..draft(speaks, out.id(&id), first_moment(row, &["created_at"]), words)
    });
}

fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn scopes_are_decoded() {
        assert_eq!(percent_decoded("a%26b%3Dc%"), "a&b=c%");
        assert_eq!(percent_decoded("ş%zz"), "ş%zz");
    }
}

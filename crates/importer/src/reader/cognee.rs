//! Cognee: its COGX archive, as a folder or packed, and its graph as JSON. What only holds the graph together is left, and
//! so are permissions, which may hold password hashes.

use crate::{
    archive::{open_unpacked, read_bounded, tar_members},
    error::{ImporterError, Result},
    gathered::{GatheredKind, Gatherer, IdentityTarget, draft, with_fields},
    record::{each_line, whole},
    value::{first_moment, first_text, in_words, list, name, role, text},
};
use cairn_domain::{Draft, Role};
use serde_json::Value;
use std::{collections::HashMap, fs, path::Path};

/// Predicates that hold the graph together and say nothing about the world.
const PLUMBING: [&str; 4] = ["contains", "is_part_of", "is_a", "made_from"];
/// The files of an archive that are read, in this order.
const FILES: [&str; 7] = [
    "documents.jsonl",
    "episodes.jsonl",
    "entities.jsonl",
    "facts.jsonl",
    "memories.jsonl",
    "memory_blocks.jsonl",
    "nodes.jsonl",
];

pub(crate) fn read_folder(folder: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let mut names = HashMap::new();
    for file in FILES {
        let path = folder.join(file);
        if path.exists() {
            let bytes = fs::read(&path).map_err(ImporterError::file(&path))?;
            lines(file, &bytes, &path, &mut names, out)?;
        }
    }
    out.tenant(None);
    Ok(())
}

pub(crate) fn read_tar(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let members = tar_members(path)?;
    let mut names = HashMap::new();
    for file in FILES {
        for (_, bytes) in members.iter().filter(|(name, _)| name == file) {
            lines(file, bytes, path, &mut names, out)?;
        }
    }
    out.tenant(None);
    Ok(())
}

fn lines(
    file: &str,
    bytes: &[u8],
    path: &Path,
    names: &mut HashMap<String, String>,
    out: &mut Gatherer<'_>,
) -> Result<()> {
    let broken = each_line(bytes, |line| {
        if file == "nodes.jsonl" {
            out.counted("raw_nodes", 1);
            return out.left_out("raw nodes: the same once more, and summaries", 1);
        }
        record(&line, names, out);
    });
    out.left_out("lines that cannot be read", broken.map_err(ImporterError::file(path))?);
    Ok(())
}

fn record(record: &Value, names: &mut HashMap<String, String>, out: &mut Gatherer<'_>) {
    let id = name(record, "external_id").unwrap_or_default();
    out.tenant(name(&record["scope"], "user_id"));
    let at = first_moment(record, &["occurred_at", "created_at"]);
    let thread = name(&record["scope"], "agent_id");
    match record["kind"].as_str().unwrap_or_default() {
        "document" => {
            let made = draft(Role::Tool, out.id(&id), at, text(record, "content").unwrap_or_default());
            out.fed(GatheredKind::Document, Draft { thread, ..made });
        }
        "episode" => {
            let session = name(&record["scope"], "session_id").or(Some(id.clone()));
            for (place, turn) in list(&record["turns"]).iter().enumerate() {
                let at = first_moment(turn, &["occurred_at"]).or(at);
                let speaks = role(turn["role"].as_str().unwrap_or_default());
                let said = draft(
                    speaks,
                    out.id(&format!("{id}#{place}")),
                    at,
                    text(turn, "content").unwrap_or_default(),
                );
                out.said(Draft { session: session.clone(), thread: thread.clone(), ..said });
            }
        }
        "entity" => entity(&id, record, names, out),
        "fact" => fact(&id, record, ["subject_ref", "predicate", "object_ref"], names, out),
        "memory" => {
            let made = draft(
                Role::Tool,
                out.id(&id),
                at,
                first_text(record, &["content", "text"]).unwrap_or_default(),
            );
            out.fed(GatheredKind::Memory, Draft { thread, ..made });
        }
        "memory_block" => {
            let (label, value) =
                (text(record, "label").unwrap_or_default(), text(record, "value").unwrap_or_default());
            match label {
                "persona" => return out.proposal(IdentityTarget::Soul, "Cognee's block persona", value),
                "human" | "user" => {
                    out.proposal(IdentityTarget::Anchor, format!("Cognee's block {label}"), value);
                }
                _ => {}
            }
            let made = draft(Role::Tool, out.id(&id), at, value);
            out.fed(GatheredKind::Memory, with_fields(made, record, &["label"]));
        }
        _ => out.left_out("records of a kind that is not known", 1),
    }
}

fn entity(id: &str, record: &Value, names: &mut HashMap<String, String>, out: &mut Gatherer<'_>) {
    out.counted("entities", 1);
    let Some(named) = text(record, "name") else { return };
    names.insert(id.to_owned(), named.to_owned());
    if let Some(description) = text(record, "description") {
        let at = first_moment(record, &["created_at"]);
        out.fed(GatheredKind::Memory, draft(Role::Tool, out.id(id), at, format!("{named}: {description}")));
    }
}

/// A fact, its subject, predicate and object in the fields that are named.
fn fact(
    id: &str,
    record: &Value,
    fields: [&str; 3],
    names: &HashMap<String, String>,
    out: &mut Gatherer<'_>,
) {
    out.counted("edges", 1);
    let [subject, predicate, object] = fields.map(|field| text(record, field).unwrap_or_default());
    if PLUMBING.contains(&predicate) {
        return out.left_out("edges that only hold the graph together", 1);
    }
    out.counted("of_which_about_the_world", 1);
    if !record["invalid_at"].is_null() {
        return out.left_out("facts that hold no longer", 1);
    }
    let shown = |id: &str| names.get(id).cloned().unwrap_or_else(|| id.to_owned());
    let made = || format!("{} {} {}", shown(subject), in_words(predicate), shown(object));
    let words = first_text(record, &["fact_text", "edge_text"]).map_or_else(made, str::to_owned);
    let relation = draft(Role::Tool, out.id(id), first_moment(record, &["valid_at", "created_at"]), words);
    out.fed(GatheredKind::Relation, with_fields(relation, record, &["valid_at"]));
}

/// Its graph as JSON: the same documents, entities and facts, with the same ids.
pub(crate) fn read_graph(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let bytes = read_bounded(open_unpacked(path)?, path)?;
    let record = whole(&bytes).map_err(|problem| ImporterError::malformed(path, problem))?;
    let mut names = HashMap::new();
    for node in list(&record["nodes"]) {
        out.counted("nodes", 1);
        let id = name(node, "id").unwrap_or_default();
        match node["type"].as_str().unwrap_or_default() {
            "DocumentChunk" => {
                let at = first_moment(node, &["created_at"]);
                out.fed(
                    GatheredKind::Document,
                    draft(Role::Tool, out.id(&id), at, text(node, "text").unwrap_or_default()),
                );
            }
            "Entity" => entity(&id, node, &mut names, out),
            _ => out.left_out("raw nodes: the same once more, and summaries", 1),
        }
    }
    for edge in list(&record["edges"]) {
        let part = |field: &str| text(edge, field).unwrap_or_default();
        let id = format!("{}:{}:{}", part("source"), part("relationship_name"), part("target"));
        fact(&id, edge, ["source", "relationship_name", "target"], &names, out);
    }
    Ok(())
}

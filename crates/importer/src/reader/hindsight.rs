//! Hindsight: the archive of a bank, or of its documents alone. The words of an invalidated fact still stand in its
//! document, so a document of which nothing holds any more is left.

use crate::{
    archive::PackedArchive,
    error::{ImporterError, Result},
    gathered::{GatheredKind, Gatherer, IdentityTarget, draft, with, with_fields},
    record::whole,
    value::{first_moment, list, name, role, text},
};
use cairn_domain::{Draft, Role};
use serde_json::Value;
use std::{collections::HashSet, path::Path};

pub(crate) fn read_zip(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let mut archive = PackedArchive::open(path)?;
    let names = archive.names();
    let mut json = |name: &str| -> Result<Value> {
        if !names.iter().any(|known| known == name) {
            return Ok(Value::Null);
        }
        whole(&archive.read(name)?)
            .map_err(|problem| ImporterError::malformed(path, format!("{name}: {problem}")))
    };
    let manifest = json("manifest.json")?;
    out.tenant(name(&manifest, "source_bank_id"));
    let invalidated = json("data/invalidated_memory_units.json")?;
    let taken_back: HashSet<&str> =
        list(&invalidated).iter().filter_map(|fact| text(fact, "document_id")).collect();
    out.counted("invalidated", list(&invalidated).len() as u64);
    out.left_out("facts that were taken back", list(&invalidated).len() as u64);
    for name in names.iter().filter(|name| name.starts_with("documents/") && name.ends_with(".json")) {
        document(&json(name)?, &taken_back, out);
    }
    for observation in list(&json("observations.json")?) {
        derived(observation, "text", "observation", out);
    }
    for model in list(&json("mental_models.json")?) {
        out.counted("mental_models", 1);
        derived(model, "content", "mental model", out);
    }
    for page in list(&json("knowledge_pages.json")?) {
        derived(page, "content", "knowledge page", out);
    }
    for directive in list(&json("directives.json")?) {
        out.counted("directives", 1);
        if directive["is_active"] != false {
            let origin = format!("Hindsight's directive {}", text(directive, "name").unwrap_or_default());
            out.proposal(IdentityTarget::Agents, origin, text(directive, "content").unwrap_or_default());
        }
    }
    out.tenant(None);
    Ok(())
}

fn document(record: &Value, taken_back: &HashSet<&str>, out: &mut Gatherer<'_>) {
    out.counted("documents", 1);
    let id = name(record, "id").unwrap_or_default();
    let facts = list(&record["facts"]);
    out.counted("facts", facts.len() as u64);
    if facts.is_empty() {
        return out.left_out("documents without a fact that holds: their words may have been taken back", 1);
    }
    let words = text(record, "original_text").unwrap_or_default();
    let at = first_moment(&record["retain_params"], &["event_date"])
        .or_else(|| first_moment(record, &["created_at"]));
    if taken_back.contains(id.as_str()) {
        out.left_out(
            "documents of which a fact was taken back: the facts that hold are taken without them",
            1,
        );
    } else if let Some(turns) = dialogue(words) {
        for (place, (speaks, said)) in turns.iter().enumerate() {
            out.counted("messages_inside_documents", 1);
            let said = draft(*speaks, out.id(&format!("{id}#{place}")), at, said.clone());
            out.said(Draft { session: Some(id.clone()), ..said });
        }
    } else {
        let memory = draft(Role::Tool, out.id(&id), at, words);
        out.fed(GatheredKind::Memory, with_fields(memory, record, &["tags"]));
    }
    for fact in facts {
        let said = text(fact, "text").unwrap_or_default();
        if said == words && !taken_back.contains(id.as_str()) {
            continue;
        }
        let source = name(fact, "source_id").unwrap_or_else(|| format!("{id}:{said}"));
        let at = first_moment(fact, &["mentioned_at", "event_date"]).or(at);
        let memory = draft(Role::Tool, out.id(&source), at, said);
        let memory = with(memory, "document", &id.clone().into());
        out.fed(
            GatheredKind::Memory,
            with_fields(memory, fact, &["tags", "fact_type", "occurred_start", "occurred_end"]),
        );
    }
}

fn derived(record: &Value, field: &str, kind: &str, out: &mut Gatherer<'_>) {
    let Some(words) = text(record, field) else { return };
    let id = out.id(&format!("{kind}:{}", name(record, "id").unwrap_or_default()));
    let at = first_moment(record, &["last_refreshed_at", "updated_at", "created_at"]);
    out.fed(GatheredKind::Digest, with_fields(draft(Role::Tool, id, at, words), record, &["name", "tags"]));
}

/// The turns of a text, if every paragraph of it begins with who speaks: the user or the assistant.
pub(crate) fn dialogue(words: &str) -> Option<Vec<(Role, String)>> {
    let mut turns: Vec<(Role, String)> = Vec::new();
    for line in words.lines() {
        let opened = line.split_once(": ").and_then(|(who, said)| {
            let known = ["user", "human", "assistant", "ai"].contains(&who.to_lowercase().as_str());
            known.then(|| (role(who), said.to_owned()))
        });
        match (opened, turns.last_mut()) {
            (Some(turn), _) => turns.push(turn),
            (None, Some((_, said))) => {
                said.push('\n');
                said.push_str(line);
            }
            (None, None) => return None,
        }
    }
    (!turns.is_empty()).then_some(turns)
}

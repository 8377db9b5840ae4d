//! `OpenMemory`: its database, or the archive it exports. Deleted memories are in both with their full text, and are left.

use crate::{
    archive::PackedArchive,
    database::CopiedDatabase,
    error::{ImporterError, Result},
    gathered::{GatheredKind, Gatherer, draft, with},
    record::whole,
    value::{first_moment, inner, list, name, text},
};
use cairn_domain::{Draft, Role};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

/// Names of users, apps and categories by id.
#[derive(Default)]
struct Names {
    users: HashMap<String, String>,
    apps: HashMap<String, String>,
    categories: HashMap<String, Vec<String>>,
}

pub(crate) fn read_database(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    let mut names = Names::default();
    let named = |row: &Value, field: &str| (plain_id(row, "id"), name(row, field).unwrap_or_default());
    database.each("SELECT id, user_id FROM users", |row| names.users.extend([named(&row, "user_id")]))?;
    database.each("SELECT id, name FROM apps", |row| names.apps.extend([named(&row, "name")]))?;
    let sql = "SELECT m.memory_id AS id, c.name AS name FROM memory_categories m JOIN categories c ON c.id = m.category_id";
    database.each(sql, |row| {
        let (id, category) = named(&row, "name");
        names.categories.entry(id).or_default().push(category);
    })?;
    out.counted("apps", names.apps.len() as u64);
    out.counted("categories", database.count("SELECT count(*) FROM categories")?);
    if database.tables()?.contains("memory_status_history") {
        out.counted("status_changes", database.count("SELECT count(*) FROM memory_status_history")?);
    }
    database.each("SELECT * FROM memories ORDER BY updated_at", |mut row| {
        row["metadata"] = inner(&row["metadata"]);
        memory(&row, &names, out);
    })?;
    out.tenant(None);
    Ok(())
}

pub(crate) fn read_zip(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let bytes = PackedArchive::open(path)?.read("memories.json")?;
    let record = whole(&bytes).map_err(|problem| ImporterError::malformed(path, problem))?;
    let mut names = Names::default();
    names.users.extend(name(&record["user"], "user_id").map(|user| (plain_id(&record["user"], "id"), user)));
    for app in list(&record["apps"]) {
        names.apps.insert(plain_id(app, "id"), name(app, "name").unwrap_or_default());
    }
    let mut categories = BTreeMap::new();
    for category in list(&record["categories"]) {
        categories.insert(plain_id(category, "id"), name(category, "name").unwrap_or_default());
    }
    out.counted("apps", names.apps.len() as u64);
    out.counted("categories", categories.len() as u64);
    out.counted("status_changes", list(&record["status_history"]).len() as u64);
    for one in list(&record["memories"]) {
        let ids = list(&one["category_ids"]).iter().filter_map(Value::as_str);
        let named = ids.filter_map(|id| categories.get(&id.replace('-', "")).cloned()).collect();
        names.categories.insert(plain_id(one, "id"), named);
        memory(one, &names, out);
    }
    out.tenant(None);
    Ok(())
}

/// An id without hyphens: the database has none, the export has.
fn plain_id(record: &Value, field: &str) -> String {
    name(record, field).unwrap_or_default().replace('-', "")
}

fn memory(row: &Value, names: &Names, out: &mut Gatherer<'_>) {
    out.counted("rows", 1);
    let state = text(row, "state").unwrap_or("active");
    match state {
        "paused" => out.counted("paused", 1),
        "archived" => out.counted("archived", 1),
        "deleted" => out.counted("deleted", 1),
        _ => out.counted("active", 1),
    }
    let user = plain_id(row, "user_id");
    out.tenant(Some(names.users.get(&user).cloned().unwrap_or(user)));
    if state == "deleted" || !row["deleted_at"].is_null() {
        return out.left_out("deleted memories", 1);
    }
    out.counted("memories_to_import", 1);
    let id = plain_id(row, "id");
    let at = first_moment(row, &["updated_at", "created_at"]).filter(|_| state == "active");
    let at = at.or_else(|| first_moment(row, &["created_at"]));
    let words = row["content"].as_str().unwrap_or_default();
    let mut made = Draft {
        thread: names.apps.get(&plain_id(row, "app_id")).cloned(),
        ..draft(Role::Tool, out.id(&id), at, words)
    };
    made = with(made, "tags", &json!(names.categories.get(&id)));
    for (field, value) in row["metadata"].as_object().into_iter().flatten() {
        made = with(made, field, value);
    }
    if state != "active" {
        made = with(made, "state", &state.into());
    }
    out.fed(GatheredKind::Memory, made);
}

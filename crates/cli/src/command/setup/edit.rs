//! Editing a configuration that belongs to somebody else: our entries go in or come out, and every other byte stays, the
//! comments too.

use jsonc_parser::{
    ParseOptions,
    cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode},
};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table};

/// By what a hook of ours is known.
const HOOK: &str = " hook ";

/// The section of our configuration that names the program.
const LANGUAGE: &str = "language";

/// Values to put into a JSON file or take out of it.
#[derive(Default)]
pub(super) struct JsonEntries {
    /// A value under each of these paths.
    pub(super) values: Vec<(Vec<&'static str>, Value)>,
    /// A value in the list under each of these paths, beside those of others.
    pub(super) lists: Vec<(Vec<&'static str>, Value)>,
    /// Values that the file needs and that belong to nobody: put in where there are none, left where others' are.
    pub(super) defaults: Vec<(&'static str, Value)>,
}

/// Entries to put into a file or take out of it.
pub(super) enum Edit {
    /// Values in a JSON file.
    Json(JsonEntries),
    /// A file of our own.
    Whole(String),
    /// A server of Codex.
    Toml { command: String, args: Vec<String> },
    /// The program that words memories, in our own configuration.
    Language { command: Vec<String>, local: bool },
}

impl Edit {
    /// A text with our entries.
    pub(super) fn put_in(&self, text: &str) -> Result<String, String> {
        match self {
            Self::Json(entries) => edit_json(text, |root| entries.put_in(root)),
            Self::Whole(own) => Ok(own.clone()),
            Self::Toml { command, args } => {
                let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
                let servers = document.entry("mcp_servers").or_insert_with(|| {
                    let mut table = Table::new();
                    table.set_implicit(true);
                    Item::Table(table)
                });
                let servers = servers.as_table_like_mut().ok_or("`mcp_servers` is not a table")?;
                let mut server = Table::new();
                server["command"] = toml_edit::value(command);
                server["args"] = toml_edit::value(args.iter().collect::<Array>());
                let known = servers.get("cairn").map(|known| known.to_string());
                if known != Some(Item::Table(server.clone()).to_string()) {
                    servers.insert("cairn", Item::Table(server));
                }
                Ok(document.to_string())
            }
            Self::Language { command, local } => {
                let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
                let mut section = Table::new();
                section["provider"] = toml_edit::value("command");
                section["command"] = toml_edit::value(command.iter().collect::<Array>());
                section["local"] = toml_edit::value(*local);
                let known = document.get(LANGUAGE).map(|known| known.to_string());
                if known != Some(Item::Table(section.clone()).to_string()) {
                    document.insert(LANGUAGE, Item::Table(section));
                }
                Ok(document.to_string())
            }
        }
    }

    /// A text without our entries.
    pub(super) fn take_out(&self, text: &str) -> Result<String, String> {
        match self {
            Self::Json(entries) => edit_json(text, |root| {
                entries.take_out(root);
                Ok(())
            }),
            Self::Whole(_) => Ok(String::new()),
            Self::Toml { .. } => {
                let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
                if let Some(servers) = document.get_mut("mcp_servers").and_then(Item::as_table_like_mut) {
                    servers.remove("cairn");
                    if servers.is_empty() {
                        document.remove("mcp_servers");
                    }
                }
                Ok(document.to_string())
            }
            Self::Language { .. } => {
                let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
                document.remove(LANGUAGE);
                Ok(document.to_string())
            }
        }
    }
}

impl JsonEntries {
    fn put_in(&self, root: &CstObject) -> Result<(), String> {
        for (name, value) in &self.defaults {
            if root.get(name).is_none() {
                root.append(name, input(value));
            }
        }
        for (path, value) in &self.values {
            let (last, folders) = path.split_last().ok_or("an entry has no path")?;
            let object = walk(root.clone(), folders)?;
            if object.get(last).and_then(|known| known.value()?.to_serde_value()).as_ref() == Some(value) {
                continue;
            }
            match object.get(last) {
                Some(known) => known.set_value(input(value)),
                None => drop(object.append(last, input(value))),
            }
        }
        for (path, value) in &self.lists {
            let list = list(root.clone(), path)?;
            let is_there = |known: &CstNode| known.to_serde_value().as_ref() == Some(value);
            if list.elements().iter().any(is_there) {
                continue;
            }
            remove_ours(&list);
            list.ensure_multiline();
            list.append(input(value));
        }
        Ok(())
    }

    fn take_out(&self, root: &CstObject) {
        for (path, _) in &self.values {
            take(root, path);
        }
        for (path, _) in &self.lists {
            let Some((last, folders)) = path.split_last() else { continue };
            let Some(object) = find(root.clone(), folders) else { continue };
            let Some(hooks) = object.array_value(last) else { continue };
            remove_ours(&hooks);
            if hooks.elements().is_empty() {
                take(root, path);
            }
        }
        if root.properties().len() == self.defaults.len() {
            self.defaults.iter().for_each(|(name, _)| take(root, &[name]));
        }
    }
}

/// Lets `edit` change the object that a text holds; an empty text holds an empty one.
fn edit_json(text: &str, edit: impl FnOnce(&CstObject) -> Result<(), String>) -> Result<String, String> {
    let fresh = text.trim().is_empty();
    let root = CstRootNode::parse(if fresh { "{}\n" } else { text }, &ParseOptions::default())
        .map_err(|error| error.to_string())?;
    let object = root.object_value().ok_or("it does not hold an object")?;
    edit(&object)?;
    Ok(root.to_string())
}

/// The object under a path, made where it is missing.
fn walk(mut object: CstObject, path: &[&str]) -> Result<CstObject, String> {
    for name in path {
        object = object.object_value_or_create(name).ok_or_else(|| format!("`{name}` is not an object"))?;
    }
    Ok(object)
}

fn list(root: CstObject, path: &[&str]) -> Result<CstArray, String> {
    let (last, folders) = path.split_last().ok_or("an entry has no path")?;
    walk(root, folders)?.array_value_or_create(last).ok_or_else(|| format!("`{last}` is not a list"))
}

/// The object under a path, if it is there.
fn find(mut object: CstObject, path: &[&str]) -> Option<CstObject> {
    for name in path {
        object = object.object_value(name)?;
    }
    Some(object)
}

/// Takes an entry out, and what is empty without it.
fn take(root: &CstObject, path: &[&str]) {
    let Some((last, folders)) = path.split_last() else { return };
    let Some(object) = find(root.clone(), folders) else { return };
    if let Some(entry) = object.get(last) {
        entry.remove();
    }
    if !folders.is_empty() && object.properties().is_empty() {
        take(root, folders);
    }
}

/// Takes the hooks that start us out of a list: of this version or an older one, wherever the program was then.
fn remove_ours(list: &CstArray) {
    let is_ours = |entry: &CstNode| {
        let value = entry.to_serde_value().unwrap_or_default();
        // Cursor's stand for themselves, the others' in a group.
        let hooks = value["hooks"].as_array().map_or(std::slice::from_ref(&value), Vec::as_slice);
        let starts_us = |hook: &Value| {
            hook["command"].as_str().is_some_and(|line| line.contains("cairn") && line.contains(HOOK))
        };
        !hooks.is_empty() && hooks.iter().all(starts_us)
    };
    for entry in list.elements().into_iter().filter(is_ours) {
        entry.remove();
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

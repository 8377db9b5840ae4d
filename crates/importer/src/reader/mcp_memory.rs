//! The reference memory server: entities with observations, and relations between them. There are no times, so the file's
//! stands for all.

use crate::{
    archive::open_unpacked,
    error::{ImporterError, Result},
    gathered::{GatheredKind, Gatherer, draft, rest_of, with},
    reader::cursor::modified,
    record::each_line,
    value::{fingerprint, in_words, list, text},
};
use cairn_domain::{Role, Time};
use serde_json::Value;
use std::path::Path;

/// The entity that stands for the person.
const USER: &str = "default_user";

pub(crate) fn read(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let at = modified(path);
    let broken = each_line(open_unpacked(path)?, |line| match line["type"].as_str() {
        Some("entity") => entity(&line, at, out),
        Some("relation") => relation(&line, at, out),
        _ => out.left_out("lines that are neither entity nor relation", 1),
    });
    out.left_out("lines that cannot be read", broken.map_err(ImporterError::file(path))?);
    Ok(())
}

/// An entity's name as people write it.
fn shown(name: &str) -> String {
    if name == USER { "The user".to_owned() } else { name.replace('_', " ") }
}

fn entity(line: &Value, at: Option<Time>, out: &mut Gatherer<'_>) {
    out.counted("entities", 1);
    let Some(name) = text(line, "name") else { return };
    for observation in list(&line["observations"]).iter().filter_map(Value::as_str) {
        let id = out.id(&fingerprint(&[name, observation]));
        let mut memory = draft(Role::Tool, id, at, format!("{}: {observation}", shown(name)));
        memory.metadata = rest_of(line, &["type", "name", "observations"]);
        out.fed(GatheredKind::Memory, with(memory, "at_is", &"approximate".into()));
    }
}

fn relation(line: &Value, at: Option<Time>, out: &mut Gatherer<'_>) {
    let (Some(from), Some(to), Some(kind)) =
        (text(line, "from"), text(line, "to"), text(line, "relationType"))
    else {
        return;
    };
    let id = out.id(&fingerprint(&[from, kind, to]));
    let words = format!("{} {} {}.", shown(from), in_words(kind), shown(to));
    let relation = draft(Role::Tool, id, at, words);
    out.fed(GatheredKind::Relation, with(relation, "at_is", &"approximate".into()));
}

//! `MemPalace`: drawers of a palace in either backend, the knowledge graph, tunnels between rooms, the agent's identity.

use crate::{
    archive::{open_unpacked, read_bounded},
    chroma,
    database::CopiedDatabase,
    error::{ImporterError, Result},
    gathered::{GatheredKind, Gatherer, IdentityTarget, draft, with, with_fields},
    record::each_element,
    value::{fingerprint, first_moment, in_words, inner, local_moment, moment, name, role, text},
};
use cairn_domain::{Draft, Role};
use jiff::tz::TimeZone;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

/// Characters that two chunks of one text may share.
const MAX_OVERLAP_CHARS: usize = 400;

/// One drawer: its text and its fields.
struct Drawer {
    id: String,
    words: String,
    fields: Value,
}

pub(crate) fn read_chroma(path: &Path, zone: &TimeZone, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    let (mut drawers, mut closets) = (Vec::new(), 0);
    for document in chroma::documents(&database)? {
        if document.collection.ends_with("closets") {
            closets += 1;
            continue;
        }
        let words = text(&document.fields, "chroma:document").unwrap_or_default().to_owned();
        drawers.push(Drawer { id: document.id, words, fields: document.fields });
    }
    out.counted("rows_in_closets", closets);
    out.left_out("closets, an index over the drawers", closets);
    read_drawers(drawers, zone, out);
    Ok(())
}

pub(crate) fn read_exact(path: &Path, zone: &TimeZone, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    let mut drawers = Vec::new();
    let sql = "SELECT d.id, d.document, d.metadata_json, c.name AS collection FROM documents d JOIN collections c ON c.id = d.collection_id";
    database.each(sql, |row| {
        if !text(&row, "collection").unwrap_or_default().ends_with("closets") {
            let words = row["document"].as_str().unwrap_or_default().to_owned();
            drawers.push(Drawer {
                id: name(&row, "id").unwrap_or_default(),
                words,
                fields: inner(&row["metadata_json"]),
            });
        }
    })?;
    read_drawers(drawers, zone, out);
    Ok(())
}

fn read_drawers(drawers: Vec<Drawer>, zone: &TimeZone, out: &mut Gatherer<'_>) {
    out.counted("rows_in_drawers", drawers.len() as u64);
    let swept: BTreeSet<String> = drawers
        .iter()
        .filter(|drawer| text(&drawer.fields, "ingest_mode") == Some("sweep"))
        .filter_map(|drawer| name(&drawer.fields, "source_file"))
        .collect();
    let (mut notes, mut files) =
        (BTreeMap::<String, Vec<Drawer>>::new(), BTreeMap::<String, Vec<Drawer>>::new());
    for drawer in drawers {
        let file = text(&drawer.fields, "source_file").map(str::to_owned);
        match (text(&drawer.fields, "ingest_mode"), file) {
            (Some("registry"), _) => {}
            _ if text(&drawer.fields, "room") == Some("_registry") => {}
            _ if text(&drawer.fields, "type") == Some("diary_entry") => {
                out.counted("diary_entries", 1);
                out.left_out(
                    "entries of an agent's diary: only that agent may write them (`cairn diary write`)",
                    1,
                );
            }
            (Some("sweep"), _) => swept_message(&drawer, zone, out),
            (Some("convos"), file) => {
                let again =
                    file.as_ref().is_some_and(|file| swept.contains(file) || Path::new(file).exists());
                if again {
                    out.counted("exchange_drawers_that_repeat_the_messages", 1);
                    out.left_out("exchanges whose messages are there already, or in a file that is", 1);
                } else {
                    exchange(&drawer, zone, out);
                }
            }
            (_, Some(file)) => files.entry(file).or_default().push(drawer),
            (_, None) => {
                let parent = name(&drawer.fields, "parent_drawer_id").unwrap_or_else(|| drawer.id.clone());
                notes.entry(parent).or_default().push(drawer);
            }
        }
    }
    for (id, chunks) in notes {
        out.counted("notes", 1);
        out.counted("of_which_in_three_chunks", u64::from(chunks.len() == 3));
        let first = common(&chunks[0], zone);
        let id = out.id(&fingerprint(&[&id]));
        let note = Draft { source_id: id, text: joined(chunks), ..first };
        out.fed(GatheredKind::Memory, note);
    }
    for (file, chunks) in files {
        out.counted("knowledge_files", 1);
        let first = common(&chunks[0], zone);
        if Path::new(&file).exists() {
            out.knowledge(PathBuf::from(file), first.thread);
            continue;
        }
        let id = out.id(&format!("file:{}", fingerprint(&[&file])));
        let document = Draft { source_id: id, text: joined(chunks), ..first };
        out.fed(GatheredKind::Document, with(document, "file", &file.into()));
    }
}

/// The fields that messages of a drawer share.
fn common(drawer: &Drawer, zone: &TimeZone) -> Draft {
    let at = ["timestamp", "authored_at"].iter().find_map(|field| moment(&drawer.fields[*field]));
    let at = at.or_else(|| {
        ["last_modified", "filed_at"].iter().find_map(|field| local_moment(&drawer.fields[*field], zone))
    });
    let made = Draft {
        thread: text(&drawer.fields, "wing").map(str::to_owned),
        session: text(&drawer.fields, "session_id").map(str::to_owned),
        at,
        ..Draft::default()
    };
    with_fields(made, &drawer.fields, &["room", "hall", "added_by", "content_date"])
}

/// A message as Claude Code wrote it down; its id there is its id here.
fn swept_message(drawer: &Drawer, zone: &TimeZone, out: &mut Gatherer<'_>) {
    let speaks = role(text(&drawer.fields, "role").unwrap_or_default());
    let words = drawer.words.strip_prefix("USER: ").or_else(|| drawer.words.strip_prefix("ASSISTANT: "));
    let words = words.unwrap_or(&drawer.words).to_owned();
    let source_id = name(&drawer.fields, "message_uuid").or_else(|| out.id(&drawer.id));
    out.said(Draft { role: speaks, text: words, source_id, ..common(drawer, zone) });
}

/// An exchange whose messages are nowhere else: the user's part stands after `> `.
fn exchange(drawer: &Drawer, zone: &TimeZone, out: &mut Gatherer<'_>) {
    let (mut asked, mut answered) = (Vec::new(), Vec::new());
    for line in drawer.words.lines() {
        match line.strip_prefix("> ") {
            Some(line) if answered.is_empty() => asked.push(line),
            _ => answered.push(line),
        }
    }
    let id = fingerprint(&[&drawer.words]);
    for (role, end, lines) in [(Role::User, "user", asked), (Role::Assistant, "assistant", answered)] {
        let source_id = out.id(&format!("{id}#{end}"));
        let said = Draft { role, source_id, text: lines.join("\n"), ..common(drawer, zone) };
        out.said(with(said, "at_is", &"approximate".into()));
    }
}

/// Chunks as the text they were cut from: what one ends with and the next begins with stands once.
fn joined(mut chunks: Vec<Drawer>) -> String {
    chunks.sort_by_key(|chunk| chunk.fields["chunk_index"].as_f64().map_or(0, |place| place as i64));
    let mut whole = String::new();
    for chunk in &chunks {
        let shared = overlap(&whole, &chunk.words);
        let gap = if whole.is_empty() || shared > 0 { "" } else { "\n" };
        whole.push_str(gap);
        whole.push_str(&chunk.words[shared..]);
    }
    whole
}

/// The longest beginning of `next` that `before` ends with, in bytes.
fn overlap(before: &str, next: &str) -> usize {
    let ends = next.char_indices().map(|(at, c)| at + c.len_utf8()).take(MAX_OVERLAP_CHARS);
    ends.filter(|end| before.ends_with(&next[..*end])).last().unwrap_or(0)
}

/// The graph: each triple as a sentence, one that has ended with the time it held.
pub(crate) fn read_graph(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    let mut names = HashMap::new();
    database.each("SELECT id, name FROM entities", |row| {
        out.counted("entities", 1);
        names.insert(name(&row, "id").unwrap_or_default(), name(&row, "name").unwrap_or_default());
    })?;
    database.each("SELECT * FROM triples ORDER BY coalesce(valid_from, extracted_at)", |row| {
        let shown = |field: &str| {
            let id = name(&row, field).unwrap_or_default();
            names.get(&id).cloned().unwrap_or_else(|| id.replace('_', " "))
        };
        let mut words = format!(
            "{} {} {}",
            shown("subject"),
            in_words(text(&row, "predicate").unwrap_or_default()),
            shown("object")
        );
        let day = |field: &str| text(&row, field).map(|time| time.chars().take(10).collect::<String>());
        let ended = day("valid_to");
        if let Some(until) = &ended {
            let since = day("valid_from").map_or(String::new(), |since| format!("from {since} "));
            words = format!("{words} ({since}until {until})");
        }
        out.counted(if ended.is_some() { "ended" } else { "current" }, 1);
        let id = out.id(&format!("triple:{}", name(&row, "id").unwrap_or_default()));
        let at = first_moment(&row, &["valid_from", "extracted_at"]);
        let relation = draft(Role::Tool, id, at, format!("{words}."));
        let relation = with(relation, "valid_until", &row["valid_to"]);
        out.fed(
            GatheredKind::Relation,
            with_fields(relation, &row, &["valid_from", "confidence", "source_file"]),
        );
    })
}

pub(crate) fn read_tunnels(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let broken = each_element(open_unpacked(path)?, |tunnel| {
        let end = |side: &str| {
            format!(
                "{}/{}",
                text(&tunnel[side], "wing").unwrap_or("?"),
                text(&tunnel[side], "room").unwrap_or("?")
            )
        };
        let words = match text(&tunnel, "label") {
            Some(label) => format!("{label} ({} – {})", end("source"), end("target")),
            None => format!("{} leads to {}", end("source"), end("target")),
        };
        let id = out.id(&format!("tunnel:{}", name(&tunnel, "id").unwrap_or_default()));
        out.fed(GatheredKind::Relation, draft(Role::Tool, id, first_moment(&tunnel, &["created_at"]), words));
    });
    out.left_out("tunnels that cannot be read", broken.map_err(ImporterError::file(path))?);
    Ok(())
}

/// Who the agent is, in its user's words: for an identity file, if the operator wants it, and to be found until then.
pub(crate) fn read_identity(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let bytes = read_bounded(open_unpacked(path)?, path)?;
    let words = String::from_utf8_lossy(&bytes);
    out.counted("blocks", 1);
    out.proposal(IdentityTarget::Soul, "MemPalace's identity.txt", &words);
    let id = out.id(&format!("identity:{}", fingerprint(&[&words])));
    out.fed(GatheredKind::Memory, draft(Role::Tool, id, None, words.trim()));
    Ok(())
}

/// The exported folder: drawers as quotations, without the times of what was said.
pub(crate) fn read_export(folder: &Path, zone: &TimeZone, out: &mut Gatherer<'_>) -> Result<()> {
    for path in super::basic_memory::markdown(folder) {
        if path.file_name().is_some_and(|name| name == "index.md") {
            continue;
        }
        let bytes = read_bounded(open_unpacked(&path)?, &path)?;
        let page = String::from_utf8_lossy(&bytes);
        let wing = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        for section in page.split("\n## ").skip(1) {
            let (id, rest) = section.split_once('\n').unwrap_or((section, ""));
            let field = |named: &str| {
                let row = rest.lines().find_map(|line| line.strip_prefix(&format!("| {named} | ")));
                row.map(|row| row.trim_end_matches(['|', ' ']).to_owned())
            };
            out.counted("drawers", 1);
            if id.starts_with("diary_") {
                out.left_out(
                    "entries of an agent's diary: only that agent may write them (`cairn diary write`)",
                    1,
                );
                continue;
            }
            let lines: Vec<&str> =
                rest.lines().filter_map(|line| line.strip_prefix('>')).map(str::trim_start).collect();
            let at = field("Filed").and_then(|filed| local_moment(&filed.into(), zone));
            let drawer = draft(Role::Tool, out.id(&fingerprint(&[id.trim()])), at, lines.join("\n"));
            let drawer = with(Draft { thread: wing.clone(), ..drawer }, "at_is", &"approximate".into());
            out.fed(GatheredKind::Memory, drawer);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn chunks_are_joined_where_they_overlap() {
        let chunk = |place: u32, words: &str| Drawer {
            id: String::new(),
            words: words.to_owned(),
            fields: json!({"chunk_index": place}),
        };
        let chunks = vec![chunk(1, "late. Şafakta 2."), chunk(0, "Chapter 1, late. Ş"), chunk(2, "Other.")];
        assert_eq!(joined(chunks), "Chapter 1, late. Şafakta 2.\nOther.");
        let chunks = vec![chunk(0, "Chapter 1. Şaf"), chunk(1, "1. Şafakta 2.")];
        assert_eq!(joined(chunks), "Chapter 1. Şafakta 2.");
    }
}

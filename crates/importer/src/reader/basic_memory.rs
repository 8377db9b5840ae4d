//! basic-memory: a folder of Markdown notes, read as knowledge with its lines. Observations and relations are counted here;
//! the words are those of the files.

use crate::{
    database::CopiedDatabase,
    error::{ImporterError, Result},
    gathered::Gatherer,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Notes of one folder.
const MAX_NOTES: usize = 100_000;

pub(crate) fn read_folder(folder: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let mut notes = 0;
    for path in markdown(folder) {
        let bytes = fs::read(&path).map_err(ImporterError::file(&path))?;
        let note = Note::of(&String::from_utf8_lossy(&bytes));
        notes += 1;
        out.counted("observations", note.observations);
        out.counted("relations", note.relations + note.links);
        out.counted("of_which_plain_links", note.links);
        out.counted("tags_in_frontmatter", note.tags);
    }
    out.counted("notes", notes);
    let thread = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    out.knowledge(folder.to_owned(), thread);
    Ok(())
}

/// The index beside the notes: it says where they are, and has nothing that they have not.
pub(crate) fn read_index(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let database = CopiedDatabase::open(path)?;
    out.counted("entities", database.count("SELECT count(*) FROM entity")?);
    out.counted("observations", database.count("SELECT count(*) FROM observation")?);
    out.counted("relations", database.count("SELECT count(*) FROM relation")?);
    let mut projects = Vec::new();
    database
        .each("SELECT path FROM project", |row| projects.extend(row["path"].as_str().map(str::to_owned)))?;
    for project in projects {
        out.left_out(
            format!("the index of the notes in {project}: give that folder, the files are the truth"),
            1,
        );
    }
    Ok(())
}

/// The Markdown files of a folder, in order; hidden ones are not looked at.
pub(crate) fn markdown(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            if name.to_string_lossy().starts_with('.') || files.len() >= MAX_NOTES {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Whether a text is a note of this product: its front matter has a permalink.
pub(crate) fn is_note(text: &str) -> bool {
    front_matter(text).is_some_and(|front| front.lines().any(|line| line.starts_with("permalink:")))
}

fn front_matter(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    rest.split_once("\n---").map(|(front, _)| front)
}

/// Counts of one note.
#[derive(Debug, Default, PartialEq, Eq)]
struct Note {
    observations: u64,
    relations: u64,
    links: u64,
    tags: u64,
}

impl Note {
    fn of(text: &str) -> Self {
        let mut note = Self::default();
        let front = front_matter(text);
        let body = front.map_or(text, |front| &text[text.find(front).map_or(0, |at| at + front.len())..]);
        let mut in_tags = false;
        for line in front.unwrap_or_default().lines() {
            note.tags += u64::from(in_tags && line.trim_start().starts_with("- "));
            in_tags = line.starts_with("tags:") || in_tags && line.trim_start().starts_with("- ");
        }
        for line in body.lines() {
            match line.trim_start().strip_prefix("- ").or_else(|| line.trim_start().strip_prefix("* ")) {
                Some(item) if is_observation(item) => note.observations += 1,
                Some(item) if is_relation(item) => note.relations += 1,
                _ => note.links += line.matches("[[").count() as u64,
            }
        }
        note
    }
}

/// `[category] text`, or text with a `#tag`. Boxes, links and clock times are none.
fn is_observation(item: &str) -> bool {
    if let Some((category, rest)) = item.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let is_time = category.chars().all(|c| c.is_ascii_digit() || c == ':');
        let is_link = rest.starts_with('(') || category.starts_with('[');
        return category.chars().count() > 1 && !is_time && !is_link && !rest.trim().is_empty();
    }
    !item.contains("[[") && item.split_whitespace().any(|word| word.len() > 1 && word.starts_with('#'))
}

/// `type [[Target]] (context)`: the type is one word or quoted, and nothing else follows.
fn is_relation(item: &str) -> bool {
    let Some((kind, rest)) = item.split_once("[[") else { return false };
    let Some((_, after)) = rest.split_once("]]") else { return false };
    let (kind, after) = (kind.trim(), after.trim());
    let quoted = kind.len() > 2 && kind.starts_with('"') && kind.ends_with('"');
    let named = !kind.is_empty() && (quoted || !kind.contains(char::is_whitespace));
    named && (after.is_empty() || after.starts_with('(') && after.ends_with(')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_relations_and_links_are_told_apart() {
        let note = "---\ntitle: Boat\npermalink: main/boat\ntags:\n- sea\n- wood\n---\n\n# Boat\nSee [[Quay]].\n\n\
            - [hull] Two coats #varnish (thick)\n- a list item with a #tag\n- [x] done\n- [ ] open\n- [00:12] a time\n\
            - [text](https://example.org)\n- moored_at [[Quay]] (north)\n- \"lies next to\" [[Barge]]\n- see the [[Barge]] there\n";
        let expected = Note { observations: 2, relations: 2, links: 2, tags: 2 };
        assert_eq!(Note::of(note), expected);
        assert!(is_note(note) && !is_note("# Boat") && !is_note("---\ntitle: x\n---\n"));
    }
}

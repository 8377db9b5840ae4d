//! Recognition by content: a database by its tables, an archive by its members, JSON by its shape, a folder by what lies in
//! it. What nothing matches is unknown, and is never read as something else.

use crate::{
    archive::{PackedArchive, open_unpacked, tar_members},
    chroma,
    database::{CopiedDatabase, SQLITE_MAGIC},
    error::{ImporterError, Result},
    form::Form,
    pickle::unpickle,
    reader::{basic_memory, takeout},
    record::whole,
    shape,
};
use cairn_engine::transcript::{Record, Records, parse_json};
use serde_json::Value;
use std::{
    fs,
    io::{BufReader, Read},
    path::{Path, PathBuf},
};

/// Files and folders that are looked at below one path.
const MAX_ENTRIES: usize = 200_000;
/// How deep folders are followed.
const MAX_DEPTH: usize = 16;
/// Lines that may be strange before a known one.
const LOOKED_AT_LINES: usize = 20;

/// Something that was recognized.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Its form.
    pub form: Form,
    /// Where it is.
    pub path: PathBuf,
}

/// The things at a path.
#[derive(Debug, Default)]
pub struct Survey {
    /// Recognized ones, in the order in which they are read.
    pub sources: Vec<Source>,
    /// Files that were not, of those that could have been something.
    pub unknown: Vec<PathBuf>,
}

/// Looks at a file, or through a folder.
pub fn survey(path: &Path) -> Result<Survey> {
    let mut survey = Survey::default();
    if path.is_dir() {
        let mut notes = Vec::new();
        walk(path, 0, &mut 0, &mut survey, &mut notes)?;
        if let Some(folder) = common_folder(&notes) {
            survey.sources.push(Source { form: Form::BasicMemoryFolder, path: folder });
        }
    } else {
        match recognize_file(path)? {
            Some(form) => survey.sources.push(Source { form, path: path.to_owned() }),
            None => survey.unknown.push(path.to_owned()),
        }
    }
    settle(&mut survey.sources);
    survey.sources.sort();
    Ok(survey)
}

fn walk(
    folder: &Path,
    depth: usize,
    entries: &mut usize,
    survey: &mut Survey,
    notes: &mut Vec<PathBuf>,
) -> Result<()> {
    if let Some(form) = recognize_folder(folder) {
        survey.sources.push(Source { form, path: folder.to_owned() });
        if form != Form::OpenCodeStorage {
            return Ok(());
        }
    }
    let listed = fs::read_dir(folder).map_err(ImporterError::file(folder))?;
    let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        *entries += 1;
        if *entries > MAX_ENTRIES {
            return Err(ImporterError::malformed(
                folder,
                format!("has more than {MAX_ENTRIES} files: name a part of it"),
            ));
        }
        let Ok(kind) = path.symlink_metadata() else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if kind.is_dir() {
            let is_inside = survey.sources.last().is_some_and(|source| source.path == folder);
            if depth < MAX_DEPTH
                && !is_inside
                && ![".git", "node_modules", "backups"].contains(&name.as_str())
            {
                walk(&path, depth + 1, entries, survey, notes)?;
            }
        } else if kind.is_file() && is_candidate(&name) {
            // What cannot be opened in the middle of a folder is unknown, and costs nothing else.
            match recognize_file(&path) {
                Ok(Some(Form::BasicMemoryFolder)) => notes.push(path),
                Ok(Some(form)) => survey.sources.push(Source { form, path }),
                Ok(None) | Err(_) if name.ends_with(".md") => {}
                Ok(None) | Err(_) => survey.unknown.push(path),
            }
        }
    }
    Ok(())
}

/// Whether a file of a folder could be something, by its name.
fn is_candidate(name: &str) -> bool {
    let ends = [
        ".jsonl",
        ".json",
        ".jsonl.gz",
        ".json.gz",
        ".jsonl.zst",
        ".db",
        ".sqlite",
        ".sqlite3",
        ".vscdb",
        ".zip",
        ".af",
        ".pkl",
        ".md",
        ".tar.gz",
        ".cogx",
    ];
    let by_name = ["identity.txt", "MyActivity.html"].contains(&name);
    let derived =
        ["workspace.json", "projects.json", "meta.json", "config.json", "settings.json", "expected.json"];
    let by_name = by_name || name.starts_with("conversation_") && name.ends_with(".txt");
    !derived.contains(&name) && (by_name || ends.iter().any(|end| name.ends_with(end)))
}

/// The folder that all notes lie in.
fn common_folder(notes: &[PathBuf]) -> Option<PathBuf> {
    let mut folder = notes.first()?.parent()?.to_owned();
    while !notes.iter().all(|note| note.starts_with(&folder)) {
        folder = folder.parent()?.to_owned();
    }
    Some(folder)
}

/// Where one thing is there twice, the better one is kept.
fn settle(sources: &mut Vec<Source>) {
    let has = |form: Form| sources.iter().any(|source| source.form == form);
    let open_memory = has(Form::OpenMemoryDatabase);
    let open_memory_zip = has(Form::OpenMemoryZip);
    let (palace, notes) = (has(Form::PalaceChroma) || has(Form::PalaceExact), has(Form::BasicMemoryFolder));
    let storage = has(Form::OpenCodeDatabase);
    sources.retain(|source| match source.form {
        // Beside its database, the vector store and its history are older, and deleted words stand in the archive.
        Form::Mem0Qdrant | Form::Mem0History => !(open_memory || open_memory_zip),
        Form::OpenMemoryZip => !open_memory,
        Form::PalaceExport => !palace,
        Form::BasicMemoryIndex => !notes,
        Form::OpenCodeStorage => !storage,
        _ => true,
    });
}

fn recognize_folder(folder: &Path) -> Option<Form> {
    let has = |name: &str| folder.join(name).exists();
    if has("agents") && has("conversations") && (has("memfs") || has_messages(folder)) {
        return Some(Form::LettaCodeBackend);
    }
    if has("session") && has("message") && has("part") {
        return Some(Form::OpenCodeStorage);
    }
    let head = |name: &str| {
        let mut head = Vec::new();
        let file = fs::File::open(folder.join(name)).ok()?;
        file.take(4 << 10).read_to_end(&mut head).ok()?;
        Some(String::from_utf8_lossy(&head).into_owned())
    };
    if has("manifest.json") && head("manifest.json").is_some_and(|head| head.contains("\"cogx_version\"")) {
        return Some(Form::CogneeFolder);
    }
    (has("index.md") && head("index.md")?.starts_with("# Palace Export")).then_some(Form::PalaceExport)
}

fn has_messages(folder: &Path) -> bool {
    let conversations = fs::read_dir(folder.join("conversations")).into_iter().flatten().flatten();
    conversations.take(1_000).any(|entry| entry.path().join("messages.jsonl").exists())
}

/// The form of a file, if it is known.
pub fn recognize_file(path: &Path) -> Result<Option<Form>> {
    let failed = ImporterError::file(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut head = Vec::new();
    fs::File::open(path).map_err(&failed)?.take(64 << 10).read_to_end(&mut head).map_err(&failed)?;
    if head.starts_with(SQLITE_MAGIC) {
        return recognize_database(path);
    }
    if head.starts_with(b"PK\x03\x04") {
        return recognize_zip(path);
    }
    if name == "identity.txt" {
        return Ok(Some(Form::PalaceIdentity));
    }
    if name == "MyActivity.html" {
        return Ok(Some(Form::TakeoutPage));
    }
    if name.ends_with(".md") {
        let is_note = basic_memory::is_note(&String::from_utf8_lossy(&head));
        return Ok(is_note.then_some(Form::BasicMemoryFolder));
    }
    if name.ends_with(".tar.gz") || name.ends_with(".cogx") {
        let members = tar_members(path)?;
        let is_cogx = members.iter().any(|(name, _)| name == "manifest.json");
        return Ok(is_cogx.then_some(Form::CogneeTar));
    }
    if head.starts_with(&[0x80]) && name.ends_with(".pkl") {
        let pair =
            unpickle(&crate::archive::read_bounded(open_unpacked(path)?, path)?).unwrap_or(Value::Null);
        let is_docstore = pair[0].is_object() && pair[1].is_object();
        return Ok(is_docstore.then_some(Form::Mem0Faiss));
    }
    recognize_text(path)
}

fn recognize_database(path: &Path) -> Result<Option<Form>> {
    let database = CopiedDatabase::open(path)?;
    let tables = database.tables()?;
    let has = |names: &[&str]| names.iter().all(|name| tables.contains(*name));
    if has(&["sdk_sessions", "observations"]) {
        return Ok(Some(Form::ClaudeMemDatabase));
    }
    if has(&["memories", "apps", "memory_categories"]) {
        return Ok(Some(Form::OpenMemoryDatabase));
    }
    if has(&["session", "message", "part"]) {
        return Ok(Some(Form::OpenCodeDatabase));
    }
    if has(&["points"]) && database.columns("points")?.contains("point") {
        return Ok(Some(Form::Mem0Qdrant));
    }
    if has(&["collections", "embeddings", "embedding_metadata"]) {
        let documents = chroma::documents(&database)?;
        let palace = documents
            .iter()
            .any(|one| one.collection.starts_with("mempalace") || !one.fields["filed_at"].is_null());
        let mem0 = documents.iter().any(|one| one.fields["data"].is_string());
        let form = if palace { Some(Form::PalaceChroma) } else { mem0.then_some(Form::Mem0Chroma) };
        return Ok(form);
    }
    if has(&["documents", "collections"]) && database.columns("documents")?.contains("metadata_json") {
        return Ok(Some(Form::PalaceExact));
    }
    let known = [
        (["entities", "triples"].as_slice(), Form::PalaceGraph),
        (&["entity", "observation", "relation", "project"], Form::BasicMemoryIndex),
        (&["memory_history"], Form::Mem0History),
        (&["stage1_outputs"], Form::CodexMemories),
        (&["cursorDiskKV"], Form::CursorDatabase),
        (&["ItemTable"], Form::CursorDatabase),
    ];
    if has(&["vectors"]) && database.columns("vectors")?.contains("payload") {
        return Ok(Some(Form::Mem0Npm));
    }
    if has(&["history"]) && database.columns("history")?.contains("new_memory") {
        return Ok(Some(Form::Mem0History));
    }
    Ok(known.into_iter().find(|(names, _)| has(names)).map(|(_, form)| form))
}

fn recognize_zip(path: &Path) -> Result<Option<Form>> {
    let mut archive = PackedArchive::open(path)?;
    let names = archive.names();
    let has = |name: &str| names.iter().any(|known| known == name);
    if has("manifest.json") && names.iter().any(|name| name.starts_with("documents/")) {
        return Ok(Some(Form::HindsightZip));
    }
    if has("memories.json") && has("memories.jsonl.gz") {
        return Ok(Some(Form::OpenMemoryZip));
    }
    if names.iter().any(|name| takeout::is_activity(name) || takeout::is_conversation(name)) {
        return Ok(Some(Form::TakeoutZip));
    }
    let conversations = names.iter().find(|name| {
        let file = name.rsplit('/').next().unwrap_or_default();
        file.starts_with("conversations") && file.ends_with(".json")
    });
    if let Some(name) = conversations {
        let head = String::from_utf8_lossy(&archive.head(name, 256 << 10)).into_owned();
        if head.contains("\"chat_messages\"") {
            return Ok(Some(Form::ClaudeAiZip));
        }
        return Ok(head.contains("\"mapping\"").then_some(Form::ChatGptZip));
    }
    let is_part = |name: &String| {
        ["projects/", "memories/", "design_chats/"].iter().any(|folder| name.starts_with(folder))
            && name.ends_with(".json")
    };
    let is_claude_ai =
        names.iter().any(is_part) || has("users.json") && (has("login_history.json") || has("projects.json"));
    Ok(is_claude_ai.then_some(Form::ClaudeAiZip))
}

/// JSON by its shape, packed or not.
fn recognize_text(path: &Path) -> Result<Option<Form>> {
    let failed = ImporterError::file(path);
    let mut input = BufReader::new(open_unpacked(path)?);
    let first = loop {
        let mut byte = [0];
        match input.read(&mut byte).map_err(&failed)? {
            // A transcript in which nobody has said anything yet.
            0 => return Ok(path.extension().is_some_and(|end| end == "jsonl").then_some(Form::Transcript)),
            _ if byte[0].is_ascii_whitespace() || [0xEF, 0xBB, 0xBF].contains(&byte[0]) => {}
            _ => break byte[0],
        }
    };
    match first {
        b'[' => recognize_list(path),
        b'{' => recognize_objects(path),
        b'"' => {
            let bytes = crate::archive::read_bounded(open_unpacked(path)?, path)?;
            Ok(whole(&bytes).ok().and_then(|object| shape::of_object(&object)))
        }
        _ => recognize_lines(path),
    }
}

fn recognize_list(path: &Path) -> Result<Option<Form>> {
    let mut records = Records::elements(BufReader::new(open_unpacked(path)?));
    for _ in 0..LOOKED_AT_LINES {
        let Some((_, record)) = records.next_record().map_err(ImporterError::file(path))? else { break };
        let Record::Whole(bytes) = record else { continue };
        if let Some(form) = parse_json(bytes).ok().and_then(|element| shape::of_element(&element)) {
            return Ok(Some(form));
        }
    }
    Ok(None)
}

fn recognize_lines(path: &Path) -> Result<Option<Form>> {
    let mut records = Records::lines(BufReader::new(open_unpacked(path)?));
    for _ in 0..LOOKED_AT_LINES {
        let Some((_, record)) = records.next_record().map_err(ImporterError::file(path))? else { break };
        let Record::Whole(bytes) = record else { continue };
        let Ok(line) = parse_json(bytes) else { continue };
        if let Some(form) = shape::of_line(&line) {
            return Ok(Some(form));
        }
    }
    Ok(None)
}

/// Lines of objects, or one object over many lines.
fn recognize_objects(path: &Path) -> Result<Option<Form>> {
    let mut records = Records::lines(BufReader::new(open_unpacked(path)?));
    let first = records.next_record().map_err(ImporterError::file(path))?;
    let first = first.and_then(|(_, record)| match record {
        Record::Whole(bytes) => parse_json(bytes).ok(),
        Record::TooLong { .. } => None,
    });
    // One line alone may be a whole file; many lines may be one object.
    let is_whole = first.as_ref().and_then(shape::of_object);
    if is_whole.is_some() {
        return Ok(is_whole);
    }
    if first.is_some() {
        return recognize_lines(path);
    }
    let mut records = Records::elements(BufReader::new(open_unpacked(path)?));
    let object = match records.next_record().map_err(ImporterError::file(path))? {
        Some((_, Record::Whole(bytes))) => parse_json(bytes).ok(),
        _ => None,
    };
    match object.as_ref().and_then(shape::of_object) {
        Some(form) => Ok(Some(form)),
        None => recognize_lines(path),
    }
}

//! Claude.ai's account export: one archive, or one for each category. Mail addresses, telephone numbers and sign-ins are
//! never read.

use crate::{
    archive::{PackedArchive, open_unpacked},
    error::{ImporterError, Result},
    gathered::{GatheredKind, Gatherer, IdentityTarget, draft, with},
    record::each_element,
    value::{answer, call, fingerprint, first_moment, list, moment, name, role, text},
};
use cairn_domain::{Draft, Role};
use serde_json::Value;
use std::{
    io::{Cursor, Read},
    path::Path,
};

pub(crate) fn read_zip(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let mut archive = PackedArchive::open(path)?;
    for member in archive.names() {
        let folder = member.split('/').next().unwrap_or_default();
        let file = member.rsplit('/').next().unwrap_or_default();
        let is_json = file.ends_with(".json");
        if is_json && file.starts_with("conversations") {
            conversations(Cursor::new(archive.read(&member)?), path, out)?;
        } else if is_json && (file == "projects.json" || folder == "projects") {
            projects(Cursor::new(archive.read(&member)?), path, out)?;
        } else if is_json && (file == "memories.json" || folder == "memories") {
            memories(Cursor::new(archive.read(&member)?), path, out)?;
        } else {
            out.left_out("files about the account (names, mail addresses, sign-ins)", 1);
        }
    }
    Ok(())
}

/// A list of conversations, projects or memories by itself.
pub(crate) fn read_list(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let broken = each_element(open_unpacked(path)?, |record| {
        if record["chat_messages"].is_array() {
            conversation(&record, out);
        } else if record["conversations_memory"].is_string() || record["project_memories"].is_object() {
            memory(&record, out);
        } else {
            project(&record, out);
        }
    });
    out.left_out("records that cannot be read", broken.map_err(ImporterError::file(path))?);
    Ok(())
}

fn conversations(input: impl Read, path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let broken = each_element(input, |record| conversation(&record, out));
    out.left_out("conversations that cannot be read", broken.map_err(ImporterError::file(path))?);
    Ok(())
}

fn projects(input: impl Read, path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let broken = each_element(input, |record| project(&record, out));
    out.left_out("projects that cannot be read", broken.map_err(ImporterError::file(path))?);
    Ok(())
}

fn memories(input: impl Read, path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let broken = each_element(input, |record| memory(&record, out));
    out.left_out("memories that cannot be read", broken.map_err(ImporterError::file(path))?);
    Ok(())
}

fn conversation(record: &Value, out: &mut Gatherer<'_>) {
    out.tenant(name(&record["account"], "uuid"));
    out.counted("conversations", 1);
    let messages = list(&record["chat_messages"]);
    if messages.is_empty() {
        out.counted("of_which_empty", 1);
    }
    let session = name(record, "uuid");
    let mut first = true;
    for message in messages {
        let mut common = Draft {
            session: session.clone(),
            at: first_moment(message, &["created_at"]).or_else(|| first_moment(record, &["created_at"])),
            ..Draft::default()
        };
        if std::mem::take(&mut first) {
            common = with(common, "session_title", &record["name"]);
        }
        said(message, &common, out);
        attachments(message, &common, out);
    }
    out.tenant(None);
}

/// The parts of one message: words, calls of tools and what they gave back. Thoughts are left out.
fn said(message: &Value, common: &Draft, out: &mut Gatherer<'_>) {
    let id = name(message, "uuid").unwrap_or_else(|| fingerprint(&[&message.to_string()]));
    let speaks = role(message["sender"].as_str().unwrap_or_default());
    let mut place = 0;
    let mut numbered = |out: &Gatherer<'_>| {
        place += 1;
        out.id(&if place == 1 { id.clone() } else { format!("{id}#{}", place - 1) })
    };
    let mut any_words = false;
    for part in list(&message["content"]) {
        let tool = || name(part, "name").unwrap_or_else(|| "tool".to_owned());
        let words = match part["type"].as_str().unwrap_or("text") {
            "text" => {
                any_words |= text(part, "text").is_some();
                Some((speaks, None, part["text"].as_str().unwrap_or_default().to_owned()))
            }
            "tool_use" => Some((Role::Tool, Some(tool()), call(&tool(), &part["input"]))),
            "tool_result" => Some((Role::Tool, Some(tool()), answer(&part["content"]))),
            "thinking" | "redacted_thinking" => {
                out.counted("thoughts_left_out", 1);
                out.left_out("the model's thoughts", 1);
                None
            }
            _ => None,
        };
        if let Some((role, speaker, text)) = words.filter(|(_, _, text)| !text.trim().is_empty()) {
            let source_id = numbered(out);
            let at = moment(&part["start_timestamp"]).filter(|_| role == Role::Tool).or(common.at);
            out.said(Draft { role, speaker, text, source_id, at, ..common.clone() });
        }
    }
    if !any_words && let Some(words) = text(message, "text") {
        let source_id = numbered(out);
        out.said(Draft { role: speaks, text: words.to_owned(), source_id, ..common.clone() });
    }
}

fn attachments(message: &Value, common: &Draft, out: &mut Gatherer<'_>) {
    for attachment in list(&message["attachments"]) {
        let Some(words) = text(attachment, "extracted_content") else { continue };
        out.counted("attachments_with_text", 1);
        let id = format!("attachment:{}", fingerprint(&[&message["uuid"].to_string(), words]));
        let draft = Draft { source_id: out.id(&id), text: words.to_owned(), ..common.clone() };
        out.fed(GatheredKind::Document, with(draft, "file", &attachment["file_name"]));
    }
}

fn project(record: &Value, out: &mut Gatherer<'_>) {
    out.counted("projects", 1);
    let title = text(record, "name").unwrap_or("a project");
    if let Some(rules) = text(record, "prompt_template") {
        out.counted("project_instructions", 1);
        out.proposal(IdentityTarget::Agents, format!("instructions of the Claude.ai project {title}"), rules);
    }
    for document in list(&record["docs"]) {
        let Some(words) = text(document, "content") else { continue };
        out.counted("project_documents", 1);
        let id = name(document, "uuid").unwrap_or_else(|| fingerprint(&[words]));
        let at = first_moment(document, &["created_at"]).or_else(|| first_moment(record, &["created_at"]));
        let document_draft =
            Draft { thread: Some(title.to_owned()), ..draft(Role::Tool, out.id(&id), at, words) };
        out.fed(GatheredKind::Document, with(document_draft, "file", &document["filename"]));
    }
}

/// Things that the model holds of the user: for the anchor, if the operator wants it, and a statement for each paragraph.
fn memory(record: &Value, out: &mut Gatherer<'_>) {
    out.tenant(name(record, "account_uuid"));
    if let Some(words) = text(record, "conversations_memory") {
        out.counted("memory_texts", 1);
        out.proposal(IdentityTarget::Anchor, "Claude.ai's memory of you", words);
        paragraphs(words, None, out);
    }
    for (project, words) in record["project_memories"].as_object().into_iter().flatten() {
        if let Some(words) = words.as_str() {
            out.counted("memory_texts", 1);
            paragraphs(words, Some(project), out);
        }
    }
    for file in list(&record["memory_files"]) {
        if let Some(words) = text(file, "content") {
            out.counted("memory_texts", 1);
            paragraphs(words, None, out);
        }
    }
    out.tenant(None);
}

fn paragraphs(words: &str, project: Option<&String>, out: &mut Gatherer<'_>) {
    for paragraph in words.split("\n\n").map(str::trim).filter(|paragraph| !is_heading(paragraph)) {
        let id = format!("memory:{}", fingerprint(&[project.map_or("", String::as_str), paragraph]));
        let memory = draft(Role::Tool, out.id(&id), None, paragraph);
        out.fed(GatheredKind::Memory, Draft { thread: project.cloned(), ..memory });
    }
}

fn is_heading(paragraph: &str) -> bool {
    let one_line = !paragraph.contains('\n');
    paragraph.is_empty()
        || one_line
            && (paragraph.starts_with('#') || paragraph.starts_with("**") && paragraph.ends_with("**"))
}

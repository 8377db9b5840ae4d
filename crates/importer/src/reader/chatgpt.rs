//! ChatGPT's account export. The engine reads the conversations; here the archive is opened, and what stands hidden in the
//! conversations is found once: custom instructions, and what the model saved of the user.

use crate::{
    archive::{PackedArchive, open_unpacked},
    error::{ImporterError, Result},
    gathered::{Gatherer, IdentityTarget},
    record::each_element,
    value::text,
};
use cairn_domain::Role;
use cairn_engine::transcript::{Format, ReadError, TranscriptReader};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    io::{BufReader, Cursor, Read},
    path::Path,
};

/// The archive, or a list of conversations by itself.
pub(crate) fn read_zip(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let mut archive = PackedArchive::open(path)?;
    let names = archive.names();
    let mut hidden = Hidden::default();
    for name in &names {
        if is_conversations(name) {
            let bytes = archive.read(name)?;
            conversations(Cursor::new(bytes.as_slice()), path, out)?;
            hidden.look(Cursor::new(bytes.as_slice()), path)?;
        }
    }
    hidden.tell(out);
    let skipped = names.iter().filter(|name| *name == "user.json" || name.ends_with("chat.html")).count();
    out.left_out("files of the account, and the same conversations once more as a page", skipped as u64);
    Ok(())
}

pub(crate) fn read_list(path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    conversations(open_unpacked(path)?, path, out)?;
    let mut hidden = Hidden::default();
    hidden.look(open_unpacked(path)?, path)?;
    hidden.tell(out);
    Ok(())
}

fn is_conversations(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.starts_with("conversations") && file.ends_with(".json")
}

fn conversations(input: impl Read, path: &Path, out: &mut Gatherer<'_>) -> Result<()> {
    let mut broken = 0;
    for entry in TranscriptReader::new(BufReader::new(input), Format::ChatGpt, "chatgpt") {
        match entry {
            Ok(entry) => {
                out.counted("conversations", 1);
                for draft in entry.drafts {
                    let is_saved = draft.metadata.get("saved_memory").is_some_and(|saved| saved == true);
                    if is_saved && draft.role == Role::Tool {
                        out.counted("saved_memories", 1);
                    }
                    out.said(draft);
                }
            }
            Err(ReadError::Malformed(_)) => broken += 1,
            Err(ReadError::Io(error)) => return Err(ImporterError::file(path)(error)),
        }
    }
    out.left_out("conversations that cannot be read", broken);
    Ok(())
}

/// Hidden things in conversations.
#[derive(Default)]
struct Hidden {
    profiles: BTreeSet<String>,
    instructions: BTreeSet<String>,
    thoughts: u64,
}

impl Hidden {
    fn look(&mut self, input: impl Read, path: &Path) -> Result<()> {
        let looked = each_element(input, |conversation| self.conversation(&conversation));
        looked.map(drop).map_err(ImporterError::file(path))
    }

    fn conversation(&mut self, conversation: &Value) {
        for node in conversation["mapping"].as_object().into_iter().flat_map(|nodes| nodes.values()) {
            let content = &node["message"]["content"];
            match content["content_type"].as_str() {
                Some("user_editable_context") => {
                    self.profiles.extend(text(content, "user_profile").map(str::to_owned));
                    self.instructions.extend(text(content, "user_instructions").map(str::to_owned));
                }
                Some("thoughts" | "reasoning_recap") => self.thoughts += 1,
                _ => {}
            }
        }
    }

    fn tell(&self, out: &mut Gatherer<'_>) {
        let both = self.profiles.len().max(self.instructions.len());
        out.counted("custom_instructions", both as u64);
        for profile in &self.profiles {
            out.proposal(IdentityTarget::Anchor, "ChatGPT's custom instructions", profile);
        }
        for rules in &self.instructions {
            out.proposal(IdentityTarget::Agents, "ChatGPT's custom instructions", rules);
        }
        out.counted("thoughts_left_out", self.thoughts);
        out.left_out("the model's thoughts", self.thoughts);
    }
}

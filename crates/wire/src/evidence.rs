//! Evidence: what a record rests on, its source read again.

use crate::Message;
use cairn_domain::Stance;
use schemars::JsonSchema;
use serde::Serialize;

/// A line of the archive, read again just now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ArchiveLine {
    /// The file; on a server the table that is the archive.
    pub file: String,
    /// The line in it.
    pub line: u64,
    /// Whether it still says the same.
    pub agrees: bool,
}

/// A piece of evidence, its source read again just now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Evidence {
    /// A ref: `msg_…`, `file:PATH#L1-L9`.
    pub source: String,
    /// For or against.
    pub stance: Stance,
    /// How much it counts.
    pub weight: f64,
    /// Who spoke.
    pub role: String,
    /// The words it rests on, verbatim.
    pub excerpt: String,
    /// Whether the source still holds the words.
    pub holds: bool,
    /// The message it names.
    pub message: Option<Message>,
    /// That message's line of the archive.
    pub archive: Option<ArchiveLine>,
}

impl From<&cairn_engine::CheckedSource> for Evidence {
    fn from(source: &cairn_engine::CheckedSource) -> Self {
        let (evidence, holds) = (&source.evidence, source.holds);
        let line = source.message.as_ref().map(|record| record.archive_line);
        let archive = source.archive_file.clone().zip(line);
        Self {
            source: evidence.source.clone(),
            stance: evidence.stance,
            weight: evidence.weight,
            role: evidence.role.clone(),
            excerpt: evidence.excerpt.clone(),
            holds,
            message: source.message.as_ref().map(Message::from),
            archive: archive.map(|(file, line)| ArchiveLine { file, line, agrees: holds }),
        }
    }
}

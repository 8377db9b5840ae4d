//! Transcripts: conversations that other programs already wrote down, read into [`cairn_domain::Draft`]s so that nobody
//! has to log anything twice. Three formats are known; whatever a file holds, reading it never panics,
//! never prints, never asks for the time, and keeps at most one record of it in memory.
//!
//! In reading order: [`Format`] and how it is guessed (`format`), how an input is cut into records
//! (`records`), how a record's fields are read (`fields`), what a host wrote in the user's place (`host_words`), what each format makes of them (`jsonl`,
//! `claude_code`, `chatgpt`), what names a message that has no id (`occurrence`), and
//! the reader that leads through all of them (`reader`).

mod chatgpt;
mod claude_code;
mod fields;
mod format;
mod host_words;
mod jsonl;
mod occurrence;
mod reader;
mod records;

pub use fields::parse_json;
pub use format::{Format, detect};
pub use host_words::{parted, typed_words};
pub(crate) use occurrence::CORRECTION;
pub use occurrence::{is_made_up, proxied_source_id};
pub use reader::{Malformed, ReadError, RecordReader, TranscriptEntry, TranscriptReader};
pub use records::{Record, Records};

//! The diary, for whoever holds its key.

use cairn_domain::{Category, EntryId, Time};
use schemars::JsonSchema;
use serde::Serialize;

/// Entries, closed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DiaryEntries {
    /// The newest first.
    pub entries: Vec<DiaryEntry>,
}

/// The part of an entry that is readable without its key.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DiaryEntry {
    /// Its name.
    #[serde(rename = "ref")]
    pub reference: EntryId,
    /// When it was written.
    pub at: Time,
    /// When intake made memories of it, if it has.
    pub taken_in_at: Option<Time>,
    /// How many memories came of it.
    pub memories: u32,
}

/// Entries that answer a question, opened.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DiaryPages {
    /// The best first.
    pub hits: Vec<DiaryPage>,
}

/// An entry, opened.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DiaryPage {
    /// Its name.
    #[serde(rename = "ref")]
    pub reference: EntryId,
    /// When it was written.
    pub at: Time,
    /// The words.
    pub text: String,
    /// The memories formed from them.
    pub memories: Vec<PrivateMemory>,
    /// How well it answers, if something was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// A memory formed from an entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PrivateMemory {
    /// The statement.
    pub text: String,
    /// The kind of thing it says.
    pub category: Category,
}

impl From<&cairn_engine::DiaryEntry> for DiaryEntry {
    fn from(entry: &cairn_engine::DiaryEntry) -> Self {
        Self {
            reference: entry.id,
            at: entry.written_at,
            taken_in_at: entry.taken_at,
            memories: entry.memories,
        }
    }
}

impl<'a> FromIterator<&'a cairn_engine::DiaryEntry> for DiaryEntries {
    fn from_iter<I: IntoIterator<Item = &'a cairn_engine::DiaryEntry>>(entries: I) -> Self {
        Self { entries: entries.into_iter().map(DiaryEntry::from).collect() }
    }
}

impl DiaryPage {
    /// An entry, and how well it answers.
    pub fn new(page: &cairn_engine::DiaryPage, score: Option<f64>) -> Self {
        let memory = |memory: &cairn_engine::PrivateMemory| PrivateMemory {
            text: memory.text.clone(),
            category: memory.category,
        };
        Self {
            reference: page.entry.id,
            at: page.entry.written_at,
            text: page.text.clone(),
            memories: page.memories.iter().map(memory).collect(),
            score,
        }
    }
}

//! The diary: what an agent writes for itself. Entries, and the private memories that intake makes of them, are sealed
//! (`seal`) with a key that lies outside the database and outside every copy of it. They are opened here, in memory, for
//! whoever holds the key, and nowhere else: no other part of the engine has a way to their words, so that they reach no
//! recall, no digest, no dream, no bundle, no log and no other agent.

mod seal;

use crate::{
    Agent, EngineError, Result,
    limits::{MAX_DIARY_ENTRIES_SEARCHED, MAX_DIARY_ENTRY_BYTES},
    stored_json::to_stored_json,
    write::{PrivateMemory, private_statements},
};
use cairn_cognition::{
    bm25::{Bm25, inverse_document_frequency},
    keywords::{Terms, query_terms, terms},
};
use cairn_domain::{EntryId, Invalid, Time};
use cairn_store::EntryRecord;
use seal::{Key, by_chance};
use std::path::{Path, PathBuf};

/// Entries that intake reads at a time.
const TAKEN_IN: u32 = 200;

/// The facts about an entry that need no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiaryEntry {
    /// Its name.
    pub id: EntryId,
    /// When it was written.
    pub written_at: Time,
    /// When intake made memories of it, if it has.
    pub taken_at: Option<Time>,
    /// How many memories came of it.
    pub memories: u32,
}

/// An entry, opened.
#[derive(Debug, Clone, PartialEq)]
pub struct DiaryPage {
    /// The facts about it that need no key.
    pub entry: DiaryEntry,
    /// The words.
    pub text: String,
    /// The private memories made from it.
    pub memories: Vec<PrivateMemory>,
}

/// Counts of one intake of the diary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TakenIn {
    pub(crate) entries: u32,
    pub(crate) memories: u32,
    /// Entries that are sealed with a key that is not here.
    pub(crate) closed: u32,
}

impl Agent {
    /// The file that holds the key of the diary: in the home and not in the agent's folder, so that no copy of an agent has
    /// it.
    pub fn diary_key(&self) -> PathBuf {
        // An agent's folder is `agents/NAME` in its home.
        let home = self.folder.ancestors().nth(2).unwrap_or(&self.folder);
        home.join("keys").join(format!("{}.diary", self.name))
    }

    /// Writes into the diary; the entry, and whether a key was made for it.
    pub async fn write_diary(&self, text: &str) -> Result<(DiaryEntry, bool)> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Invalid::new("the entry is empty", "give it some text").into());
        }
        if text.len() > MAX_DIARY_ENTRY_BYTES {
            let problem = format!("an entry of {} bytes is too long", text.len());
            return Err(Invalid::new(
                problem,
                format!("write up to {MAX_DIARY_ENTRY_BYTES} bytes at a time"),
            )
            .into());
        }
        let path = self.diary_key();
        let newest = self.store.read(|view| view.diary(1)).await?.pop();
        let fresh = Key::read(&path)?.is_none();
        if fresh && newest.is_some() {
            return Err(missing(&path).into());
        }
        let key = Key::read_or_make(&path)?;
        let id = EntryId::from_bytes(by_chance()?);
        let written_at = self.now();
        let record = EntryRecord {
            number: 0,
            id,
            written_at,
            key_id: key.id.clone(),
            sealed: key.seal(text.as_bytes(), &entry_place(id))?,
            taken_at: None,
            memories: 0,
        };
        self.store.write_entry(record).await?;
        Ok((DiaryEntry { id, written_at, taken_at: None, memories: 0 }, fresh))
    }

    /// The newest entries, closed: when they were written and how much came of them.
    pub async fn diary(&self, limit: u32) -> Result<Vec<DiaryEntry>> {
        let records = self.store.read(|view| view.diary(limit)).await?;
        Ok(records.iter().map(DiaryEntry::from).collect())
    }

    /// Opens an entry.
    pub async fn open_diary(&self, id: EntryId) -> Result<DiaryPage> {
        let found = self
            .store
            .read(|view| {
                let Some(record) = view.diary_entry(id)? else { return Ok(None) };
                let memories = view.diary_memories(record.number)?;
                Ok(Some((record, memories)))
            })
            .await?;
        let (record, sealed) = found.ok_or_else(|| EngineError::NotFound(id.to_string()))?;
        let path = self.diary_key();
        let key = Key::read(&path)?.filter(|key| key.id == record.key_id).ok_or_else(|| missing(&path))?;
        let text = open(&key, &record)?;
        let memory = |(place, sealed): (usize, &Vec<u8>)| {
            let opened = key.open(sealed, &memory_place(id, place))?;
            serde_json::from_slice(&opened).ok()
        };
        let memories: Option<Vec<PrivateMemory>> = sealed.iter().enumerate().map(memory).collect();
        let memories = memories.ok_or_else(|| damaged(id))?;
        Ok(DiaryPage { entry: DiaryEntry::from(&record), text, memories })
    }

    /// The entries that answer a question best, with how well, opened.
    pub async fn recall_diary(&self, question: &str, k: usize) -> Result<Vec<(DiaryPage, f64)>> {
        let path = self.diary_key();
        let records = self.store.read(|view| view.diary(MAX_DIARY_ENTRIES_SEARCHED)).await?;
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let key = Key::read(&path)?.ok_or_else(|| missing(&path))?;
        let mut texts = Vec::with_capacity(records.len());
        for record in records.iter().filter(|record| record.key_id == key.id) {
            texts.push((record.id, terms(&open(&key, record)?)));
        }
        let mut pages = Vec::new();
        for (id, score) in best(&texts, question, k) {
            pages.push((self.open_diary(id).await?, score));
        }
        Ok(pages)
    }

    /// Makes private memories of what was written and not read yet. Each entry is taken in once, whoever is at it.
    pub(crate) async fn take_in_diary(&self) -> Result<TakenIn> {
        let mut taken = TakenIn::default();
        let records = self.store.read(|view| view.diary_to_take_in(TAKEN_IN)).await?;
        if records.is_empty() {
            return Ok(taken);
        }
        let key = Key::read(&self.diary_key())?;
        for record in &records {
            let Some(key) = key.as_ref().filter(|key| key.id == record.key_id) else {
                taken.closed += 1;
                continue;
            };
            let text = open(key, record)?;
            let mut sealed = Vec::new();
            for (place, memory) in private_statements(&text, record.written_at).into_iter().enumerate() {
                let memory = to_stored_json("a private memory", &memory)?;
                sealed.push(key.seal(memory.as_bytes(), &memory_place(record.id, place))?);
            }
            let memories = sealed.len() as u32;
            if self.store.take_in_entry(record.number, sealed, self.now()).await? {
                (taken.entries, taken.memories) = (taken.entries + 1, taken.memories + memories);
            }
        }
        Ok(taken)
    }
}

impl TakenIn {
    /// The log line of an intake: counts, and nothing of the words.
    pub(crate) fn note(self) -> String {
        match self {
            Self { entries: 0, closed: 0, .. } => String::new(),
            Self { closed, .. } if closed > 0 => {
                format!("{closed} entries of the diary wait for the key that seals them")
            }
            Self { entries, memories, .. } => {
                format!("{memories} private memories came of {entries} entries of the diary")
            }
        }
    }
}

impl From<&EntryRecord> for DiaryEntry {
    fn from(record: &EntryRecord) -> Self {
        let EntryRecord { id, written_at, taken_at, memories, .. } = record;
        Self { id: *id, written_at: *written_at, taken_at: *taken_at, memories: *memories }
    }
}

/// The best entries by BM25, and the newer of two that are as good.
fn best(texts: &[(EntryId, Terms)], question: &str, k: usize) -> Vec<(EntryId, f64)> {
    let average = texts.iter().map(|(_, terms)| f64::from(terms.length)).sum::<f64>() / texts.len() as f64;
    let scale = Bm25::USUAL.scale(average);
    let times = |terms: &Terms, term: &str| {
        let at = terms.counts.binary_search_by(|(known, _)| known.as_str().cmp(term)).ok()?;
        Some(terms.counts[at].1)
    };
    let mut scores = vec![0.0; texts.len()];
    for term in query_terms(question) {
        let holding = texts.iter().filter(|(_, terms)| times(terms, &term).is_some()).count();
        let rarity = inverse_document_frequency(texts.len() as u64, holding as u64);
        for (score, (_, terms)) in scores.iter_mut().zip(texts) {
            let weight = times(terms, &term).map_or(0.0, |times| scale.weight(times, terms.length));
            *score += rarity * f64::from(weight);
        }
    }
    let mut found: Vec<(EntryId, f64)> =
        texts.iter().map(|(id, _)| *id).zip(scores).filter(|(_, score)| *score > 0.0).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.truncate(k);
    found
}

fn open(key: &Key, record: &EntryRecord) -> Result<String> {
    let opened = key.open(&record.sealed, &entry_place(record.id));
    let text = opened.and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or_else(|| damaged(record.id).into())
}

fn entry_place(id: EntryId) -> Vec<u8> {
    [b"entry".as_slice(), id.bytes()].concat()
}

fn memory_place(id: EntryId, place: usize) -> Vec<u8> {
    [b"memory".as_slice(), id.bytes(), &(place as u64).to_le_bytes()].concat()
}

fn missing(path: &Path) -> Invalid {
    let hint = format!("put the key back as {}; nothing but the key opens it", path.display());
    Invalid::new("the key of this diary is missing", hint)
}

fn damaged(id: EntryId) -> Invalid {
    let problem = format!("{id} was changed after it was sealed");
    Invalid::new(problem, "restore it from a backup; the other entries are not affected")
}

//! Bundles: an agent as one portable file. JSON Lines: a header, one line for each message in the order of
//! recording, one for each row about memories, and a last line with the hash of all before it. The same agent always gives the same bytes. The
//! format is described in `docs/BUNDLE.md`.

use crate::{Agent, EngineError, Result, belief::scored};
use cairn_cognition::personal::redact;
use cairn_domain::{AgentName, Belief, Message};
use cairn_store::{BeliefLink, PortableRow, TakenRows};
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::Path,
};

/// The version this program writes and the newest it reads.
const VERSION: u32 = 2;
/// Messages read or written at a time.
const BATCH: u32 = 1_024;

#[derive(Serialize, Deserialize)]
struct Header {
    cairn_bundle: u32,
    agent: AgentName,
    /// What identifies a person was taken out: it is for reading, and is not taken in again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    redacted: bool,
}

/// What a bundle shows of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disclosure {
    /// Everything: it is the operator's own copy.
    Whole,
    /// What identifies a person is masked.
    Redacted,
}

#[derive(Serialize, Deserialize)]
struct Footer {
    messages: u64,
    /// Rows about memories; none in version 1.
    #[serde(default)]
    rows: u64,
    blake3: String,
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportReport {
    /// The agent the bundle was written from.
    pub from: AgentName,
    /// Messages in it.
    pub messages: u64,
    /// Messages that are new here.
    pub added: u64,
    /// Messages that were here already.
    pub duplicates: u64,
    /// Rows about memories in it.
    pub rows: u64,
    /// Whether its memories were taken in: they are if there were none here. Otherwise what is new is formed again.
    pub memories: bool,
    /// What an operator had decided where it comes from, with the receipt that tells what became of that.
    pub decided: TakenRows,
    /// Whether that was taken over.
    pub taken_over: bool,
}

/// What a whole bundle holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The agent it was written from.
    pub from: AgentName,
    /// How many messages.
    pub messages: u64,
    /// How many rows about memories.
    pub rows: u64,
}

impl Agent {
    /// Writes everything that cannot be derived to `out`; how many messages.
    pub async fn export(
        &self,
        out: &mut (dyn Write + Send),
        path: &Path,
        disclosure: Disclosure,
    ) -> Result<u64> {
        let redacted = disclosure == Disclosure::Redacted;
        let mut hasher = blake3::Hasher::new();
        let mut line = |value: &[u8], out: &mut (dyn Write + Send)| {
            hasher.update(value).update(b"\n");
            out.write_all(value).and_then(|()| out.write_all(b"\n")).map_err(EngineError::file("write", path))
        };
        line(&json(&Header { cairn_bundle: VERSION, agent: self.name.clone(), redacted }), out)?;
        let mut messages = 0;
        loop {
            let from = messages as u32;
            let batch = self.store.read(move |view| view.messages_from(from, BATCH)).await?;
            if batch.is_empty() {
                break;
            }
            messages += batch.len() as u64;
            for mut record in batch {
                if redacted {
                    harmless(&mut record.message);
                }
                line(&json(&record.message), out)?;
            }
        }
        let rows = self.store.read(|view| {
            let mut rows = Vec::new();
            view.portable_rows(|mut row| {
                if redacted && row.is_spelt() {
                    return Ok(());
                }
                if redacted {
                    row.reword(|text| redact(text).into_owned());
                }
                rows.push(row);
                Ok(())
            })?;
            Ok(rows)
        });
        let rows = rows.await?;
        for row in &rows {
            line(&json(row), out)?;
        }
        let footer =
            Footer { messages, rows: rows.len() as u64, blake3: hasher.finalize().to_hex().to_string() };
        let written =
            out.write_all(&json(&footer)).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
        written.map_err(EngineError::file("write", path))?;
        Ok(messages)
    }

    /// Writes the archive as one file a day into the new or empty folder `to`; how many files.
    pub async fn export_archive(&self, to: &Path) -> Result<u64> {
        Ok(self.store.export_archive(to.to_owned()).await?)
    }

    /// Takes in the bundle at `path`, after it has been read once from end to end and found whole. What an operator decided
    /// where it comes from stays behind: what was verified is a candidate here, and nothing is set.
    pub async fn import(&self, path: &Path) -> Result<ImportReport> {
        let (mut report, rows) = self.import_messages(path).await?;
        let (now, config) = (self.now(), self.config.beliefs);
        if !rows.is_empty() {
            let weigh = move |belief: &Belief, links: &[BeliefLink]| scored(belief, links, now, &config);
            let taken = self.store.take_rows(rows, weigh, now).await?;
            report.memories = taken.is_some();
            report.decided = taken.unwrap_or_default();
        }
        Ok(report)
    }

    /// Takes in the messages of a bundle; its rows are for whoever asks.
    pub async fn import_messages(&self, path: &Path) -> Result<(ImportReport, Vec<PortableRow>)> {
        let Checked { from, messages, rows } = check(path)?;
        let decided = TakenRows::default();
        let mut report = ImportReport {
            from,
            messages,
            added: 0,
            duplicates: 0,
            rows,
            memories: false,
            decided,
            taken_over: false,
        };
        let mut all = lines_of(path)?.skip(1);
        let mut lines = all.by_ref().take(messages as usize);
        loop {
            let mut batch = Vec::with_capacity(BATCH as usize);
            for line in lines.by_ref().take(BATCH as usize) {
                let line = line.map_err(EngineError::file("read", path))?;
                batch.push(serde_json::from_str(&line).map_err(|error| broken(path, &error))?);
            }
            if batch.is_empty() {
                break;
            }
            let kept = self.append(batch).await?;
            report.duplicates += kept.iter().filter(|message| message.duplicate).count() as u64;
        }
        report.added = report.messages - report.duplicates;
        let mut taken = Vec::with_capacity(rows as usize);
        for line in all.take(rows as usize) {
            let line = line.map_err(EngineError::file("read", path))?;
            taken.push(serde_json::from_str(&line).map_err(|error| broken(path, &error))?);
        }
        Ok((report, taken))
    }
}

/// Takes out of a message what identifies a person.
fn harmless(message: &mut Message) {
    message.text = redact(&message.text).into_owned();
    message.speaker = redact(&message.speaker).into_owned();
    message.metadata.values_mut().for_each(harmless_value);
}

fn harmless_value(value: &mut serde_json::Value) {
    use serde_json::Value::{Array, Object, String};
    match value {
        String(text) => *text = redact(text).into_owned(),
        Array(values) => values.iter_mut().for_each(harmless_value),
        Object(fields) => fields.values_mut().for_each(harmless_value),
        _ => {}
    }
}

/// Makes sure that the file at `path` is a whole bundle: every line must be what it should be and all of them hash to what
/// the last says.
pub fn check(path: &Path) -> Result<Checked> {
    let mut hasher = blake3::Hasher::new();
    let mut lines = lines_of(path)?;
    let first = lines.next().transpose().map_err(EngineError::file("read", path))?.unwrap_or_default();
    let header: Header =
        serde_json::from_str(&first).map_err(|_| refused(path, "this is not a Cairn bundle"))?;
    if header.redacted {
        let problem = "personal data was taken out of this bundle, which makes it one for reading".to_owned();
        let hint = "write it again without --redact to move the agent; nothing was imported";
        return Err(EngineError::Bundle { path: path.to_owned(), problem, hint });
    }
    if header.cairn_bundle > VERSION {
        let problem =
            format!("this bundle has version {} and this cairn reads {VERSION}", header.cairn_bundle);
        let hint = "install the newest cairn; nothing was imported";
        return Err(EngineError::Bundle { path: path.to_owned(), problem, hint });
    }
    hasher.update(first.as_bytes()).update(b"\n");
    let (mut messages, mut rows) = (0, 0);
    while let Some(line) = lines.next().transpose().map_err(EngineError::file("read", path))? {
        if let Ok(footer) = serde_json::from_str::<Footer>(&line) {
            let whole = footer.messages == messages
                && footer.rows == rows
                && footer.blake3 == hasher.finalize().to_hex().as_str()
                && lines.next().is_none();
            let changed = || refused(path, "this bundle was changed or is not whole");
            return if whole { Ok(Checked { from: header.agent, messages, rows }) } else { Err(changed()) };
        }
        // Rows come after the last message.
        if serde_json::from_str::<PortableRow>(&line).is_ok() {
            rows += 1;
        } else {
            serde_json::from_str::<Message>(&line).map_err(|error| broken(path, &error))?;
            if rows > 0 {
                return Err(refused(path, "a message stands among the memories of this bundle"));
            }
            messages += 1;
        }
        hasher.update(line.as_bytes()).update(b"\n");
    }
    Err(refused(path, "this bundle ends too early"))
}

fn lines_of(path: &Path) -> Result<impl Iterator<Item = io::Result<String>> + use<>> {
    let file = File::open(path).map_err(EngineError::file("open", path))?;
    Ok(BufReader::with_capacity(1 << 20, file).lines())
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

fn broken(path: &Path, error: &serde_json::Error) -> EngineError {
    refused(path, &format!("a line of this bundle is neither a message nor part of a memory: {error}"))
}

fn refused(path: &Path, problem: &str) -> EngineError {
    let hint = "write it again with `cairn export`; nothing was imported";
    EngineError::Bundle { path: path.to_owned(), problem: problem.to_owned(), hint }
}

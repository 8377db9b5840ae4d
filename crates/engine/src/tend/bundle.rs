//! Bundles: an agent as one portable file. JSON Lines: a header, one line for each message in the order of
//! recording, one for each row about memories, and a last line with the hash of all before it. The same agent always gives the same bytes. The
//! format is described in `docs/BUNDLE.md`.

use crate::{
    agent::Agent,
    belief::rescored_belief,
    error::{EngineError, Result},
    stored_json::to_stored_json,
};
use cairn_cognition::personal::redact_personal_data;
use cairn_domain::{AgentName, Belief, Message};
use cairn_store::{BeliefLink, PortableRow, TakenRows};
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::Path,
};

/// The version this program writes and the newest it reads.
const BUNDLE_VERSION: u32 = 2;
/// Messages read or written at a time.
const BATCH_MESSAGES: u32 = 1_024;

#[derive(Serialize, Deserialize)]
struct BundleHeader {
    cairn_bundle: u32,
    agent: AgentName,
    /// Personal data was masked: the bundle is for reading only and cannot be imported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    redacted: bool,
}

/// How a bundle treats personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disclosure {
    /// Everything: it is the operator's own copy.
    Whole,
    /// Personal data is masked.
    Redacted,
}

#[derive(Serialize, Deserialize)]
struct BundleFooter {
    messages: u64,
    /// Rows about memories; none in version 1.
    #[serde(default)]
    rows: u64,
    blake3: String,
}

/// The result of an import.
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
    /// Messages that were left out, because an operator has erased them here.
    pub erased: u64,
    /// Rows about memories in it.
    pub rows: u64,
    /// Whether its memories were taken in: they are if there were none here. Otherwise what is new is formed again.
    pub memories: bool,
    /// The operator decisions in the bundle, with the receipt that tells whether they were taken over.
    pub decided: TakenRows,
    /// Whether those decisions were taken over.
    pub taken_over: bool,
}

/// The content of a complete bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedBundle {
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
        let mut line = |value: &str, out: &mut (dyn Write + Send)| {
            hasher.update(value.as_bytes()).update(b"\n");
            out.write_all(value.as_bytes())
                .and_then(|()| out.write_all(b"\n"))
                .map_err(EngineError::file("write", path))
        };
        line(
            &json_line(&BundleHeader { cairn_bundle: BUNDLE_VERSION, agent: self.name.clone(), redacted })?,
            out,
        )?;
        let mut messages = 0;
        loop {
            let from = messages as u32;
            let batch = self.store.read(move |view| view.messages_from(from, BATCH_MESSAGES)).await?;
            if batch.is_empty() {
                break;
            }
            messages += batch.len() as u64;
            for mut record in batch {
                if redacted {
                    redact_message(&mut record.message);
                }
                line(&json_line(&record.message)?, out)?;
            }
        }
        let rows = self.store.read(|view| {
            let mut rows = Vec::new();
            view.portable_rows(|mut row| {
                if redacted && row.is_spelt() {
                    return Ok(());
                }
                if redacted {
                    row.reword(|text| redact_personal_data(text).into_owned());
                }
                rows.push(row);
                Ok(())
            })?;
            Ok(rows)
        });
        let rows = rows.await?;
        for row in &rows {
            line(&json_line(row)?, out)?;
        }
        let footer = BundleFooter {
            messages,
            rows: rows.len() as u64,
            blake3: hasher.finalize().to_hex().to_string(),
        };
        let footer = json_line(&footer)?;
        let written =
            out.write_all(footer.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
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
            let weigh =
                move |belief: &Belief, links: &[BeliefLink]| rescored_belief(belief, links, now, &config);
            let taken = self.store.take_rows(rows, weigh, now).await?;
            report.memories = taken.is_some();
            report.decided = taken.unwrap_or_default();
        }
        Ok(report)
    }

    /// Takes in the messages of a bundle; its rows are for whoever asks.
    pub async fn import_messages(&self, path: &Path) -> Result<(ImportReport, Vec<PortableRow>)> {
        let CheckedBundle { from, messages, rows } = check_bundle(path)?;
        let decided = TakenRows::default();
        let mut report = ImportReport {
            from,
            messages,
            added: 0,
            duplicates: 0,
            erased: 0,
            rows,
            memories: false,
            decided,
            taken_over: false,
        };
        let mut all = bundle_lines(path)?.skip(1);
        let mut lines = all.by_ref().take(messages as usize);
        loop {
            let mut batch = Vec::with_capacity(BATCH_MESSAGES as usize);
            for line in lines.by_ref().take(BATCH_MESSAGES as usize) {
                let line = line.map_err(EngineError::file("read", path))?;
                batch.push(serde_json::from_str(&line).map_err(|error| malformed_line(path, &error))?);
            }
            if batch.is_empty() {
                break;
            }
            let kept = self.append(batch).await?;
            let erased = kept.iter().filter(|message| message.erased).count() as u64;
            report.erased += erased;
            report.duplicates += kept.iter().filter(|message| message.duplicate).count() as u64 - erased;
        }
        report.added = report.messages - report.duplicates - report.erased;
        let mut taken = Vec::with_capacity(rows as usize);
        for line in all.take(rows as usize) {
            let line = line.map_err(EngineError::file("read", path))?;
            taken.push(serde_json::from_str(&line).map_err(|error| malformed_line(path, &error))?);
        }
        Ok((report, taken))
    }
}

/// Takes out of a message what identifies a person.
fn redact_message(message: &mut Message) {
    message.text = redact_personal_data(&message.text).into_owned();
    message.speaker = redact_personal_data(&message.speaker).into_owned();
    message.metadata.values_mut().for_each(redact_value);
}

fn redact_value(value: &mut serde_json::Value) {
    use serde_json::Value::{Array, Object, String};
    match value {
        String(text) => *text = redact_personal_data(text).into_owned(),
        Array(values) => values.iter_mut().for_each(redact_value),
        Object(fields) => fields.values_mut().for_each(redact_value),
        _ => {}
    }
}

/// Makes sure that the file at `path` is a whole bundle: every line must be what it should be and all of them hash to what
/// the last says.
pub fn check_bundle(path: &Path) -> Result<CheckedBundle> {
    let mut hasher = blake3::Hasher::new();
    let mut lines = bundle_lines(path)?;
    let first = lines.next().transpose().map_err(EngineError::file("read", path))?.unwrap_or_default();
    let header: BundleHeader =
        serde_json::from_str(&first).map_err(|_| refused_bundle(path, "this is not a Cairn bundle"))?;
    if header.redacted {
        let problem = "personal data was taken out of this bundle, which makes it one for reading".to_owned();
        let hint = "write it again without --redact to move the agent; nothing was imported";
        return Err(EngineError::Bundle { path: path.to_owned(), problem, hint });
    }
    if header.cairn_bundle > BUNDLE_VERSION {
        let problem =
            format!("this bundle has version {} and this cairn reads {BUNDLE_VERSION}", header.cairn_bundle);
        let hint = "install the newest cairn; nothing was imported";
        return Err(EngineError::Bundle { path: path.to_owned(), problem, hint });
    }
    hasher.update(first.as_bytes()).update(b"\n");
    let (mut messages, mut rows) = (0, 0);
    while let Some(line) = lines.next().transpose().map_err(EngineError::file("read", path))? {
        if let Ok(footer) = serde_json::from_str::<BundleFooter>(&line) {
            let whole = footer.messages == messages
                && footer.rows == rows
                && footer.blake3 == hasher.finalize().to_hex().as_str()
                && lines.next().is_none();
            let changed = || refused_bundle(path, "this bundle was changed or is not whole");
            return if whole {
                Ok(CheckedBundle { from: header.agent, messages, rows })
            } else {
                Err(changed())
            };
        }
        // Rows come after the last message.
        if serde_json::from_str::<PortableRow>(&line).is_ok() {
            rows += 1;
        } else {
            serde_json::from_str::<Message>(&line).map_err(|error| malformed_line(path, &error))?;
            if rows > 0 {
                return Err(refused_bundle(path, "a message stands among the memories of this bundle"));
            }
            messages += 1;
        }
        hasher.update(line.as_bytes()).update(b"\n");
    }
    Err(refused_bundle(path, "this bundle ends too early"))
}

fn bundle_lines(path: &Path) -> Result<impl Iterator<Item = io::Result<String>> + use<>> {
    let file = File::open(path).map_err(EngineError::file("open", path))?;
    Ok(BufReader::with_capacity(1 << 20, file).lines())
}

/// A line of a bundle. What cannot be written ends the export: a bundle holds everything or is none.
fn json_line(value: &impl Serialize) -> Result<String> {
    Ok(to_stored_json("a line of the bundle", value)?)
}

fn malformed_line(path: &Path, error: &serde_json::Error) -> EngineError {
    refused_bundle(path, &format!("a line of this bundle is neither a message nor part of a memory: {error}"))
}

fn refused_bundle(path: &Path, problem: &str) -> EngineError {
    let hint = "write it again with `cairn export`; nothing was imported";
    EngineError::Bundle { path: path.to_owned(), problem: problem.to_owned(), hint }
}

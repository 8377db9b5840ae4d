//! Verify: archive, seals, database, index, ledger and beliefs, each against the others. Changes nothing.

use crate::{
    Result, StoreError, View,
    archive::{
        Archive, Line, cut_room_off, listed_days, name_of, reconcile, restore_from_database, seals,
        sha256_of, table,
    },
    database::{Connection, values},
    keyword,
    ledger::{verify_beliefs, verify_ledger, verify_settings},
    record::{ArchivePlace, Whole, embedders, message_at, seq_of, whole_vectors},
    store::{Files, Shared},
};
use std::collections::HashMap;

/// What verification looked at and what it found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verification {
    /// Messages compared with their archive line.
    pub messages: u64,
    /// Archive files read.
    pub files: u64,
    /// Seals checked.
    pub seals: u64,
    /// Vectors looked at.
    pub vectors: u64,
    /// Beliefs whose words were looked for.
    pub beliefs: u64,
    /// Receipts of the ledger that follow each other.
    pub receipts: u64,
    /// Receipts whose words an operator erased.
    pub erased: u64,
    /// What does not fit; empty when all is well.
    pub findings: Vec<Finding>,
}

/// Something that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub hint: &'static str,
}

const RESTORE: &str = "run `cairn doctor --fix`: it writes the missing lines again from the database";
const CUT: &str = "run `cairn doctor --fix`: it cuts off what was never a whole line";
const COMPARE: &str =
    "compare the file with a backup; the database still holds the words as they were recorded";
const BRING_BACK: &str =
    "bring the file back from a backup and run `cairn rebuild`; the database does not hold its words";
const COMPARE_ROW: &str = "somebody changed the table: compare it with a backup";
const REBUILD: &str = "run `cairn rebuild`";
const MAKE_VECTORS_AGAIN: &str =
    "run `cairn rebuild`: it keeps the vectors that fit; the others are made again by and by";

/// Findings beyond this many are counted, not listed.
const MOST: usize = 100;

impl Finding {
    /// Whether making everything anew that is derived from the archive mends it.
    pub fn is_mended_by_rebuilding(&self) -> bool {
        [REBUILD, MAKE_VECTORS_AGAIN].contains(&self.hint)
    }
}

impl Verification {
    pub(crate) fn found(&mut self, problem: String, hint: &'static str) {
        if self.findings.len() < MOST {
            self.findings.push(Finding { problem, hint });
        }
    }
}

pub(crate) fn verify(view: &mut View<'_>) -> Result<Verification> {
    let mut verification = Verification::default();
    if let Some(problem) = view.connection.quick_check()?.into_iter().next() {
        return Err(StoreError::Corrupt(problem));
    }
    if let Some(files) = view.shared.files() {
        let in_archive = compare_lines(view, &files.archive, &mut verification)?;
        compare_counts(view, &files.archive, &in_archive, &mut verification)?;
        compare_seals(view, &files.archive, &mut verification)?;
        let mut damaged = files.keywords.damaged_files(view.connection, view.agent_id)?;
        damaged.extend(files.vectors.damaged_files(view.connection, view.agent_id)?);
        for path in damaged {
            verification.found(format!("the index file {} is damaged", path.display()), REBUILD);
        }
    } else {
        look_at_table(view, &mut verification)?;
    }
    compare_vectors(view, &mut verification)?;
    verify_ledger(view, &mut verification)?;
    verify_beliefs(view, &mut verification)?;
    verify_settings(view, &mut verification)?;
    Ok(verification)
}

/// Where the message table is the archive: every message against its id and its place, every seal against its day, the
/// keyword index against the messages.
fn look_at_table(view: &mut View<'_>, verification: &mut Verification) -> Result<()> {
    let (connection, agent_id) = (&mut *view.connection, view.agent_id);
    let seals: HashMap<i64, (u64, String)> =
        seals(connection, agent_id)?.into_iter().map(|seal| (seal.day, (seal.bytes, seal.sha256))).collect();
    let days = table::days(connection, agent_id)?;
    for day in seals.keys().filter(|day| !days.contains(day)) {
        verification.seals += 1;
        verification.found(format!("{}, a sealed day, is gone", name_of(*day)), COMPARE_ROW);
    }
    for day in days {
        verification.files += 1;
        let mut end = ArchivePlace { day, offset: 0, bytes: 0, line: 0 };
        table::for_each_line(connection, agent_id, day, |record, line| {
            verification.messages += 1;
            let ArchivePlace { offset, bytes, line: number, .. } = record.place;
            let fits = (offset, bytes, number) == (end.end(), line.len() as u64, end.line + 1);
            if !fits || !record.message.is_authentic() {
                verification.found(format!("{} is not what was recorded", record.message.id), COMPARE_ROW);
            }
            end = record.place;
            Ok(())
        })?;
        if let Some(seal) = seals.get(&day) {
            verification.seals += 1;
            if table::sha256_of(connection, agent_id, day)? != *seal {
                let problem = format!("{} is not what it was when it was sealed", name_of(day));
                verification.found(problem, COMPARE_ROW);
            }
        }
    }
    let indexed = keyword::table::messages(connection, agent_id)?;
    if indexed != verification.messages {
        let problem = format!("the keyword index knows {indexed} of {} messages", verification.messages);
        verification.found(problem, REBUILD);
    }
    Ok(())
}

/// Every archive line against its row; how many good lines each day has.
fn compare_lines(
    view: &mut View<'_>,
    archive: &Archive,
    verification: &mut Verification,
) -> Result<HashMap<i64, u64>> {
    let mut good: HashMap<i64, u64> = HashMap::new();
    let days = archive.days()?;
    for day in days.iter().copied() {
        verification.files += 1;
        let torn_hint = if days.last() == Some(&day) { CUT } else { COMPARE };
        let path = archive.path(day);
        archive.walk(day, ArchivePlace { day, offset: 0, bytes: 0, line: 1 }, |line, place| {
            let name = || format!("{} line {}", path.display(), place.line);
            match line {
                Line::Unreadable(why) => {
                    verification.found(format!("{} is not a message: {why}", name()), COMPARE);
                }
                Line::Torn => verification.found(format!("{} is cut off", name()), torn_hint),
                Line::Message(said) => {
                    verification.messages += 1;
                    *good.entry(day).or_default() += 1;
                    let seq = seq_of(view.connection, view.agent_id, said.id)?;
                    let kept =
                        seq.map(|seq| message_at(view.connection, view.agent_id, seq)).transpose()?.flatten();
                    match kept {
                        None => verification
                            .found(format!("{} ({}) is not in the database", name(), said.id), REBUILD),
                        Some(kept) if kept.message != *said => {
                            let problem =
                                format!("{} does not say what the database says of {}", name(), said.id);
                            verification.found(problem, COMPARE);
                        }
                        Some(_) => {}
                    }
                }
            }
            Ok(())
        })?;
    }
    Ok(good)
}

/// Every row against the archive's files, by day.
fn compare_counts(
    view: &mut View<'_>,
    archive: &Archive,
    in_archive: &HashMap<i64, u64>,
    verification: &mut Verification,
) -> Result<()> {
    for (day, messages) in messages_by_day(view.connection, view.agent_id)? {
        let lines = in_archive.get(&day).copied().unwrap_or(0);
        if lines < messages {
            let path = archive.path(day);
            verification.found(format!("{} has {lines} of {messages} messages", path.display()), RESTORE);
        }
    }
    Ok(())
}

fn messages_by_day(connection: &mut Connection, agent_id: i64) -> Result<Vec<(i64, u64)>> {
    let sql = "SELECT archive_day, COUNT(*) FROM message WHERE agent_id = ?1 GROUP BY archive_day ORDER BY archive_day";
    connection.query(sql, values![agent_id], |row| Ok((row.int(0)?, row.int(1)? as u64)))
}

fn compare_seals(view: &mut View<'_>, archive: &Archive, verification: &mut Verification) -> Result<()> {
    // The list in the folder outlives the database.
    let mut sealed = listed_days(archive)?;
    sealed.extend(seals(view.connection, view.agent_id)?.into_iter().map(|seal| (seal.day, seal.sha256)));
    let held = messages_by_day(view.connection, view.agent_id)?;
    for (day, sha256) in sealed {
        verification.seals += 1;
        let (path, now) = (archive.path(day), sha256_of(archive, day).ok());
        if now.is_none() && held.iter().all(|(held, _)| *held != day) {
            verification.found(format!("{}, a sealed day, is gone", path.display()), BRING_BACK);
        } else if now.is_none_or(|(_, now)| now != sha256) {
            verification
                .found(format!("{} is not what it was when its day was sealed", path.display()), COMPARE);
        }
    }
    Ok(())
}

/// The vectors of every embedder against the messages they were made of.
fn compare_vectors(view: &mut View<'_>, verification: &mut Verification) -> Result<()> {
    for embedder in embedders(view.connection, view.agent_id)?.into_iter().map(|embedder| embedder.record) {
        let Whole { reached, vectors, beyond } = whole_vectors(view.connection, view.agent_id, &embedder)?;
        verification.vectors += vectors + beyond;
        let name = &embedder.name;
        if reached < embedder.reached {
            let problem = format!("message {reached} lacks vectors that `{name}` should have made");
            verification.found(problem, MAKE_VECTORS_AGAIN);
        } else if beyond > 0 || reached > embedder.reached {
            let unknown = beyond + vectors.saturating_sub(embedder.vectors);
            let problem = format!(
                "`{name}` has {unknown} vector(s) of messages that it has not reached or nobody knows"
            );
            verification.found(problem, MAKE_VECTORS_AGAIN);
        } else if vectors != embedder.vectors {
            let problem = format!("`{name}` has {vectors} vectors and says it has {}", embedder.vectors);
            verification.found(problem, MAKE_VECTORS_AGAIN);
        }
    }
    Ok(())
}

/// Writes again what is missing at the end of any day's file, and cuts off the newest one what is no whole line; how
/// many lines were written. A finished day gets no room, so that its seal matches again.
pub(crate) fn restore_archive(connection: &mut Connection, shared: &Shared) -> Result<u64> {
    let Some(Files { archive, .. }) = shared.files() else { return Ok(0) };
    let mut restored = 0;
    let sealed = seals(connection, shared.agent_id)?;
    for (day, _) in messages_by_day(connection, shared.agent_id)? {
        let written = restore_from_database(connection, shared.agent_id, archive, day)?;
        if written > 0 && sealed.iter().any(|seal| seal.day == day) {
            cut_room_off(archive, day)?;
        }
        restored += written;
    }
    reconcile(connection, shared.agent_id, archive, &shared.notes)?;
    Ok(restored)
}

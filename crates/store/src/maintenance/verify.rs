//! Verify: archive, seals, database, index, ledger and beliefs, each against the others. Changes nothing.

use super::{
    ledger::{verify_beliefs, verify_ledger, verify_settings},
    report::{MAKE_VECTORS_AGAIN, REBUILD, VerificationReport},
};
use crate::{
    append::reconcile,
    archive::{
        Archive, ArchiveLine, archive_seals, cut_padding, day_file_sha256, day_name, listed_seals,
        restore_missing_lines, table,
    },
    context::{AgentFiles, StoreContext, View},
    database::values,
    error::{Result, StoreError},
    handle::Store,
    index::keyword,
    record::{ArchivePlace, Whole, embedders, message_at, seq_of, whole_vectors},
    transaction::Tx,
};
use std::{collections::HashMap, path::PathBuf, sync::Arc};

const RESTORE: &str = "run `cairn doctor --fix`: it writes the missing lines again from the database";
const CUT: &str = "run `cairn doctor --fix`: it cuts off what was never a whole line";
const COMPARE: &str =
    "compare the file with a backup; the database still holds the words as they were recorded";
const BRING_BACK: &str =
    "bring the file back from a backup and run `cairn rebuild`; the database does not hold its words";
const COMPARE_ROW: &str = "somebody changed the table: compare it with a backup";

impl Store {
    /// Checks archive, seals, database and indexes against each other. Changes nothing.
    pub async fn verify(&self) -> Result<VerificationReport> {
        self.readers.run_long(verify).await
    }

    /// Writes archive lines again that are missing from the files of the days that `verify` named; how many.
    pub async fn restore_archive(&self) -> Result<u64> {
        let context = Arc::clone(&self.context);
        self.writer.run(move |tx| restore_archive(tx, &context)).await
    }

    /// Writes the archive as daily files into the new or empty folder `to`; how many.
    pub async fn export_archive(&self, to: PathBuf) -> Result<u64> {
        self.readers.run_long(move |view| table::export_days(view, &to)).await
    }
}

fn verify(view: &mut View<'_>) -> Result<VerificationReport> {
    let mut verification = VerificationReport::default();
    if let Some(problem) = view.connection.quick_check()?.into_iter().next() {
        return Err(StoreError::Corrupt(problem));
    }
    if let Some(files) = view.context.files() {
        let in_archive = verify_lines(view, &files.archive, &mut verification)?;
        verify_line_counts(view, &files.archive, &in_archive, &mut verification)?;
        verify_seals(view, &files.archive, &mut verification)?;
        let mut damaged = files.keywords.damaged_files(view)?;
        damaged.extend(files.vectors.damaged_files(view)?);
        for path in damaged {
            verification.found(format!("the index file {} is damaged", path.display()), REBUILD);
        }
    } else {
        verify_message_table(view, &mut verification)?;
    }
    verify_vectors(view, &mut verification)?;
    verify_ledger(view, &mut verification)?;
    verify_beliefs(view, &mut verification)?;
    verify_settings(view, &mut verification)?;
    Ok(verification)
}

/// Where the message table is the archive: every message against its id and its place, every seal against its day, the
/// keyword index against the messages.
fn verify_message_table(view: &mut View<'_>, verification: &mut VerificationReport) -> Result<()> {
    let tx = &mut view.tx;
    let seals: HashMap<i64, (u64, String)> =
        archive_seals(tx)?.into_iter().map(|seal| (seal.day, (seal.bytes, seal.sha256))).collect();
    let days = table::archived_days(tx)?;
    for day in seals.keys().filter(|day| !days.contains(day)) {
        verification.seals += 1;
        verification.found(format!("{}, a sealed day, is gone", day_name(*day)), COMPARE_ROW);
    }
    for day in days {
        verification.files += 1;
        let mut end = ArchivePlace { day, offset: 0, bytes: 0, line: 0 };
        table::for_each_line(tx, day, |record, line| {
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
            if table::day_sha256(tx, day)? != *seal {
                let problem = format!("{} is not what it was when it was sealed", day_name(day));
                verification.found(problem, COMPARE_ROW);
            }
        }
    }
    let indexed = keyword::table::messages(tx)?;
    if indexed != verification.messages {
        let problem = format!("the keyword index knows {indexed} of {} messages", verification.messages);
        verification.found(problem, REBUILD);
    }
    Ok(())
}

/// Every archive line against its row; how many good lines each day has.
fn verify_lines(
    view: &mut View<'_>,
    archive: &Archive,
    verification: &mut VerificationReport,
) -> Result<HashMap<i64, u64>> {
    let mut good: HashMap<i64, u64> = HashMap::new();
    let days = archive.days()?;
    for day in days.iter().copied() {
        verification.files += 1;
        let torn_hint = if days.last() == Some(&day) { CUT } else { COMPARE };
        let path = archive.path(day);
        archive.for_each_line(day, ArchivePlace { day, offset: 0, bytes: 0, line: 1 }, |line, place| {
            let name = || format!("{} line {}", path.display(), place.line);
            match line {
                ArchiveLine::Unreadable(why) => {
                    verification.found(format!("{} is not a message: {why}", name()), COMPARE);
                }
                ArchiveLine::Torn => verification.found(format!("{} is cut off", name()), torn_hint),
                ArchiveLine::Message(said) => {
                    verification.messages += 1;
                    *good.entry(day).or_default() += 1;
                    let seq = seq_of(view, said.id)?;
                    let kept = seq.map(|seq| message_at(view, seq)).transpose()?.flatten();
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
fn verify_line_counts(
    view: &mut View<'_>,
    archive: &Archive,
    in_archive: &HashMap<i64, u64>,
    verification: &mut VerificationReport,
) -> Result<()> {
    for (day, messages) in messages_by_day(view)? {
        let lines = in_archive.get(&day).copied().unwrap_or(0);
        if lines < messages {
            let path = archive.path(day);
            verification.found(format!("{} has {lines} of {messages} messages", path.display()), RESTORE);
        }
    }
    Ok(())
}

fn messages_by_day(tx: &mut Tx<'_>) -> Result<Vec<(i64, u64)>> {
    let sql = "SELECT archive_day, COUNT(*) FROM message WHERE agent_id = ?1 GROUP BY archive_day ORDER BY archive_day";
    tx.query(sql, values![tx.agent_id], |row| Ok((row.int(0)?, row.int(1)? as u64)))
}

fn verify_seals(view: &mut View<'_>, archive: &Archive, verification: &mut VerificationReport) -> Result<()> {
    // The list in the folder outlives the database.
    let mut sealed = listed_seals(archive)?;
    sealed.extend(archive_seals(view)?.into_iter().map(|seal| (seal.day, seal.sha256)));
    let held = messages_by_day(view)?;
    for (day, sha256) in sealed {
        verification.seals += 1;
        let (path, now) = (archive.path(day), day_file_sha256(archive, day).ok());
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
fn verify_vectors(view: &mut View<'_>, verification: &mut VerificationReport) -> Result<()> {
    for embedder in embedders(view)?.into_iter().map(|embedder| embedder.record) {
        let Whole { reached, vectors, beyond } = whole_vectors(view, &embedder)?;
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
fn restore_archive(tx: &mut Tx<'_>, context: &StoreContext) -> Result<u64> {
    let Some(AgentFiles { archive, .. }) = context.files() else { return Ok(0) };
    let mut restored = 0;
    let sealed = archive_seals(tx)?;
    for (day, _) in messages_by_day(tx)? {
        let written = restore_missing_lines(tx, archive, day)?;
        if written > 0 && sealed.iter().any(|seal| seal.day == day) {
            cut_padding(archive, day)?;
        }
        restored += written;
    }
    reconcile(tx, archive, &context.notes)?;
    Ok(restored)
}

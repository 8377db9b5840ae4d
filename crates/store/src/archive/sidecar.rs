//! Records kept beside the archive, so that losing the database does not lose it: the ledger in `archive/LEDGER`, one receipt a
//! line, and the tombstones in `archive/TOMBSTONES`, the key they are made with and one mark a line. While there is a database
//! it is the authority, and both files follow it.

use super::Archive;
use crate::{
    database::values,
    error::{Result, StoreError},
    record::{StoredReceipt, insert_stored_receipt, is_protected_setting, ledger_end},
    transaction::Tx,
};
use cairn_domain::{Receipt, ReceiptAction, ReceiptDetail, ReceiptHash, Time, from_hex, to_hex};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt::Write as _, path::PathBuf};

const LEDGER: &str = "LEDGER";
const TOMBSTONES: &str = "TOMBSTONES";
/// Receipts read at a time.
const PAGE_RECEIPTS: u32 = 1_000;
/// Bytes read from the end of the ledger to find its last line.
const TAIL_BYTES: usize = 64 << 10;
/// A line of the tombstones: 32 bytes in hex, and its end.
const MARK_LINE: u64 = 65;

/// A receipt as a line of the ledger's file.
#[derive(Serialize, Deserialize)]
struct LedgerLine {
    number: u64,
    at: i64,
    actor: String,
    action: ReceiptAction,
    subject: String,
    told: String,
    previous: String,
    hash: String,
    /// Its words as JSON, unless they were erased.
    detail: Option<String>,
}

impl LedgerLine {
    fn of(stored: &StoredReceipt) -> Self {
        let Receipt { number, at, actor, action, subject, .. } = stored.receipt.clone();
        let (told, previous, hash) = (to_hex(&stored.told), to_hex(&stored.previous), to_hex(&stored.hash));
        let detail = stored.detail.clone();
        Self { number, at: at.millis(), actor, action, subject, told, previous, hash, detail }
    }

    fn receipt(self) -> Option<StoredReceipt> {
        let Self { number, at, actor, action, subject, told, previous, hash, detail } = self;
        let (told, previous, hash) = (receipt_hash(&told)?, receipt_hash(&previous)?, receipt_hash(&hash)?);
        let at = Time::from_millis(at);
        let tells =
            detail.as_deref().and_then(|detail| serde_json::from_str(detail).ok()).unwrap_or_default();
        let receipt = Receipt { number, at, actor, action, subject, told: tells };
        Some(StoredReceipt { receipt, detail, told, previous, hash })
    }
}

/// Whether the files have to be written from the beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepBeside {
    /// New records are added.
    New,
    /// The file may hold words that were erased.
    All,
}

/// Brings the files up to the database. Call it under the write lock.
pub(crate) fn keep_beside(tx: &mut Tx<'_>, archive: &Archive, what: KeepBeside) -> Result<()> {
    keep_tombstones(tx, archive, what)?;
    keep_ledger(tx, archive, what)
}

/// Whether the files are what the database says, as far as their ends tell.
pub(crate) fn is_kept_beside(tx: &mut Tx<'_>, archive: &Archive) -> Result<bool> {
    let end = ledger_end(tx)?;
    let kept = last_receipt(archive)?.map_or((0, [0; 32]), |last| (last.receipt.number, last.hash));
    if kept != (end.number, end.hash) {
        return Ok(false);
    }
    let marks = if erasure_key(tx)?.is_some() { count_tombstones(tx)? + 1 } else { 0 };
    Ok(length(archive, TOMBSTONES)? == marks * MARK_LINE)
}

fn keep_ledger(tx: &mut Tx<'_>, archive: &Archive, what: KeepBeside) -> Result<()> {
    let last = last_receipt(archive)?.filter(|_| what == KeepBeside::New);
    let mut after = 0;
    if let Some(last) = last {
        let known = tx.ledger(last.receipt.number.saturating_sub(1), 1)?.pop();
        after = known.filter(|known| known.hash == last.hash).map_or(0, |known| known.receipt.number);
    }
    let from = if after == 0 { 0 } else { length(archive, LEDGER)? };
    let mut lines = Vec::new();
    loop {
        let receipts = tx.ledger(after, PAGE_RECEIPTS)?;
        let Some(last) = receipts.last() else { break };
        after = last.receipt.number;
        for stored in &receipts {
            serde_json::to_writer(&mut lines, &LedgerLine::of(stored)).map_err(|error| {
                StoreError::damaged(
                    format!("a receipt that cannot be written: {error}"),
                    stored.receipt.number,
                )
            })?;
            lines.push(b'\n');
        }
    }
    write_from(archive, LEDGER, from, &lines)
}

fn keep_tombstones(tx: &mut Tx<'_>, archive: &Archive, what: KeepBeside) -> Result<()> {
    let Some(key) = erasure_key(tx)? else { return Ok(()) };
    if what == KeepBeside::New && length(archive, TOMBSTONES)? == (count_tombstones(tx)? + 1) * MARK_LINE {
        return Ok(());
    }
    let sql = "SELECT mark FROM tombstone WHERE agent_id = ?1 ORDER BY mark";
    let marks = tx.query(sql, values![tx.agent_id], |row| Ok(to_hex(row.bytes(0)?)))?;
    let mut lines = std::iter::once(to_hex(&key)).chain(marks).collect::<Vec<_>>().join("\n");
    lines.push('\n');
    write_from(archive, TOMBSTONES, 0, lines.as_bytes())
}

/// Takes back into the database what only the files still tell: it was lost, or an older one was put in its place. Call it under
/// the write lock. What was taken back, for people; none if nothing was.
pub(crate) fn restore_from_beside(tx: &mut Tx<'_>, archive: &Archive, now: Time) -> Result<Option<String>> {
    let tombstones = restore_tombstones(tx, archive, now)?;
    let mut restored = Restored { tombstones, ..Restored::default() };
    let mut end = ledger_end(tx)?;
    if last_receipt(archive)?.is_some_and(|last| last.receipt.number > end.number) {
        for stored in read_ledger(archive)?.into_iter().flatten() {
            if stored.receipt.number != end.number + 1 || stored.previous != end.hash {
                continue;
            }
            insert_stored_receipt(tx, &stored)?;
            (end.number, end.hash) = (stored.receipt.number, stored.hash);
            restored.add(tx, &stored.receipt)?;
        }
    }
    Ok(restored.in_words(archive))
}

/// The records that were taken back.
#[derive(Default)]
struct Restored {
    tombstones: u64,
    receipts: u64,
    settings: BTreeSet<String>,
    verified: BTreeSet<String>,
}

impl Restored {
    fn add(&mut self, tx: &mut Tx<'_>, receipt: &Receipt) -> Result<()> {
        self.receipts += 1;
        let Receipt { action, subject, told, .. } = receipt;
        match action {
            ReceiptAction::Configure if is_protected_setting(subject) => {
                restore_setting(tx, receipt, told)?;
                self.settings.retain(|known| !known.starts_with(subject.as_str()));
                self.settings.insert(format!("{subject} `{}`", told.becomes));
            }
            ReceiptAction::AcceptVerified => {
                self.verified.insert(subject.clone());
            }
            ReceiptAction::Supersede
            | ReceiptAction::Invalidate
            | ReceiptAction::Reject
            | ReceiptAction::Retract
            | ReceiptAction::Rollback => {
                self.verified.remove(subject);
            }
            _ => {}
        }
        Ok(())
    }

    fn in_words(&self, archive: &Archive) -> Option<String> {
        if self.receipts + self.tombstones == 0 {
            return None;
        }
        let mut note = format!(
            "the database lacked {} receipt(s) and {} tombstone(s), which were restored from {}",
            self.receipts,
            self.tombstones,
            archive.folder.display()
        );
        for setting in &self.settings {
            let _ = write!(note, "; {setting} holds again");
        }
        if !self.verified.is_empty() {
            let backup = newest_backup(archive).map_or_else(
                || "there is no backup of them".to_owned(),
                |backup| format!("the newest backup, {}, may hold them", backup.display()),
            );
            let _ = write!(
                note,
                "; {} verified belief(s) could not be restored and have to be verified again with `cairn review`: {backup}",
                self.verified.len()
            );
        }
        Some(note)
    }
}

fn newest_backup(archive: &Archive) -> Option<PathBuf> {
    let entries = archive.folder.parent()?.join("backups").read_dir().ok()?;
    entries.filter_map(|entry| Some(entry.ok()?.path())).max()
}

fn restore_setting(tx: &mut Tx<'_>, receipt: &Receipt, told: &ReceiptDetail) -> Result<()> {
    let sql = "INSERT INTO protected_setting (agent_id, name, value, receipt, changed_at) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (agent_id, name) DO UPDATE SET value = ?3, receipt = ?4, changed_at = ?5";
    let (number, at) = (receipt.number as i64, receipt.at.millis());
    tx.execute(sql, values![tx.agent_id, receipt.subject.as_str(), told.becomes.as_str(), number, at])
        .map(drop)
}

fn restore_tombstones(tx: &mut Tx<'_>, archive: &Archive, now: Time) -> Result<u64> {
    let known = if erasure_key(tx)?.is_some() { count_tombstones(tx)? + 1 } else { 0 };
    if length(archive, TOMBSTONES)? <= known * MARK_LINE {
        return Ok(0);
    }
    let lines = String::from_utf8(read(archive, TOMBSTONES)?).unwrap_or_default();
    let mut marks = lines.lines().filter_map(receipt_hash);
    let Some(key) = marks.next() else { return Ok(0) };
    let insert_key =
        "INSERT INTO erasure_key (agent_id, secret) VALUES (?1, ?2) ON CONFLICT (agent_id) DO NOTHING";
    tx.execute(insert_key, values![tx.agent_id, key.as_slice()])?;
    // Marks under another key would tell nothing.
    if erasure_key(tx)?.as_deref() != Some(key.as_slice()) {
        return Ok(0);
    }
    let sql = "INSERT INTO tombstone (agent_id, mark, erased_at, actor, reason) VALUES (?1, ?2, ?3, 'archive', 'restored')
               ON CONFLICT (agent_id, mark) DO NOTHING";
    let mut restored = 0;
    for mark in marks {
        restored += tx.execute(sql, values![tx.agent_id, mark.as_slice(), now.millis()])? as u64;
    }
    Ok(restored)
}

fn erasure_key(tx: &mut Tx<'_>) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT secret FROM erasure_key WHERE agent_id = ?1";
    tx.first(sql, values![tx.agent_id], |row| row.bytes(0).map(<[u8]>::to_vec))
}

fn count_tombstones(tx: &mut Tx<'_>) -> Result<u64> {
    let sql = "SELECT COUNT(*) FROM tombstone WHERE agent_id = ?1";
    Ok(tx.first(sql, values![tx.agent_id], |row| row.int(0))?.unwrap_or(0).unsigned_abs())
}

/// Every receipt that the file tells; a line that cannot be read is none.
fn read_ledger(archive: &Archive) -> Result<Vec<Option<StoredReceipt>>> {
    let bytes = read(archive, LEDGER)?;
    Ok(bytes.split(|byte| *byte == b'\n').map(parse_receipt).collect())
}

fn parse_receipt(line: &[u8]) -> Option<StoredReceipt> {
    serde_json::from_slice::<LedgerLine>(line).ok()?.receipt()
}

/// The last receipt that the file tells; none if its last line cannot be read.
fn last_receipt(archive: &Archive) -> Result<Option<StoredReceipt>> {
    let len = length(archive, LEDGER)?;
    if len == 0 {
        return Ok(None);
    }
    let path = archive.folder.join(LEDGER);
    let from = len.saturating_sub(TAIL_BYTES as u64);
    let tail = archive.disk.read(&path, from, TAIL_BYTES).map_err(StoreError::file("read", &path))?;
    let Some(tail) = tail.strip_suffix(b"\n") else { return Ok(None) };
    let begin = tail.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    Ok(parse_receipt(&tail[begin..]))
}

fn length(archive: &Archive, name: &str) -> Result<u64> {
    let path = archive.folder.join(name);
    Ok(archive.disk.len(&path).map_err(StoreError::file("look at", path))?.unwrap_or(0))
}

fn read(archive: &Archive, name: &str) -> Result<Vec<u8>> {
    let path = archive.folder.join(name);
    let len = length(archive, name)?;
    archive.disk.read(&path, 0, len as usize).map_err(StoreError::file("read", path))
}

/// Writes `bytes` from `from` on, and nothing behind them.
fn write_from(archive: &Archive, name: &str, from: u64, bytes: &[u8]) -> Result<()> {
    let path = archive.folder.join(name);
    let written = archive.disk.open(&path).and_then(|mut file| {
        file.write_at(from, bytes)?;
        file.truncate(from + bytes.len() as u64)?;
        file.sync()?;
        archive.disk.sync_folder(&archive.folder)
    });
    written.map_err(StoreError::file("write", path))
}

fn receipt_hash(text: &str) -> Option<ReceiptHash> {
    from_hex(text)?.try_into().ok()
}

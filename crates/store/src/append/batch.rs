//! The one way in: under one write lock dedup → archive append → rows → commit, and then the archive's fsync, for which the
//! disk has begun to write back while the rows were written; acknowledged when all is done.
//!
//! The database commits to the page cache only, so nothing is durable before the fsync and nothing is acknowledged
//! before it returns. Whatever a power cut leaves of the two, `reconcile` completes one from the other. The lock is
//! free as soon as rows are committed.
//!
//! On a server the message table is the archive, and its commit is durable by itself.

use super::{
    memo::Memo,
    reconcile::reconcile,
    take_in::{insert_rows, message_row},
};
use crate::{
    archive::{OpenDay, archive_line},
    context::{AgentFiles, StoreContext},
    database::Connection,
    error::{Result, StoreError},
    record::{ArchivePlace, duplicate_in_window, ids_at, seqs_of},
    transaction::Tx,
};
use cairn_domain::{ExchangeId, Message, MessageId, Role, Time};
use std::collections::HashSet;

/// How long after a message without an id the same words from the same sender count as a retry.
const RETRY_WINDOW_MS: i64 = 60_000;

/// The outcome for one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The message that is now kept: this one, or the one that was there already.
    pub id: MessageId,
    /// The exchange it belongs to.
    pub exchange: ExchangeId,
    /// Whether it was already there, or was erased and stays so.
    pub duplicate: bool,
    /// Whether it was erased and stays so.
    pub erased: bool,
}

/// Writes a batch. When this returns, every message in it is durable and visible to every process.
pub(crate) fn append(
    connection: &mut Connection,
    shared: &StoreContext,
    memo: &mut Memo,
    messages: &[Message],
    now: Time,
) -> Result<Vec<Appended>> {
    let written = Tx::new(connection, shared.agent_id).write(|tx| {
        memo.begin(tx)?;
        let position = append_position(tx, shared, memo, now)?;
        let mut batch = AppendBatch::default();
        let seqs = seqs_of(tx, messages)?;
        for (message, seq) in messages.iter().zip(seqs) {
            let known = known(tx, memo, message, seq)?;
            batch.add(message, known)?;
        }
        if batch.lines.is_empty() {
            return Ok((batch.appended, None));
        }
        let AppendPosition { seq, place, mut file } = position;
        if let Some(file) = &mut file {
            file.write(std::mem::take(&mut batch.lines))?;
        }
        match batch.insert(tx, memo, seq, place) {
            Ok(()) => Ok((batch.appended, file)),
            Err(error) => {
                if let Some(file) = &mut file {
                    file.undo_write();
                }
                Err(error)
            }
        }
    });
    if written.is_err() {
        memo.forget();
    }
    let (appended, file) = written?;
    if let Some(file) = file {
        memo.left_open = Some(file.sync()?);
    }
    Ok(appended)
}

/// The new messages of a batch, and the outcome of all of them.
#[derive(Default)]
struct AppendBatch<'a> {
    appended: Vec<Appended>,
    /// The new ones: where their outcome stands, and how long their line is.
    fresh: Vec<(usize, &'a Message, u64)>,
    lines: Vec<u8>,
    ids: HashSet<MessageId>,
    /// Session, role, speaker and words of those without an id and a time: a repeat within one batch is a retry.
    words: HashSet<(&'a str, Role, &'a str, &'a str)>,
}

impl<'a> AppendBatch<'a> {
    fn add(&mut self, message: &'a Message, known: Option<Appended>) -> Result<()> {
        let words = (message.session.as_str(), message.role, message.speaker.as_str(), message.text.as_str());
        let repeated = !self.ids.insert(message.id) || (may_be_retry(message) && !self.words.insert(words));
        if known.is_none() && !repeated {
            let line = archive_line(message)?;
            self.fresh.push((self.appended.len(), message, line.len() as u64));
            self.lines.extend_from_slice(&line);
        }
        let duplicate = known.is_some() || repeated;
        self.appended.push(known.unwrap_or(Appended {
            id: message.id,
            exchange: message.id.into(),
            duplicate,
            erased: false,
        }));
        Ok(())
    }

    /// Writes the rows of the new messages, from `seq` and from `place` in the archive on.
    fn insert(
        &mut self,
        tx: &mut Tx<'_>,
        memo: &mut Memo,
        mut seq: i64,
        mut place: ArchivePlace,
    ) -> Result<()> {
        let mut rows = Vec::with_capacity(self.fresh.len());
        for (at, message, bytes) in &self.fresh {
            place.bytes = *bytes;
            let (row, exchange) = message_row(tx, memo, seq, message, place)?;
            rows.push(row);
            self.appended[*at].exchange = exchange;
            place = ArchivePlace { offset: place.end(), line: place.line + 1, ..place };
            seq += 1;
        }
        insert_rows(tx, &rows)
    }
}

/// Where the next message goes in database and archive.
struct AppendPosition<'a> {
    seq: i64,
    place: ArchivePlace,
    /// Where the archive is files.
    file: Option<OpenDay<'a>>,
}

/// The ends of database and archive, after making sure that they agree. A clock that runs backward never reopens an older
/// file.
fn append_position<'a>(
    tx: &mut Tx<'_>,
    shared: &'a StoreContext,
    memo: &mut Memo,
    now: Time,
) -> Result<AppendPosition<'a>> {
    let today = now.day().number();
    let next = |last: Option<(i64, ArchivePlace)>| match last {
        Some((seq, place)) if place.day >= today => {
            (seq + 1, ArchivePlace { offset: place.end(), line: place.line + 1, ..place })
        }
        _ => (last.map_or(0, |(seq, _)| seq + 1), ArchivePlace { day: today, offset: 0, bytes: 0, line: 1 }),
    };
    let (seq, place) = next(memo.last(tx)?);
    let Some(AgentFiles { archive, .. }) = shared.files() else {
        return Ok(AppendPosition { seq, place, file: None });
    };
    if let Some(file) = archive.reopen_at(memo.left_open.take(), place.day, place.offset)? {
        return Ok(AppendPosition { seq, place, file: Some(file) });
    }
    reconcile(tx, archive, &shared.notes)?;
    memo.forget();
    let (seq, mut place) = next(memo.last(tx)?);
    if let Some(file) = archive.open_at(place.day, place.offset)? {
        return Ok(AppendPosition { seq, place, file: Some(file) });
    }
    // Lines that are no messages stay where they are; new ones go after them.
    place.offset = archive.len(place.day)?;
    let file = archive.open_at(place.day, place.offset)?.ok_or_else(|| {
        StoreError::damaged("it changed while it was being opened", archive.path(place.day).display())
    })?;
    Ok(AppendPosition { seq, place, file: Some(file) })
}

/// Whether only the window can tell a retry from a repetition: the caller gave neither an id nor a time of its own.
fn may_be_retry(message: &Message) -> bool {
    message.source_id.is_none() && message.at == message.recorded_at
}

/// The message that is there already, if this one is a repeat; `seq` is that of the same id.
fn known(
    tx: &mut Tx<'_>,
    memo: &mut Memo,
    message: &Message,
    mut seq: Option<i64>,
) -> Result<Option<Appended>> {
    if seq.is_none()
        && let Some(marks) = memo.buried(tx)?
        && (marks.has_buried(tx, message.id)? || marks.has_buried_words(tx, message)?)
    {
        let (id, exchange) = (message.id, message.id.into());
        return Ok(Some(Appended { id, exchange, duplicate: true, erased: true }));
    }
    if seq.is_none() && may_be_retry(message) {
        let session = memo.session(tx, &message.session)?;
        seq = duplicate_in_window(tx, session.id, message, RETRY_WINDOW_MS)?;
    }
    let Some(seq) = seq else { return Ok(None) };
    let ids = ids_at(tx, seq)?;
    Ok(ids.map(|(id, exchange)| Appended { id, exchange, duplicate: true, erased: false }))
}

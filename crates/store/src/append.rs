//! The one way in: under one write lock dedup → archive append → rows → commit, and then the archive's fsync, for which the
//! disk has begun to write back while the rows were written; acknowledged when all is done.
//!
//! The database commits to the page cache only, so nothing is durable before the fsync and nothing is acknowledged
//! before it returns. Whatever a power cut leaves of the two, `archive::reconcile` completes one from the other. The lock is
//! free as soon as rows are committed.
//!
//! On a server the message table is the archive, and its commit is durable by itself.

use crate::{
    Result, StoreError,
    archive::{OpenDay, line_of, reconcile},
    database::Connection,
    keyword::table,
    memo::{Memo, Session},
    record::{
        ArchivePlace, NewMessage, SessionEnd, duplicate_in_window, give_title, ids_at, insert_messages,
        seq_of, seqs_of,
    },
    store::{Files, Shared},
};
use cairn_cognition::title;
use cairn_domain::{ExchangeId, Message, MessageId, Place, Role, Time, place_after};
use std::collections::HashSet;

/// How long after a message without an id the same words from the same sender count as a retry.
const RETRY_WINDOW_MS: i64 = 60_000;

/// What became of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The message that is now kept: this one, or the one that was there already.
    pub id: MessageId,
    /// The exchange it belongs to.
    pub exchange: ExchangeId,
    /// Whether it was already there, or was erased and stays so.
    pub duplicate: bool,
}

/// Writes a batch. When this returns, every message in it is durable and visible to every process.
pub(crate) fn append(
    connection: &mut Connection,
    shared: &Shared,
    memo: &mut Memo,
    messages: &[Message],
    now: Time,
) -> Result<Vec<Appended>> {
    let agent_id = shared.agent_id;
    let written = connection.write(|connection| {
        memo.begin(connection)?;
        let ends = ends(connection, shared, memo, now)?;
        let mut batch = Batch::default();
        let seqs = seqs_of(connection, agent_id, messages)?;
        for (message, seq) in messages.iter().zip(seqs) {
            let known = known(connection, agent_id, memo, message, seq)?;
            batch.add(message, known);
        }
        if batch.lines.is_empty() {
            return Ok((batch.appended, None));
        }
        let Ends { seq, place, mut file } = ends;
        if let Some(file) = &mut file {
            file.write(std::mem::take(&mut batch.lines))?;
        }
        match batch.insert(connection, agent_id, memo, seq, place) {
            Ok(()) => Ok((batch.appended, file)),
            Err(error) => {
                if let Some(file) = &mut file {
                    file.take_back();
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

/// What is new in a batch, and what becomes of each message.
#[derive(Default)]
struct Batch<'a> {
    appended: Vec<Appended>,
    /// The new ones: where their outcome stands, and how long their line is.
    fresh: Vec<(usize, &'a Message, u64)>,
    lines: Vec<u8>,
    ids: HashSet<MessageId>,
    /// Session, role, speaker and words of those without an id and a time: a repeat within one batch is a retry.
    words: HashSet<(&'a str, Role, &'a str, &'a str)>,
}

impl<'a> Batch<'a> {
    fn add(&mut self, message: &'a Message, known: Option<Appended>) {
        let words = (message.session.as_str(), message.role, message.speaker.as_str(), message.text.as_str());
        let repeated = !self.ids.insert(message.id) || (may_be_retry(message) && !self.words.insert(words));
        if known.is_none() && !repeated {
            let line = line_of(message);
            self.fresh.push((self.appended.len(), message, line.len() as u64));
            self.lines.extend_from_slice(&line);
        }
        let duplicate = known.is_some() || repeated;
        self.appended.push(known.unwrap_or(Appended {
            id: message.id,
            exchange: message.id.into(),
            duplicate,
        }));
    }

    /// Writes the rows of the new messages, from `seq` and from `place` in the archive on.
    fn insert(
        &mut self,
        connection: &mut Connection,
        agent_id: i64,
        memo: &mut Memo,
        mut seq: i64,
        mut place: ArchivePlace,
    ) -> Result<()> {
        let mut rows = Vec::with_capacity(self.fresh.len());
        for (at, message, bytes) in &self.fresh {
            place.bytes = *bytes;
            let (row, exchange) = settle(connection, agent_id, memo, seq, message, place)?;
            rows.push(row);
            self.appended[*at].exchange = exchange;
            place = ArchivePlace { offset: place.end(), line: place.line + 1, ..place };
            seq += 1;
        }
        insert(connection, agent_id, &rows)
    }
}

/// Where the next message goes.
struct Ends<'a> {
    seq: i64,
    place: ArchivePlace,
    /// Where the archive is files.
    file: Option<OpenDay<'a>>,
}

/// The ends of database and archive, after making sure that they agree. A clock that runs backwards never reopens an
/// older file.
fn ends<'a>(connection: &mut Connection, shared: &'a Shared, memo: &mut Memo, now: Time) -> Result<Ends<'a>> {
    let agent_id = shared.agent_id;
    let today = now.day().number();
    let next = |last: Option<(i64, ArchivePlace)>| match last {
        Some((seq, place)) if place.day >= today => {
            (seq + 1, ArchivePlace { offset: place.end(), line: place.line + 1, ..place })
        }
        _ => (last.map_or(0, |(seq, _)| seq + 1), ArchivePlace { day: today, offset: 0, bytes: 0, line: 1 }),
    };
    let (seq, place) = next(memo.last(connection, agent_id)?);
    let Some(Files { archive, .. }) = shared.files() else { return Ok(Ends { seq, place, file: None }) };
    if let Some(file) = archive.open_again(memo.left_open.take(), place.day, place.offset)? {
        return Ok(Ends { seq, place, file: Some(file) });
    }
    reconcile(connection, agent_id, archive, &shared.notes)?;
    memo.forget();
    let (seq, mut place) = next(memo.last(connection, agent_id)?);
    if let Some(file) = archive.open_at(place.day, place.offset)? {
        return Ok(Ends { seq, place, file: Some(file) });
    }
    // Lines that are no messages stay where they are; new ones go after them.
    place.offset = archive.len(place.day)?;
    let file = archive.open_at(place.day, place.offset)?.ok_or(StoreError::Closed)?;
    Ok(Ends { seq, place, file: Some(file) })
}

/// Whether only the window can tell a retry from a repetition: the caller gave neither an id nor a time of its own.
fn may_be_retry(message: &Message) -> bool {
    message.source_id.is_none() && message.at == message.recorded_at
}

/// The message that is there already, if this one is a repeat; `seq` is that of the same id.
fn known(
    connection: &mut Connection,
    agent_id: i64,
    memo: &mut Memo,
    message: &Message,
    mut seq: Option<i64>,
) -> Result<Option<Appended>> {
    if seq.is_none()
        && let Some(marks) = memo.buried(connection, agent_id)?
        && (marks.has_buried(connection, agent_id, message.id)?
            || marks.has_buried_words(connection, agent_id, message)?)
    {
        return Ok(Some(Appended { id: message.id, exchange: message.id.into(), duplicate: true }));
    }
    if seq.is_none() && may_be_retry(message) {
        let session = memo.session(connection, agent_id, &message.session)?;
        seq = duplicate_in_window(connection, agent_id, session.id, message, RETRY_WINDOW_MS)?;
    }
    let Some(seq) = seq else { return Ok(None) };
    let ids = ids_at(connection, agent_id, seq)?;
    Ok(ids.map(|(id, exchange)| Appended { id, exchange, duplicate: true }))
}

/// Takes in a message whose line is in the archive already; false if the database has it, or it was erased.
pub(crate) fn take_in(
    connection: &mut Connection,
    agent_id: i64,
    memo: &mut Memo,
    message: &Message,
    place: ArchivePlace,
) -> Result<bool> {
    if seq_of(connection, agent_id, message.id)?.is_some() {
        return Ok(false);
    }
    if let Some(marks) = memo.buried(connection, agent_id)?
        && marks.has_buried(connection, agent_id, message.id)?
    {
        return Ok(false);
    }
    let seq = memo.last(connection, agent_id)?.map_or(0, |(seq, _)| seq + 1);
    let (row, _) = settle(connection, agent_id, memo, seq, message, place)?;
    insert(connection, agent_id, &[row])?;
    Ok(true)
}

/// Writes the rows of messages, and on a server the keyword index with them.
fn insert(connection: &mut Connection, agent_id: i64, rows: &[NewMessage<'_>]) -> Result<()> {
    insert_messages(connection, agent_id, rows)?;
    if connection.postgres().is_some() {
        table::add(connection, agent_id, rows.iter().map(NewMessage::indexable))?;
    }
    Ok(())
}

/// The row of a message, with everything that is derived from it, and its exchange. Its session and its thread are there
/// when this returns.
fn settle<'a>(
    connection: &mut Connection,
    agent_id: i64,
    memo: &mut Memo,
    seq: i64,
    message: &'a Message,
    place: ArchivePlace,
) -> Result<(NewMessage<'a>, ExchangeId)> {
    let Session { id: session_id, mut titled, end: before } =
        memo.session(connection, agent_id, &message.session)?;
    let thread = message.thread.as_deref();
    let thread_id = thread.map(|name| memo.thread(connection, agent_id, name)).transpose()?;
    let opens = place_after(before.as_ref().map(|end| end.role), message.role) == Place::Opens;
    let (exchange, exchange_seq, exchange_index) = match &before {
        Some(end) if !opens => (end.exchange, end.exchange_seq, end.exchange_index),
        Some(end) => (message.id.into(), seq, end.exchange_index + 1),
        None => (message.id.into(), seq, 0),
    };
    let new = NewMessage {
        seq,
        message,
        session_id,
        thread_id,
        previous_seq: before.as_ref().map(|end| end.seq),
        exchange_seq,
        exchange_index,
        place,
    };
    if let Some(title) = title_from(message, titled, exchange_index) {
        give_title(connection, agent_id, session_id, &title)?;
        titled = true;
    }
    let end = SessionEnd { exchange, seq, role: message.role, exchange_seq, exchange_index };
    memo.wrote(seq, place, &message.session, Session { id: session_id, titled, end: Some(end) });
    Ok((new, exchange))
}

/// Sessions are named early or never: by their transcript, which may replace a guess, or by what the user says in the
/// first exchanges.
pub(crate) fn title_from(message: &Message, titled: bool, exchange_index: i64) -> Option<String> {
    const NAMING_EXCHANGES: i64 = 3;
    let given = message.metadata.get("session_title").and_then(|title| title.as_str());
    let guess = || {
        let names = !titled && message.role == Role::User && exchange_index < NAMING_EXCHANGES;
        names.then(|| title::title(&message.text)).flatten()
    };
    given.map(str::to_owned).or_else(guess)
}

//! The one way in. Under one write lock: dedup → archive append and fsync → commit → acknowledge.

use crate::{
    Result,
    archive::{Archive, line_of, reconcile},
    database::Connection,
    record::{
        ArchivePlace, NewMessage, Title, duplicate_in_window, give_title, ids_at, insert_message, is_buried, last_place,
        seq_of, session_end, session_id, thread_id,
    },
    store::Notes,
};
use cairn_cognition::title;
use cairn_domain::{ExchangeId, Message, MessageId, Place, Role, Time, place_after};

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
    agent_id: i64,
    archive: &Archive,
    notes: &Notes,
    messages: &[Message],
    now: Time,
) -> Result<Vec<Appended>> {
    connection.write(|connection| {
        let (mut seq, mut end) = ends(connection, agent_id, archive, notes, now)?;
        let begin = end;
        let mut lines = Vec::new();
        let mut appended = Vec::with_capacity(messages.len());
        for message in messages {
            if let Some(known) = known(connection, agent_id, message)? {
                appended.push(known);
                continue;
            }
            let line = line_of(message);
            let place = ArchivePlace { bytes: line.len() as u64, ..end };
            let exchange = insert(connection, agent_id, seq, message, place)?;
            seq += 1;
            lines.extend_from_slice(&line);
            end = ArchivePlace { offset: place.end(), line: place.line + 1, ..end };
            appended.push(Appended { id: message.id, exchange, duplicate: false });
        }
        if !lines.is_empty() {
            archive.append(begin.day, begin.offset, &lines)?;
        }
        Ok(appended)
    })
}

/// The seq of the next message and where its line goes, after making sure that archive and database agree. A clock
/// that runs backwards never reopens an older file.
fn ends(
    connection: &mut Connection,
    agent_id: i64,
    archive: &Archive,
    notes: &Notes,
    now: Time,
) -> Result<(i64, ArchivePlace)> {
    let today = now.day().number();
    let next = |last: Option<(i64, ArchivePlace)>| match last {
        Some((seq, place)) if place.day >= today => {
            (seq + 1, ArchivePlace { offset: place.end(), line: place.line + 1, ..place })
        }
        _ => (last.map_or(0, |(seq, _)| seq + 1), ArchivePlace { day: today, offset: 0, bytes: 0, line: 1 }),
    };
    let (mut seq, mut end) = next(last_place(connection, agent_id)?);
    if archive.len(end.day)? != end.offset {
        reconcile(connection, agent_id, archive, notes)?;
        (seq, end) = next(last_place(connection, agent_id)?);
        // Lines that are no messages stay where they are; new ones go after them.
        end.offset = archive.len(end.day)?;
    }
    Ok((seq, end))
}

/// The message that is there already, if this one is a repeat.
fn known(connection: &mut Connection, agent_id: i64, message: &Message) -> Result<Option<Appended>> {
    let mut seq = seq_of(connection, agent_id, message.id)?;
    if seq.is_none() && is_buried(connection, agent_id, message.id)? {
        return Ok(Some(Appended { id: message.id, exchange: message.id.into(), duplicate: true }));
    }
    if seq.is_none() && message.source_id.is_none() {
        let session_id = session_id(connection, agent_id, &message.session)?;
        seq = duplicate_in_window(connection, agent_id, session_id, message, RETRY_WINDOW_MS)?;
    }
    let Some(seq) = seq else { return Ok(None) };
    let ids = ids_at(connection, agent_id, seq)?;
    Ok(ids.map(|(id, exchange)| Appended { id, exchange, duplicate: true }))
}

/// Takes in a message whose line is in the archive already; false if the database has it, or it was erased.
pub(crate) fn take_in(connection: &mut Connection, agent_id: i64, message: &Message, place: ArchivePlace) -> Result<bool> {
    if seq_of(connection, agent_id, message.id)?.is_some() || is_buried(connection, agent_id, message.id)? {
        return Ok(false);
    }
    let seq = last_place(connection, agent_id)?.map_or(0, |(seq, _)| seq + 1);
    insert(connection, agent_id, seq, message, place)?;
    Ok(true)
}

/// Writes the row of a message and what is derived from it.
fn insert(
    connection: &mut Connection,
    agent_id: i64,
    seq: i64,
    message: &Message,
    place: ArchivePlace,
) -> Result<ExchangeId> {
    let session_id = session_id(connection, agent_id, &message.session)?;
    let thread_id = message.thread.as_deref().map(|name| thread_id(connection, agent_id, name)).transpose()?;
    let before = session_end(connection, agent_id, session_id)?;
    let (exchange_seq, exchange_index) = match (&before, place_after(before.as_ref().map(|end| end.role), message.role)) {
        (Some(end), Place::Continues) => (end.exchange_seq, end.exchange_index),
        (Some(end), Place::Opens) => (seq, end.exchange_index + 1),
        (None, _) => (seq, 0),
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
    insert_message(connection, agent_id, &new)?;
    if let Some(title) = title_from(message, exchange_index) {
        give_title(connection, agent_id, session_id, &title)?;
    }
    if exchange_seq == seq {
        return Ok(message.id.into());
    }
    Ok(ids_at(connection, agent_id, exchange_seq)?.map_or(message.id.into(), |(_, exchange)| exchange))
}

/// Sessions are named early or never: by their transcript, or by what the user says in the first exchanges.
fn title_from(message: &Message, exchange_index: i64) -> Option<Title> {
    const NAMING_EXCHANGES: i64 = 3;
    if let Some(given) = message.metadata.get("session_title").and_then(|title| title.as_str()) {
        return Some(Title::Given(given.to_owned()));
    }
    let speaks_first = message.role == Role::User && exchange_index < NAMING_EXCHANGES;
    speaks_first.then(|| title::title(&message.text)).flatten().map(Title::Guessed)
}

//! From a message to its rows: what is derived from it when it joins its session, whether it was just said or is read from
//! the archive.

use super::memo::{Memo, Session};
use crate::{
    error::Result,
    index::keyword::table,
    record::{ArchivePlace, NewMessage, SessionEnd, SessionTitle, insert_messages, seq_of, set_title},
    transaction::Tx,
};
use cairn_cognition::title;
use cairn_domain::{ExchangeId, ExchangePlace, Message, Role, place_after};

/// Takes in a message whose line is in the archive already; false if the database has it, or it was erased.
pub(crate) fn take_in(
    tx: &mut Tx<'_>,
    memo: &mut Memo,
    message: &Message,
    place: ArchivePlace,
) -> Result<bool> {
    if seq_of(tx, message.id)?.is_some() {
        return Ok(false);
    }
    if let Some(marks) = memo.buried(tx)?
        && marks.has_buried(tx, message.id)?
    {
        return Ok(false);
    }
    let seq = memo.last(tx)?.map_or(0, |(seq, _)| seq + 1);
    let (row, _) = message_row(tx, memo, seq, message, place)?;
    insert_rows(tx, &[row])?;
    Ok(true)
}

/// Inserts the rows of messages, and on a database server their keyword index entries.
pub(super) fn insert_rows(tx: &mut Tx<'_>, rows: &[NewMessage<'_>]) -> Result<()> {
    insert_messages(tx, rows)?;
    if tx.connection.postgres().is_some() {
        table::add(tx, rows.iter().map(NewMessage::indexable))?;
    }
    Ok(())
}

/// The row of a message, with everything that is derived from it, and its exchange. Its session and its thread are there
/// when this returns.
pub(super) fn message_row<'a>(
    tx: &mut Tx<'_>,
    memo: &mut Memo,
    seq: i64,
    message: &'a Message,
    place: ArchivePlace,
) -> Result<(NewMessage<'a>, ExchangeId)> {
    let Session { id: session_id, mut title, end: before } = memo.session(tx, &message.session)?;
    let thread = message.thread.as_deref();
    let thread_id = thread.map(|name| memo.thread(tx, name)).transpose()?;
    let opens = place_after(before.as_ref().map(|end| end.role), message.role) == ExchangePlace::Opens;
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
    if let Some(found) = title_from(message, title, exchange_index) {
        set_title(tx, session_id, &found)?;
        title = SessionTitle::Given;
    }
    let end = SessionEnd { exchange, seq, role: message.role, exchange_seq, exchange_index };
    memo.wrote(seq, place, &message.session, Session { id: session_id, title, end: Some(end) });
    Ok((new, exchange))
}

/// Sessions are named early or never: by their transcript, which may replace a guess, or by what the user says in the
/// first exchanges.
pub(crate) fn title_from(message: &Message, title: SessionTitle, exchange_index: i64) -> Option<String> {
    const NAMING_EXCHANGES: i64 = 3;
    let given = message.metadata.get("session_title").and_then(|title| title.as_str());
    let guess = || {
        let names =
            title == SessionTitle::Missing && message.role == Role::User && exchange_index < NAMING_EXCHANGES;
        names.then(|| title::session_title(&message.text)).flatten()
    };
    given.map(str::to_owned).or_else(guess)
}

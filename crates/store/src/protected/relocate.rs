//! Where the message table is the archive: messages go, and those behind them move up, so that numbers and places follow each
//! other without a gap, as they would had the others never been said.

use super::reach::Gone;
use crate::{
    Result,
    append::title_from,
    archive::table,
    database::{Value, values},
    index::keyword,
    record::{SessionTitle, embedders, keep_whole_vectors, message_at, parse_word, renumber_vectors},
    transaction::Tx,
};
use cairn_domain::{ExchangePlace, Role, place_after};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A message that stays.
struct Staying {
    seq: i64,
    session_id: i64,
    role: Role,
    day: i64,
    bytes: i64,
}

/// The newest message of a session so far.
#[derive(Clone, Copy)]
struct NewestMessage {
    seq: i64,
    role: Role,
    exchange_seq: i64,
    exchange_index: i64,
}

/// Takes messages away and lets the others move up.
pub(super) fn take(tx: &mut Tx<'_>, gone: &[Gone]) -> Result<()> {
    let delete = "DELETE FROM message WHERE agent_id = ?1 AND seq = ?2";
    for one in gone {
        tx.execute(delete, values![tx.agent_id, one.seq])?;
    }
    let moved = move_up(tx)?;
    for embedder in embedders(tx)? {
        renumber_vectors(tx, &embedder.record, &moved)?;
        keep_whole_vectors(tx, &embedder.record)?;
    }
    keyword::table::rebuild(tx)?;
    let sessions: BTreeSet<i64> = gone.iter().map(|one| one.session_id).collect();
    for session in sessions {
        name_anew(tx, session)?;
    }
    let empty = "DELETE FROM thread WHERE agent_id = ?1 AND thread_id NOT IN
                 (SELECT m.thread_id FROM message AS m WHERE m.agent_id = ?1 AND m.thread_id IS NOT NULL)";
    tx.execute(empty, values![tx.agent_id])?;
    let days: BTreeSet<i64> = gone.iter().map(|one| one.place.day).collect();
    days.into_iter().try_for_each(|day| table::reseal_day(tx, day))
}

/// Gives every message its new number and places; those whose number changed: what it was, what it is.
fn move_up(tx: &mut Tx<'_>) -> Result<Vec<(i64, i64)>> {
    let sql = "SELECT seq, session_id, role, archive_day, archive_bytes FROM message WHERE agent_id = ?1 ORDER BY seq";
    let staying = tx.query(sql, values![tx.agent_id], |row| {
        let role = parse_word(row.str(2)?)?;
        Ok(Staying { seq: row.int(0)?, session_id: row.int(1)?, role, day: row.int(3)?, bytes: row.int(4)? })
    })?;
    // In two steps, since the new number may still be another's old one; numbers below zero are nobody's.
    tx.execute("UPDATE message SET seq = -1 - seq WHERE agent_id = ?1", values![tx.agent_id])?;
    let mut ends: HashMap<i64, NewestMessage> = HashMap::new();
    let mut places: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    let (mut rows, mut moved) = (Vec::with_capacity(staying.len()), Vec::new());
    for (seq, one) in (0_i64..).zip(&staying) {
        let before = ends.get(&one.session_id).copied();
        let opens = place_after(before.map(|before| before.role), one.role) == ExchangePlace::Opens;
        let (exchange_seq, exchange_index) = match before {
            Some(before) if !opens => (before.exchange_seq, before.exchange_index),
            Some(before) => (seq, before.exchange_index + 1),
            None => (seq, 0),
        };
        let (offset, line) = places.get(&one.day).copied().unwrap_or((0, 0));
        places.insert(one.day, (offset + one.bytes, line + 1));
        ends.insert(one.session_id, NewestMessage { seq, role: one.role, exchange_seq, exchange_index });
        let previous = before.map(|before| before.seq);
        let values: Vec<Value<'_>> = values![
            tx.agent_id,
            -1 - one.seq,
            seq,
            previous,
            exchange_seq,
            exchange_index,
            offset,
            line + 1,
        ]
        .to_vec();
        rows.push(values);
        if seq != one.seq {
            moved.push((one.seq, seq));
        }
    }
    let sql = "UPDATE message SET seq = ?3, previous_seq = ?4, exchange_seq = ?5, exchange_index = ?6, archive_offset = ?7,
               archive_line = ?8 WHERE agent_id = ?1 AND seq = ?2";
    tx.execute_each(sql, &rows)?;
    Ok(moved)
}

/// The title of a session, from what is still said in it; a session in which nothing is said is gone.
fn name_anew(tx: &mut Tx<'_>, session: i64) -> Result<()> {
    let sql = "SELECT seq FROM message WHERE agent_id = ?1 AND session_id = ?2 ORDER BY seq";
    let seqs = tx.query(sql, values![tx.agent_id, session], |row| row.int(0))?;
    if seqs.is_empty() {
        let gone = "DELETE FROM session WHERE agent_id = ?1 AND session_id = ?2";
        return tx.execute(gone, values![tx.agent_id, session]).map(drop);
    }
    let mut title: Option<String> = None;
    for seq in seqs {
        let Some(record) = message_at(tx, seq)? else { continue };
        let so_far = if title.is_some() { SessionTitle::Given } else { SessionTitle::Missing };
        let found = title_from(&record.message, so_far, i64::from(record.exchange_index));
        title = found.or(title);
    }
    let sql = "UPDATE session SET title = ?3 WHERE agent_id = ?1 AND session_id = ?2";
    tx.execute(sql, values![tx.agent_id, session, title.as_deref()]).map(drop)
}

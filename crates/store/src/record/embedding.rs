//! Vectors as they are stored. Messages get theirs strictly in order, so "every message before `reached` has its
//! vectors" is the whole queue. Vectors and the move of `reached` are one transaction, so that nobody's death and no
//! second worker can leave one out or write one twice.

use super::{
    embedder::{EmbedderRecord, EmbedderState, embedder_at, refused},
    message::next_seq,
};
use crate::{
    Result,
    database::{Value, values},
    index::vector::half,
    transaction::Tx,
};

/// A vector of a message. Long messages have several parts, counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct NewVector {
    /// The message.
    pub seq: u32,
    /// Which part of it.
    pub part: u32,
    /// Of length 1.
    pub vector: Vec<f32>,
}

/// A vector as it is stored.
pub(crate) struct StoredVector {
    pub(crate) seq: u32,
    pub(crate) part: u16,
    pub(crate) bytes: Vec<u8>,
}

/// Checks that `vectors` are whole: every message of `from .. to` with its parts from 0 on, and nothing else. As they
/// are stored, in order.
pub(crate) fn require_whole_vectors(
    from: u32,
    to: u32,
    mut vectors: Vec<NewVector>,
) -> Result<Vec<StoredVector>> {
    let not_whole = |problem: String| {
        refused(problem, "hand in every message of the range with its parts, counted from 0, and no other")
    };
    if from > to {
        return Err(not_whole(format!("{from}..{to} is no range of messages")));
    }
    vectors.sort_by_key(|vector| (vector.seq, vector.part));
    let (mut message, mut part) = (from, 0);
    let mut whole = Vec::with_capacity(vectors.len());
    for new in vectors {
        if !(from..to).contains(&new.seq) {
            return Err(not_whole(format!("message {} is not one of {from}..{to}", new.seq)));
        }
        if new.seq != message && part > 0 {
            (message, part) = (message + 1, 0);
        }
        if (new.seq, new.part) != (message, part) {
            let found = format!("part {} of message {} came", new.part, new.seq);
            return Err(not_whole(format!("part {part} of message {message} is missing: {found}")));
        }
        let bytes = half::encode_halves(&new.vector).ok_or_else(|| {
            refused(
                format!("a vector of message {message} holds what is no finite number"),
                "check the model that made it; nothing was kept",
            )
        })?;
        let too_many = |_| not_whole(format!("message {message} has more than 65536 parts"));
        whole.push(StoredVector { seq: message, part: u16::try_from(part).map_err(too_many)?, bytes });
        part += 1;
    }
    let end = if part > 0 { message + 1 } else { message };
    if end != to {
        return Err(not_whole(format!("part 0 of message {end} is missing")));
    }
    Ok(whole)
}

/// Writes the vectors of the messages `from .. to`, unless they are there already: false.
pub(crate) fn add_vectors(
    tx: &mut Tx<'_>,
    embedder: u32,
    from: u32,
    to: u32,
    vectors: &[StoredVector],
) -> Result<bool> {
    let EmbedderRecord { name, dimension, state, reached, .. } = embedder_at(tx, embedder)?.record;
    if let Some(wrong) = vectors.iter().find(|vector| vector.bytes.len() != half::BYTES_PER_HALF * dimension)
    {
        let numbers = wrong.bytes.len() / half::BYTES_PER_HALF;
        return Err(refused(
            format!("a vector of message {} has {numbers} numbers; `{name}` has {dimension}", wrong.seq),
            "vectors of different dimensions cannot be compared: give the changed model a name of its own",
        ));
    }
    if reached != from || state == EmbedderState::Retired {
        return Ok(false);
    }
    if to > next_seq(tx)? {
        return Err(refused(
            format!("there is no message {} yet", to - 1),
            "hand in vectors of messages that are there",
        ));
    }
    let insert = "INSERT INTO embedding (agent_id, embedder_id, kind, item, part, vector)
                  VALUES (?1, ?2, 'message', ?3, ?4, ?5)";
    let embedder = i64::from(embedder);
    let rows: Vec<Vec<Value<'_>>> = vectors
        .iter()
        .map(|vector| {
            let (seq, part) = (i64::from(vector.seq), i64::from(vector.part));
            values![tx.agent_id, embedder, seq, part, Value::Halves(&vector.bytes)].to_vec()
        })
        .collect();
    tx.execute_each(insert, &rows)?;
    let advance =
        "UPDATE embedder SET reached = ?3, vectors = vectors + ?4 WHERE agent_id = ?1 AND embedder_id = ?2";
    tx.execute(advance, values![tx.agent_id, embedder, i64::from(to), vectors.len() as i64])?;
    Ok(true)
}

/// Writes the vectors of revisions in their order, unless the embedder does not stand at `from` any more: false. Numbers that
/// were erased are passed over.
pub(crate) fn add_revision_vectors(
    tx: &mut Tx<'_>,
    embedder: u32,
    from: u32,
    vectors: &[(u32, impl AsRef<[f32]>)],
) -> Result<bool> {
    let EmbedderRecord { name, dimension, state, revisions, .. } = embedder_at(tx, embedder)?.record;
    if revisions != from || state == EmbedderState::Retired {
        return Ok(false);
    }
    let embedder = i64::from(embedder);
    let insert = "INSERT INTO embedding (agent_id, embedder_id, kind, item, part, vector)
                  VALUES (?1, ?2, 'memory', ?3, 0, ?4)";
    for (revision, vector) in vectors {
        let bytes = half::encode_halves(vector.as_ref())
            .filter(|bytes| bytes.len() == half::BYTES_PER_HALF * dimension)
            .ok_or_else(|| {
                refused(
                    format!("`{name}` makes vectors of {dimension} finite numbers, and this is none"),
                    "check the model that made it; nothing was kept",
                )
            })?;
        tx.later(insert, values![tx.agent_id, embedder, i64::from(*revision), Value::Halves(&bytes)])?;
    }
    let advance = "UPDATE embedder SET revisions = ?3 WHERE agent_id = ?1 AND embedder_id = ?2";
    let reached = vectors.last().map_or(from, |(revision, _)| revision + 1);
    tx.later(advance, values![tx.agent_id, embedder, i64::from(reached)])?;
    Ok(true)
}

/// Takes at least one and about `limit` vectors of a retired embedder away, the newest first, so that what is left
/// stays whole; how many. 0 means that all are gone, and the embedder with them.
pub(crate) fn drop_vectors(tx: &mut Tx<'_>, embedder: &EmbedderRecord, limit: u32) -> Result<u32> {
    let id = i64::from(embedder.id);
    let from = "SELECT MIN(item) FROM (SELECT item FROM embedding WHERE agent_id = ?1 AND embedder_id = ?2
                AND kind = 'message' ORDER BY item DESC, part DESC LIMIT ?3) AS newest";
    let from = tx.first(from, values![tx.agent_id, id, i64::from(limit.max(1))], |row| row.maybe_int(0))?;
    let Some(from) = from.flatten() else {
        let rest = "DELETE FROM embedding WHERE agent_id = ?1 AND embedder_id = ?2";
        tx.execute(rest, values![tx.agent_id, id])?;
        let sql = "DELETE FROM embedder WHERE agent_id = ?1 AND embedder_id = ?2";
        tx.execute(sql, values![tx.agent_id, id])?;
        return Ok(0);
    };
    let delete =
        "DELETE FROM embedding WHERE agent_id = ?1 AND embedder_id = ?2 AND kind = 'message' AND item >= ?3";
    let dropped = tx.execute(delete, values![tx.agent_id, id, from])?;
    let retreat =
        "UPDATE embedder SET reached = ?3, vectors = vectors - ?4 WHERE agent_id = ?1 AND embedder_id = ?2";
    tx.execute(retreat, values![tx.agent_id, id, from, dropped as i64])?;
    Ok(dropped as u32)
}

/// The kind of record that a vector belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    /// A part of a message.
    Message,
    /// A revision of a memory.
    Revision,
}

impl Item {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Revision => "memory",
        }
    }
}

/// Visits the vectors of the items `from .. to` in order: item, part, bytes.
pub(crate) fn for_each_vector(
    tx: &mut Tx<'_>,
    embedder: u32,
    item: Item,
    std::ops::Range { start: from, end: to }: std::ops::Range<u32>,
    mut visit: impl FnMut(u32, u16, &[u8]),
) -> Result<()> {
    let sql = "SELECT item, part, vector FROM embedding WHERE agent_id = ?1 AND embedder_id = ?2
               AND kind = ?5 AND item >= ?3 AND item < ?4 ORDER BY item, part";
    let range = values![tx.agent_id, i64::from(embedder), i64::from(from), i64::from(to), item.as_str()];
    tx.query(sql, range, |row| {
        visit(row.int(0)? as u32, row.int(1)? as u16, &row.halves(2)?);
        Ok(())
    })?;
    Ok(())
}

/// The vectors of some revisions; of those that have none there is none.
pub(crate) fn revision_vectors(
    tx: &mut Tx<'_>,
    embedder: u32,
    revisions: &[u32],
) -> Result<Vec<(u32, Vec<f32>)>> {
    let revisions: Vec<i64> = revisions.iter().map(|revision| i64::from(*revision)).collect();
    let sql = "SELECT item, vector FROM embedding WHERE agent_id = ?1 AND embedder_id = ?2
               AND kind = 'memory' AND item = ANY(?3)";
    let values = [Value::Int(tx.agent_id), Value::Int(i64::from(embedder)), Value::Ints(&revisions)];
    tx.query(sql, &values, |row| Ok((row.int(0)? as u32, half::decode_halves(&row.halves(1)?))))
}

/// How far an embedder's vectors are whole.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    /// Every message before this one has parts from 0 on, of the right length.
    pub(crate) reached: u32,
    /// Vectors of those messages.
    pub(crate) vectors: u64,
    /// Vectors behind them.
    pub(crate) beyond: u64,
}

/// Looks at every vector of an embedder.
pub(crate) fn whole_vectors(tx: &mut Tx<'_>, embedder: &EmbedderRecord) -> Result<Whole> {
    let bytes_of =
        if tx.connection.postgres().is_some() { "2 * vector_dims(vector)" } else { "LENGTH(vector)" };
    let sql = format!(
        "SELECT item, COUNT(*), MAX(part), MIN({bytes_of}), MAX({bytes_of}) FROM embedding
         WHERE agent_id = ?1 AND embedder_id = ?2 AND kind = 'message' GROUP BY item ORDER BY item"
    );
    let messages = next_seq(tx)?;
    let bytes = (embedder.dimension * half::BYTES_PER_HALF) as i64;
    let mut whole = Whole { reached: 0, vectors: 0, beyond: 0 };
    tx.query(&sql, values![tx.agent_id, i64::from(embedder.id)], |row| {
        let (count, last_part, lengths) = (row.int(1)?, row.int(2)?, (row.int(3)?, row.int(4)?));
        let is_next =
            row.int(0)? == i64::from(whole.reached) && whole.reached < messages && whole.beyond == 0;
        if is_next && count == last_part + 1 && lengths == (bytes, bytes) {
            whole.reached += 1;
            whole.vectors += count as u64;
        } else {
            whole.beyond += count as u64;
        }
        Ok(())
    })?;
    Ok(whole)
}

/// Lets vectors follow messages whose number has changed: what it was, what it is.
pub(crate) fn renumber_vectors(
    tx: &mut Tx<'_>,
    embedder: &EmbedderRecord,
    moved: &[(i64, i64)],
) -> Result<()> {
    // In two steps, since the new number may still be another's old one; numbers below zero are nobody's.
    let lift =
        "UPDATE embedding SET item = -1 - ?4 WHERE agent_id = ?1 AND embedder_id = ?2 AND kind = 'message'
                AND item = ?3";
    let settle = "UPDATE embedding SET item = -1 - item WHERE agent_id = ?1 AND embedder_id = ?2
                  AND kind = 'message' AND item < 0";
    let id = i64::from(embedder.id);
    for (was, is) in moved.iter().filter(|(was, _)| *was < i64::from(embedder.reached)) {
        tx.execute(lift, values![tx.agent_id, id, *was, *is])?;
    }
    tx.execute(settle, values![tx.agent_id, id])?;
    Ok(())
}

/// Sets an embedder to the first message without whole vectors and takes away what is behind it.
pub(crate) fn keep_whole_vectors(tx: &mut Tx<'_>, embedder: &EmbedderRecord) -> Result<()> {
    let whole = whole_vectors(tx, embedder)?;
    let (id, reached) = (i64::from(embedder.id), i64::from(whole.reached));
    let delete = "DELETE FROM embedding WHERE agent_id = ?1 AND embedder_id = ?2 AND kind = 'message'
                  AND (item >= ?3 OR item < 0)";
    tx.execute(delete, values![tx.agent_id, id, reached])?;
    let update = "UPDATE embedder SET reached = ?3, vectors = ?4 WHERE agent_id = ?1 AND embedder_id = ?2";
    tx.execute(update, values![tx.agent_id, id, reached, whole.vectors as i64])?;
    Ok(())
}

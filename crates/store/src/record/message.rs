//! Messages: the one table that an acknowledgement writes.

use super::in_order;
use crate::{
    Result, StoreError, View,
    database::{Connection, Row, Value, values, wide},
};
use cairn_domain::{Day, ExchangeId, Message, MessageId, Role, Time};

/// A message and where it stands: in its session, in its exchange and in the archive.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageRecord {
    /// Its place in the order of recording.
    pub seq: u32,
    /// The message.
    pub message: Message,
    /// The exchange it belongs to.
    pub exchange: ExchangeId,
    /// Which exchange of its session that is, from 0.
    pub exchange_index: u32,
    /// The archive file its line is in.
    pub archive_day: Day,
    /// Which line, from 1.
    pub archive_line: u64,
    pub(crate) place: ArchivePlace,
}

/// Where a line stands in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ArchivePlace {
    pub(crate) day: i64,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
    pub(crate) line: u64,
}

impl ArchivePlace {
    /// The first byte after the line.
    pub(crate) fn end(&self) -> u64 {
        self.offset + self.bytes
    }
}

/// A message that is about to be written, with everything derived from it.
pub(crate) struct NewMessage<'a> {
    pub(crate) seq: i64,
    pub(crate) message: &'a Message,
    pub(crate) session_id: i64,
    pub(crate) thread_id: Option<i64>,
    pub(crate) previous_seq: Option<i64>,
    pub(crate) exchange_seq: i64,
    pub(crate) exchange_index: i64,
    pub(crate) place: ArchivePlace,
}

/// The newest message of a session.
#[derive(Clone)]
pub(crate) struct SessionEnd {
    pub(crate) exchange: ExchangeId,
    pub(crate) seq: i64,
    pub(crate) role: Role,
    pub(crate) exchange_seq: i64,
    pub(crate) exchange_index: i64,
}

/// FNV-1a, 64 bits: the quick comparison before the exact one.
pub(crate) fn fnv1a(text: &str) -> i64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash.cast_signed()
}

/// Writes messages.
pub(crate) fn insert_messages(
    connection: &mut Connection,
    agent_id: i64,
    new: &[NewMessage<'_>],
) -> Result<()> {
    let sql = "INSERT INTO message (agent_id, seq, message_id, source_id, session_id, thread_id, mode, role, speaker,
               said_at, recorded_at, text, text_fnv, metadata, previous_seq, exchange_seq, exchange_index,
               archive_day, archive_offset, archive_bytes, archive_line)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
               ?21)";
    let metadata = |new: &NewMessage<'_>| {
        let metadata = &new.message.metadata;
        (!metadata.is_empty()).then(|| serde_json::Value::from(metadata.clone()).to_string())
    };
    let metadata: Vec<Option<String>> = new.iter().map(metadata).collect();
    let row = |(new, metadata)| {
        let (new, metadata): (&NewMessage<'_>, &Option<String>) = (new, metadata);
        let NewMessage { message, place, .. } = new;
        values![
            agent_id,
            new.seq,
            message.id.bytes().as_slice(),
            message.source_id.as_deref(),
            new.session_id,
            new.thread_id,
            message.mode.as_str(),
            message.role.as_str(),
            message.speaker.as_str(),
            message.at.millis(),
            message.recorded_at.millis(),
            message.text.as_str(),
            fnv1a(&message.text),
            metadata.as_deref(),
            new.previous_seq,
            new.exchange_seq,
            new.exchange_index,
            place.day,
            place.offset as i64,
            place.bytes as i64,
            place.line as i64,
        ]
        .to_vec()
    };
    let rows: Vec<Vec<Value<'_>>> = new.iter().zip(&metadata).map(row).collect();
    connection.execute_each(sql, &rows)
}

/// The seq of each message that is there already.
pub(crate) fn seqs_of(
    connection: &mut Connection,
    agent_id: i64,
    messages: &[Message],
) -> Result<Vec<Option<i64>>> {
    let rows: Vec<Vec<Value<'_>>> =
        messages.iter().map(|message| values![agent_id, message.id.bytes().as_slice()].to_vec()).collect();
    connection.first_of_each(SEQ_OF, &rows, |row| row.int(0))
}

const SEQ_OF: &str = "SELECT seq FROM message WHERE agent_id = ?1 AND message_id = ?2";

/// The seq of the message with this id.
pub(crate) fn seq_of(connection: &mut Connection, agent_id: i64, id: MessageId) -> Result<Option<i64>> {
    connection.first(SEQ_OF, values![agent_id, id.bytes().as_slice()], |row| row.int(0))
}

/// The id of the message at `seq`, and of the exchange it belongs to.
pub(crate) fn ids_at(
    connection: &mut Connection,
    agent_id: i64,
    seq: i64,
) -> Result<Option<(MessageId, ExchangeId)>> {
    let sql = "SELECT m.message_id, opening.message_id FROM message AS m
               JOIN message AS opening ON opening.agent_id = m.agent_id AND opening.seq = m.exchange_seq
               WHERE m.agent_id = ?1 AND m.seq = ?2";
    connection.first(sql, values![agent_id, seq], |row| {
        let (id, opening) = (id_bytes(row.bytes(0)?)?, id_bytes(row.bytes(1)?)?);
        Ok((MessageId::from_bytes(id), ExchangeId::from_bytes(opening)))
    })
}

/// The seq of the newest message and the place of its line.
pub(crate) fn last_place(connection: &mut Connection, agent_id: i64) -> Result<Option<(i64, ArchivePlace)>> {
    let sql = "SELECT seq, archive_day, archive_offset, archive_bytes, archive_line FROM message
               WHERE agent_id = ?1 ORDER BY seq DESC LIMIT 1";
    connection.first(sql, values![agent_id], |row| Ok((row.int(0)?, archive_place(row, 1)?)))
}

/// The newest message of a session.
pub(crate) fn session_end(
    connection: &mut Connection,
    agent_id: i64,
    session_id: i64,
) -> Result<Option<SessionEnd>> {
    let sql = "SELECT m.seq, m.role, m.exchange_seq, m.exchange_index, opening.message_id FROM message AS m
               JOIN message AS opening ON opening.agent_id = m.agent_id AND opening.seq = m.exchange_seq
               WHERE m.agent_id = ?1 AND m.session_id = ?2 ORDER BY m.seq DESC LIMIT 1";
    connection.first(sql, values![agent_id, session_id], |row| {
        Ok(SessionEnd {
            exchange: ExchangeId::from_bytes(id_bytes(row.bytes(4)?)?),
            seq: row.int(0)?,
            role: stored(row.str(1)?)?,
            exchange_seq: row.int(2)?,
            exchange_index: row.int(3)?,
        })
    })
}

/// A message of the same session, sender and words that was recorded at most `window_ms` before: what a
/// retry without an id looks like. Only the newest messages of the session are looked at.
pub(crate) fn duplicate_in_window(
    connection: &mut Connection,
    agent_id: i64,
    session_id: i64,
    message: &Message,
    window_ms: i64,
) -> Result<Option<i64>> {
    let sql =
        "SELECT seq, text FROM (SELECT seq, role, speaker, said_at, recorded_at, text_fnv, text FROM message
                   WHERE agent_id = ?1 AND session_id = ?2 ORDER BY seq DESC LIMIT 256) AS newest
               WHERE text_fnv = ?3 AND role = ?4 AND speaker = ?5 AND recorded_at BETWEEN ?6 AND ?7
               AND said_at = recorded_at";
    let now = message.recorded_at.millis();
    let alike = connection.query(
        sql,
        values![
            agent_id,
            session_id,
            fnv1a(&message.text),
            message.role.as_str(),
            message.speaker.as_str(),
            now - window_ms,
            now + window_ms,
        ],
        |row| Ok((row.int(0)?, row.text(1)?)),
    )?;
    Ok(alike.into_iter().find(|(_, text)| *text == message.text).map(|(seq, _)| seq))
}

/// How many messages there are: the seq of the next one.
pub(crate) fn next_seq(connection: &mut Connection, agent_id: i64) -> Result<u32> {
    let sql = "SELECT MAX(seq) FROM message WHERE agent_id = ?1";
    let newest = connection.first(sql, values![agent_id], |row| row.maybe_int(0))?.flatten();
    Ok(newest.map_or(0, |seq| seq as u32 + 1))
}

/// A message with its session, thread and exchange; what follows goes after it. All three are there: that they are joined as
/// if they might not be keeps SQLite from beginning with the sessions.
macro_rules! select_message {
    ($rest:literal) => {
        concat!(
            "SELECT m.seq, m.message_id, m.source_id, s.name, t.name, m.mode, m.role, m.speaker, m.said_at,
                    m.recorded_at, m.text, m.metadata, m.exchange_index, m.archive_day, m.archive_offset,
                    m.archive_bytes, m.archive_line, opening.message_id
             FROM message AS m
             LEFT JOIN session AS s ON s.agent_id = m.agent_id AND s.session_id = m.session_id
             LEFT JOIN message AS opening ON opening.agent_id = m.agent_id AND opening.seq = m.exchange_seq
             LEFT JOIN thread AS t ON t.agent_id = m.agent_id AND t.thread_id = m.thread_id
             WHERE m.agent_id = ?1 ",
            $rest
        )
    };
}

/// The message at this place in the order of recording.
pub(crate) fn message_at(
    connection: &mut Connection,
    agent_id: i64,
    seq: i64,
) -> Result<Option<MessageRecord>> {
    let sql = select_message!("AND m.seq = ?2");
    connection.first(sql, values![agent_id, seq], read_message)
}

/// At most `limit` messages of an archive day from `seq` on.
pub(crate) fn messages_of_day(
    connection: &mut Connection,
    agent_id: i64,
    day: i64,
    seq: i64,
    limit: i64,
) -> Result<Vec<MessageRecord>> {
    let sql = select_message!("AND m.archive_day = ?2 AND m.seq >= ?3 ORDER BY m.seq LIMIT ?4");
    connection.query(sql, values![agent_id, day, seq, limit], read_message)
}

impl View<'_> {
    /// How many messages there are: the seq of the next one.
    pub fn next_seq(&mut self) -> Result<u32> {
        next_seq(self.connection, self.agent_id)
    }

    /// The `k` messages that were said last, by then if `as_of` says so.
    pub fn newest(&mut self, k: usize, as_of: Option<Time>) -> Result<Vec<MessageRecord>> {
        let after = as_of.map(|as_of| Time::from_millis(as_of.millis() + 1));
        let seqs = self.newest_within(None, after, k)?;
        self.messages_at(&seqs)
    }

    /// The seqs of the `k` messages that were said last, at some moment or later and before another.
    pub fn newest_within(&mut self, from: Option<Time>, before: Option<Time>, k: usize) -> Result<Vec<u32>> {
        if let Some(files) = self.shared.files() {
            return Ok(files
                .keywords
                .caught_up(self.connection, self.agent_id)?
                .newest_within(from, before, k));
        }
        let (from, before) = (from.map_or(i64::MIN, Time::millis), before.map_or(i64::MAX, Time::millis));
        let sql = "SELECT seq FROM message WHERE agent_id = ?1 AND said_at >= ?2 AND said_at < ?3
                   ORDER BY said_at DESC, seq DESC LIMIT ?4";
        let values = values![self.agent_id, from, before, k.try_into().unwrap_or(i64::MAX)];
        self.connection.query(sql, values, |row| Ok(row.int(0)? as u32))
    }

    /// The messages at these places in the order of recording, as they are listed.
    pub fn messages_at(&mut self, seqs: &[u32]) -> Result<Vec<MessageRecord>> {
        let sql = select_message!("AND m.seq = ANY(?2)");
        let wanted = wide(seqs);
        let mut found =
            self.connection.query(sql, values![self.agent_id, wanted.as_slice()], read_message)?;
        in_order(&mut found, seqs, |record| record.seq);
        Ok(found)
    }

    /// The messages with these ids, those that are there.
    pub fn messages_named(&mut self, ids: &[MessageId]) -> Result<Vec<MessageRecord>> {
        let sql = select_message!("AND m.message_id = ?2");
        let rows: Vec<Vec<Value<'_>>> =
            ids.iter().map(|id| values![self.agent_id, id.bytes().as_slice()].to_vec()).collect();
        let found = self.connection.first_of_each(sql, &rows, read_message)?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The message with this id.
    pub fn message(&mut self, id: MessageId) -> Result<Option<MessageRecord>> {
        let sql = select_message!("AND m.message_id = ?2");
        self.connection.first(sql, values![self.agent_id, id.bytes().as_slice()], read_message)
    }

    /// The message at this place in the order of recording.
    pub fn message_at(&mut self, seq: u32) -> Result<Option<MessageRecord>> {
        message_at(self.connection, self.agent_id, i64::from(seq))
    }

    /// The messages of one exchange, in order.
    pub fn exchange(&mut self, id: ExchangeId) -> Result<Vec<MessageRecord>> {
        let sql = select_message!(
            "AND m.session_id = (SELECT session_id FROM message WHERE agent_id = ?1 AND message_id = ?2)
             AND opening.message_id = ?2 ORDER BY m.seq"
        );
        self.connection.query(sql, values![self.agent_id, id.bytes().as_slice()], read_message)
    }

    /// The message before the one at `seq` in its session.
    pub fn message_before(&mut self, seq: u32) -> Result<Option<MessageRecord>> {
        let sql = select_message!(
            "AND m.seq = (SELECT previous_seq FROM message WHERE agent_id = ?1 AND seq = ?2)"
        );
        self.connection.first(sql, values![self.agent_id, i64::from(seq)], read_message)
    }

    /// The `each` messages before and after the one at `seq` in its session, in order, without itself.
    pub fn neighbours(&mut self, seq: u32, each: u32) -> Result<Vec<MessageRecord>> {
        let (seq, each) = (i64::from(seq), i64::from(each));
        let before = select_message!(
            "AND m.session_id = (SELECT session_id FROM message WHERE agent_id = ?1 AND seq = ?2)
             AND m.seq < ?2 ORDER BY m.seq DESC LIMIT ?3"
        );
        let after = select_message!(
            "AND m.session_id = (SELECT session_id FROM message WHERE agent_id = ?1 AND seq = ?2)
             AND m.seq > ?2 ORDER BY m.seq LIMIT ?3"
        );
        let mut messages = self.connection.query(before, values![self.agent_id, seq, each], read_message)?;
        messages.reverse();
        messages.extend(self.connection.query(after, values![self.agent_id, seq, each], read_message)?);
        Ok(messages)
    }

    /// At most `limit` messages of the session called `name`, the last recorded first; of those before the one at `before`,
    /// if that says so.
    pub fn of_session(&mut self, name: &str, before: Option<u32>, limit: u32) -> Result<Vec<MessageRecord>> {
        let sql = select_message!(
            "AND m.session_id = (SELECT session_id FROM session WHERE agent_id = ?1 AND name = ?2)
             AND m.seq < ?3 ORDER BY m.seq DESC LIMIT ?4"
        );
        let before = before.map_or(i64::MAX, i64::from);
        self.connection.query(sql, values![self.agent_id, name, before, i64::from(limit)], read_message)
    }

    /// At most `limit` messages from `seq` on, in the order of recording.
    pub fn messages_from(&mut self, seq: u32, limit: u32) -> Result<Vec<MessageRecord>> {
        let sql = select_message!("AND m.seq >= ?2 ORDER BY m.seq LIMIT ?3");
        self.connection.query(sql, values![self.agent_id, i64::from(seq), i64::from(limit)], read_message)
    }
}

fn read_message(row: &Row<'_>) -> Result<MessageRecord> {
    let place = archive_place(row, 13)?;
    let metadata = row.maybe_text(11)?.map(|text| serde_json::from_str(&text)).transpose();
    let day = Day::from_number(place.day).ok_or_else(|| unreadable(format!("archive day {}", place.day)))?;
    Ok(MessageRecord {
        seq: row.int(0)? as u32,
        message: Message {
            id: MessageId::from_bytes(id_bytes(row.bytes(1)?)?),
            source_id: row.maybe_text(2)?,
            session: row.text(3)?,
            thread: row.maybe_text(4)?,
            mode: stored(row.str(5)?)?,
            role: stored(row.str(6)?)?,
            speaker: row.text(7)?,
            at: Time::from_millis(row.int(8)?),
            recorded_at: Time::from_millis(row.int(9)?),
            text: row.text(10)?,
            metadata: metadata.map_err(|error| unreadable(format!("metadata: {error}")))?.unwrap_or_default(),
        },
        exchange: ExchangeId::from_bytes(id_bytes(row.bytes(17)?)?),
        exchange_index: row.int(12)? as u32,
        archive_day: day,
        archive_line: place.line,
        place,
    })
}

fn archive_place(row: &Row<'_>, from: usize) -> Result<ArchivePlace> {
    Ok(ArchivePlace {
        day: row.int(from)?,
        offset: row.int(from + 1)? as u64,
        bytes: row.int(from + 2)? as u64,
        line: row.int(from + 3)? as u64,
    })
}

pub(super) fn id_bytes(bytes: &[u8]) -> Result<[u8; 16]> {
    bytes.try_into().map_err(|_| unreadable(format!("an id of {} bytes", bytes.len())))
}

/// A word of a closed list, as stored.
pub(super) fn stored<T: std::str::FromStr<Err = cairn_domain::Invalid>>(word: &str) -> Result<T> {
    word.parse().map_err(|invalid: cairn_domain::Invalid| unreadable(invalid.problem))
}

fn unreadable(what: impl std::fmt::Display) -> StoreError {
    StoreError::Damaged {
        problem: format!("the database holds what it should not: {what}"),
        hint: "run `cairn verify`".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    /// covers: W-97
    #[test]
    fn fnv1a_anchors() {
        for (text, hash) in
            [("", 0xcbf2_9ce4_8422_2325_u64), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            assert_eq!(fnv1a(text).cast_unsigned(), hash, "{text}");
        }
    }
}

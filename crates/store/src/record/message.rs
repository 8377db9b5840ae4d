//! Messages: the one table that an acknowledgement writes.

use super::{
    columns::{ColumnReader, StoredRecord, columns, insert_statement, parse_word, unreadable},
    in_order,
};
use crate::{
    Result,
    database::{Row, Value, values, wide},
    transaction::Tx,
};
use cairn_domain::{Day, ExchangeId, Message, MessageId, Metadata, Role};
use std::sync::LazyLock;

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
pub(crate) fn insert_messages(tx: &mut Tx<'_>, new: &[NewMessage<'_>]) -> Result<()> {
    let metadata = |new: &NewMessage<'_>| {
        let metadata = &new.message.metadata;
        (!metadata.is_empty()).then(|| serde_json::Value::from(metadata.clone()).to_string())
    };
    let metadata: Vec<Option<String>> = new.iter().map(metadata).collect();
    let row = |(new, metadata)| {
        let (new, metadata): (&NewMessage<'_>, &Option<String>) = (new, metadata);
        let mut values = values![
            tx.agent_id,
            new.seq,
            new.session_id,
            new.thread_id,
            fnv1a(&new.message.text),
            metadata.as_deref(),
            new.previous_seq,
            new.exchange_seq,
            new.exchange_index,
        ]
        .to_vec();
        values.extend(new.place.column_values());
        values.extend(new.message.column_values());
        values
    };
    let rows: Vec<Vec<Value<'_>>> = new.iter().zip(&metadata).map(row).collect();
    tx.execute_each(&INSERT_MESSAGE, &rows)
}

static INSERT_MESSAGE: LazyLock<String> = LazyLock::new(|| {
    let own = [
        "seq",
        "session_id",
        "thread_id",
        "text_fnv",
        "metadata",
        "previous_seq",
        "exchange_seq",
        "exchange_index",
    ];
    insert_statement("message", &own, &[ArchivePlace::COLUMNS, Message::COLUMNS].concat())
});

columns! {
    message_columns: Message, "message" as "m" {
        id: id "message_id",
        source_id: maybe_text "source_id",
        mode: word "mode",
        role: word "role",
        speaker: text "speaker",
        at: time "said_at",
        recorded_at: time "recorded_at",
        text: text "text",
    } besides { session: String::new(), thread: None, metadata: Metadata::default(), }
}

columns! {
    place_columns: ArchivePlace, "message" as "m" {
        day: number "archive_day",
        offset: count "archive_offset",
        bytes: count "archive_bytes",
        line: count "archive_line",
    }
}

/// The seq of each message that is there already.
pub(crate) fn seqs_of(tx: &mut Tx<'_>, messages: &[Message]) -> Result<Vec<Option<i64>>> {
    let rows: Vec<Vec<Value<'_>>> =
        messages.iter().map(|message| values![tx.agent_id, message.id.bytes().as_slice()].to_vec()).collect();
    tx.first_of_each(SEQ_OF, &rows, |row| row.int(0))
}

const SEQ_OF: &str = "SELECT seq FROM message WHERE agent_id = ?1 AND message_id = ?2";

/// The seq of the message with this id.
pub(crate) fn seq_of(tx: &mut Tx<'_>, id: MessageId) -> Result<Option<i64>> {
    tx.first(SEQ_OF, values![tx.agent_id, id.bytes().as_slice()], |row| row.int(0))
}

/// The id of the message at `seq`, and of the exchange it belongs to.
pub(crate) fn ids_at(tx: &mut Tx<'_>, seq: i64) -> Result<Option<(MessageId, ExchangeId)>> {
    let sql = "SELECT m.message_id, opening.message_id FROM message AS m
               JOIN message AS opening ON opening.agent_id = m.agent_id AND opening.seq = m.exchange_seq
               WHERE m.agent_id = ?1 AND m.seq = ?2";
    tx.first(sql, values![tx.agent_id, seq], |row| {
        let (id, opening) =
            (row.byte_array(0, "message.message_id")?, row.byte_array(1, "message.message_id")?);
        Ok((MessageId::from_bytes(id), ExchangeId::from_bytes(opening)))
    })
}

/// The seq of the newest message and the place of its line.
pub(crate) fn last_place(tx: &mut Tx<'_>) -> Result<Option<(i64, ArchivePlace)>> {
    let sql = concat!(
        "SELECT ",
        place_columns!(),
        ", m.seq FROM message AS m WHERE m.agent_id = ?1 ORDER BY m.seq DESC LIMIT 1"
    );
    tx.first(sql, values![tx.agent_id], |row| {
        let columns = &mut ColumnReader::new(row);
        let place = ArchivePlace::read_columns(columns)?;
        Ok((columns.number()?, place))
    })
}

/// The newest message of a session.
pub(crate) fn session_end(tx: &mut Tx<'_>, session_id: i64) -> Result<Option<SessionEnd>> {
    let sql = "SELECT m.seq, m.role, m.exchange_seq, m.exchange_index, opening.message_id FROM message AS m
               JOIN message AS opening ON opening.agent_id = m.agent_id AND opening.seq = m.exchange_seq
               WHERE m.agent_id = ?1 AND m.session_id = ?2 ORDER BY m.seq DESC LIMIT 1";
    tx.first(sql, values![tx.agent_id, session_id], |row| {
        Ok(SessionEnd {
            exchange: ExchangeId::from_bytes(row.byte_array(4, "message.message_id")?),
            seq: row.int(0)?,
            role: parse_word(row.str(1)?)?,
            exchange_seq: row.int(2)?,
            exchange_index: row.int(3)?,
        })
    })
}

/// A message of the same session, sender and words that was recorded at most `window_ms` before: what a
/// retry without an id looks like. Only the newest messages of the session are looked at.
pub(crate) fn duplicate_in_window(
    tx: &mut Tx<'_>,
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
    let alike = tx.query(
        sql,
        values![
            tx.agent_id,
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
pub(crate) fn next_seq(tx: &mut Tx<'_>) -> Result<u32> {
    let sql = "SELECT MAX(seq) FROM message WHERE agent_id = ?1";
    let newest = tx.first(sql, values![tx.agent_id], |row| row.maybe_int(0))?.flatten();
    Ok(newest.map_or(0, |seq| seq as u32 + 1))
}

/// A message with its session, thread and exchange; what follows goes after it. All three are there: that they are joined as
/// if they might not be keeps SQLite from beginning with the sessions.
macro_rules! select_message {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            place_columns!(),
            ", ",
            message_columns!(),
            ", s.name, t.name, m.metadata, m.seq, opening.message_id, m.exchange_index
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
pub(crate) fn message_at(tx: &mut Tx<'_>, seq: i64) -> Result<Option<MessageRecord>> {
    let sql = select_message!("AND m.seq = ?2");
    tx.first(sql, values![tx.agent_id, seq], read_message)
}

/// At most `limit` messages of an archive day from `seq` on.
pub(crate) fn messages_of_day(tx: &mut Tx<'_>, day: i64, seq: i64, limit: i64) -> Result<Vec<MessageRecord>> {
    let sql = select_message!("AND m.archive_day = ?2 AND m.seq >= ?3 ORDER BY m.seq LIMIT ?4");
    tx.query(sql, values![tx.agent_id, day, seq, limit], read_message)
}

impl Tx<'_> {
    /// How many messages there are: the seq of the next one.
    pub fn next_seq(&mut self) -> Result<u32> {
        next_seq(self)
    }

    /// The messages at these places in the order of recording, as they are listed.
    pub fn messages_at(&mut self, seqs: &[u32]) -> Result<Vec<MessageRecord>> {
        let sql = select_message!("AND m.seq = ANY(?2)");
        let wanted = wide(seqs);
        let mut found = self.query(sql, values![self.agent_id, wanted.as_slice()], read_message)?;
        in_order(&mut found, seqs, |record| record.seq);
        Ok(found)
    }

    /// The messages with these ids, those that are there.
    pub fn messages_named(&mut self, ids: &[MessageId]) -> Result<Vec<MessageRecord>> {
        let sql = select_message!("AND m.message_id = ?2");
        let rows: Vec<Vec<Value<'_>>> =
            ids.iter().map(|id| values![self.agent_id, id.bytes().as_slice()].to_vec()).collect();
        let found = self.first_of_each(sql, &rows, read_message)?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The message with this id.
    pub fn message(&mut self, id: MessageId) -> Result<Option<MessageRecord>> {
        let sql = select_message!("AND m.message_id = ?2");
        self.first(sql, values![self.agent_id, id.bytes().as_slice()], read_message)
    }

    /// The message at this place in the order of recording.
    pub fn message_at(&mut self, seq: u32) -> Result<Option<MessageRecord>> {
        message_at(self, i64::from(seq))
    }

    /// The messages of one exchange, in order.
    pub fn exchange(&mut self, id: ExchangeId) -> Result<Vec<MessageRecord>> {
        let sql = select_message!(
            "AND m.session_id = (SELECT session_id FROM message WHERE agent_id = ?1 AND message_id = ?2)
             AND opening.message_id = ?2 ORDER BY m.seq"
        );
        self.query(sql, values![self.agent_id, id.bytes().as_slice()], read_message)
    }

    /// The message before the one at `seq` in its session.
    pub fn message_before(&mut self, seq: u32) -> Result<Option<MessageRecord>> {
        let sql = select_message!(
            "AND m.seq = (SELECT previous_seq FROM message WHERE agent_id = ?1 AND seq = ?2)"
        );
        self.first(sql, values![self.agent_id, i64::from(seq)], read_message)
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
        let mut messages = self.query(before, values![self.agent_id, seq, each], read_message)?;
        messages.reverse();
        messages.extend(self.query(after, values![self.agent_id, seq, each], read_message)?);
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
        self.query(sql, values![self.agent_id, name, before, i64::from(limit)], read_message)
    }

    /// The first message of the session called `name`.
    pub fn first_of_session(&mut self, name: &str) -> Result<Option<MessageRecord>> {
        let sql = select_message!(
            "AND m.session_id = (SELECT session_id FROM session WHERE agent_id = ?1 AND name = ?2)
             ORDER BY m.seq LIMIT 1"
        );
        self.first(sql, values![self.agent_id, name], read_message)
    }

    /// At most `limit` messages from `seq` on, in the order of recording.
    pub fn messages_from(&mut self, seq: u32, limit: u32) -> Result<Vec<MessageRecord>> {
        let sql = select_message!("AND m.seq >= ?2 ORDER BY m.seq LIMIT ?3");
        self.query(sql, values![self.agent_id, i64::from(seq), i64::from(limit)], read_message)
    }
}

fn read_message(row: &Row<'_>) -> Result<MessageRecord> {
    let columns = &mut ColumnReader::new(row);
    let place = ArchivePlace::read_columns(columns)?;
    let mut message = Message::read_columns(columns)?;
    message.session = columns.text()?;
    message.thread = columns.maybe_text()?;
    if let Some(metadata) = columns.maybe_text()? {
        message.metadata =
            serde_json::from_str(&metadata).map_err(|error| unreadable(format!("metadata: {error}")))?;
    }
    let archive_day =
        Day::from_number(place.day).ok_or_else(|| unreadable(format!("archive day {}", place.day)))?;
    Ok(MessageRecord {
        seq: columns.number()?,
        message,
        exchange: columns.id()?,
        exchange_index: columns.number()?,
        archive_day,
        archive_line: place.line,
        place,
    })
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

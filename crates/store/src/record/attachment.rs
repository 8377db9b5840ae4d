//! Attachments: receipts of files, the turns they appeared in, and the parts by which their text is found.

use super::{
    columns::{StoredRecord, columns, insert_statement, read_record},
    fnv1a,
};
use crate::{
    Result, Store,
    database::{Row, Value, values, wide},
    transaction::Tx,
};
use cairn_cognition::keywords::terms;
use cairn_domain::{Attachment, AttachmentId, AttachmentPart, AttachmentTurn, MessageId};
use std::sync::LazyLock;

/// Parts whose terms are noted at a time.
const NOTED_AT_ONCE: i64 = 500;

columns! {
    attachment_columns: Attachment, "attachment" as "a" {
        id: id "attachment_id",
        kind: word "kind",
        name: text "name",
        mime: text "mime",
        bytes: count "bytes",
        sha256: text "sha256",
        source: maybe_text "source",
        modified_ns: count "modified_ns",
        pages: number "pages",
        width: maybe_number "width",
        height: maybe_number "height",
        text: text "text",
        excerpt: text "excerpt",
        route: text "route",
        note: text "note",
        attached_at: time "attached_at",
    }
}

static INSERT_ATTACHMENT: LazyLock<String> =
    LazyLock::new(|| insert_statement("attachment", &[], Attachment::COLUMNS));

/// A part of an attachment that was found, with what names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentPartRecord {
    /// Its number, higher than those before it.
    pub number: u32,
    /// The attachment's receipt, without its text.
    pub receipt: Attachment,
    /// The part.
    pub part: AttachmentPart,
}

/// Which attachments are meant; all if nothing is named.
#[derive(Debug, Clone, Copy, Default)]
pub struct AttachmentFilter<'a> {
    /// Those that appeared in this session, or in the thread below.
    pub session: Option<&'a str>,
    /// Those that appeared in this thread, or in the session above.
    pub thread: Option<&'a str>,
}

/// A file to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttachment {
    /// The receipt.
    pub attachment: Attachment,
    /// Its text, in parts that can be found.
    pub parts: Vec<AttachmentPart>,
    /// The turn it appears in.
    pub turn: AttachmentTurn,
}

impl Store {
    /// Writes down that files appeared in a turn, all of them or none; durable when this returns. A file that is known keeps
    /// its receipt and gets another turn; if it was read from elsewhere now, that is its source.
    pub async fn attach(&self, files: Vec<NewAttachment>) -> Result<()> {
        let work = move |tx: &mut Tx<'_>| files.iter().try_for_each(|file| attach(tx, file));
        self.writer.run_durably(work).await
    }

    /// Writes down the text of an attachment that had none, with its parts, its route and its note; durable when this returns.
    pub async fn describe_attachment(&self, described: Attachment, parts: Vec<AttachmentPart>) -> Result<()> {
        let work = move |tx: &mut Tx<'_>| match tx.attachment(described.id)? {
            Some(known) if known.text.is_empty() => write_text(tx, &described, &parts),
            Some(_) | None => Ok(()),
        };
        self.writer.run_durably(work).await
    }
}

fn attach(tx: &mut Tx<'_>, file: &NewAttachment) -> Result<()> {
    let NewAttachment { attachment, parts, turn } = file;
    let id = attachment.id.bytes().as_slice();
    match tx.attachment(attachment.id)? {
        None => {
            let mut values = values![tx.agent_id].to_vec();
            values.extend(attachment.column_values());
            tx.execute(&INSERT_ATTACHMENT, &values)?;
            insert_parts(tx, attachment.id, parts)?;
        }
        Some(known) => {
            let sql = "UPDATE attachment SET name = ?3, source = ?4, modified_ns = ?5
                       WHERE agent_id = ?1 AND attachment_id = ?2";
            let source = attachment.source.as_deref();
            let values = values![tx.agent_id, id, attachment.name.as_str(), source, attachment.modified_ns];
            // What came over the network does not take the place of a file that can be looked at.
            if attachment.source.is_some() || known.source.is_none() {
                tx.execute(sql, values)?;
            }
            if known.text.is_empty() && !attachment.text.is_empty() {
                write_text(tx, attachment, parts)?;
            }
        }
    }
    let next =
        "SELECT COALESCE(MAX(place), -1) + 1 FROM attachment_turn WHERE agent_id = ?1 AND attachment_id = ?2";
    let place = tx.first(next, values![tx.agent_id, id], |row| row.int(0))?.unwrap_or(0);
    let sql = "INSERT INTO attachment_turn (agent_id, attachment_id, place, session, thread, message_id, at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let message = turn.message.as_ref().map(|id| id.bytes().as_slice());
    let (session, thread) = (turn.session.as_deref(), turn.thread.as_deref());
    tx.execute(sql, values![tx.agent_id, id, place, session, thread, message, turn.at.millis()]).map(drop)
}

fn write_text(tx: &mut Tx<'_>, attachment: &Attachment, parts: &[AttachmentPart]) -> Result<()> {
    let sql = "UPDATE attachment SET text = ?3, excerpt = ?4, route = ?5, note = ?6, pages = ?7
               WHERE agent_id = ?1 AND attachment_id = ?2";
    let Attachment { text, excerpt, route, note, pages, .. } = attachment;
    let (text, excerpt, route, note) = (text.as_str(), excerpt.as_str(), route.as_str(), note.as_str());
    let id = attachment.id.bytes().as_slice();
    tx.execute(sql, values![tx.agent_id, id, text, excerpt, route, note, i64::from(*pages)])?;
    insert_parts(tx, attachment.id, parts)
}

fn insert_parts(tx: &mut Tx<'_>, id: AttachmentId, parts: &[AttachmentPart]) -> Result<()> {
    let next = "SELECT COALESCE(MAX(number), -1) + 1 FROM attachment_part WHERE agent_id = ?1";
    let first = tx.first(next, values![tx.agent_id], |row| row.int(0))?.unwrap_or(0);
    let sql = "INSERT INTO attachment_part (agent_id, number, attachment_id, place, text) VALUES (?1, ?2, ?3, ?4, ?5)";
    let id = id.bytes().as_slice();
    for (number, part) in (first..).zip(parts) {
        tx.execute(sql, values![tx.agent_id, number, id, part.place.as_str(), part.text.as_str()])?;
        note_terms(tx, number, &part.text)?;
    }
    Ok(())
}

fn note_terms(tx: &mut Tx<'_>, number: i64, text: &str) -> Result<()> {
    let sql = "INSERT INTO attachment_term (agent_id, term, part) VALUES (?1, ?2, ?3)
               ON CONFLICT (agent_id, term, part) DO NOTHING";
    let terms = terms(text);
    let rows: Vec<Vec<Value<'_>>> =
        terms.counts.iter().map(|(term, _)| values![tx.agent_id, fnv1a(term), number].to_vec()).collect();
    tx.execute_each(sql, &rows)
}

/// Notes the terms of every part: a bundle does not carry them.
pub(crate) fn note_attachment_terms(tx: &mut Tx<'_>) -> Result<()> {
    let sql = "SELECT number, text FROM attachment_part WHERE agent_id = ?1 AND number > ?2 ORDER BY number LIMIT ?3";
    let mut last = -1;
    loop {
        let some =
            tx.query(sql, values![tx.agent_id, last, NOTED_AT_ONCE], |row| Ok((row.int(0)?, row.text(1)?)))?;
        let Some((newest, _)) = some.last() else { return Ok(()) };
        last = *newest;
        for (number, text) in &some {
            note_terms(tx, *number, text)?;
        }
    }
}

impl Tx<'_> {
    /// The receipt of an attachment.
    pub fn attachment(&mut self, id: AttachmentId) -> Result<Option<Attachment>> {
        let sql = concat!(
            "SELECT ",
            attachment_columns!(),
            " FROM attachment AS a WHERE a.agent_id = ?1 AND a.attachment_id = ?2"
        );
        self.first(sql, values![self.agent_id, id.bytes().as_slice()], read_record)
    }

    /// At most `limit` attachments, the last to appear first.
    pub fn attachments(&mut self, filter: AttachmentFilter<'_>, limit: u32) -> Result<Vec<Attachment>> {
        let sql = concat!(
            "SELECT ",
            attachment_columns!(),
            " FROM attachment AS a JOIN (SELECT t.attachment_id, MAX(t.at) AS last, MAX(t.place) AS place
              FROM attachment_turn AS t WHERE t.agent_id = ?1 AND (?2 = 1 OR t.session = ?3 OR t.thread = ?4)
              GROUP BY t.attachment_id) AS seen ON seen.attachment_id = a.attachment_id
              WHERE a.agent_id = ?1 ORDER BY seen.last DESC, a.name, a.attachment_id LIMIT ?5"
        );
        let any = i64::from(filter.session.is_none() && filter.thread.is_none());
        let values = values![self.agent_id, any, filter.session, filter.thread, i64::from(limit)];
        self.query(sql, values, read_record)
    }

    /// The turns that an attachment appeared in, the first one first.
    pub fn attachment_turns(&mut self, id: AttachmentId) -> Result<Vec<AttachmentTurn>> {
        let sql = "SELECT session, thread, message_id, at FROM attachment_turn
                   WHERE agent_id = ?1 AND attachment_id = ?2 ORDER BY place";
        self.query(sql, values![self.agent_id, id.bytes().as_slice()], |row| {
            let message = row.maybe_bytes(2)?.and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
            Ok(AttachmentTurn {
                attachment: id,
                session: row.maybe_text(0)?,
                thread: row.maybe_text(1)?,
                message: message.map(MessageId::from_bytes),
                at: cairn_domain::Time::from_millis(row.int(3)?),
            })
        })
    }

    /// Whether the text of any attachment can be found.
    pub fn has_attachment_parts(&mut self) -> Result<bool> {
        let sql = "SELECT 1 FROM attachment_part WHERE agent_id = ?1 LIMIT 1";
        Ok(self.first(sql, values![self.agent_id], |_| Ok(()))?.is_some())
    }

    /// The parts that hold the most of these terms, by number; of equals the newest.
    pub fn attachment_parts_about(&mut self, terms: &[&str], limit: u32) -> Result<Vec<u32>> {
        let hashes: Vec<i64> = terms.iter().map(|term| fnv1a(term)).collect();
        let sql = "SELECT t.part FROM attachment_term AS t WHERE t.agent_id = ?1 AND t.term = ANY(?2)
                   GROUP BY t.part ORDER BY COUNT(*) DESC, t.part DESC LIMIT ?3";
        let values = values![self.agent_id, hashes.as_slice(), i64::from(limit)];
        self.query(sql, values, |row| Ok(row.int(0)? as u32))
    }

    /// Parts by their numbers.
    pub fn attachment_parts_at(&mut self, numbers: &[u32]) -> Result<Vec<AttachmentPartRecord>> {
        let sql = concat!(
            "SELECT ",
            attachment_columns!(),
            ", p.number, p.place, p.text FROM attachment_part AS p JOIN attachment AS a ON a.agent_id = p.agent_id
             AND a.attachment_id = p.attachment_id WHERE p.agent_id = ?1 AND a.agent_id = ?1 AND p.number = ANY(?2)
             ORDER BY p.number"
        );
        let numbers = wide(numbers);
        self.query(sql, values![self.agent_id, numbers.as_slice()], read_part)
    }

    /// The first words of the agent in a session after a message of it, with their id and number.
    pub fn first_answer_after(
        &mut self,
        session: &str,
        message: Option<MessageId>,
        at: cairn_domain::Time,
    ) -> Result<Option<u32>> {
        let sql = "SELECT m.seq FROM message AS m JOIN session AS s
                   ON s.agent_id = m.agent_id AND s.session_id = m.session_id
                   WHERE m.agent_id = ?1 AND s.agent_id = ?1 AND s.name = ?2 AND m.role = 'assistant'
                   AND m.said_at >= ?3 AND m.seq > ?4 ORDER BY m.seq LIMIT 1";
        let known = match message {
            Some(id) => self.message(id)?,
            None => None,
        };
        let (from, after) = known.map_or((at, -1), |known| (known.message.at, i64::from(known.seq)));
        let values = values![self.agent_id, session, from.millis(), after];
        self.first(sql, values, |row| Ok(row.int(0)? as u32))
    }
}

fn read_part(row: &Row<'_>) -> Result<AttachmentPartRecord> {
    let at = Attachment::COLUMNS.len();
    let receipt = Attachment { text: String::new(), ..read_record(row)? };
    let part = AttachmentPart { place: row.text(at + 1)?, text: row.text(at + 2)? };
    Ok(AttachmentPartRecord { number: row.int(at)? as u32, receipt, part })
}

/// The attachments that go with an erasure: those named, and those that appeared only where everything goes.
pub(crate) struct ErasedTurns<'a> {
    /// Messages that go.
    pub(crate) messages: &'a [MessageId],
    /// Of whole sessions and threads.
    pub(crate) session: Option<&'a str>,
    /// The same.
    pub(crate) thread: Option<&'a str>,
    /// Before this moment, in milliseconds.
    pub(crate) before: Option<i64>,
}

/// Attachments all of whose turns go; a turn goes with its message, its session, its thread or its time.
pub(crate) fn attachments_left_without_turns(
    tx: &mut Tx<'_>,
    erased: &ErasedTurns<'_>,
) -> Result<Vec<AttachmentId>> {
    let goes = |turn: &AttachmentTurn| {
        turn.message.is_some_and(|id| erased.messages.contains(&id))
            || (erased.session.is_some() && turn.session.as_deref() == erased.session)
            || (erased.thread.is_some() && turn.thread.as_deref() == erased.thread)
            || erased.before.is_some_and(|before| turn.at.millis() < before)
    };
    let mut gone = Vec::new();
    for id in all_attachments(tx)? {
        if tx.attachment_turns(id)?.iter().all(goes) {
            gone.push(id);
        }
    }
    Ok(gone)
}

/// Every attachment.
pub(crate) fn all_attachments(tx: &mut Tx<'_>) -> Result<Vec<AttachmentId>> {
    let sql = "SELECT attachment_id FROM attachment WHERE agent_id = ?1 ORDER BY attachment_id";
    tx.query(sql, values![tx.agent_id], |row| {
        Ok(AttachmentId::from_bytes(row.byte_array(0, "attachment.attachment_id")?))
    })
}

/// The numbers of an attachment's parts.
pub(crate) fn part_numbers(tx: &mut Tx<'_>, id: AttachmentId) -> Result<Vec<i64>> {
    let sql = "SELECT number FROM attachment_part WHERE agent_id = ?1 AND attachment_id = ?2";
    tx.query(sql, values![tx.agent_id, id.bytes().as_slice()], |row| row.int(0))
}

/// Deletes an attachment with everything that was made of it but the vectors of its parts.
pub(crate) fn delete_attachment(tx: &mut Tx<'_>, id: AttachmentId) -> Result<()> {
    for number in part_numbers(tx, id)? {
        tx.execute(
            "DELETE FROM attachment_term WHERE agent_id = ?1 AND part = ?2",
            values![tx.agent_id, number],
        )?;
    }
    for sql in [
        "DELETE FROM attachment_part WHERE agent_id = ?1 AND attachment_id = ?2",
        "DELETE FROM attachment_turn WHERE agent_id = ?1 AND attachment_id = ?2",
        "DELETE FROM attachment WHERE agent_id = ?1 AND attachment_id = ?2",
    ] {
        tx.execute(sql, values![tx.agent_id, id.bytes().as_slice()])?;
    }
    Ok(())
}

/// Deletes turns in sessions and threads that go; what else names a message that is gone names none.
pub(crate) fn delete_turns(tx: &mut Tx<'_>, erased: &ErasedTurns<'_>) -> Result<()> {
    let of_session = "DELETE FROM attachment_turn WHERE agent_id = ?1 AND session = ?2";
    let of_thread = "DELETE FROM attachment_turn WHERE agent_id = ?1 AND thread = ?2";
    for (sql, name) in [(of_session, erased.session), (of_thread, erased.thread)] {
        if let Some(name) = name {
            tx.execute(sql, values![tx.agent_id, name])?;
        }
    }
    let unnamed = "UPDATE attachment_turn SET message_id = NULL WHERE agent_id = ?1 AND message_id = ?2";
    let rows: Vec<Vec<Value<'_>>> =
        erased.messages.iter().map(|id| values![tx.agent_id, id.bytes().as_slice()].to_vec()).collect();
    tx.execute_each(unnamed, &rows)
}

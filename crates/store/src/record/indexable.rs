//! Messages as the keyword index wants them.

use super::{columns::parse_word, message::NewMessage};
use crate::{Result, database::values, index::keyword::Document, transaction::Tx};
use cairn_cognition::{keywords, log_excerpt::searched_output};
use cairn_domain::{Message, Role, Time};

/// A message in the form that the keyword index keeps.
pub(crate) struct Indexable {
    pub(crate) document: Document,
    pub(crate) terms: Vec<(String, u32)>,
}

/// At most `limit` messages from `seq` on, as the keyword index wants them.
pub(crate) fn indexable_from(tx: &mut Tx<'_>, seq: u32, limit: u32) -> Result<Vec<Indexable>> {
    let sql =
        "SELECT said_at, session_id, thread_id, previous_seq, role, mode, seq, text, speaker FROM message
               WHERE agent_id = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3";
    tx.query(sql, values![tx.agent_id, i64::from(seq), i64::from(limit)], |row| {
        let role: Role = parse_word(row.str(4)?)?;
        let terms = terms_of(row.str(7)?, role, row.str(8)?);
        let document = Document {
            seq: row.int(6)? as u32,
            said_at: Time::from_millis(row.int(0)?),
            session: row.int(1)? as u32,
            thread: row.maybe_int(2)?.map(|id| id as u32),
            previous: row.maybe_int(3)?.map(|seq| seq as u32),
            length: terms.length,
            role,
            mode: parse_word(row.str(5)?)?,
        };
        Ok(Indexable { document, terms: terms.counts })
    })
}

/// The terms of a message: those of its words, and of the name of whoever said them.
fn terms_of(text: &str, role: Role, speaker: &str) -> keywords::Terms {
    let mut terms = match role {
        Role::Tool => keywords::terms(&searched_output(text)),
        Role::User | Role::Assistant | Role::System => keywords::terms(text),
    };
    if speaker != role.as_str() {
        let names = keywords::names(speaker).into_iter();
        terms.counts.extend(names.map(|name| (keywords::speaker_term(&name), 1)));
    }
    terms
}

impl NewMessage<'_> {
    /// The message as the keyword index wants it.
    pub(crate) fn indexable(&self) -> Indexable {
        let Message { text, role, speaker, mode, at, .. } = self.message;
        let terms = terms_of(text, *role, speaker);
        let document = Document {
            seq: self.seq as u32,
            said_at: *at,
            session: self.session_id as u32,
            thread: self.thread_id.map(|id| id as u32),
            previous: self.previous_seq.map(|seq| seq as u32),
            length: terms.length,
            role: *role,
            mode: *mode,
        };
        Indexable { document, terms: terms.counts }
    }
}

//! The writer's memory of its last transaction: where the messages, the sessions and the threads end. One process
//! usually writes one conversation, and asking the database again costs as much as writing to it. As soon as anybody else
//! has written, nothing of it is believed.

use crate::{
    Result,
    archive::LeftOpenFile,
    protected::Marks,
    record::{self, ArchivePlace, SessionEnd, SessionTitle},
    transaction::Tx,
};
use std::collections::HashMap;

/// Names remembered at a time.
const MAX_REMEMBERED_NAMES: usize = 1_024;

/// Facts that save the writer a query.
#[derive(Default)]
pub(crate) struct Memo {
    /// The state of the database that all this was true of.
    version: Option<i64>,
    /// The newest message and its place in the archive.
    last: Option<(i64, ArchivePlace)>,
    /// The archive's file that it was written to.
    pub(crate) left_open: Option<LeftOpenFile>,
    sessions: HashMap<String, Session>,
    threads: HashMap<String, i64>,
    nothing_is_buried: bool,
    /// The key that tombstones are made with, if there are any.
    buried: Option<Marks>,
}

/// A session as a message that joins it needs it.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) id: i64,
    pub(crate) title: SessionTitle,
    pub(crate) end: Option<SessionEnd>,
}

impl Memo {
    /// To be called inside a write transaction: forgets everything if another connection has written since.
    pub(crate) fn begin(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        let version = tx.connection.version()?;
        // A batch may rely on what was remembered for its own messages, so nothing is forgotten on the way.
        let too_many = self.sessions.len().max(self.threads.len()) >= MAX_REMEMBERED_NAMES;
        if self.version != Some(version) || too_many {
            *self = Self { version: Some(version), ..Self::default() };
        }
        Ok(())
    }

    /// Forgets everything: a transaction was rolled back, or something else wrote on the same connection.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The newest message and its place in the archive.
    pub(crate) fn last(&mut self, tx: &mut Tx<'_>) -> Result<Option<(i64, ArchivePlace)>> {
        if self.last.is_none() {
            self.last = record::last_place(tx)?;
        }
        Ok(self.last)
    }

    /// How many messages there are, as far as it is known.
    pub(crate) fn messages(&self) -> i64 {
        self.last.map_or(0, |(seq, _)| seq + 1)
    }

    /// The session called `name`, made if it is missing.
    pub(crate) fn session(&mut self, tx: &mut Tx<'_>, name: &str) -> Result<Session> {
        if let Some(session) = self.sessions.get(name) {
            return Ok(session.clone());
        }
        let session = match record::known_session(tx, name)? {
            Some((id, title)) => Session { id, title, end: record::session_end(tx, id)? },
            None => {
                Session { id: record::insert_session(tx, name)?, title: SessionTitle::Missing, end: None }
            }
        };
        self.sessions.insert(name.to_owned(), session.clone());
        Ok(session)
    }

    /// The number of the thread called `name`, made if it is missing.
    pub(crate) fn thread(&mut self, tx: &mut Tx<'_>, name: &str) -> Result<i64> {
        if let Some(id) = self.threads.get(name) {
            return Ok(*id);
        }
        let id = record::thread_id(tx, name)?;
        self.threads.insert(name.to_owned(), id);
        Ok(id)
    }

    /// How what was erased is known; none if nothing was.
    pub(crate) fn buried(&mut self, tx: &mut Tx<'_>) -> Result<Option<&Marks>> {
        if self.buried.is_none() && !self.nothing_is_buried {
            self.buried = Marks::read(tx)?;
            self.nothing_is_buried = self.buried.is_none();
        }
        Ok(self.buried.as_ref())
    }

    /// A message was written at the end of everything and of its session.
    pub(crate) fn wrote(&mut self, seq: i64, place: ArchivePlace, session: &str, end: Session) {
        self.last = Some((seq, place));
        self.sessions.insert(session.to_owned(), end);
    }
}

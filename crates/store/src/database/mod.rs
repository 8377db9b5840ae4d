//! The small layer between a statement and a database driver: execute, query, transaction over integers,
//! text, bytes and floats. Records are written once above it.
//!
//! Statements number their parameters `?1, ?2 …` and are the same text for both databases, except for the few that use
//! what only one of them has (lists of numbers and vectors on PostgreSQL).

mod migrate;
mod postgres;
#[cfg(test)]
mod retry;
#[cfg(test)]
mod routing;
mod row;
mod server;
mod sqlite;
mod value;

pub(crate) use migrate::{KNOWN, migrate, schema, tables};
pub(crate) use postgres::Postgres;
pub(crate) use row::Row;
pub use server::Server;
pub(crate) use value::{Value, values, wide};

use crate::{Result, StoreError};
use sqlite::Sqlite;
use std::{path::Path, sync::Arc};

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// One unchanging view.
    Read,
    /// Writing, with nobody else writing to this agent.
    Write,
    /// Writing beside others who write to this agent.
    Claim,
}

/// One connection to the database that holds an agent.
pub(crate) enum Connection {
    /// A file of the agent's own.
    Sqlite(Sqlite),
    /// A server that many agents and processes share.
    Postgres(Box<Postgres>),
}

impl Connection {
    /// Opens the file at `path`, creating it if it is missing.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Sqlite::open(path).map(Self::Sqlite)
    }

    /// Connects to a server, to work for the agent called `agent`; with `patience` also to one that is gone for a moment.
    pub(crate) fn connect(server: &Arc<Server>, agent: &str, patience: bool) -> Result<Self> {
        Postgres::connect(server, agent, patience).map(Box::new).map(Self::Postgres)
    }

    /// Makes ready for much reading.
    pub(crate) fn read_much(&mut self) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.read_much(),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// The server, if the database is on one.
    pub(crate) fn postgres(&mut self) -> Option<&mut Postgres> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(postgres) => Some(postgres),
        }
    }

    /// Runs a statement that answers nothing; how many rows it touched.
    pub(crate) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        match self {
            Self::Sqlite(sqlite) => sqlite.execute(sql, values),
            Self::Postgres(postgres) => postgres.execute(sql, values),
        }
    }

    /// Runs a statement whose outcome nobody asks for; on a server without waiting for it. If it fails, so does everything
    /// after it in its transaction, and why is told then.
    pub(crate) fn later(&mut self, sql: &str, values: &[Value<'_>]) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.execute(sql, values).map(drop),
            Self::Postgres(postgres) => postgres.later(sql, values),
        }
    }

    /// Runs a statement once for each row of parameters, without waiting for one before the next is on its way.
    pub(crate) fn execute_each(&mut self, sql: &str, rows: &[Vec<Value<'_>>]) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => rows.iter().try_for_each(|row| sqlite.execute(sql, row).map(drop)),
            Self::Postgres(postgres) => postgres.execute_each(sql, rows),
        }
    }

    /// Every row of an answer.
    pub(crate) fn query<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        match self {
            Self::Sqlite(sqlite) => sqlite.query(sql, values, read),
            Self::Postgres(postgres) => {
                let mut answer = Vec::new();
                postgres.for_each(sql, values, |row| {
                    answer.push(read(row)?);
                    Ok(())
                })?;
                Ok(answer)
            }
        }
    }

    /// The first row of an answer.
    pub(crate) fn first<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        match self {
            Self::Sqlite(sqlite) => sqlite.first(sql, values, read),
            Self::Postgres(postgres) => {
                let (mut read, mut first) = (Some(read), None);
                postgres.for_each(sql, values, |row| {
                    if let Some(read) = read.take() {
                        first = Some(read(row)?);
                    }
                    Ok(())
                })?;
                Ok(first)
            }
        }
    }

    /// The first row of the answer for each row of parameters.
    pub(crate) fn first_of_each<T>(
        &mut self,
        sql: &str,
        rows: &[Vec<Value<'_>>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        match self {
            Self::Sqlite(sqlite) => rows.iter().map(|row| sqlite.first(sql, row, &mut read)).collect(),
            Self::Postgres(postgres) => postgres.first_of_each(sql, rows, read),
        }
    }

    /// Every row of the answer for each row of parameters.
    pub(crate) fn query_each<T>(
        &mut self,
        sql: &str,
        rows: &[Vec<Value<'_>>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        match self {
            Self::Sqlite(sqlite) => rows.iter().map(|row| sqlite.query(sql, row, &mut read)).collect(),
            Self::Postgres(postgres) => postgres.query_each(sql, rows, read),
        }
    }

    /// Several statements in one text, without parameters: for migrations.
    pub(crate) fn script(&mut self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.script(sql),
            Self::Postgres(postgres) => postgres.script(sql),
        }
    }

    /// Runs `work` in a transaction that may write, with nobody else writing to this agent; undone if `work` fails. On
    /// a server it is run again if the connection is lost or the server could not let everybody through.
    pub(crate) fn write<T>(&mut self, work: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        self.transaction(Access::Write, work)
    }

    /// The same for work that does not touch memories, such as taking a lease: on a server it waits for nobody who writes
    /// to this agent.
    pub(crate) fn claim<T>(&mut self, work: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        self.transaction(Access::Claim, work)
    }

    /// Runs `work` on one unchanging view of the database; again, if the connection to a server is lost meanwhile.
    pub(crate) fn read<T>(&mut self, work: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        self.transaction(Access::Read, work)
    }

    fn transaction<T>(&mut self, access: Access, mut work: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        let mut attempt = 0;
        loop {
            let done = self.begin(access).and_then(|()| work(self)).and_then(|value| {
                self.commit()?;
                Ok(value)
            });
            let Err(error) = done else { return done };
            self.roll_back();
            attempt += 1;
            match self.postgres() {
                Some(postgres) if Postgres::may_try_again(&error, attempt) => postgres.mend()?,
                _ => return Err(error),
            }
        }
    }

    fn begin(&mut self, access: Access) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.begin(access),
            Self::Postgres(postgres) => postgres.begin(access),
        }
    }

    fn commit(&mut self) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.commit(),
            Self::Postgres(postgres) => postgres.commit(),
        }
    }

    fn roll_back(&mut self) {
        match self {
            Self::Sqlite(sqlite) => sqlite.roll_back(),
            Self::Postgres(postgres) => postgres.roll_back(),
        }
    }

    /// A number that moves when another connection has written. Only worth something inside a write transaction.
    pub(crate) fn version(&mut self) -> Result<i64> {
        match self {
            Self::Sqlite(sqlite) => sqlite.version(),
            Self::Postgres(postgres) => Ok(postgres.transaction()),
        }
    }

    /// Whether a commit waits until it is on the disk, and what is deleted is overwritten. A server does the first by itself.
    pub(crate) fn sync_fully(&mut self, fully: bool) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.sync_fully(fully),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Moves what is in the write-ahead log into the database file, as far as nobody is in the way. A server does so by
    /// itself.
    pub(crate) fn checkpoint(&mut self) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.checkpoint(),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Gives room back that the database takes and does not need. A server does so by itself.
    pub(crate) fn reclaim(&mut self) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.reclaim(),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// What the database's own check says is broken; empty when nothing is.
    pub(crate) fn quick_check(&mut self) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(sqlite) => sqlite.quick_check(),
            Self::Postgres(_) => Ok(Vec::new()),
        }
    }

    /// A consistent copy of the whole database at `path`, which must not exist.
    pub(crate) fn copy_to(&mut self, path: &Path) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.copy_to(path),
            Self::Postgres(_) => Err(StoreError::Refused {
                problem: "a server's database is not one file".into(),
                hint: "write a bundle with `cairn export`".into(),
            }),
        }
    }
}

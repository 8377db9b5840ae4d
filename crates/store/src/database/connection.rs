//! One connection to a database, whichever driver is behind it, and its transactions.

use super::{
    postgres::PostgresConnection,
    row::Row,
    server::{DatabaseServer, WhenUnreachable},
    sqlite::SqliteConnection,
    transaction_mode::{CommitDurability, TransactionMode},
    value::Value,
};
use crate::error::{Result, StoreError};
use std::{path::Path, sync::Arc, time::Duration};

/// One connection to the database that holds an agent.
pub(crate) enum Connection {
    /// A file of the agent's own.
    Sqlite(SqliteConnection),
    /// A server that many agents and processes share.
    Postgres(Box<PostgresConnection>),
}

impl Connection {
    /// Opens the file at `path`, creating it if it is missing.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        SqliteConnection::open(path).map(Self::Sqlite)
    }

    /// Connects to a server, to work for the agent called `agent`.
    pub(crate) fn connect(server: &Arc<DatabaseServer>, agent: &str, when: WhenUnreachable) -> Result<Self> {
        PostgresConnection::connect(server, agent, when).map(Box::new).map(Self::Postgres)
    }

    /// Trades memory for faster reads. For connections that do not write.
    pub(crate) fn optimize_for_reads(&mut self) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.optimize_for_reads(),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// The PostgreSQL connection, if the database is on a server.
    pub(crate) fn postgres(&mut self) -> Option<&mut PostgresConnection> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(postgres) => Some(postgres),
        }
    }

    /// Runs a statement that returns no rows; the number of rows it changed.
    pub(crate) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        match self {
            Self::Sqlite(sqlite) => sqlite.execute(sql, values),
            Self::Postgres(postgres) => postgres.execute(sql, values),
        }
    }

    /// Runs a statement whose result nobody needs; on a server without waiting for it. If it fails, every later statement of
    /// its transaction fails too, and reports the first cause.
    pub(crate) fn later(&mut self, sql: &str, values: &[Value<'_>]) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.execute(sql, values).map(drop),
            Self::Postgres(postgres) => postgres.execute_deferred(sql, values),
        }
    }

    /// Runs a statement once per row of parameters, pipelined on a server.
    pub(crate) fn execute_each(&mut self, sql: &str, rows: &[Vec<Value<'_>>]) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => rows.iter().try_for_each(|row| sqlite.execute(sql, row).map(drop)),
            Self::Postgres(postgres) => postgres.execute_each(sql, rows),
        }
    }

    /// Every row of the result.
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

    /// The first row of the result.
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

    /// The first row of the result for each row of parameters.
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

    /// Every row of the result for each row of parameters.
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

    /// Runs several statements in one text, without parameters: for migrations.
    pub(crate) fn script(&mut self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.script(sql),
            Self::Postgres(postgres) => postgres.script(sql),
        }
    }

    /// Runs `work` in a transaction that may write, with nobody else writing to this agent; undone if `work` fails. On
    /// a server it is run again if the connection is lost or the server could not let everybody through.
    pub(crate) fn write<T>(&mut self, work: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        self.transaction(TransactionMode::Write, work)
    }

    /// Like [`Self::write`], for work that may be left to somebody else: none, and nothing is done, if nobody can write here at
    /// the moment, since another process holds the lock for longer than `patience`, the disk is full or may only be read.
    pub(crate) fn write_within<T>(
        &mut self,
        patience: Duration,
        work: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Option<T>> {
        if let Self::Sqlite(sqlite) = self {
            sqlite.wait_at_most(Some(patience))?;
        }
        let done = self.write(work);
        if let Self::Sqlite(sqlite) = self {
            sqlite.wait_at_most(None)?;
        }
        match done {
            Err(error) if error.is_unwritable() => Ok(None),
            done => done.map(Some),
        }
    }

    /// The same for work that does not touch memories, such as taking a lease: on a server it waits for nobody who writes
    /// to this agent.
    pub(crate) fn claim<T>(&mut self, work: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        self.transaction(TransactionMode::Claim, work)
    }

    /// Runs `work` on one unchanging view of the database; again, if the connection to a server is lost meanwhile.
    pub(crate) fn read<T>(&mut self, work: impl FnMut(&mut Self) -> Result<T>) -> Result<T> {
        self.transaction(TransactionMode::Read, work)
    }

    fn transaction<T>(
        &mut self,
        access: TransactionMode,
        mut work: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<T> {
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
                Some(postgres) if PostgresConnection::is_retryable(&error, attempt) => {
                    postgres.reconnect()?;
                }
                _ => return Err(error),
            }
        }
    }

    fn begin(&mut self, access: TransactionMode) -> Result<()> {
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

    /// A number that changes when another connection has written. Only meaningful inside a write transaction.
    pub(crate) fn version(&mut self) -> Result<i64> {
        match self {
            Self::Sqlite(sqlite) => sqlite.data_version(),
            Self::Postgres(postgres) => Ok(postgres.transaction_number()),
        }
    }

    /// How much the next commits promise. A server always waits for its disk.
    pub(crate) fn set_durability(&mut self, durability: CommitDurability) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.set_durability(durability),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Moves the write-ahead log into the database file, as far as no reader still needs it. A server does so by itself.
    pub(crate) fn checkpoint(&mut self) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.checkpoint(),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Gives unused pages back to the file system. A server does so by itself.
    pub(crate) fn vacuum(&mut self) -> Result<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.vacuum(),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Problems that the database's own check reports; empty when there are none.
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

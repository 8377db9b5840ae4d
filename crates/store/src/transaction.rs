//! One agent's part of the database. Every statement about an agent runs on a [`Tx`], so that no function is handed a
//! connection and an agent apart and could mix two agents up.

use crate::{
    Result,
    database::{Connection, Row, Value},
};
use std::time::Duration;

/// A transaction that works for one agent: one that writes, or the one behind a [`View`](crate::View). While an agent is
/// being opened it is only the connection, and `write` begins the transaction.
pub struct Tx<'a> {
    pub(crate) connection: &'a mut Connection,
    pub(crate) agent_id: i64,
}

impl<'a> Tx<'a> {
    pub(crate) fn new(connection: &'a mut Connection, agent_id: i64) -> Self {
        Self { connection, agent_id }
    }

    /// The same transaction, lent.
    pub(crate) fn reborrow(&mut self) -> Tx<'_> {
        Tx { connection: self.connection, agent_id: self.agent_id }
    }

    /// Runs `work` in a transaction that may write; see [`Connection::write`].
    pub(crate) fn write<T>(&mut self, mut work: impl FnMut(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        let agent_id = self.agent_id;
        self.connection.write(|connection| work(&mut Tx { connection, agent_id }))
    }

    /// Runs `work` in a transaction that may write, if somebody can write now; see [`Connection::write_within`].
    pub(crate) fn write_within<T>(
        &mut self,
        patience: Duration,
        mut work: impl FnMut(&mut Tx<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let agent_id = self.agent_id;
        self.connection.write_within(patience, |connection| work(&mut Tx { connection, agent_id }))
    }

    /// Runs `work` in a transaction beside others that write; see [`Connection::claim`].
    pub(crate) fn claim<T>(&mut self, mut work: impl FnMut(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        let agent_id = self.agent_id;
        self.connection.claim(|connection| work(&mut Tx { connection, agent_id }))
    }

    /// Whether the database is on a server.
    pub(crate) fn is_on_server(&mut self) -> bool {
        self.connection.postgres().is_some()
    }

    /// See [`Connection::execute`].
    pub(crate) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        self.connection.execute(sql, values)
    }

    /// See [`Connection::later`].
    pub(crate) fn later(&mut self, sql: &str, values: &[Value<'_>]) -> Result<()> {
        self.connection.later(sql, values)
    }

    /// See [`Connection::execute_each`].
    pub(crate) fn execute_each(&mut self, sql: &str, rows: &[Vec<Value<'_>>]) -> Result<()> {
        self.connection.execute_each(sql, rows)
    }

    /// See [`Connection::query`].
    pub(crate) fn query<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.connection.query(sql, values, read)
    }

    /// See [`Connection::first`].
    pub(crate) fn first<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.connection.first(sql, values, read)
    }

    /// See [`Connection::first_of_each`].
    pub(crate) fn first_of_each<T>(
        &mut self,
        sql: &str,
        rows: &[Vec<Value<'_>>],
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        self.connection.first_of_each(sql, rows, read)
    }

    /// See [`Connection::query_each`].
    pub(crate) fn query_each<T>(
        &mut self,
        sql: &str,
        rows: &[Vec<Value<'_>>],
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        self.connection.query_each(sql, rows, read)
    }
}

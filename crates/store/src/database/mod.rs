//! The thin layer between SQL statements and two database drivers: execute, query and transactions over integers, text,
//! bytes and floats. Everything above it is written once for both.
//!
//! In reading order: `value` and `row` go into and come out of a statement; `sqlite` and `postgres` are the drivers;
//! `connection` hides which of them is at work; `server`, `connect` and `pooled` reach a PostgreSQL server and share its
//! connections; `transaction_mode` names the kinds of transactions;
//! `migrate` brings a schema up to date.
//!
//! Statements number their parameters `?1, ?2 …` and are the same text for both databases, except for the few that use
//! what only one of them has (lists of numbers and vectors on PostgreSQL).

mod connect;
mod connection;
mod migrate;
mod pooled;
mod postgres;
#[cfg(test)]
mod retry;
#[cfg(test)]
mod routing;
mod row;
mod server;
mod sqlite;
mod transaction_mode;
mod value;

pub(crate) use connection::Connection;
pub(crate) use migrate::{
    LATEST_SCHEMA, READER_SECURITY, ROW_SECURITY, migrate, schema_version, table_names,
};
pub(crate) use row::Row;
pub use server::DatabaseServer;
pub(crate) use server::WhenUnreachable;
pub(crate) use transaction_mode::CommitDurability;
pub(crate) use value::{Value, values, wide};

//! The small layer between a statement and a database driver: execute, query, transaction over integers,
//! text, bytes and floats. Records are written once above it.
//!
//! Statements number their parameters `?1, ?2 …`. A driver for another database is another file beside
//! `sqlite.rs` and another arm in [`Connection`]; nothing above this folder changes.

mod migrate;
mod sqlite;

pub(crate) use migrate::migrate;
pub(crate) use sqlite::{Connection, Row};

/// A parameter of a statement.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Bytes(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A list of parameters out of anything that is a [`Value`].
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::database::Value::from($value)),*] };
}
pub(crate) use values;

//! Result rows of SQL statements.

use crate::error::{Result, StoreError};
use rusqlite::types::ValueRef;
use std::borrow::Cow;
use tokio_postgres::types::{FromSql, Type};

/// One row of a result. Columns are read by position.
pub(crate) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

impl Row<'_> {
    pub(crate) fn int(&self, column: usize) -> Result<i64> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get::<_, Int>(column)?.0),
        }
    }

    pub(crate) fn bool(&self, column: usize) -> Result<bool> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub(crate) fn float(&self, column: usize) -> Result<f64> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub(crate) fn maybe_int(&self, column: usize) -> Result<Option<i64>> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get::<_, Option<Int>>(column)?.map(|int| int.0)),
        }
    }

    pub(crate) fn maybe_float(&self, column: usize) -> Result<Option<f64>> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub(crate) fn text(&self, column: usize) -> Result<String> {
        self.str(column).map(str::to_owned)
    }

    /// The text of a column, borrowed for as long as the row.
    pub(crate) fn str(&self, column: usize) -> Result<&str> {
        match self {
            Self::Sqlite(row) => Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub(crate) fn maybe_text(&self, column: usize) -> Result<Option<String>> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    /// A column of JSON, as text.
    #[cfg(test)]
    pub(crate) fn json(&self, column: usize) -> Result<String> {
        struct Text(String);
        impl FromSql<'_> for Text {
            fn from_sql(
                _: &Type,
                raw: &[u8],
            ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
                Ok(Self(String::from_utf8(raw.to_vec())?))
            }

            fn accepts(_: &Type) -> bool {
                true
            }
        }
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get::<_, Text>(column)?.0),
        }
    }

    /// The bytes of a column, if it holds any.
    pub(crate) fn maybe_bytes(&self, column: usize) -> Result<Option<&[u8]>> {
        match self {
            Self::Sqlite(row) if row.get_ref(column)? == ValueRef::Null => Ok(None),
            Self::Sqlite(_) => self.bytes(column).map(Some),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    /// The bytes of a column, borrowed for as long as the row.
    pub(crate) fn bytes(&self, column: usize) -> Result<&[u8]> {
        match self {
            Self::Sqlite(row) => match row.get_ref(column)? {
                ValueRef::Blob(bytes) => Ok(bytes),
                other => {
                    let what = format!("{:?} instead of bytes", other.data_type());
                    Err(StoreError::damaged(what, format_args!("column {column} of a row")))
                }
            },
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    /// The half-precision numbers of a vector, as they are kept in files: two bytes each, the lower one first.
    pub(crate) fn halves(&self, column: usize) -> Result<Cow<'_, [u8]>> {
        match self {
            Self::Sqlite(_) => self.bytes(column).map(Cow::Borrowed),
            Self::Postgres(row) => Ok(Cow::Owned(row.try_get::<_, Halves>(column)?.0)),
        }
    }

    /// The bytes of a column that holds an id or a hash of exactly `N` bytes. `at` names its table and column, for the error.
    pub(crate) fn byte_array<const N: usize>(&self, column: usize, at: &str) -> Result<[u8; N]> {
        let bytes = self.bytes(column)?;
        bytes.try_into().map_err(|_| StoreError::damaged(format!("{} bytes instead of {N}", bytes.len()), at))
    }
}

/// A `halfvec` as the server sends it: how many numbers, two unused bytes, then the numbers, the higher byte first.
struct Halves(Vec<u8>);

impl FromSql<'_> for Halves {
    fn from_sql(_: &Type, raw: &[u8]) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        let numbers = raw.get(4..).ok_or("a vector without its length")?;
        Ok(Self(numbers.as_chunks::<2>().0.iter().flat_map(|[high, low]| [*low, *high]).collect()))
    }

    fn accepts(type_: &Type) -> bool {
        type_.name() == "halfvec"
    }
}

/// An integer of any width.
struct Int(i64);

impl FromSql<'_> for Int {
    fn from_sql(
        type_: &Type,
        raw: &[u8],
    ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(match raw.len() {
            2 => i16::from_sql(type_, raw)?.into(),
            4 => i32::from_sql(type_, raw)?.into(),
            _ => i64::from_sql(type_, raw)?,
        }))
    }

    fn accepts(type_: &Type) -> bool {
        matches!(*type_, Type::INT2 | Type::INT4 | Type::INT8)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Connection;
    use crate::StoreError;

    #[test]
    fn an_id_of_the_wrong_length_is_damage_and_no_closed_store() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = Connection::open(&folder.path().join("memory.db")).expect("opened");
        let mut id = |sql: &str| connection.first(sql, &[], |row| row.byte_array::<4>(0, "memory.memory_id"));
        assert_eq!(id("SELECT x'01020304'").expect("an id"), Some([1, 2, 3, 4]));
        for sql in ["SELECT x'010203'", "SELECT x''", "SELECT 'text'"] {
            let error = id(sql).expect_err(sql);
            assert!(matches!(error, StoreError::Damaged { .. }), "{sql}: {error}");
        }
        let error = id("SELECT x'010203'").expect_err("too short");
        assert!(error.to_string().contains("memory.memory_id: 3 bytes instead of 4"), "{error}");
    }
}

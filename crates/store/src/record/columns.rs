//! One list per record says which column holds which field: inserting, selecting and reading all follow it, so that no
//! position is kept in step by hand.

use crate::{
    Result, StoreError,
    database::{Row, Value},
};
use cairn_domain::{Invalid, Time};
use std::{fmt::Display, str::FromStr};

/// A record whose fields are columns. [`columns!`] implements it.
pub(crate) trait StoredRecord: Sized {
    /// The names of its columns, in the order of [`Self::column_values`].
    const COLUMNS: &'static [&'static str];

    /// The values of its columns, to be written.
    fn column_values(&self) -> Vec<Value<'_>>;

    /// The record, from the columns of its list.
    fn read_columns(columns: &mut ColumnReader<'_>) -> Result<Self>;
}

/// Implements [`StoredRecord`] and defines a macro that gives the columns as they are selected. Each field is listed with
/// its kind, which is a method of [`ColumnReader`], and its column. Fields `besides` are in no column of the list: they begin
/// empty, and whoever reads the record fills them in.
macro_rules! columns {
    ($select:ident: $record:ty, $table:literal as $alias:literal {
        $first:ident: $first_kind:ident $first_column:literal,
        $($field:ident: $kind:ident $column:literal,)+
    } $(besides { $($other:ident: $empty:expr,)+ })?) => {
        macro_rules! $select {
            () => { concat!($alias, ".", $first_column $(, ", ", $alias, ".", $column)+) };
        }

        impl $crate::record::columns::StoredRecord for $record {
            const COLUMNS: &'static [&'static str] = &[$first_column, $($column),+];

            fn column_values(&self) -> Vec<$crate::database::Value<'_>> {
                use $crate::record::columns::column_value;
                vec![
                    $crate::database::Value::from(column_value!($first_kind, self.$first)),
                    $($crate::database::Value::from(column_value!($kind, self.$field)),)+
                ]
            }

            fn read_columns(
                columns: &mut $crate::record::columns::ColumnReader<'_>,
            ) -> $crate::Result<Self> {
                Ok(Self {
                    $first: columns.named(concat!($table, ".", $first_column)).$first_kind()?,
                    $($field: columns.named(concat!($table, ".", $column)).$kind()?,)+
                    $($($other: $empty,)+)?
                })
            }
        }
    };
}
pub(crate) use columns;

/// A field as the value of its column, by kind.
macro_rules! column_value {
    (number, $field:expr) => {
        i64::from($field)
    };
    (maybe_number, $field:expr) => {
        $field.map(i64::from)
    };
    (count, $field:expr) => {
        $field as i64
    };
    (maybe_count, $field:expr) => {
        $field.map(|count| count as i64)
    };
    (flag, $field:expr) => {
        i64::from($field)
    };
    (float, $field:expr) => {
        $field
    };
    (text, $field:expr) => {
        $field.as_str()
    };
    (maybe_text, $field:expr) => {
        $field.as_deref()
    };
    (word, $field:expr) => {
        $field.as_str()
    };
    (maybe_word, $field:expr) => {
        $field.map(|word| word.as_str())
    };
    (time, $field:expr) => {
        $field.millis()
    };
    (maybe_time, $field:expr) => {
        $field.map(cairn_domain::Time::millis)
    };
    (id, $field:expr) => {
        $field.bytes().as_slice()
    };
    (bytes, $field:expr) => {
        $field.as_slice()
    };
}
pub(crate) use column_value;

/// `INSERT INTO table (agent_id, first …, then …) VALUES (?1, ?2 …)`.
pub(crate) fn insert_statement(table: &str, first: &[&str], then: &[&str]) -> String {
    let columns: Vec<&str> = ["agent_id"].iter().chain(first).chain(then).copied().collect();
    let placeholders: Vec<String> = (1..=columns.len()).map(|place| format!("?{place}")).collect();
    format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), placeholders.join(", "))
}

/// A record from a row that begins with its columns.
pub(crate) fn read_record<T: StoredRecord>(row: &Row<'_>) -> Result<T> {
    T::read_columns(&mut ColumnReader::new(row))
}

/// Reads the columns of a row, one after the other.
pub(crate) struct ColumnReader<'r> {
    row: &'r Row<'r>,
    next: usize,
    /// The table and column that is read next, for errors.
    name: Option<&'static str>,
}

impl<'r> ColumnReader<'r> {
    pub(crate) fn new(row: &'r Row<'r>) -> Self {
        Self { row, next: 0, name: None }
    }

    /// Says which column of which table is read next.
    pub(crate) fn named(&mut self, name: &'static str) -> &mut Self {
        self.name = Some(name);
        self
    }

    /// The place of the column that is read now, and its name.
    fn next(&mut self) -> (usize, &'static str) {
        self.next += 1;
        (self.next - 1, self.name.take().unwrap_or("a row"))
    }

    pub(crate) fn number<T: TryFrom<i64>>(&mut self) -> Result<T> {
        let (column, name) = self.next();
        in_range(self.row.int(column)?, name)
    }

    pub(crate) fn maybe_number<T: TryFrom<i64>>(&mut self) -> Result<Option<T>> {
        let (column, name) = self.next();
        self.row.maybe_int(column)?.map(|number| in_range(number, name)).transpose()
    }

    /// A number that never comes near the limits of its type.
    pub(crate) fn count<T: TryFrom<i64>>(&mut self) -> Result<T> {
        self.number()
    }

    pub(crate) fn maybe_count<T: TryFrom<i64>>(&mut self) -> Result<Option<T>> {
        self.maybe_number()
    }

    pub(crate) fn flag(&mut self) -> Result<bool> {
        let (column, _) = self.next();
        Ok(self.row.int(column)? == 1)
    }

    pub(crate) fn float(&mut self) -> Result<f64> {
        let (column, _) = self.next();
        self.row.float(column)
    }

    pub(crate) fn str(&mut self) -> Result<&'r str> {
        let (column, _) = self.next();
        self.row.str(column)
    }

    pub(crate) fn text(&mut self) -> Result<String> {
        self.str().map(str::to_owned)
    }

    pub(crate) fn maybe_text(&mut self) -> Result<Option<String>> {
        let (column, _) = self.next();
        self.row.maybe_text(column)
    }

    /// A word of a closed list.
    pub(crate) fn word<T: FromStr<Err = Invalid>>(&mut self) -> Result<T> {
        parse_word(self.str()?)
    }

    pub(crate) fn maybe_word<T: FromStr<Err = Invalid>>(&mut self) -> Result<Option<T>> {
        self.maybe_text()?.map(|word| parse_word(&word)).transpose()
    }

    pub(crate) fn time(&mut self) -> Result<Time> {
        self.number().map(Time::from_millis)
    }

    pub(crate) fn maybe_time(&mut self) -> Result<Option<Time>> {
        Ok(self.maybe_number()?.map(Time::from_millis))
    }

    pub(crate) fn id<T: From<[u8; 16]>>(&mut self) -> Result<T> {
        let (column, name) = self.next();
        self.row.byte_array(column, name).map(T::from)
    }

    pub(crate) fn bytes(&mut self) -> Result<Vec<u8>> {
        let (column, _) = self.next();
        self.row.bytes(column).map(<[u8]>::to_vec)
    }
}

fn in_range<T: TryFrom<i64>>(number: i64, at: &str) -> Result<T> {
    T::try_from(number).map_err(|_| StoreError::damaged(format!("the number {number}"), at))
}

/// A word of a closed list, as stored.
pub(crate) fn parse_word<T: FromStr<Err = Invalid>>(word: &str) -> Result<T> {
    word.parse().map_err(|invalid: Invalid| unreadable(invalid.problem))
}

/// A value that no version of this program writes.
pub(crate) fn unreadable(what: impl Display) -> StoreError {
    StoreError::Damaged {
        problem: format!("the database holds what it should not: {what}"),
        hint: "run `cairn verify`".into(),
    }
}

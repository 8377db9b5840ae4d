//! Parameters of SQL statements.

/// A parameter of a statement, in the few types that both databases share.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Null,
    Int(i64),
    Float(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
    /// A vector of half-precision floats, little endian.
    Halves(&'a [u8]),
    /// A list for `= ANY(?2)`.
    Ints(&'a [i64]),
    /// A list of 32-bit integers; PostgreSQL only.
    ShortInts(&'a [i32]),
}

/// A parameter that owns its data, for statements that are sent later.
#[derive(Debug, Clone)]
pub(crate) enum OwnedValue {
    Null,
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Halves(Vec<u8>),
    Ints(Vec<i64>),
    ShortInts(Vec<i32>),
}

impl From<&Value<'_>> for OwnedValue {
    fn from(value: &Value<'_>) -> Self {
        match *value {
            Value::Null => Self::Null,
            Value::Int(value) => Self::Int(value),
            Value::Float(value) => Self::Float(value),
            Value::Text(value) => Self::Text(value.to_owned()),
            Value::Bytes(value) => Self::Bytes(value.to_vec()),
            Value::Halves(value) => Self::Halves(value.to_vec()),
            Value::Ints(value) => Self::Ints(value.to_vec()),
            Value::ShortInts(value) => Self::ShortInts(value.to_vec()),
        }
    }
}

impl OwnedValue {
    pub(crate) fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Int(value) => Value::Int(*value),
            Self::Float(value) => Value::Float(*value),
            Self::Text(value) => Value::Text(value),
            Self::Bytes(value) => Value::Bytes(value),
            Self::Halves(value) => Value::Halves(value),
            Self::Ints(value) => Value::Ints(value),
            Self::ShortInts(value) => Value::ShortInts(value),
        }
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Float(value)
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

impl<'a> From<&'a [i64]> for Value<'a> {
    fn from(value: &'a [i64]) -> Self {
        Self::Ints(value)
    }
}

impl<'a> From<&'a [i32]> for Value<'a> {
    fn from(value: &'a [i32]) -> Self {
        Self::ShortInts(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Record numbers as a list for `= ANY(?2)`.
pub(crate) fn wide(numbers: &[u32]) -> Vec<i64> {
    numbers.iter().map(|number| i64::from(*number)).collect()
}

/// A parameter list out of anything that converts into a [`Value`].
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::database::Value::from($value)),*] };
}
pub(crate) use values;

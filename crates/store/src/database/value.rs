//! What goes into a statement.

/// A parameter of a statement.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Null,
    Int(i64),
    Float(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
    /// A vector of half-precision floats, little endian.
    Halves(&'a [u8]),
    /// For `= ANY(?2)`.
    Ints(&'a [i64]),
    /// The same, of numbers half as long, where the database has lists of them.
    ShortInts(&'a [i32]),
}

/// A parameter that outlives whoever gave it.
#[derive(Debug, Clone)]
pub(crate) enum Owned {
    Null,
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Halves(Vec<u8>),
    Ints(Vec<i64>),
    ShortInts(Vec<i32>),
}

impl From<&Value<'_>> for Owned {
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

impl Owned {
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

/// Numbers for `= ANY(?2)`.
pub(crate) fn wide(numbers: &[u32]) -> Vec<i64> {
    numbers.iter().map(|number| i64::from(*number)).collect()
}

/// A list of parameters out of anything that is a [`Value`].
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::database::Value::from($value)),*] };
}
pub(crate) use values;

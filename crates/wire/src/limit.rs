//! Limits.

use schemars::JsonSchema;
use serde::Serialize;

/// A bound that a caller can meet.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Limit {
    /// The key in `config.toml`, or the name of a limit that cannot be changed.
    pub name: String,
    /// How much.
    pub value: u64,
    /// Of what: `bytes`, `characters`, `items`, `milliseconds` or `tokens`.
    pub unit: &'static str,
    /// Whether `config.toml` can change it.
    pub changeable: bool,
    /// The quantity it bounds.
    pub about: String,
}

/// Every limit in force.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Limits {
    /// Those that can be changed first.
    pub limits: Vec<Limit>,
}

impl From<&cairn_engine::limits::Limit> for Limit {
    fn from(limit: &cairn_engine::limits::Limit) -> Self {
        Self {
            name: limit.name.clone(),
            value: limit.value,
            unit: limit.unit.as_str(),
            changeable: limit.changeable,
            about: limit.about.clone(),
        }
    }
}

impl<'l> FromIterator<&'l cairn_engine::limits::Limit> for Limits {
    fn from_iter<T: IntoIterator<Item = &'l cairn_engine::limits::Limit>>(limits: T) -> Self {
        Self { limits: limits.into_iter().map(Limit::from).collect() }
    }
}

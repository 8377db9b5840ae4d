//! A row on its way from one store to another.

use super::{
    column_words::{SPELT, WORDS},
    tables::TABLES,
};
use crate::error::StoreError;
use serde_json::Value as Json;

/// A row on its way.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortableRow {
    /// The table it belongs to.
    pub table: String,
    /// Its values, in the order of the table's columns.
    pub row: Vec<Json>,
}

impl PortableRow {
    /// Whether its words cannot be said anew.
    pub fn is_spelt(&self) -> bool {
        SPELT.contains(&self.table.as_str())
    }

    /// Lets `change` say every value anew that holds somebody's words, or was made of them.
    pub fn reword(&mut self, change: impl Fn(&str) -> String) {
        let portable = TABLES.iter().find(|portable| portable.table == self.table);
        let words = WORDS.iter().find(|(table, _)| *table == self.table).map_or(&[][..], |(_, names)| names);
        let columns = portable.map_or(&[][..], |portable| portable.columns);
        for (value, _) in self.row.iter_mut().zip(columns).filter(|(_, (name, _))| words.contains(name)) {
            if let Json::String(text) = value {
                *text = change(text);
            }
        }
    }
}

/// A row that does not fit this schema.
pub(super) fn unfit(what: &str) -> StoreError {
    StoreError::Refused {
        problem: format!("{what} does not fit this version's tables"),
        hint: "write the bundle again with the newest cairn; nothing was taken in".into(),
    }
}

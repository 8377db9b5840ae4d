//! Chroma's database, as far as others keep texts in it: one row a field. Its queue still has deleted texts and is never
//! read.

use crate::{database::CopiedDatabase, error::Result};
use serde_json::{Map, Value};

/// One document of a collection.
pub(crate) struct ChromaDocument {
    pub(crate) collection: String,
    pub(crate) id: String,
    /// Its fields; the text is `chroma:document`.
    pub(crate) fields: Value,
}

/// Every document, collection by collection.
pub(crate) fn documents(database: &CopiedDatabase) -> Result<Vec<ChromaDocument>> {
    let sql = "SELECT c.name AS collection, e.embedding_id AS id, e.id AS row, m.key AS field, \
               m.string_value AS words, m.int_value AS whole, m.float_value AS number, m.bool_value AS flag \
               FROM embeddings e JOIN segments s ON s.id = e.segment_id AND s.scope = 'METADATA' \
               JOIN collections c ON c.id = s.collection \
               LEFT JOIN embedding_metadata m ON m.id = e.id ORDER BY c.name, e.id";
    let mut documents: Vec<ChromaDocument> = Vec::new();
    let mut last = Value::Null;
    database.each(sql, |row| {
        if row["row"] != last {
            last = row["row"].clone();
            let named = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
            let fields = Value::Object(Map::new());
            documents.push(ChromaDocument { collection: named("collection"), id: named("id"), fields });
        }
        let value =
            ["words", "whole", "number"].iter().map(|kind| &row[*kind]).find(|value| !value.is_null());
        let flag = row["flag"].as_i64().map(|flag| Value::Bool(flag != 0));
        if let (Some(document), Some(field)) = (documents.last_mut(), row["field"].as_str()) {
            document.fields[field] = value.cloned().or(flag).unwrap_or(Value::Null);
        }
    })?;
    Ok(documents)
}

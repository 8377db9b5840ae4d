//! Memories on their way from one store to another: the rows that cannot be made again from messages, table by table, as
//! JSON. What can be derived from them (terms, vectors) stays behind and is made anew.

use crate::{
    Result, Store, StoreError, View,
    database::{Connection, Value, values},
    record::memory_state,
    words::insert_terms,
};
use cairn_cognition::keywords::terms;
use serde_json::{Value as Json, json};

/// What a column holds.
#[derive(Clone, Copy)]
enum Kind {
    Int,
    Float,
    Text,
    Bytes,
}
use Kind::{Bytes, Float, Int, Text};

/// A table: its columns, those of its key first, without the agent.
struct Portable {
    table: &'static str,
    key: usize,
    columns: &'static [(&'static str, Kind)],
}

/// In the order in which they refer to each other.
const TABLES: &[Portable] = &[
    Portable {
        table: "memory_state",
        key: 0,
        columns: &[("version", Int), ("next_number", Int), ("next_revision", Int), ("next_entity", Int)],
    },
    Portable {
        table: "memory",
        key: 1,
        columns: &[
            ("number", Int),
            ("memory_id", Bytes),
            ("revision", Int),
            ("form", Text),
            ("category", Text),
            ("status", Text),
            ("tier", Text),
            ("layer", Text),
            ("session", Text),
            ("thread", Text),
            ("mode", Text),
            ("temporal_type", Text),
            ("valid_from", Int),
            ("valid_until", Int),
            ("recorded_at", Int),
            ("superseded_by", Int),
            ("write_source", Text),
            ("data_source", Text),
            ("source_confidence", Float),
            ("source_hash", Text),
            ("privacy", Text),
            ("pinned", Int),
            ("immutable", Int),
            ("flashbulb", Int),
            ("importance", Float),
            ("utility", Float),
            ("utility_at", Int),
            ("storage", Float),
            ("stability", Float),
            ("accesses", Int),
            ("accessed_at", Int),
            ("surfaced", Int),
            ("valence", Float),
            ("arousal", Float),
            ("emotion", Text),
            ("length", Int),
            ("reasons", Text),
        ],
    },
    Portable {
        table: "memory_revision",
        key: 1,
        columns: &[
            ("revision", Int),
            ("number", Int),
            ("text", Text),
            ("verdict", Text),
            ("reason", Text),
            ("written_at", Int),
        ],
    },
    Portable {
        table: "evidence",
        key: 3,
        columns: &[
            ("owner_kind", Text),
            ("owner", Int),
            ("place", Int),
            ("source", Text),
            ("message_id", Bytes),
            ("stance", Text),
            ("weight", Float),
            ("role", Text),
            ("excerpt", Text),
            ("quote_hash", Text),
            ("root", Text),
            ("recorded_at", Int),
        ],
    },
    Portable {
        table: "statement",
        key: 2,
        columns: &[
            ("number", Int),
            ("place", Int),
            ("subject", Text),
            ("attribute", Text),
            ("value", Text),
            ("negated", Int),
            ("single", Int),
            ("confidence", Float),
            ("pending", Int),
            ("message_id", Bytes),
        ],
    },
    Portable {
        table: "relation",
        key: 3,
        columns: &[
            ("from_number", Int),
            ("to_number", Int),
            ("kind", Text),
            ("confidence", Float),
            ("made_by", Text),
            ("reason", Text),
            ("made_at", Int),
        ],
    },
    Portable {
        table: "entity",
        key: 1,
        columns: &[
            ("entity_id", Int),
            ("kind", Text),
            ("slug", Text),
            ("name", Text),
            ("first_seen", Int),
            ("mentions", Int),
        ],
    },
    Portable { table: "entity_alias", key: 1, columns: &[("alias", Text), ("entity_id", Int)] },
    Portable { table: "mention", key: 2, columns: &[("entity_id", Int), ("number", Int)] },
    Portable { table: "cooccurrence", key: 2, columns: &[("one", Int), ("other", Int), ("times", Int)] },
    Portable {
        table: "traversal_pattern",
        key: 1,
        columns: &[("pattern", Text), ("origin", Text), ("tried", Int), ("yielded", Int)],
    },
    Portable {
        table: "synaptic_tag",
        key: 1,
        columns: &[
            ("number", Int),
            ("session", Text),
            ("tagged_at", Int),
            ("ttl_ms", Int),
            ("captured", Int),
        ],
    },
    Portable {
        table: "working_memory",
        key: 2,
        columns: &[
            ("session", Text),
            ("number", Int),
            ("accesses", Int),
            ("added_at", Int),
            ("accessed_at", Int),
        ],
    },
    Portable { table: "given_together", key: 2, columns: &[("one", Int), ("other", Int), ("times", Int)] },
    Portable { table: "rhythm", key: 1, columns: &[("name", Text), ("reached", Int), ("paused_at", Int)] },
    Portable { table: "watermark", key: 1, columns: &[("name", Text), ("reached", Int)] },
    Portable {
        table: "memory_change",
        key: 1,
        columns: &[
            ("change_id", Int),
            ("run", Int),
            ("step", Text),
            ("number", Int),
            ("what", Text),
            ("was", Text),
            ("becomes", Text),
            ("reason", Text),
            ("changed_at", Int),
        ],
    },
    Portable {
        table: "rehearsal",
        key: 1,
        columns: &[("number", Int), ("rehearsed_at", Int), ("times", Int)],
    },
    Portable {
        table: "review",
        key: 1,
        columns: &[
            ("number", Int),
            ("layer", Text),
            ("evaluated_at", Int),
            ("next_review_at", Int),
            ("unchanged", Int),
            ("score", Float),
            ("motivation", Text),
        ],
    },
    Portable {
        table: "digest",
        key: 1,
        columns: &[
            ("number", Int),
            ("digest_id", Bytes),
            ("kind", Text),
            ("scope", Text),
            ("span_from", Int),
            ("span_until", Int),
            ("version", Int),
            ("newest", Int),
            ("text", Text),
            ("inputs", Text),
            ("made_by", Text),
            ("made_at", Int),
        ],
    },
    Portable {
        table: "digest_source",
        key: 2,
        columns: &[("number", Int), ("place", Int), ("source", Text)],
    },
    Portable { table: "topic", key: 1, columns: &[("entity_id", Int), ("parent_id", Int), ("share", Float)] },
    Portable {
        table: "belief",
        key: 1,
        columns: &[
            ("number", Int),
            ("belief_id", Bytes),
            ("kind", Text),
            ("subject_type", Text),
            ("subject_id", Text),
            ("canonical_key", Text),
            ("value", Text),
            ("summary", Text),
            ("detail", Text),
            ("tags", Text),
            ("lane", Text),
            ("status", Text),
            ("confidence", Float),
            ("confidence_parts", Text),
            ("freshness", Float),
            ("last_supported_at", Int),
            ("last_contradicted_at", Int),
            ("revalidation_due_at", Int),
            ("privacy", Text),
            ("supersedes", Int),
            ("created_at", Int),
            ("updated_at", Int),
        ],
    },
    Portable {
        table: "belief_evidence",
        key: 2,
        columns: &[
            ("belief", Int),
            ("place", Int),
            ("memory", Int),
            ("entity_id", Int),
            ("stance", Text),
            ("weight", Float),
            ("role", Text),
            ("excerpt", Text),
            ("quote_hash", Text),
            ("root", Text),
            ("said_at", Int),
            ("recorded_at", Int),
        ],
    },
    Portable { table: "belief_queue", key: 1, columns: &[("number", Int)] },
    Portable {
        table: "receipt",
        key: 1,
        columns: &[
            ("number", Int),
            ("at", Int),
            ("actor", Text),
            ("action", Text),
            ("subject", Text),
            ("told", Bytes),
            ("previous", Bytes),
            ("hash", Bytes),
        ],
    },
    Portable { table: "receipt_detail", key: 1, columns: &[("number", Int), ("detail", Text)] },
    Portable {
        table: "formed",
        key: 1,
        columns: &[("message_id", Bytes), ("formed_at", Int), ("decisions", Text)],
    },
    Portable {
        table: "refinement",
        key: 1,
        columns: &[
            ("message_id", Bytes),
            ("state", Text),
            ("tries", Int),
            ("queued_at", Int),
            ("updated_at", Int),
            ("outcome", Text),
        ],
    },
];

/// A row on its way.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortableRow {
    /// The table it belongs to.
    pub table: String,
    /// Its values, in the order of the table's columns.
    pub row: Vec<Json>,
}

/// Columns that hold somebody's words, or what was made of them.
const WORDS: &[(&str, &[&str])] = &[
    ("memory", &["reasons"]),
    ("memory_revision", &["text", "reason"]),
    ("evidence", &["excerpt"]),
    ("statement", &["subject", "value"]),
    ("relation", &["reason"]),
    ("entity", &["slug", "name"]),
    ("entity_alias", &["alias"]),
    ("memory_change", &["was", "becomes", "reason"]),
    ("review", &["motivation"]),
    ("digest", &["text"]),
    ("formed", &["decisions"]),
    ("refinement", &["outcome"]),
];

/// Tables that spell somebody's words in a way that nothing masks: in keys, or under a hash.
const SPELT: [&str; 5] = ["belief", "belief_evidence", "belief_queue", "receipt", "receipt_detail"];

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

impl View<'_> {
    /// The rows of every table, table by table and by key: the same memories give the same rows in every store.
    pub fn portable_rows(&mut self, mut visit: impl FnMut(PortableRow) -> Result<()>) -> Result<()> {
        for portable in TABLES {
            let columns: Vec<&str> = portable.columns.iter().map(|(name, _)| *name).collect();
            // Words are ordered by their bytes, whatever the database's own idea of order.
            let collate = if self.connection.postgres().is_some() { " COLLATE \"C\"" } else { "" };
            let key = portable.columns[..portable.key].iter().map(|(name, kind)| match kind {
                Text => format!("{name}{collate}"),
                _ => (*name).to_owned(),
            });
            let key: Vec<String> = key.collect();
            let order = if key.is_empty() { String::new() } else { format!(" ORDER BY {}", key.join(", ")) };
            let sql =
                format!("SELECT {} FROM {} WHERE agent_id = ?1{order}", columns.join(", "), portable.table);
            let rows = self.connection.query(&sql, values![self.agent_id], |row| {
                let value = |(at, (_, kind)): (usize, &(&str, Kind))| -> Result<Json> {
                    Ok(match kind {
                        Int => json!(row.maybe_int(at)?),
                        Float => json!(row.float(at)?),
                        Text => json!(row.maybe_text(at)?),
                        Bytes => json!(row.maybe_bytes(at)?.map(hex)),
                    })
                };
                portable.columns.iter().enumerate().map(value).collect::<Result<Vec<Json>>>()
            })?;
            for row in rows {
                visit(PortableRow { table: portable.table.to_owned(), row })?;
            }
        }
        Ok(())
    }
}

impl Store {
    /// Takes in rows that [`View::portable_rows`] gave, all of them or none. False, and nothing is taken in, if there are
    /// memories already: their numbers would not fit together.
    pub async fn take_rows(&self, rows: Vec<PortableRow>) -> Result<bool> {
        let take = move |connection: &mut Connection, shared: &crate::store::Shared| {
            take(connection, shared.agent_id, &rows)
        };
        self.writer.run(take).await
    }
}

fn take(connection: &mut Connection, agent_id: i64, rows: &[PortableRow]) -> Result<bool> {
    let state = memory_state(connection, agent_id)?;
    let formed =
        connection
            .first("SELECT COUNT(*) FROM formed WHERE agent_id = ?1", values![agent_id], |row| row.int(0))?;
    if state.version > 0 || formed.unwrap_or(0) > 0 {
        return Ok(false);
    }
    for PortableRow { table, row } in rows {
        let portable = TABLES.iter().find(|portable| portable.table == table);
        let portable = portable
            .filter(|portable| portable.columns.len() == row.len())
            .ok_or_else(|| unfit(&format!("a row of `{table}` with {} values", row.len())))?;
        insert(connection, agent_id, portable, row)?;
    }
    let sql = "SELECT m.number, r.revision, r.text FROM memory AS m JOIN memory_revision AS r ON r.agent_id = m.agent_id
               AND r.revision = m.revision WHERE m.agent_id = ?1 ORDER BY m.number";
    let texts =
        connection.query(sql, values![agent_id], |row| Ok(((row.int(0)?, row.int(1)?), row.text(2)?)))?;
    for (place, text) in texts {
        insert_terms(connection, agent_id, place, &terms(&text))?;
    }
    Ok(true)
}

fn insert(connection: &mut Connection, agent_id: i64, portable: &Portable, row: &[Json]) -> Result<()> {
    let wrong = || unfit(&format!("a value of `{}`", portable.table));
    let blobs: Vec<Option<Vec<u8>>> = row.iter().map(|value| value.as_str().and_then(unhex)).collect();
    let mut values = vec![Value::Int(agent_id)];
    for ((value, blob), (_, kind)) in row.iter().zip(&blobs).zip(portable.columns) {
        values.push(match (value, kind) {
            (Json::Null, _) => Value::Null,
            (value, Int) => Value::Int(value.as_i64().ok_or_else(wrong)?),
            (value, Float) => Value::Float(value.as_f64().ok_or_else(wrong)?),
            (value, Text) => Value::Text(value.as_str().ok_or_else(wrong)?),
            (_, Bytes) => Value::Bytes(blob.as_deref().ok_or_else(wrong)?),
        });
    }
    let columns: Vec<&str> = portable.columns.iter().map(|(name, _)| *name).collect();
    let places: Vec<String> = (1..=values.len()).map(|at| format!("?{at}")).collect();
    let sql = format!(
        "INSERT INTO {} (agent_id, {}) VALUES ({})",
        portable.table,
        columns.join(", "),
        places.join(", ")
    );
    connection.execute(&sql, &values)?;
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.len().is_multiple_of(2).then(|| digits.chunks(2).map(byte).collect()).flatten()
}

fn unfit(what: &str) -> StoreError {
    StoreError::Refused {
        problem: format!("{what} does not fit this version's tables"),
        hint: "write the bundle again with the newest cairn; nothing was taken in".into(),
    }
}

//! Memories on their way from one store to another: the rows that cannot be made again from messages, table by table, as
//! JSON. What can be derived from them (terms, vectors) stays behind and is made anew.

mod decided;
mod tables;

use crate::{
    BeliefLink, Result, Store, StoreError, View,
    database::{Connection, Value, values},
    record::{insert_receipt, ledger_end, memory_state, note_belief_terms},
    store::Shared,
    words::insert_terms,
};
use Kind::{Bytes, Float, Int, Text};
use cairn_cognition::keywords::terms;
use cairn_domain::{Belief, BeliefLane, Consumer, Receipt, ReceiptAction, ReceiptDetail, Time};
pub use decided::DecidedThere;
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use tables::{Kind, Portable, SPELT, TABLES, WORDS};

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

/// Rows that were taken in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TakenRows {
    /// What an operator had decided where they come from.
    pub decided: DecidedThere,
    /// The receipt that tells what became of that; none if nothing was decided.
    pub receipt: Option<u64>,
}

impl Store {
    /// Takes in rows that [`View::portable_rows`] gave, all of them or none, without what an operator decided where they come
    /// from: nobody here answers for it. What was verified there is a candidate, as well supported as `weigh` says; what was
    /// set there is not. None, and nothing is taken in, if there are memories or receipts already: their numbers would not
    /// fit together.
    pub async fn take_rows(
        &self,
        rows: Vec<PortableRow>,
        weigh: impl Fn(&Belief, &[BeliefLink]) -> Belief + Send + 'static,
        now: Time,
    ) -> Result<Option<TakenRows>> {
        let take = move |connection: &mut Connection, shared: &Shared| {
            let (rows, decided) = decided::without(&rows)?;
            if !take(connection, shared.agent_id, &rows)? {
                return Ok(None);
            }
            decided::weigh_again(
                &mut View { connection, agent_id: shared.agent_id, shared },
                &decided,
                &weigh,
                now,
            )?;
            let told = ReceiptDetail {
                was: decided.in_words(),
                becomes: "candidates, and nothing set".to_owned(),
                reason: "no operator signed in for the import".to_owned(),
                undo: String::new(),
            };
            taken(connection, shared.agent_id, decided, ("import".to_owned(), told), now).map(Some)
        };
        self.writer.run(take).await
    }

    /// Takes in all rows as they are, into a copy of an agent that is thrown away.
    pub async fn copy_rows(&self, rows: Vec<PortableRow>) -> Result<bool> {
        let take = move |connection: &mut Connection, shared: &Shared| {
            let taken = take(connection, shared.agent_id, &rows)?;
            if taken {
                verified(connection, shared.agent_id, &rows)?;
            }
            Ok(taken)
        };
        self.writer.run(take).await
    }
}

/// Takes in all rows with what was decided where they come from: an operator of this home answers for it.
pub(crate) async fn take_decided(
    store: &Store,
    rows: Vec<PortableRow>,
    (actor, reason): (String, String),
    now: Time,
) -> Result<Option<TakenRows>> {
    let take = move |connection: &mut Connection, shared: &Shared| {
        if !take(connection, shared.agent_id, &rows)? {
            return Ok(None);
        }
        verified(connection, shared.agent_id, &rows)?;
        let decided = DecidedThere::of(&rows);
        let (was, becomes) = (decided.in_words(), "taken over".to_owned());
        let told = ReceiptDetail { was, becomes, reason: reason.clone(), undo: String::new() };
        taken(connection, shared.agent_id, decided, (actor.clone(), told), now).map(Some)
    };
    store.writer.run_durably(take).await
}

/// Notes in the ledger what became of what was decided elsewhere, if anything was.
fn taken(
    connection: &mut Connection,
    agent_id: i64,
    decided: DecidedThere,
    (actor, told): (String, ReceiptDetail),
    now: Time,
) -> Result<TakenRows> {
    if decided.is_nothing() {
        return Ok(TakenRows { decided, receipt: None });
    }
    let mut end = ledger_end(connection, agent_id)?;
    let (action, subject) = (ReceiptAction::Import, "bundle".to_owned());
    insert_receipt(
        connection,
        agent_id,
        &mut end,
        Receipt { number: 0, at: now, actor, action, subject, told },
    )?;
    Ok(TakenRows { decided, receipt: Some(end.number) })
}

fn take(connection: &mut Connection, agent_id: i64, rows: &[PortableRow]) -> Result<bool> {
    let state = memory_state(connection, agent_id)?;
    let formed =
        connection
            .first("SELECT COUNT(*) FROM formed WHERE agent_id = ?1", values![agent_id], |row| row.int(0))?;
    if state.version > 0 || formed.unwrap_or(0) > 0 || ledger_end(connection, agent_id)?.number > 0 {
        return Ok(false);
    }
    for PortableRow { table, row } in rows {
        let portable = TABLES.iter().find(|portable| portable.table == table);
        let row = completed(table, row);
        let portable = portable
            .filter(|portable| portable.columns.len() == row.len())
            .ok_or_else(|| unfit(&format!("a row of `{table}` with {} values", row.len())))?;
        insert(connection, agent_id, portable, &row)?;
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

/// A row with what an older bundle does not tell: a belief may be given to everybody.
fn completed<'r>(table: &str, row: &'r [Json]) -> Cow<'r, [Json]> {
    if table == "belief" && row.len() == tables::column("belief", "allowed_consumers") {
        let all = Consumer::ALL.map(Consumer::as_str).join(" ");
        return Cow::Owned(row.iter().cloned().chain([json!(all)]).collect());
    }
    Cow::Borrowed(row)
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
    if let Some(lane) = lane_of(portable) {
        // A belief begins as a candidate; what was verified is verified again when all of them are there.
        values[lane + 1] = Value::Text(BeliefLane::Candidate.as_str());
    }
    // An agent that has erased something itself keeps its own key.
    let known =
        if ["erasure_key", "tombstone"].contains(&portable.table) { " ON CONFLICT DO NOTHING" } else { "" };
    let places: Vec<String> = (1..=values.len()).map(|at| format!("?{at}")).collect();
    let sql = format!(
        "INSERT INTO {} (agent_id, {}) VALUES ({}){known}",
        portable.table,
        columns.join(", "),
        places.join(", ")
    );
    connection.execute(&sql, &values)?;
    Ok(())
}

/// Where the lane of a belief stands in its row.
fn lane_of(portable: &Portable) -> Option<usize> {
    (portable.table == "belief").then(|| tables::column("belief", "lane"))
}

/// Lets beliefs be verified that were so where they come from.
fn verified(connection: &mut Connection, agent_id: i64, rows: &[PortableRow]) -> Result<()> {
    let sql = "UPDATE belief SET lane = 'verified' WHERE agent_id = ?1 AND number = ?2";
    for number in DecidedThere::of(rows).verified {
        connection.execute(sql, values![agent_id, number])?;
    }
    while note_belief_terms(connection, agent_id)? > 0 {}
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

//! Reading the portable rows of a store and writing them into another.

use super::{
    decided::{self, DecidedThere},
    row::{PortableRow, unfit},
    tables::{self, Kind, Portable, TABLES},
};
use crate::{
    BeliefLink, Result, Store,
    database::{Value, values},
    index::vector::half::decode_halves,
    protected::Marks,
    record::{
        EmbedderState, Item, all_attachments, for_each_vector, insert_receipt, insert_revision_terms,
        ledger_end, memory_state, note_attachment_terms, note_belief_terms,
    },
    transaction::Tx,
};
use Kind::{Bytes, Float, Int, Text};
use cairn_cognition::keywords::terms;
use cairn_domain::{
    Belief, BeliefLane, Consumer, Receipt, ReceiptAction, ReceiptDetail, Time, from_hex, to_hex,
};
use serde_json::{Value as Json, json};
use std::{borrow::Cow, ops::Range};

/// Vectors copied at a time.
const COPIED_VECTORS: u32 = 1_024;

impl Tx<'_> {
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
            let rows = self.query(&sql, values![self.agent_id], |row| {
                let value = |(at, (_, kind)): (usize, &(&str, Kind))| -> Result<Json> {
                    Ok(match kind {
                        Int => json!(row.maybe_int(at)?),
                        Float => json!(row.float(at)?),
                        Text => json!(row.maybe_text(at)?),
                        Bytes => json!(row.maybe_bytes(at)?.map(to_hex)),
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
    /// The operator's decisions in the store they come from.
    pub decided: DecidedThere,
    /// The receipt that tells what became of that; none if nothing was decided.
    pub receipt: Option<u64>,
}

impl Store {
    /// Takes in rows that `portable_rows` gave, all of them or none, without what an operator decided where they come
    /// from: nobody here answers for it. What was verified there is a candidate, as well supported as `weigh` says; what was
    /// set there is not. None, and nothing is taken in, if there are memories or receipts already: their numbers would not
    /// fit together.
    pub async fn take_rows(
        &self,
        rows: Vec<PortableRow>,
        weigh: impl Fn(&Belief, &[BeliefLink]) -> Belief + Send + 'static,
        now: Time,
    ) -> Result<Option<TakenRows>> {
        let take = move |tx: &mut Tx<'_>| {
            let (rows, decided) = decided::without(&rows)?;
            if !take(tx, &rows)? {
                return Ok(None);
            }
            decided::weigh_again(tx, &decided, &weigh, now)?;
            let told = ReceiptDetail {
                was: decided.in_words(),
                becomes: "candidates, and nothing set".to_owned(),
                reason: "no operator signed in for the import".to_owned(),
                undo: String::new(),
            };
            note_import(tx, decided, "import".to_owned(), told, now).map(Some)
        };
        let taken = self.writer.run(take).await?;
        self.keep_beside().await;
        Ok(taken)
    }

    /// Takes in all rows as they are, into a copy of an agent that is thrown away.
    pub async fn copy_rows(&self, rows: Vec<PortableRow>) -> Result<bool> {
        let take = move |tx: &mut Tx<'_>| {
            let taken = take(tx, &rows)?;
            if taken {
                verified(tx, &rows)?;
            }
            Ok(taken)
        };
        self.writer.run(take).await
    }

    /// Takes over the vectors of another store's memories from its active embedder, after their rows: what was embedded once
    /// need not be embedded again.
    pub async fn copy_memory_vectors(&self, from: &Self, now: Time) -> Result<()> {
        let active = from.read(|view| view.embedders()).await?;
        let Some(active) = active.into_iter().find(|it| it.state == EmbedderState::Active) else {
            return Ok(());
        };
        let here = self.embedder(active.name, active.dimension, now).await?;
        let mut reached = 0;
        while reached < active.revisions {
            let some = reached..active.revisions.min(reached + COPIED_VECTORS);
            reached = some.end;
            let vectors = from.read(|view| vectors_of_revisions(view, active.id, some.clone())).await?;
            let stands_at = self.read(|view| view.embedders()).await?;
            let stands_at = stands_at.into_iter().find(|it| it.id == here.id).map_or(0, |it| it.revisions);
            self.add_revision_vectors(here.id, stands_at, vectors).await?;
        }
        Ok(())
    }
}

/// Each of these revisions that has a vector, with it.
fn vectors_of_revisions(
    tx: &mut Tx<'_>,
    embedder: u32,
    revisions: Range<u32>,
) -> Result<Vec<(u32, Vec<f32>)>> {
    let mut vectors = Vec::new();
    for_each_vector(tx, embedder, Item::Revision, revisions, |revision, _, halves| {
        vectors.push((revision, decode_halves(halves)));
    })?;
    Ok(vectors)
}

/// Takes in all rows with what was decided where they come from: an operator of this home answers for it.
pub(crate) async fn take_decided(
    store: &Store,
    rows: Vec<PortableRow>,
    actor: String,
    reason: String,
    now: Time,
) -> Result<Option<TakenRows>> {
    let take = move |tx: &mut Tx<'_>| {
        if !take(tx, &rows)? {
            return Ok(None);
        }
        verified(tx, &rows)?;
        let decided = DecidedThere::of(&rows);
        let (was, becomes) = (decided.in_words(), "taken over".to_owned());
        let told = ReceiptDetail { was, becomes, reason: reason.clone(), undo: String::new() };
        note_import(tx, decided, actor.clone(), told, now).map(Some)
    };
    let taken = store.writer.run_durably(take).await?;
    store.keep_beside().await;
    Ok(taken)
}

/// Notes in the ledger what became of what was decided elsewhere, if anything was.
fn note_import(
    tx: &mut Tx<'_>,
    decided: DecidedThere,
    actor: String,
    told: ReceiptDetail,
    now: Time,
) -> Result<TakenRows> {
    if decided.is_nothing() {
        return Ok(TakenRows { decided, receipt: None });
    }
    let mut end = ledger_end(tx)?;
    let (action, subject) = (ReceiptAction::Import, "bundle".to_owned());
    insert_receipt(tx, &mut end, Receipt { number: 0, at: now, actor, action, subject, told })?;
    Ok(TakenRows { decided, receipt: Some(end.number) })
}

fn take(tx: &mut Tx<'_>, rows: &[PortableRow]) -> Result<bool> {
    let state = memory_state(tx)?;
    let formed =
        tx.first("SELECT COUNT(*) FROM formed WHERE agent_id = ?1", values![tx.agent_id], |row| row.int(0))?;
    // Nor into one that has erased words: rows may have been made of them.
    let has_erased = Marks::read(tx)?.is_some();
    // Nor beside attachments: the numbers of their parts would be the same.
    let has_attachments = !all_attachments(tx)?.is_empty();
    if has_attachments
        || state.version > 0
        || formed.unwrap_or(0) > 0
        || ledger_end(tx)?.number > 0
        || has_erased
    {
        return Ok(false);
    }
    for PortableRow { table, row } in rows {
        let portable = TABLES.iter().find(|portable| portable.table == table);
        let row = completed(table, row);
        let portable = portable
            .filter(|portable| portable.columns.len() == row.len())
            .ok_or_else(|| unfit(&format!("a row of `{table}` with {} values", row.len())))?;
        insert(tx, portable, &row)?;
    }
    let sql = "SELECT m.number, r.revision, r.text FROM memory AS m JOIN memory_revision AS r ON r.agent_id = m.agent_id
               AND r.revision = m.revision WHERE m.agent_id = ?1 ORDER BY m.number";
    let texts = tx.query(sql, values![tx.agent_id], |row| Ok((row.int(0)?, row.int(1)?, row.text(2)?)))?;
    for (number, revision, text) in texts {
        insert_revision_terms(tx, number, revision, &terms(&text))?;
    }
    note_attachment_terms(tx)?;
    Ok(true)
}

/// A row with what an older bundle does not tell: a belief may be given to everybody, and a
/// proposal came of no friction.
fn completed<'r>(table: &str, row: &'r [Json]) -> Cow<'r, [Json]> {
    if table == "belief" && row.len() == tables::column("belief", "allowed_consumers") {
        let all = Consumer::ALL.map(Consumer::as_str).join(" ");
        return Cow::Owned(row.iter().cloned().chain([json!(all)]).collect());
    }
    if table == "proposal" && row.len() == tables::column("proposal", "scaffold") {
        return Cow::Owned(row.iter().cloned().chain([Json::Null]).collect());
    }
    Cow::Borrowed(row)
}

fn insert(tx: &mut Tx<'_>, portable: &Portable, row: &[Json]) -> Result<()> {
    let wrong = || unfit(&format!("a value of `{}`", portable.table));
    let blobs: Vec<Option<Vec<u8>>> = row.iter().map(|value| value.as_str().and_then(from_hex)).collect();
    let mut values = vec![Value::Int(tx.agent_id)];
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
    let places: Vec<String> = (1..=values.len()).map(|at| format!("?{at}")).collect();
    let sql = format!(
        "INSERT INTO {} (agent_id, {}) VALUES ({})",
        portable.table,
        columns.join(", "),
        places.join(", ")
    );
    tx.execute(&sql, &values)?;
    Ok(())
}

/// Where the lane of a belief stands in its row.
fn lane_of(portable: &Portable) -> Option<usize> {
    (portable.table == "belief").then(|| tables::column("belief", "lane"))
}

/// Lets beliefs be verified that were so where they come from.
fn verified(tx: &mut Tx<'_>, rows: &[PortableRow]) -> Result<()> {
    let sql = "UPDATE belief SET lane = 'verified' WHERE agent_id = ?1 AND number = ?2";
    for number in DecidedThere::of(rows).verified {
        tx.execute(sql, values![tx.agent_id, number])?;
    }
    while note_belief_terms(tx)? > 0 {}
    Ok(())
}

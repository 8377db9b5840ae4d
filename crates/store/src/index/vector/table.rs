//! Vectors on a server: pgvector compares them. An embedder with few vectors is compared in full; one with many gets an
//! HNSW index of its own, so that a search never walks among another agent's vectors.

use super::half;
use crate::{
    Result,
    context::RepairNotes,
    database::{Value, values},
    index::query::{MessageFilter, NearestQuery, WhereClause, not_finite},
    record::{EmbedderRecord, Item, active_embedder},
    transaction::Tx,
};
use std::collections::HashMap;

/// Minimum vectors for which an index pays off.
const WORTH_AN_INDEX: u64 = 10_000;
/// The most numbers a vector may have to be indexed.
const MAX_INDEXED_DIMENSION: usize = 4_000;
/// For so many messages wanted one more part is looked at: a message counts once, as its best part.
const ONE_MORE_IN: usize = 4;

/// The messages nearest to `near`, best first, with their cosine. What the index does not find because of `filter` is found
/// by comparing all.
pub(crate) fn nearest(
    tx: &mut Tx<'_>,
    embedder: &EmbedderRecord,
    near: NearestQuery<'_>,
    filter: &MessageFilter,
) -> Result<Vec<(u32, f32)>> {
    // A session is a small part of a memory: its vectors are few.
    if filter.session.is_some() {
        return nearest_exact(tx, embedder, near, filter);
    }
    let wanted = wanted(embedder, near);
    let parts = search(tx, embedder, near, filter, "")?;
    if parts.len() < wanted {
        return nearest_exact(tx, embedder, near, filter);
    }
    Ok(best_messages(parts, near))
}

/// The same without an index.
pub(crate) fn nearest_exact(
    tx: &mut Tx<'_>,
    embedder: &EmbedderRecord,
    near: NearestQuery<'_>,
    filter: &MessageFilter,
) -> Result<Vec<(u32, f32)>> {
    Ok(best_messages(search(tx, embedder, near, filter, " + 0")?, near))
}

/// The revisions of memories nearest to a vector, best first, with their cosine.
pub(crate) fn nearest_revisions(tx: &mut Tx<'_>, vector: &[f32], n: usize) -> Result<Vec<(u32, f32)>> {
    let Some(embedder) = active_embedder(tx)? else { return Ok(Vec::new()) };
    let EmbedderRecord { id, dimension, .. } = embedder.record;
    let query = half::encode_halves(vector).ok_or_else(not_finite)?;
    let distance = format!("vector::halfvec({dimension}) <=> ?2::halfvec({dimension})");
    let agent_id = tx.agent_id;
    // As in `search`: the index belongs to one embedder of one agent.
    let sql = format!(
        "SELECT item, 1 - ({distance}) FROM embedding WHERE agent_id = {agent_id} AND ?1 = {agent_id}
         AND embedder_id = {id} AND kind = 'memory' ORDER BY {distance} LIMIT {n}"
    );
    let values = [Value::Int(tx.agent_id), Value::Halves(&query)];
    let mut near = tx.query(&sql, &values, |row| Ok((row.int(0)? as u32, row.float(1)? as f32)))?;
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Ok(near)
}

/// How many parts of messages are looked at.
fn wanted(embedder: &EmbedderRecord, near: NearestQuery<'_>) -> usize {
    near.n.saturating_add(near.n / ONE_MORE_IN).min(embedder.vectors as usize)
}

/// The best messages of some parts, best first.
fn best_messages(parts: Vec<(u32, u32, f32)>, near: NearestQuery<'_>) -> Vec<(u32, f32)> {
    let mut best: Vec<(u32, f32)> = best_parts(parts, near.later_part_penalty).into_iter().collect();
    best.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    best.truncate(near.n);
    best
}

/// Message, part and cosine of the nearest vectors. With something added to the distance no index can be used.
fn search(
    tx: &mut Tx<'_>,
    embedder: &EmbedderRecord,
    near: NearestQuery<'_>,
    filter: &MessageFilter,
    added: &str,
) -> Result<Vec<(u32, u32, f32)>> {
    let EmbedderRecord { id, dimension, .. } = embedder;
    let (query, wanted) = (half::encode_halves(near.vector).ok_or_else(not_finite)?, wanted(embedder, near));
    let mut clauses = WhereClause::new("k", tx.agent_id);
    clauses.also(Value::Halves(&query));
    clauses.admit(filter);
    let (clauses, values) = clauses.finish();
    let join = if filter.filters() {
        format!("JOIN keyword AS k ON k.seq = e.item AND {clauses}")
    } else {
        String::new()
    };
    let distance = format!("e.vector::halfvec({dimension}) <=> ?2::halfvec({dimension})");
    let agent_id = tx.agent_id;
    // The index belongs to one embedder of one agent, so that the statement has to name both.
    let sql = format!(
        "SELECT e.item, e.part, 1 - ({distance}) FROM embedding AS e {join}
         WHERE e.agent_id = {agent_id} AND ?1 = {agent_id} AND e.embedder_id = {id} AND e.kind = 'message'
         ORDER BY ({distance}){added} LIMIT {wanted}"
    );
    tx.query(&sql, &values, |row| Ok((row.int(0)? as u32, row.int(1)? as u32, row.float(2)? as f32)))
}

/// The cosines of some messages.
pub(crate) fn cosines(
    tx: &mut Tx<'_>,
    embedder: &EmbedderRecord,
    near: NearestQuery<'_>,
    seqs: &[u32],
) -> Result<HashMap<u32, f32>> {
    let query = half::encode_halves(near.vector).ok_or_else(not_finite)?;
    let seqs: Vec<i64> = seqs.iter().map(|seq| i64::from(*seq)).collect();
    let sql = "SELECT item, part, 1 - (vector <=> ?4::halfvec) FROM embedding WHERE agent_id = ?1 AND embedder_id = ?2
               AND kind = 'message' AND item = ANY(?3)";
    let values = [
        Value::Int(tx.agent_id),
        Value::Int(i64::from(embedder.id)),
        Value::Ints(&seqs),
        Value::Halves(&query),
    ];
    let parts =
        tx.query(sql, &values, |row| Ok((row.int(0)? as u32, row.int(1)? as u32, row.float(2)? as f32)))?;
    Ok(best_parts(parts, near.later_part_penalty))
}

/// A message counts as its best part.
fn best_parts(parts: Vec<(u32, u32, f32)>, later_part_penalty: f32) -> HashMap<u32, f32> {
    let mut best: HashMap<u32, f32> = HashMap::with_capacity(parts.len());
    for (seq, part, cosine) in parts {
        let worth = if part == 0 { cosine } else { cosine - later_part_penalty };
        let so_far = best.entry(seq).or_insert(worth);
        *so_far = so_far.max(worth);
    }
    best
}

/// The name of an embedder's index over messages, or over memories.
fn index_name(agent_id: i64, embedder: u32, item: Item) -> String {
    match item {
        Item::Message => format!("embedding_of_{agent_id}_{embedder}"),
        Item::Revision => format!("embedding_of_memories_{agent_id}_{embedder}"),
    }
}

/// The statement that makes such an index.
pub(crate) fn index_statement(table: &str, agent_id: i64, embedder: &EmbedderRecord, item: Item) -> String {
    let EmbedderRecord { id, dimension, .. } = embedder;
    format!(
        "CREATE INDEX CONCURRENTLY {} ON {table} USING hnsw ((vector::halfvec({dimension})) halfvec_cosine_ops)
         WITH (m = 16, ef_construction = 128) WHERE agent_id = {agent_id} AND embedder_id = {id} AND kind = '{}'",
        index_name(agent_id, *id, item),
        item.as_str()
    )
}

/// Over what an embedder has enough vectors to deserve an index, and has none that answers.
pub(crate) fn missing_indexes(tx: &mut Tx<'_>, embedder: &EmbedderRecord) -> Result<Vec<Item>> {
    let mut missing = Vec::new();
    for (item, vectors) in
        [(Item::Message, embedder.vectors), (Item::Revision, u64::from(embedder.revisions))]
    {
        if vectors < WORTH_AN_INDEX || embedder.dimension > MAX_INDEXED_DIMENSION {
            continue;
        }
        let sql = "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(current_schema() || '.' || ?1) AND indisvalid";
        let name = index_name(tx.agent_id, embedder.id, item);
        if tx.first(sql, values![name.as_str()], |_| Ok(()))?.is_none() {
            missing.push(item);
        }
    }
    Ok(missing)
}

/// Gives every embedder that deserves one its index. Outside of any transaction; others go on reading and writing.
pub(crate) fn tend(tx: &mut Tx<'_>, embedders: &[EmbedderRecord], notes: &RepairNotes) -> Result<()> {
    let mut missing = Vec::new();
    for embedder in embedders {
        let items = missing_indexes(tx, embedder)?;
        missing.extend(items.into_iter().map(|item| (embedder, item)));
    }
    for (embedder, item) in missing {
        // The part of the table that holds this agent.
        let sql =
            "SELECT CAST(CAST(tableoid AS regclass) AS TEXT) FROM embedding WHERE agent_id = ?1 LIMIT 1";
        let Some(table) = tx.first(sql, values![tx.agent_id], |row| row.text(0))? else { continue };
        let statement = index_statement(&table, tx.agent_id, embedder, item);
        let name = index_name(tx.agent_id, embedder.id, item);
        let Some(postgres) = tx.connection.postgres() else { return Ok(()) };
        // First what is left of one that was not finished.
        let unfinished = format!("DROP INDEX CONCURRENTLY IF EXISTS {name}");
        match postgres.run_long_statements(&[&unfinished, &statement]) {
            Err(error) if error.server_code() == Some("42501") => notes.add(format!(
                "this database user may not make an index over the vectors, and searching them is slow without one; its \
                 owner can: {statement}"
            )),
            made => made?,
        }
    }
    Ok(())
}

/// Takes the indexes of an embedder away.
pub(crate) fn forget_embedder(tx: &mut Tx<'_>, embedder: u32) -> Result<()> {
    for item in [Item::Message, Item::Revision] {
        tx.connection.script(&format!("DROP INDEX IF EXISTS {}", index_name(tx.agent_id, embedder, item)))?;
    }
    Ok(())
}

//! Keys on a server: a small table that every process of a home, and every home of a database, shares. What a key is and
//! opens stands in its text; this only keeps it.

use crate::{
    Result, Server,
    database::{Connection, values},
    worker::on_another_thread,
};
use std::sync::Arc;

/// Whoever makes the table holds this lock, so that two do not at once.
const LOCK: i64 = 0x6361_6972_6e01;

/// Every key on a server: its id and its text.
pub async fn keys_on(server: Arc<Server>) -> Result<Vec<(String, String)>> {
    on_another_thread(move || {
        let mut connection = connect(&server)?;
        connection
            .query("SELECT id, kept FROM access_key ORDER BY id", &[], |row| Ok((row.text(0)?, row.text(1)?)))
    })
    .await
}

/// Keeps a key; one with the same id is replaced only if `replace` says so. Whether it was kept.
pub async fn put_key_on(server: Arc<Server>, id: String, kept: String, replace: bool) -> Result<bool> {
    on_another_thread(move || {
        let sql = if replace {
            "INSERT INTO access_key (id, kept) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET kept = excluded.kept"
        } else {
            "INSERT INTO access_key (id, kept) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING"
        };
        Ok(connect(&server)?.execute(sql, values![id.as_str(), kept.as_str()])? == 1)
    })
    .await
}

/// A connection that finds the table there.
fn connect(server: &Arc<Server>) -> Result<Connection> {
    let mut connection = Connection::connect(server, "", false)?;
    let there = "SELECT COUNT(*) FROM pg_class WHERE relname = 'access_key'
                 AND relnamespace = current_schema()::regnamespace";
    if connection.first(there, &[], |row| row.int(0))? == Some(0) {
        connection.claim(|connection| {
            connection.script(&format!(
                "SELECT pg_advisory_xact_lock({LOCK});
                 CREATE TABLE IF NOT EXISTS access_key (id TEXT NOT NULL PRIMARY KEY, kept TEXT NOT NULL)"
            ))
        })?;
    }
    Ok(connection)
}

//! Access keys on a database server: a small table that every process of a home, and every home of a database, shares. What a
//! key opens is in its text, which this module does not interpret.

use crate::{
    database::{Connection, DatabaseServer, WhenUnreachable, values},
    error::Result,
    threads::run_on_blocking_thread,
};
use std::sync::Arc;

/// The advisory lock held while the table is created, so that two processes do not create it at once.
const TABLE_LOCK_ID: i64 = 0x6361_6972_6e01;

/// Every access key on a server: its id and its text.
pub async fn list_access_keys(server: Arc<DatabaseServer>) -> Result<Vec<(String, String)>> {
    run_on_blocking_thread(move || {
        let mut connection = connect_with_table(&server)?;
        connection
            .query("SELECT id, kept FROM access_key ORDER BY id", &[], |row| Ok((row.text(0)?, row.text(1)?)))
    })
    .await
}

/// Stores an access key unless there is one with the same id.
pub async fn insert_access_key(server: Arc<DatabaseServer>, id: String, text: String) -> Result<()> {
    let sql = "INSERT INTO access_key (id, kept) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING";
    write_access_key(server, sql, id, text).await
}

/// Stores an access key, in place of one with the same id.
pub async fn put_access_key(server: Arc<DatabaseServer>, id: String, text: String) -> Result<()> {
    let sql = "INSERT INTO access_key (id, kept) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET kept = excluded.kept";
    write_access_key(server, sql, id, text).await
}

async fn write_access_key(
    server: Arc<DatabaseServer>,
    sql: &'static str,
    id: String,
    text: String,
) -> Result<()> {
    run_on_blocking_thread(move || {
        connect_with_table(&server)?.execute(sql, values![id.as_str(), text.as_str()]).map(drop)
    })
    .await
}

/// A connection to a database that has the table.
fn connect_with_table(server: &Arc<DatabaseServer>) -> Result<Connection> {
    let mut connection = Connection::connect(server, "", WhenUnreachable::Fail)?;
    let tables = "SELECT COUNT(*) FROM pg_class WHERE relname = 'access_key'
                  AND relnamespace = current_schema()::regnamespace";
    if connection.first(tables, &[], |row| row.int(0))? == Some(0) {
        connection.claim(|connection| {
            connection.script(&format!(
                "SELECT pg_advisory_xact_lock({TABLE_LOCK_ID});
                 CREATE TABLE IF NOT EXISTS access_key (id TEXT NOT NULL PRIMARY KEY, kept TEXT NOT NULL)"
            ))
        })?;
    }
    Ok(connection)
}

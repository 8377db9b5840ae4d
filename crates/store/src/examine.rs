//! What a doctor asks a server.

use crate::{
    EmbedderRecord, Result, Server,
    database::{Connection, KNOWN, schema, values},
    record,
    vector::table,
    worker::on_another_thread,
};
use cairn_domain::AgentName;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// How a server stands, as far as one agent is concerned.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerReport {
    /// What it calls its version.
    pub version: String,
    /// The same as a number: 160004 is 16.4.
    pub version_number: i64,
    /// How long it takes to answer, half of the time.
    pub latency: Duration,
    /// The version of the extension `vector` in the database, and the one that the server could add.
    pub extension: (Option<String>, Option<String>),
    /// The schema of the database (0 if it is empty) and the newest that this program knows.
    pub schema: (i64, i64),
    /// Indexes that were never finished.
    pub unfinished_indexes: Vec<String>,
    /// Statements that would make indexes which are worth having.
    pub missing_indexes: Vec<String>,
    /// Settings and what they are on a connection of this program.
    pub settings: Vec<(String, String)>,
    /// Connections in use, and how many there may be.
    pub connections: (i64, i64),
    /// Whether this user is above row-level security.
    pub above_walls: bool,
    /// Tables without row-level security.
    pub open_tables: Vec<String>,
}

/// The settings worth a look.
const SETTINGS: [&str; 7] = [
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "hnsw.ef_search",
    "hnsw.iterative_scan",
    "work_mem",
    "maintenance_work_mem",
];
/// Questions to tell how long an answer takes.
const PINGS: usize = 9;

/// Looks at a server without changing anything on it.
pub async fn examine(server: Arc<Server>, agent: AgentName) -> Result<ServerReport> {
    on_another_thread(move || look(&server, &agent)).await
}

fn look(server: &Arc<Server>, agent: &AgentName) -> Result<ServerReport> {
    let mut connection = Connection::connect(server, agent.as_str(), false)?;
    let connection = &mut connection;
    let mut pings = Vec::with_capacity(PINGS);
    for _ in 0..PINGS {
        let begun = Instant::now();
        connection.first("SELECT 1", &[], |_| Ok(()))?;
        pings.push(begun.elapsed());
    }
    pings.sort_unstable();
    let found = schema(connection)?;
    let version =
        "SELECT current_setting('server_version'), CAST(current_setting('server_version_num') AS BIGINT)";
    let version = connection.first(version, &[], |row| Ok((row.text(0)?, row.int(1)?)))?;
    let (version, version_number) = version.unwrap_or_default();
    let extension = "SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
                     (SELECT default_version FROM pg_available_extensions WHERE name = 'vector')";
    let extension = connection.first(extension, &[], |row| Ok((row.maybe_text(0)?, row.maybe_text(1)?)))?;
    let unfinished = "SELECT CAST(CAST(indexrelid AS regclass) AS TEXT) FROM pg_index JOIN pg_class AS c ON c.oid = indexrelid
                      WHERE NOT indisvalid AND c.relnamespace = current_schema()::regnamespace ORDER BY 1";
    let connections = "SELECT (SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
                       CAST(current_setting('max_connections') AS BIGINT)";
    let above = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user";
    let open = "SELECT CAST(CAST(c.oid AS regclass) AS TEXT) FROM pg_class AS c
                JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'agent_id'
                WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace AND NOT c.relrowsecurity
                ORDER BY 1";
    Ok(ServerReport {
        version,
        version_number,
        latency: pings[PINGS / 2],
        extension: extension.unwrap_or_default(),
        schema: (found, KNOWN),
        unfinished_indexes: connection.query(unfinished, &[], |row| row.text(0))?,
        missing_indexes: if found == KNOWN { missing_indexes(connection, agent)? } else { Vec::new() },
        settings: settings(connection)?,
        connections: connection
            .first(connections, &[], |row| Ok((row.int(0)?, row.int(1)?)))?
            .unwrap_or_default(),
        above_walls: connection.first(above, &[], |row| row.bool(0))?.unwrap_or_default(),
        open_tables: connection.query(open, &[], |row| row.text(0))?,
    })
}

fn settings(connection: &mut Connection) -> Result<Vec<(String, String)>> {
    let mut settings = Vec::with_capacity(SETTINGS.len());
    for name in SETTINGS {
        let sql = "SELECT current_setting(?1, true)";
        let value = connection.first(sql, values![name], |row| row.maybe_text(0))?.flatten();
        settings.push((name.to_owned(), value.unwrap_or_default()));
    }
    Ok(settings)
}

fn missing_indexes(connection: &mut Connection, agent: &AgentName) -> Result<Vec<String>> {
    let Some(agent_id) = record::agent_id(connection, agent)? else { return Ok(Vec::new()) };
    let embedders = record::embedders(connection, agent_id)?.into_iter().map(|embedder| embedder.record);
    let mut missing = Vec::new();
    for embedder in embedders.collect::<Vec<EmbedderRecord>>() {
        for item in table::missing_indexes(connection, agent_id, &embedder)? {
            missing.push(table::index_statement("embedding", agent_id, &embedder, item));
        }
    }
    Ok(missing)
}

//! The state of a database server, for `cairn doctor`.

use crate::{
    database::{Connection, DatabaseServer, LATEST_SCHEMA, WhenUnreachable, schema_version, values},
    error::Result,
    index::vector::table,
    record::{self, EmbedderRecord},
    threads::run_on_blocking_thread,
    transaction::Tx,
};
use cairn_domain::AgentName;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The state of a database server, as far as one agent is concerned.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseServerReport {
    /// Its version.
    pub version: String,
    /// The same as a number: 160004 is 16.4.
    pub version_number: i64,
    /// Median time to answer.
    pub latency: Duration,
    /// The version of the extension `vector` in the database, and the one that the server could add.
    pub extension: (Option<String>, Option<String>),
    /// The schema of the database (0 if it is empty) and the newest that this program knows.
    pub schema: (i64, i64),
    /// Indexes whose creation never finished.
    pub unfinished_indexes: Vec<String>,
    /// Statements that create missing indexes.
    pub missing_indexes: Vec<String>,
    /// Settings and their values on our connections.
    pub settings: Vec<(String, String)>,
    /// Connections in use, and how many there may be.
    pub connections: (i64, i64),
    /// Whether row-level security does not apply to this user.
    pub above_walls: bool,
    /// Tables without row-level security.
    pub open_tables: Vec<String>,
    /// The cluster over which the tables are distributed, if they are.
    pub cluster: Option<ClusterReport>,
}

/// The state of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterReport {
    /// The machines that hold shards.
    pub machines: Vec<String>,
    /// Tables of agents that are on the coordinator alone.
    pub undistributed: Vec<String>,
}

/// The settings to report.
const REPORTED_SETTINGS: [&str; 7] = [
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "hnsw.ef_search",
    "hnsw.iterative_scan",
    "work_mem",
    "maintenance_work_mem",
];
/// Round trips measured for the latency.
const LATENCY_SAMPLES: usize = 9;

/// Inspects a database server without changing anything on it.
pub async fn inspect_database_server(
    server: Arc<DatabaseServer>,
    agent: AgentName,
) -> Result<DatabaseServerReport> {
    run_on_blocking_thread(move || inspect(&server, &agent)).await
}

fn inspect(server: &Arc<DatabaseServer>, agent: &AgentName) -> Result<DatabaseServerReport> {
    let mut connection = Connection::connect(server, agent.as_str(), WhenUnreachable::Fail)?;
    let connection = &mut connection;
    let mut pings = Vec::with_capacity(LATENCY_SAMPLES);
    for _ in 0..LATENCY_SAMPLES {
        let begun = Instant::now();
        connection.first("SELECT 1", &[], |_| Ok(()))?;
        pings.push(begun.elapsed());
    }
    pings.sort_unstable();
    let found = schema_version(connection)?;
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
    Ok(DatabaseServerReport {
        version,
        version_number,
        latency: pings[LATENCY_SAMPLES / 2],
        extension: extension.unwrap_or_default(),
        schema: (found, LATEST_SCHEMA),
        unfinished_indexes: connection.query(unfinished, &[], |row| row.text(0))?,
        missing_indexes: if found == LATEST_SCHEMA {
            missing_indexes(connection, agent)?
        } else {
            Vec::new()
        },
        settings: settings(connection)?,
        connections: connection
            .first(connections, &[], |row| Ok((row.int(0)?, row.int(1)?)))?
            .unwrap_or_default(),
        above_walls: connection.first(above, &[], |row| row.bool(0))?.unwrap_or_default(),
        open_tables: connection.query(open, &[], |row| row.text(0))?,
        cluster: inspect_cluster(connection)?,
    })
}

fn inspect_cluster(connection: &mut Connection) -> Result<Option<ClusterReport>> {
    let machines = shard_machines(connection)?;
    if machines.is_empty() {
        return Ok(None);
    }
    let undistributed = "SELECT CAST(CAST(c.oid AS regclass) AS TEXT) FROM pg_class AS c
                JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'agent_id'
                WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace AND c.relname <> 'agent'
                AND NOT EXISTS (SELECT 1 FROM pg_dist_partition AS p WHERE p.logicalrelid = c.oid) ORDER BY 1";
    let undistributed = connection.query(undistributed, &[], |row| row.text(0))?;
    Ok(Some(ClusterReport { machines, undistributed }))
}

/// The machines of a cluster that hold the tables of agents; none if they are not distributed.
pub(super) fn shard_machines(connection: &mut Connection) -> Result<Vec<String>> {
    let has_citus = "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AND to_regclass('message') IS NOT NULL";
    if connection.first(has_citus, &[], |row| row.bool(0))? != Some(true) {
        return Ok(Vec::new());
    }
    let machines = "SELECT DISTINCT n.nodename || ':' || n.nodeport FROM pg_dist_node AS n
                    JOIN pg_dist_placement AS p ON p.groupid = n.groupid JOIN pg_dist_shard AS s ON s.shardid = p.shardid
                    WHERE s.logicalrelid = CAST('message' AS regclass) ORDER BY 1";
    connection.query(machines, &[], |row| row.text(0))
}

fn settings(connection: &mut Connection) -> Result<Vec<(String, String)>> {
    let mut settings = Vec::with_capacity(REPORTED_SETTINGS.len());
    for name in REPORTED_SETTINGS {
        let sql = "SELECT current_setting(?1, true)";
        let value = connection.first(sql, values![name], |row| row.maybe_text(0))?.flatten();
        settings.push((name.to_owned(), value.unwrap_or_default()));
    }
    Ok(settings)
}

fn missing_indexes(connection: &mut Connection, agent: &AgentName) -> Result<Vec<String>> {
    let Some(agent_id) = record::agent_id(connection, agent)? else { return Ok(Vec::new()) };
    if let Some(postgres) = connection.postgres() {
        postgres.work_for(agent_id);
    }
    connection.read(|connection| {
        let tx = &mut Tx::new(connection, agent_id);
        let embedders = record::embedders(tx)?.into_iter().map(|embedder| embedder.record);
        let mut missing = Vec::new();
        for embedder in embedders.collect::<Vec<EmbedderRecord>>() {
            for item in table::missing_indexes(tx, &embedder)? {
                missing.push(table::index_statement("embedding", agent_id, &embedder, item));
            }
        }
        Ok(missing)
    })
}

//! A connection to a server as the pool keeps it, whichever agent it works for next.

use crate::error::Result;
use futures_executor::block_on;
use futures_util::future::BoxFuture;
use std::{collections::HashMap, sync::Arc};
use tokio_postgres::{Client, Statement};

/// Bounds for statements and locks. Plans must use indexes, also on tables that were never analyzed: every statement of this
/// crate reads a few rows and has an index for it. A vector search continues until enough rows pass the filter.
pub(super) const SESSION_SETTINGS: &str = "SET statement_timeout = '120s'; SET lock_timeout = '60s';
    SET idle_in_transaction_session_timeout = '120s'; SET client_min_messages = warning; SET enable_seqscan = off;
    SET enable_hashjoin = off; SET enable_mergejoin = off;
    SET hnsw.ef_search = 250; SET hnsw.iterative_scan = strict_order; SET hnsw.max_scan_tuples = 20000;
    SET work_mem = '16MB'; RESET maintenance_work_mem; SET citus.propagate_set_commands = 'local'";
/// The same settings again in every transaction of a cluster: what is set for a session does not reach its other machines.
pub(super) const WORKER_SETTINGS: [&str; 7] = [
    "SET LOCAL enable_seqscan = off",
    "SET LOCAL enable_hashjoin = off",
    "SET LOCAL enable_mergejoin = off",
    "SET LOCAL hnsw.ef_search = 250",
    "SET LOCAL hnsw.iterative_scan = strict_order",
    "SET LOCAL hnsw.max_scan_tuples = 20000",
    "SET LOCAL work_mem = '16MB'",
];
/// Whether the database can be distributed over a cluster.
const HAS_CLUSTER: &str = "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL";

/// A connection to a server with its session settings and prepared statements.
pub(super) struct PooledConnection {
    pub(super) client: Arc<Client>,
    pub(super) prepared: HashMap<String, Statement>,
    /// Statements of the current transaction that were sent and not checked yet, in order.
    pub(super) deferred: Vec<DeferredResult>,
    /// Whether its database has Citus.
    pub(super) has_cluster: bool,
}

/// The result of a statement that was sent and is not waited for yet.
pub(super) type DeferredResult = BoxFuture<'static, std::result::Result<u64, tokio_postgres::Error>>;

impl PooledConnection {
    pub(super) fn new(client: Client) -> Result<Self> {
        block_on(client.batch_execute(SESSION_SETTINGS))?;
        let has_cluster = block_on(client.query_one(HAS_CLUSTER, &[]))?.try_get(0)?;
        Ok(Self { client: Arc::new(client), prepared: HashMap::new(), deferred: Vec::new(), has_cluster })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}

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
    SET work_mem = '16MB'; RESET maintenance_work_mem";

/// A connection to a server with its session settings and prepared statements.
pub(super) struct PooledConnection {
    pub(super) client: Arc<Client>,
    pub(super) prepared: HashMap<String, Statement>,
    /// Statements of the current transaction that were sent and not checked yet, in order.
    pub(super) deferred: Vec<DeferredResult>,
}

/// The result of a statement that was sent and is not waited for yet.
pub(super) type DeferredResult = BoxFuture<'static, std::result::Result<u64, tokio_postgres::Error>>;

impl PooledConnection {
    pub(super) fn new(client: Client) -> Result<Self> {
        block_on(client.batch_execute(SESSION_SETTINGS))?;
        Ok(Self { client: Arc::new(client), prepared: HashMap::new(), deferred: Vec::new() })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}

//! The PostgreSQL driver. Callers block while they wait, as with SQLite; one thread that all connections share moves the
//! bytes. Lost connections are replaced.

use super::{
    pooled::{DeferredResult, PooledConnection, SESSION_SETTINGS, WORKER_SETTINGS},
    row::Row,
    server::{DatabaseServer, WhenUnreachable},
    transaction_mode::TransactionMode,
    value::{OwnedValue, Value},
};
use crate::error::{Result, StoreError};
use futures_executor::block_on;
use futures_util::{
    FutureExt, StreamExt,
    future::{BoxFuture, try_join_all},
    pin_mut,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread,
    time::Duration,
};
use tokio_postgres::{
    Client, Statement,
    types::{Format, IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};

/// Prepared statements cached per connection.
const MAX_PREPARED_STATEMENTS: usize = 256;
/// Statements sent before the first of them is waited for.
const MAX_IN_FLIGHT_STATEMENTS: usize = 512;
/// Attempts at a transaction before its failure is reported.
const MAX_TRANSACTION_ATTEMPTS: u32 = 6;
/// Counts transactions over all connections of this process.
static NEXT_TRANSACTION_NUMBER: AtomicI64 = AtomicI64::new(1);

/// One connection to a server, working for one agent. It returns to the pool when it is dropped.
pub(crate) struct PostgresConnection {
    server: Arc<DatabaseServer>,
    /// The agent's name, by which row-level security knows it.
    agent: String,
    /// The agent's number, once known: its row is the lock that writers take, and the walls of a cluster know it by this.
    agent_id: Option<i64>,
    pooled: Option<PooledConnection>,
    /// The number of the current transaction, or of the last one; unique in this process.
    transaction_number: i64,
    open_transaction: Option<TransactionMode>,
}

impl Drop for PostgresConnection {
    fn drop(&mut self) {
        if let Some(pooled) = self.pooled.take() {
            // A connection with an open transaction must not be reused.
            self.server.check_in(self.open_transaction.is_none().then_some(pooled));
        }
    }
}

impl PostgresConnection {
    pub(super) fn connect(server: &Arc<DatabaseServer>, agent: &str, when: WhenUnreachable) -> Result<Self> {
        let pooled = Some(server.checkout(when)?);
        let (server, agent) = (Arc::clone(server), agent.to_owned());
        let mut connection =
            Self { server, agent, agent_id: None, pooled, transaction_number: 0, open_transaction: None };
        connection.set_agent()?;
        Ok(connection)
    }

    /// Tells row-level security whose rows this connection may see. Agent names need no quoting.
    fn set_agent(&mut self) -> Result<()> {
        let sql = format!("SET cairn.agent = '{}'", self.agent);
        self.send_unawaited(&sql)
    }

    fn pooled(&mut self) -> Result<&mut PooledConnection> {
        let lost =
            || StoreError::Server { problem: "the connection to the server is lost".into(), code: None };
        self.pooled.as_mut().ok_or_else(lost)
    }

    fn client(&mut self) -> Result<&Client> {
        Ok(&self.pooled()?.client)
    }

    fn is_closed(&self) -> bool {
        self.pooled.as_ref().is_none_or(|pooled| pooled.is_closed())
    }

    /// Makes every later transaction work for the agent with this number, and writers lock its row first.
    pub(crate) fn work_for(&mut self, agent_id: i64) {
        self.agent_id = Some(agent_id);
    }

    /// Lets row-level security hold every later statement of this transaction to a share, written as JSON.
    pub(crate) fn narrow_to(&mut self, share: &str) -> Result<()> {
        self.script(&format!("SET LOCAL cairn.share = '{}'", share.replace('\'', "''")))
    }

    #[cfg(test)]
    pub(super) fn shared_server(&self) -> &Arc<DatabaseServer> {
        &self.server
    }

    pub(crate) fn server(&self) -> &DatabaseServer {
        &self.server
    }

    pub(super) fn transaction_number(&self) -> i64 {
        self.transaction_number
    }

    pub(super) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        let statement = self.prepare(sql, values)?;
        let done = block_on(self.client()?.execute_raw(&statement, values));
        done.map(|rows| rows as usize).map_err(|error| self.root_cause(error))
    }

    /// Sends a statement without waiting for its result, which [`Self::await_deferred`] collects.
    pub(super) fn execute_deferred(&mut self, sql: &str, values: &[Value<'_>]) -> Result<()> {
        let statement = self.prepare(sql, values)?;
        let values: Vec<OwnedValue> = values.iter().map(OwnedValue::from).collect();
        let pooled = self.pooled()?;
        let client = Arc::clone(&pooled.client);
        let mut outcome: DeferredResult = Box::pin(async move {
            let values: Vec<Value<'_>> = values.iter().map(OwnedValue::value).collect();
            client.execute_raw(&statement, &values).await
        });
        // Polling once puts it on the wire.
        if let Some(done) = (&mut outcome).now_or_never() {
            return done.map(drop).map_err(|error| self.root_cause(error));
        }
        pooled.deferred.push(outcome);
        if pooled.deferred.len() < MAX_IN_FLIGHT_STATEMENTS { Ok(()) } else { self.await_deferred() }
    }

    /// Waits for every deferred statement. The first failure is the cause of all others.
    fn await_deferred(&mut self) -> Result<()> {
        let mut first_failure = Ok(());
        for outcome in self.pooled.iter_mut().flat_map(|pooled| std::mem::take(&mut pooled.deferred)) {
            let done = block_on(outcome);
            first_failure = first_failure.and_then(|()| Ok(done.map(drop)?));
        }
        first_failure
    }

    /// Why a statement failed: an earlier deferred one, if any of them did.
    fn root_cause(&mut self, error: impl Into<StoreError>) -> StoreError {
        self.await_deferred().err().unwrap_or_else(|| error.into())
    }

    pub(super) fn execute_each(&mut self, sql: &str, rows: &[Vec<Value<'_>>]) -> Result<()> {
        let Some(first) = rows.first() else { return Ok(()) };
        let statement = self.prepare(sql, first)?;
        for some in rows.chunks(MAX_IN_FLIGHT_STATEMENTS) {
            let client = self.client()?;
            let done = block_on(try_join_all(some.iter().map(|row| client.execute_raw(&statement, row))));
            done.map_err(|error| self.root_cause(error))?;
        }
        Ok(())
    }

    pub(super) fn for_each(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        mut visit: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let statement = self.prepare(sql, values)?;
        let client = self.client()?;
        let done: Result<()> = block_on(async {
            let rows = client.query_raw(&statement, values).await?;
            pin_mut!(rows);
            while let Some(row) = rows.next().await {
                visit(&Row::Postgres(&row?))?;
            }
            Ok(())
        });
        done.map_err(|error| self.root_cause(error))
    }

    pub(super) fn first_of_each<T>(
        &mut self,
        sql: &str,
        rows: &[Vec<Value<'_>>],
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        let answers = self.query_each(sql, rows, read)?;
        Ok(answers.into_iter().map(|rows| rows.into_iter().next()).collect())
    }

    pub(super) fn query_each<T>(
        &mut self,
        sql: &str,
        rows: &[Vec<Value<'_>>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        let Some(first) = rows.first() else { return Ok(Vec::new()) };
        let statement = self.prepare(sql, first)?;
        let (mut answers, statement) = (Vec::with_capacity(rows.len()), &statement);
        for some in rows.chunks(MAX_IN_FLIGHT_STATEMENTS) {
            let client = self.client()?;
            let asked = some.iter().map(|row| async move {
                let values: Vec<&(dyn ToSql + Sync)> = row.iter().map(|value| value as _).collect();
                client.query(statement, &values).await
            });
            let answered = block_on(try_join_all(asked)).map_err(|error| self.root_cause(error))?;
            for rows in answered {
                answers.push(rows.iter().map(|row| read(&Row::Postgres(row))).collect::<Result<_>>()?);
            }
        }
        Ok(answers)
    }

    pub(crate) fn script(&mut self, sql: &str) -> Result<()> {
        Ok(block_on(self.client()?.batch_execute(sql))?)
    }

    /// Runs statements that may take hours, each outside of a transaction.
    pub(crate) fn run_long_statements(&mut self, statements: &[&str]) -> Result<()> {
        self.script("SET statement_timeout = 0; SET lock_timeout = 0; SET maintenance_work_mem = '1GB'")?;
        let done = statements.iter().try_for_each(|statement| self.script(statement));
        self.script(SESSION_SETTINGS)?;
        done
    }

    /// Runs ANALYZE if the tables have doubled since the server last did, so that it plans well while an agent is being filled.
    /// Without the right to do so this is left to autovacuum.
    pub(crate) fn analyze_if_grown(&mut self, messages: i64) -> Result<()> {
        // In a cluster every machine looks after its shards itself.
        if self.pooled()?.has_cluster {
            return Ok(());
        }
        let mut known = 0;
        let sql = "SELECT CAST(SUM(c.reltuples) AS BIGINT) FROM pg_class AS c WHERE c.relnamespace = current_schema()::regnamespace
                   AND c.relkind = 'r' AND (c.relname = 'message' OR c.oid IN (SELECT i.inhrelid FROM pg_inherits AS i
                   JOIN pg_class AS p ON p.oid = i.inhparent WHERE p.relname = 'message'))";
        self.for_each(sql, &[], |row| {
            known = row.maybe_int(0)?.unwrap_or(0);
            Ok(())
        })?;
        if known.saturating_mul(2) < messages {
            self.script(
                "ANALYZE message; ANALYZE session; ANALYZE keyword; ANALYZE term; ANALYZE embedding",
            )?;
        }
        Ok(())
    }

    fn prepare(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Statement> {
        let pooled = self.pooled()?;
        if let Some(statement) = pooled.prepared.get(sql) {
            return Ok(statement.clone());
        }
        #[cfg(test)]
        super::routing::record(sql, values);
        let types: Vec<Type> = values.iter().map(Value::sql_type).collect();
        let prepared = block_on(pooled.client.prepare_typed(&dollar_parameters(sql), &types));
        let statement = match prepared {
            Ok(statement) => statement,
            Err(error) => return Err(self.root_cause(error)),
        };
        let pooled = self.pooled()?;
        if pooled.prepared.len() >= MAX_PREPARED_STATEMENTS {
            pooled.prepared.clear();
        }
        pooled.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// A write transaction first waits for other writers of this agent, so that it then sees what they wrote; a read
    /// transaction sees the database as it was when it began.
    pub(super) fn begin(&mut self, access: TransactionMode) -> Result<()> {
        if self.is_closed() {
            self.reconnect()?;
        }
        self.transaction_number = NEXT_TRANSACTION_NUMBER.fetch_add(1, Ordering::Relaxed);
        self.open_transaction = Some(access);
        let begin = match access {
            TransactionMode::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            TransactionMode::Write | TransactionMode::Claim => "BEGIN",
        };
        self.send_unawaited(begin)?;
        // Each by itself: Citus brings the whole text that holds a setting to other machines.
        if let Some(agent_id) = self.agent_id {
            self.send_unawaited(&format!("SET LOCAL cairn.agent_id = {agent_id}"))?;
        }
        if self.pooled()?.has_cluster {
            WORKER_SETTINGS.iter().try_for_each(|setting| self.send_unawaited(setting))?;
        }
        if access == TransactionMode::Read {
            return Ok(());
        }
        if let Some(agent_id) = self.agent_id.filter(|_| access == TransactionMode::Write) {
            let lock = "SELECT 1 FROM agent WHERE agent_id = ?1 FOR NO KEY UPDATE";
            self.execute(lock, &[Value::Int(agent_id)])?;
        }
        Ok(())
    }

    pub(super) fn commit(&mut self) -> Result<()> {
        if self.open_transaction == Some(TransactionMode::Read) {
            self.send_unawaited("COMMIT")?;
        } else {
            // After a statement that failed, COMMIT would undo everything and not say so; SELECT says so.
            let client = Arc::clone(&self.pooled()?.client);
            let mut committed: BoxFuture<'_, _> = Box::pin(client.batch_execute("SELECT 1; COMMIT"));
            // It is on the wire while the deferred statements before it are checked.
            let done = (&mut committed).now_or_never();
            self.await_deferred()?;
            done.unwrap_or_else(|| block_on(committed))?;
        }
        self.open_transaction = None;
        Ok(())
    }

    /// Sends a statement without waiting for its result: a server runs statements in order, and if this one fails, so does the
    /// next.
    fn send_unawaited(&mut self, sql: &str) -> Result<()> {
        drop(self.client()?.batch_execute(sql).now_or_never());
        Ok(())
    }

    pub(super) fn roll_back(&mut self) {
        if let Some(pooled) = &mut self.pooled {
            pooled.deferred.clear();
        }
        // If this fails, the connection is gone and the server rolls back by itself.
        if self.script("ROLLBACK").is_ok() {
            self.open_transaction = None;
        }
    }

    /// Whether a transaction that failed this way may succeed if it is run again.
    pub(super) fn is_retryable(error: &StoreError, attempt: u32) -> bool {
        attempt < MAX_TRANSACTION_ATTEMPTS && (error.is_lost() || error.is_busy())
    }

    /// Pauses before a retry; a lost connection is replaced.
    pub(super) fn reconnect(&mut self) -> Result<()> {
        // Spread out, so that transactions that collided do not collide again.
        let among_many = NEXT_TRANSACTION_NUMBER.fetch_add(1, Ordering::Relaxed).unsigned_abs() % 16;
        thread::sleep(Duration::from_millis(2 + 3 * among_many));
        if self.is_closed() {
            if self.pooled.take().is_some() {
                self.server.check_in(None);
            }
            self.open_transaction = None;
            self.pooled = Some(self.server.checkout(WhenUnreachable::Wait)?);
            self.set_agent()?;
        }
        Ok(())
    }
}

/// Rewrites parameters `?1` into PostgreSQL's `$1`.
fn dollar_parameters(sql: &str) -> String {
    sql.replace('?', "$")
}

impl Value<'_> {
    /// The type announced to the server for a parameter; `UNKNOWN` lets it infer one.
    fn sql_type(&self) -> Type {
        match self {
            Self::Null | Self::Halves(_) => Type::UNKNOWN,
            Self::Int(_) => Type::INT8,
            Self::Float(_) => Type::FLOAT8,
            Self::Text(_) => Type::TEXT,
            Self::Bytes(_) => Type::BYTEA,
            Self::Ints(_) => Type::INT8_ARRAY,
            Self::ShortInts(_) => Type::INT4_ARRAY,
        }
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        type_: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(value) => value.to_sql(type_, out),
            Self::Float(value) => value.to_sql(type_, out),
            Self::Text(value) => value.to_sql(type_, out),
            Self::Bytes(value) => value.to_sql(type_, out),
            Self::Ints(values) => values.to_sql(type_, out),
            Self::ShortInts(values) => values.to_sql(type_, out),
            // How many numbers, two bytes of nothing, and the numbers: all of it big endian.
            Self::Halves(bytes) => {
                out.extend_from_slice(&u16::try_from(bytes.len() / 2)?.to_be_bytes());
                out.extend_from_slice(&[0, 0]);
                for half in bytes.as_chunks::<2>().0 {
                    out.extend_from_slice(&[half[1], half[0]]);
                }
                Ok(IsNull::No)
            }
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Binary
    }

    to_sql_checked!();
}

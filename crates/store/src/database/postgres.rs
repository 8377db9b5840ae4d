//! PostgreSQL behind the small layer. Callers block while they wait, as with SQLite; the bytes are moved by a thread
//! that all connections share. Connections that are lost come back by themselves.

use super::{Access, Row, Value, server::Server, value::Owned};
use crate::{Result, StoreError};
use futures_executor::block_on;
use futures_util::{
    FutureExt, StreamExt,
    future::{BoxFuture, try_join_all},
    pin_mut,
};
use std::{
    collections::HashMap,
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

/// Distinct statements kept prepared on a connection.
const PREPARED: usize = 256;
/// Statements on their way at the same time.
const IN_FLIGHT: usize = 512;
/// How often a transaction is run before its failure is believed.
const ATTEMPTS: u32 = 6;
/// Counts transactions, over all connections.
static TRANSACTIONS: AtomicI64 = AtomicI64::new(1);
/// No statement may take longer, and nobody waits longer for a lock. Every statement here asks for a few rows and has an
/// index to go by, also on a table that the server has not looked at yet. A search among vectors goes on until enough of them
/// pass the filter.
const SESSION: &str = "SET statement_timeout = '120s'; SET lock_timeout = '60s';
    SET idle_in_transaction_session_timeout = '120s'; SET client_min_messages = warning; SET enable_seqscan = off;
    SET enable_hashjoin = off; SET enable_mergejoin = off;
    SET hnsw.ef_search = 250; SET hnsw.iterative_scan = strict_order; SET hnsw.max_scan_tuples = 20000;
    SET work_mem = '16MB'; RESET maintenance_work_mem";

/// A connection as a server knows it, whichever agent it works for.
pub(super) struct Link {
    client: Arc<Client>,
    prepared: HashMap<String, Statement>,
    /// Statements of the transaction under way that were sent and whose outcome nobody has looked at, in their order.
    unanswered: Vec<Outcome>,
}

/// What becomes of a statement.
type Outcome = BoxFuture<'static, std::result::Result<u64, tokio_postgres::Error>>;

impl Link {
    pub(super) fn new(client: Client) -> Result<Self> {
        block_on(client.batch_execute(SESSION))?;
        Ok(Self { client: Arc::new(client), prepared: HashMap::new(), unanswered: Vec::new() })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}

/// One connection to a server, at work for one agent. It goes back to the others when it is dropped.
pub(crate) struct Postgres {
    server: Arc<Server>,
    /// The agent that it works for, as row-level security knows it.
    agent: String,
    /// Its number: its row is the lock that writers take.
    agent_id: Option<i64>,
    link: Option<Link>,
    /// The number of the transaction under way, or of the last; no two in this process have the same.
    transaction: i64,
    under_way: Option<Access>,
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(link) = self.link.take() {
            // Nobody else gets a connection in the middle of a transaction.
            self.server.give_back(self.under_way.is_none().then_some(link));
        }
    }
}

impl Postgres {
    pub(super) fn connect(server: &Arc<Server>, agent: &str, patience: bool) -> Result<Self> {
        let link = Some(server.take(patience)?);
        let (server, agent) = (Arc::clone(server), agent.to_owned());
        let mut connection = Self { server, agent, agent_id: None, link, transaction: 0, under_way: None };
        connection.set_agent()?;
        Ok(connection)
    }

    /// Says whose rows this connection may see from now on. Names of agents need no quoting.
    fn set_agent(&mut self) -> Result<()> {
        let sql = format!("SET cairn.agent = '{}'", self.agent);
        self.send(&sql)
    }

    fn link(&mut self) -> Result<&mut Link> {
        self.link.as_mut().ok_or(StoreError::Closed)
    }

    fn client(&mut self) -> Result<&Client> {
        Ok(&self.link()?.client)
    }

    fn is_closed(&self) -> bool {
        self.link.as_ref().is_none_or(|link| link.is_closed())
    }

    /// From now on transactions that write take the lock of this agent.
    pub(crate) fn works_for(&mut self, agent_id: i64) {
        self.agent_id = Some(agent_id);
    }

    #[cfg(test)]
    pub(super) fn shared_server(&self) -> &Arc<Server> {
        &self.server
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(super) fn transaction(&self) -> i64 {
        self.transaction
    }

    pub(super) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        let statement = self.prepare(sql, values)?;
        let done = block_on(self.client()?.execute_raw(&statement, values));
        done.map(|rows| rows as usize).map_err(|error| self.cause(error))
    }

    /// Sends a statement without waiting for its outcome, which [`Self::settle`] looks at.
    pub(super) fn later(&mut self, sql: &str, values: &[Value<'_>]) -> Result<()> {
        let statement = self.prepare(sql, values)?;
        let values: Vec<Owned> = values.iter().map(Owned::from).collect();
        let link = self.link()?;
        let client = Arc::clone(&link.client);
        let mut outcome: Outcome = Box::pin(async move {
            let values: Vec<Value<'_>> = values.iter().map(Owned::value).collect();
            client.execute_raw(&statement, &values).await
        });
        // It is on its way once it has been asked for.
        if let Some(done) = (&mut outcome).now_or_never() {
            return done.map(drop).map_err(|error| self.cause(error));
        }
        link.unanswered.push(outcome);
        if link.unanswered.len() < IN_FLIGHT { Ok(()) } else { self.settle() }
    }

    /// Waits for the outcome of everything that was sent; the first failure is the cause of all others.
    fn settle(&mut self) -> Result<()> {
        let mut settled = Ok(());
        for outcome in self.link.iter_mut().flat_map(|link| std::mem::take(&mut link.unanswered)) {
            let done = block_on(outcome);
            settled = settled.and_then(|()| Ok(done.map(drop)?));
        }
        settled
    }

    /// Why a statement failed: because one before it has, if one has.
    fn cause(&mut self, error: impl Into<StoreError>) -> StoreError {
        self.settle().err().unwrap_or_else(|| error.into())
    }

    pub(super) fn execute_each(&mut self, sql: &str, rows: &[Vec<Value<'_>>]) -> Result<()> {
        let Some(first) = rows.first() else { return Ok(()) };
        let statement = self.prepare(sql, first)?;
        for some in rows.chunks(IN_FLIGHT) {
            let client = self.client()?;
            let done = block_on(try_join_all(some.iter().map(|row| client.execute_raw(&statement, row))));
            done.map_err(|error| self.cause(error))?;
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
        done.map_err(|error| self.cause(error))
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
        for some in rows.chunks(IN_FLIGHT) {
            let client = self.client()?;
            let asked = some.iter().map(|row| async move {
                let values: Vec<&(dyn ToSql + Sync)> = row.iter().map(|value| value as _).collect();
                client.query(statement, &values).await
            });
            let answered = block_on(try_join_all(asked)).map_err(|error| self.cause(error))?;
            for rows in answered {
                answers.push(rows.iter().map(|row| read(&Row::Postgres(row))).collect::<Result<_>>()?);
            }
        }
        Ok(answers)
    }

    pub(crate) fn script(&mut self, sql: &str) -> Result<()> {
        Ok(block_on(self.client()?.batch_execute(sql))?)
    }

    /// Runs long statements, one after another, each by itself.
    pub(crate) fn take_time(&mut self, statements: &[&str]) -> Result<()> {
        self.script("SET statement_timeout = 0; SET lock_timeout = 0; SET maintenance_work_mem = '1GB'")?;
        let done = statements.iter().try_for_each(|statement| self.script(statement));
        self.script(SESSION)?;
        done
    }

    /// Lets the server look at tables that have grown much since it last did, so that it plans well while a memory is being
    /// filled. Who may not do that leaves it to the server's own housekeeping.
    pub(crate) fn look_again(&mut self, messages: i64) -> Result<()> {
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
        let link = self.link()?;
        if let Some(statement) = link.prepared.get(sql) {
            return Ok(statement.clone());
        }
        #[cfg(test)]
        super::routing::record(sql, values);
        let types: Vec<Type> = values.iter().map(Value::sql_type).collect();
        let prepared = block_on(link.client.prepare_typed(&numbered(sql), &types));
        let statement = match prepared {
            Ok(statement) => statement,
            Err(error) => return Err(self.cause(error)),
        };
        let link = self.link()?;
        if link.prepared.len() >= PREPARED {
            link.prepared.clear();
        }
        link.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// A transaction that writes first waits for whoever else writes to this agent, so that it then sees what they wrote;
    /// one that reads sees the database as it was when it began.
    pub(super) fn begin(&mut self, access: Access) -> Result<()> {
        if self.is_closed() {
            self.mend()?;
        }
        self.transaction = TRANSACTIONS.fetch_add(1, Ordering::Relaxed);
        self.under_way = Some(access);
        if access == Access::Read {
            return self.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        }
        self.send("BEGIN")?;
        if let Some(agent_id) = self.agent_id.filter(|_| access == Access::Write) {
            let lock = "SELECT 1 FROM agent WHERE agent_id = ?1 FOR NO KEY UPDATE";
            self.execute(lock, &[Value::Int(agent_id)])?;
        }
        Ok(())
    }

    pub(super) fn commit(&mut self) -> Result<()> {
        if self.under_way == Some(Access::Read) {
            self.send("COMMIT")?;
        } else {
            // After a statement that failed, COMMIT would undo everything and not say so; SELECT says so.
            let client = Arc::clone(&self.link()?.client);
            let mut committed: BoxFuture<'_, _> = Box::pin(client.batch_execute("SELECT 1; COMMIT"));
            // It is on its way while the outcome of what was sent before it is looked at.
            let done = (&mut committed).now_or_never();
            self.settle()?;
            done.unwrap_or_else(|| block_on(committed))?;
        }
        self.under_way = None;
        Ok(())
    }

    /// Sends a statement without waiting for its answer: a server takes statements in order, and if this one fails, so does
    /// the next.
    fn send(&mut self, sql: &str) -> Result<()> {
        drop(self.client()?.batch_execute(sql).now_or_never());
        Ok(())
    }

    pub(super) fn roll_back(&mut self) {
        if let Some(link) = &mut self.link {
            link.unanswered.clear();
        }
        // If this fails, the connection is gone and the server rolls back by itself.
        if self.script("ROLLBACK").is_ok() {
            self.under_way = None;
        }
    }

    /// Whether a transaction that failed for this reason may succeed if it is run again.
    pub(super) fn may_try_again(error: &StoreError, attempt: u32) -> bool {
        attempt < ATTEMPTS && (error.is_lost() || error.is_busy())
    }

    /// Waits a moment; if the connection is lost, until there is a new one.
    pub(super) fn mend(&mut self) -> Result<()> {
        // Not all at the same moment, if several were in each other's way.
        let among_many = TRANSACTIONS.fetch_add(1, Ordering::Relaxed).unsigned_abs() % 16;
        thread::sleep(Duration::from_millis(2 + 3 * among_many));
        if self.is_closed() {
            if self.link.take().is_some() {
                self.server.give_back(None);
            }
            self.under_way = None;
            self.link = Some(self.server.take(true)?);
            self.set_agent()?;
        }
        Ok(())
    }
}

/// `?1` is spelled `$1` here.
fn numbered(sql: &str) -> String {
    sql.replace('?', "$")
}

impl Value<'_> {
    /// What the server is told a parameter is. What is not said here it finds out by itself.
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

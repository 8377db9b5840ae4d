//! PostgreSQL behind the small layer. Callers block while they wait, as with SQLite; the bytes are moved by a thread
//! that all connections share. Connections that are lost come back by themselves.

use super::{Access, Row, Value, server::Server};
use crate::{Result, StoreError};
use futures_executor::block_on;
use futures_util::{StreamExt, future::try_join_all, pin_mut};
use std::{
    collections::HashMap,
    sync::Arc,
    thread,
    time::{Duration, Instant},
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
/// How long a server that is gone is waited for.
const PATIENCE: Duration = Duration::from_mins(1);
/// No statement may take longer, and nobody waits longer for a lock. Every statement here has an index to go by, also on a
/// table that the server has not looked at yet. A search among vectors goes on until enough of them pass the filter.
const SESSION: &str = "SET statement_timeout = '120s'; SET lock_timeout = '60s';
    SET idle_in_transaction_session_timeout = '120s'; SET client_min_messages = warning; SET enable_seqscan = off;
    SET hnsw.ef_search = 400; SET hnsw.iterative_scan = strict_order; SET hnsw.max_scan_tuples = 20000;
    SET work_mem = '16MB'; RESET maintenance_work_mem";

/// One connection to a server.
pub(crate) struct Postgres {
    server: Arc<Server>,
    /// The agent that this connection works for, as row-level security knows it.
    agent: String,
    /// Its number: its row is the lock that writers take.
    agent_id: Option<i64>,
    client: Client,
    prepared: HashMap<String, Statement>,
    /// Transactions begun so far.
    transactions: i64,
}

impl Postgres {
    pub(super) fn connect(server: &Arc<Server>, agent: &str) -> Result<Self> {
        let client = server.client()?;
        let mut connection = Self {
            server: Arc::clone(server),
            agent: agent.to_owned(),
            agent_id: None,
            client,
            prepared: HashMap::new(),
            transactions: 0,
        };
        connection.set_up()?;
        Ok(connection)
    }

    fn set_up(&mut self) -> Result<()> {
        self.prepared.clear();
        block_on(self.client.batch_execute(SESSION))?;
        let agent = self.agent.clone();
        self.execute("SELECT set_config('cairn.agent', ?1, false)", &[Value::Text(&agent)]).map(drop)
    }

    /// From now on transactions that write take the lock of this agent.
    pub(crate) fn works_for(&mut self, agent_id: i64) {
        self.agent_id = Some(agent_id);
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(super) fn transactions(&self) -> i64 {
        self.transactions
    }

    pub(super) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        let statement = self.prepare(sql, values)?;
        Ok(block_on(self.client.execute_raw(&statement, values))? as usize)
    }

    pub(super) fn execute_each(&mut self, sql: &str, rows: &[Vec<Value<'_>>]) -> Result<()> {
        let Some(first) = rows.first() else { return Ok(()) };
        let statement = self.prepare(sql, first)?;
        for some in rows.chunks(IN_FLIGHT) {
            block_on(try_join_all(some.iter().map(|row| self.client.execute_raw(&statement, row))))?;
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
        block_on(async {
            let rows = self.client.query_raw(&statement, values).await?;
            pin_mut!(rows);
            while let Some(row) = rows.next().await {
                visit(&Row::Postgres(&row?))?;
            }
            Ok(())
        })
    }

    pub(super) fn first_of_each<T>(
        &mut self,
        sql: &str,
        rows: &[Vec<Value<'_>>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        let Some(first) = rows.first() else { return Ok(Vec::new()) };
        let statement = self.prepare(sql, first)?;
        let mut answers = Vec::with_capacity(rows.len());
        for some in rows.chunks(IN_FLIGHT) {
            let (client, statement) = (&self.client, &statement);
            let asked = some.iter().map(|row| async move {
                let values: Vec<&(dyn ToSql + Sync)> = row.iter().map(|value| value as _).collect();
                client.query_opt(statement, &values).await
            });
            for row in block_on(try_join_all(asked))? {
                answers.push(row.map(|row| read(&Row::Postgres(&row))).transpose()?);
            }
        }
        Ok(answers)
    }

    pub(crate) fn script(&mut self, sql: &str) -> Result<()> {
        Ok(block_on(self.client.batch_execute(sql))?)
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
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        #[cfg(test)]
        super::routing::record(sql, values);
        let types: Vec<Type> = values.iter().map(Value::sql_type).collect();
        let statement = block_on(self.client.prepare_typed(&numbered(sql), &types))?;
        if self.prepared.len() >= PREPARED {
            self.prepared.clear();
        }
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// A transaction that writes first waits for whoever else writes to this agent, so that it then sees what they wrote;
    /// one that reads sees the database as it was when it began.
    pub(super) fn begin(&mut self, access: Access) -> Result<()> {
        if self.client.is_closed() {
            self.mend()?;
        }
        self.transactions += 1;
        if access == Access::Read {
            return self.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        }
        self.script("BEGIN")?;
        if let Some(agent_id) = self.agent_id.filter(|_| access == Access::Write) {
            let lock = "SELECT 1 FROM agent WHERE agent_id = ?1 FOR NO KEY UPDATE";
            self.execute(lock, &[Value::Int(agent_id)])?;
        }
        Ok(())
    }

    pub(super) fn commit(&mut self) -> Result<()> {
        self.script("COMMIT")
    }

    pub(super) fn roll_back(&mut self) {
        if !self.client.is_closed() {
            // If this fails, the connection is gone and the server rolls back by itself.
            let _ = self.script("ROLLBACK");
        }
    }

    /// Whether a transaction that failed for this reason may succeed if it is run again.
    pub(super) fn may_try_again(error: &StoreError, attempt: u32) -> bool {
        attempt < ATTEMPTS && (error.is_lost() || error.is_busy())
    }

    /// Waits a moment; if the connection is lost, until there is a new one.
    pub(super) fn mend(&mut self) -> Result<()> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(5);
        loop {
            thread::sleep(pause + Duration::from_micros(u64::from(begun.elapsed().subsec_nanos() % 5_000)));
            if !self.client.is_closed() {
                return Ok(());
            }
            let mended = self.server.client().and_then(|client| {
                self.client = client;
                self.set_up()
            });
            match mended {
                Err(error) if error.is_lost() && begun.elapsed() < PATIENCE => {
                    pause = (pause * 2).min(Duration::from_secs(1));
                }
                done => return done,
            }
        }
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
            Self::Text(_) => Type::TEXT,
            Self::Bytes(_) => Type::BYTEA,
            Self::Ints(_) => Type::INT8_ARRAY,
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
            Self::Text(value) => value.to_sql(type_, out),
            Self::Bytes(value) => value.to_sql(type_, out),
            Self::Ints(values) => values.to_sql(type_, out),
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

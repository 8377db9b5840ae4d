//! The SQLite driver: WAL mode, waits for other processes, prepares each statement once.

use super::{
    row::Row,
    transaction_mode::{CommitDurability, TransactionMode},
    value::Value,
};
use crate::error::Result;
use rusqlite::{
    OpenFlags,
    config::DbConfig,
    types::{ToSqlOutput, ValueRef},
    vtab::array,
};
use std::{
    borrow::Cow,
    path::Path,
    rc::Rc,
    thread,
    time::{Duration, Instant},
};

/// How long a statement waits for another process before it fails as busy.
const BUSY_TIMEOUT: Duration = Duration::from_mins(1);
/// Prepared statements cached per connection.
const MAX_PREPARED_STATEMENTS: usize = 128;

/// Page cache of a connection that writes. It is small on purpose: when an index page splits, SQLite scans every cached page
/// before it commits, and with thousands of them that takes longer than the rest of an acknowledgement, once in twenty.
const WRITER_CACHE_KIB: i64 = 4_096;
/// Page cache of a connection that only reads.
const READER_CACHE_KIB: i64 = 32_768;

/// Checkpoints tried in a row while others keep appending to the log.
const MAX_CHECKPOINT_ATTEMPTS: usize = 3;

/// One connection to one agent's database.
pub(crate) struct SqliteConnection(rusqlite::Connection);

impl SqliteConnection {
    /// Opens the file at `path`, creating it if it is missing.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        retry_while_busy(|| {
            let mut connection = rusqlite::Connection::open_with_flags(path, flags)?;
            connection.busy_handler(Some(busy_backoff))?;
            connection.set_prepared_statement_cache_capacity(MAX_PREPARED_STATEMENTS);
            array::load_module(&connection)?;
            // A plan never depends on bound values; without this SQLite prepares anew after every binding.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
            // A process that ends leaves the log as it is: emptying it would make every short command wait.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            // The archive is the durable log; see `archive`.
            connection.pragma_update(None, "synchronous", "normal")?;
            connection.pragma_update(None, "foreign_keys", "on")?;
            connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
            // Checkpoints run after an acknowledgement, never before one; see `writer`.
            connection.pragma_update(None, "wal_autocheckpoint", 0)?;
            connection.pragma_update(None, "journal_size_limit", 4 << 20)?;
            Ok(Self(connection))
        })
    }

    /// A large page cache and a memory-mapped file. Any write empties both, so they only pay for connections that read.
    pub(super) fn optimize_for_reads(&mut self) -> Result<()> {
        self.0.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
        Ok(self.0.pragma_update(None, "mmap_size", 1_i64 << 30)?)
    }

    /// How long a statement waits for another process: as long as usual without a bound.
    pub(super) fn wait_at_most(&mut self, patience: Option<Duration>) -> Result<()> {
        match patience {
            Some(patience) => self.0.busy_timeout(patience)?,
            None => self.0.busy_handler(Some(busy_backoff))?,
        }
        Ok(())
    }

    /// Runs a statement that returns no rows; the number of rows it changed.
    pub(super) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        Ok(self.0.prepare_cached(sql)?.execute(rusqlite::params_from_iter(values))?)
    }

    /// Every row of the result.
    pub(super) fn query<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.0.prepare_cached(&rarray_sql(sql, values))?;
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(&Row::Sqlite(row))?);
        }
        Ok(found)
    }

    /// The first row of the result.
    pub(super) fn first<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.0.prepare_cached(sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        rows.next()?.map(|row| read(&Row::Sqlite(row))).transpose()
    }

    /// Runs several statements in one text, without parameters: for migrations.
    pub(super) fn script(&mut self, sql: &str) -> Result<()> {
        Ok(self.0.execute_batch(sql)?)
    }

    pub(super) fn begin(&mut self, access: TransactionMode) -> Result<()> {
        // A panic in the middle of a transaction leaves it open.
        self.roll_back();
        self.execute(if access == TransactionMode::Read { "BEGIN" } else { "BEGIN IMMEDIATE" }, &[]).map(drop)
    }

    pub(super) fn commit(&mut self) -> Result<()> {
        self.execute("COMMIT", &[]).map(drop)
    }

    /// Undoes a transaction that failed.
    pub(super) fn roll_back(&mut self) {
        if !self.0.is_autocommit() {
            // A failed ROLLBACK leaves nothing to undo: SQLite has rolled back by itself.
            let _ = self.execute("ROLLBACK", &[]);
        }
    }

    /// A number that changes when another connection has written. Only meaningful inside a write transaction.
    pub(super) fn data_version(&mut self) -> Result<i64> {
        Ok(self.first("PRAGMA data_version", &[], |row| row.int(0))?.unwrap_or_default())
    }

    /// Moves the write-ahead log into the database file, as far as no reader still needs it. A log that was moved completely
    /// is truncated: the first process to open the database again reads all of it.
    pub(super) fn checkpoint(&mut self) -> Result<()> {
        for _ in 0..MAX_CHECKPOINT_ATTEMPTS {
            let counts = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
            let (pages, moved) = self.0.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], counts)?;
            if pages == moved {
                // Nothing is left to move, so this is quick; readers at work are not waited for.
                self.0.busy_handler(Some(|_| false))?;
                let emptied = self.0.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
                self.0.busy_handler(Some(busy_backoff))?;
                return Ok(emptied?);
            }
        }
        Ok(())
    }

    /// How much the next commits promise.
    pub(super) fn set_durability(&mut self, durability: CommitDurability) -> Result<()> {
        let (synchronous, secure_delete) = match durability {
            CommitDurability::ArchiveBacked => ("normal", "off"),
            CommitDurability::Full => ("full", "on"),
        };
        self.0.pragma_update(None, "synchronous", synchronous)?;
        Ok(self.0.pragma_update(None, "secure_delete", secure_delete)?)
    }

    /// Rewrites the whole file without empty pages, and empties the log as far as no reader needs it.
    pub(super) fn vacuum(&mut self) -> Result<()> {
        retry_while_busy(|| Ok(self.0.execute_batch("VACUUM")?))?;
        Ok(self.0.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }

    /// Problems that SQLite's own check reports; empty when there are none.
    pub(super) fn quick_check(&mut self) -> Result<Vec<String>> {
        let findings = self.query("PRAGMA quick_check(10)", &[], |row| row.text(0))?;
        Ok(findings.into_iter().filter(|finding| finding != "ok").collect())
    }

    /// A consistent copy of the whole database at `path`, which must not exist.
    pub(super) fn copy_to(&mut self, path: &Path) -> Result<()> {
        self.execute("VACUUM INTO ?1", &[Value::Text(&path.to_string_lossy())])?;
        Ok(())
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Value::Null => ValueRef::Null,
            Value::Int(value) => ValueRef::Integer(value),
            Value::Float(value) => ValueRef::Real(value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Bytes(value) | Value::Halves(value) => ValueRef::Blob(value),
            Value::Ints(values) => {
                let values: Vec<_> =
                    values.iter().map(|value| rusqlite::types::Value::Integer(*value)).collect();
                return Ok(ToSqlOutput::from_rc(Rc::new(values), c"rarray"));
            }
            Value::ShortInts(_) => {
                return Err(rusqlite::Error::InvalidParameterName("a list of short numbers".into()));
            }
        }))
    }
}

/// Rewrites `= ANY(?2)` over a list of numbers into SQLite's `IN rarray(?2)`.
fn rarray_sql<'a>(sql: &'a str, values: &[Value<'_>]) -> Cow<'a, str> {
    if values.iter().any(|value| matches!(value, Value::Ints(_))) {
        sql.replace("= ANY(", "IN rarray(").into()
    } else {
        sql.into()
    }
}

/// SQLite calls this while another process holds the lock; false gives up.
fn busy_backoff(tries: i32) -> bool {
    let pause = Duration::from_micros(if tries < 20 { 200 } else { 2_000 });
    thread::sleep(pause);
    pause * tries.unsigned_abs() < BUSY_TIMEOUT
}

/// Retries while the database is busy: some locks (the first switch to WAL, recovery after a crash) do not call the busy
/// handler.
fn retry_while_busy<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(error) if error.is_busy() && begun.elapsed() < BUSY_TIMEOUT => {
                thread::sleep(Duration::from_millis(2));
            }
            done => return done,
        }
    }
}

//! SQLite behind the small layer: WAL, patient with other processes, statements prepared once.

use super::{Access, Row, Value};
use crate::Result;
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

/// How long a statement waits for another process before it gives up.
const PATIENCE: Duration = Duration::from_mins(1);
/// Distinct statements kept prepared on a connection.
const PREPARED: usize = 128;

/// What a connection keeps of the file. When a page of an index is shared out among others, SQLite looks through every page it
/// keeps before it commits: with thousands of them that takes longer than the rest of an acknowledgement, once in twenty …
const WRITER_KIB: i64 = 4_096;
/// … so that only who does not write keeps many.
const READER_KIB: i64 = 32_768;

/// How often it is tried to move what others have written into the log meanwhile.
const CHECKPOINTS: usize = 3;

/// One connection to one agent's database.
pub(crate) struct Sqlite(rusqlite::Connection);

impl Sqlite {
    /// Opens the file at `path`, creating it if it is missing.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        patiently(|| {
            let mut connection = rusqlite::Connection::open_with_flags(path, flags)?;
            connection.busy_handler(Some(wait_a_moment))?;
            connection.set_prepared_statement_cache_capacity(PREPARED);
            array::load_module(&connection)?;
            // A plan never depends on bound values; without this SQLite prepares anew after every binding.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
            // A process that ends leaves the log as it is: emptying it would make every short command wait.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            // The archive is the durable log; see `archive`.
            connection.pragma_update(None, "synchronous", "normal")?;
            connection.pragma_update(None, "foreign_keys", "on")?;
            connection.pragma_update(None, "cache_size", -WRITER_KIB)?;
            // Checkpoints run after an acknowledgement, never before one; see `worker`.
            connection.pragma_update(None, "wal_autocheckpoint", 0)?;
            connection.pragma_update(None, "journal_size_limit", 4 << 20)?;
            Ok(Self(connection))
        })
    }

    /// Keeps many pages and lets the file look like memory. Whatever anybody writes takes that away again and it is made anew,
    /// which pays only for who reads much and does not write.
    pub(super) fn read_much(&mut self) -> Result<()> {
        self.0.pragma_update(None, "cache_size", -READER_KIB)?;
        Ok(self.0.pragma_update(None, "mmap_size", 1_i64 << 30)?)
    }

    /// Runs a statement that answers nothing; how many rows it touched.
    pub(super) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        Ok(self.0.prepare_cached(sql)?.execute(rusqlite::params_from_iter(values))?)
    }

    /// Every row of an answer.
    pub(super) fn query<T>(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.0.prepare_cached(&spelled(sql, values))?;
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        let mut answer = Vec::new();
        while let Some(row) = rows.next()? {
            answer.push(read(&Row::Sqlite(row))?);
        }
        Ok(answer)
    }

    /// The first row of an answer.
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

    /// Several statements in one text, without parameters: for migrations.
    pub(super) fn script(&mut self, sql: &str) -> Result<()> {
        Ok(self.0.execute_batch(sql)?)
    }

    pub(super) fn begin(&mut self, access: Access) -> Result<()> {
        // Whoever panicked in the middle of a transaction has left it open.
        self.roll_back();
        self.execute(if access == Access::Read { "BEGIN" } else { "BEGIN IMMEDIATE" }, &[]).map(drop)
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

    /// A number that moves when another connection has written. Only worth something inside a write transaction.
    pub(super) fn version(&mut self) -> Result<i64> {
        Ok(self.first("PRAGMA data_version", &[], |row| row.int(0))?.unwrap_or_default())
    }

    /// Moves what is in the write-ahead log into the database file, as far as nobody is in the way. If that was all of it,
    /// the log is emptied: whoever opens the database after everybody has left reads it from end to end.
    pub(super) fn checkpoint(&mut self) -> Result<()> {
        for _ in 0..CHECKPOINTS {
            let counts = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
            let (pages, moved) = self.0.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], counts)?;
            if pages == moved {
                // There is nothing left to move, so nobody waits long; whoever reads at this moment is not waited for.
                self.0.busy_handler(Some(|_| false))?;
                let emptied = self.0.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
                self.0.busy_handler(Some(wait_a_moment))?;
                return Ok(emptied?);
            }
        }
        Ok(())
    }

    /// Whether a commit waits until it is on the disk, and what is deleted is overwritten.
    pub(super) fn sync_fully(&mut self, fully: bool) -> Result<()> {
        self.0.pragma_update(None, "synchronous", if fully { "full" } else { "normal" })?;
        Ok(self.0.pragma_update(None, "secure_delete", if fully { "on" } else { "off" })?)
    }

    /// Writes the whole file anew, without empty pages, and empties the log as far as nobody is in the way.
    pub(super) fn reclaim(&mut self) -> Result<()> {
        patiently(|| Ok(self.0.execute_batch("VACUUM")?))?;
        Ok(self.0.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }

    /// What SQLite's own check says is broken; empty when nothing is.
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

/// `= ANY(?2)` with a list of numbers is spelled `IN rarray(?2)` here.
fn spelled<'a>(sql: &'a str, values: &[Value<'_>]) -> Cow<'a, str> {
    if values.iter().any(|value| matches!(value, Value::Ints(_))) {
        sql.replace("= ANY(", "IN rarray(").into()
    } else {
        sql.into()
    }
}

/// Called by SQLite while another process holds the lock.
fn wait_a_moment(tries: i32) -> bool {
    let pause = Duration::from_micros(if tries < 20 { 200 } else { 2_000 });
    thread::sleep(pause);
    pause * tries.unsigned_abs() < PATIENCE
}

/// Tries again while the database is busy: some locks (the first switch to WAL, recovery after a crash)
/// do not ask the busy handler.
fn patiently<T>(mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(error) if error.is_busy() && begun.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(2));
            }
            done => return done,
        }
    }
}

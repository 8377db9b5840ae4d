//! Other products' databases: a copy is opened, with its write-ahead log, so that theirs is never touched.

use crate::error::{ImporterError, Result};
use rusqlite::{Connection, OpenFlags, types::ValueRef};
use serde_json::{Map, Value};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A database that is larger is refused.
const MAX_DATABASE_BYTES: u64 = 16 << 30;
/// How often a database that is being written is copied anew.
const COPY_ATTEMPTS: u32 = 3;
/// The first bytes of every SQLite file.
pub(crate) const SQLITE_MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// A copy of a database, open.
pub(crate) struct CopiedDatabase {
    connection: Connection,
    path: PathBuf,
    _folder: TempDir,
}

impl CopiedDatabase {
    /// Copies the database with the log beside it, and opens the copy.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let folder = tempfile::tempdir().map_err(ImporterError::file(path))?;
        let copy = folder.path().join("copy.db");
        copy_with_log(path, &copy)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let failed = ImporterError::database(path);
        let connection = Connection::open_with_flags(&copy, flags).map_err(&failed)?;
        // Nothing in the file may run: no triggers of views, no functions with effects.
        connection.pragma_update(None, "trusted_schema", false).map_err(&failed)?;
        connection.pragma_update(None, "query_only", true).map_err(&failed)?;
        Ok(Self { connection, path: path.to_owned(), _folder: folder })
    }

    /// Its tables.
    pub(crate) fn tables(&self) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        self.each("SELECT name FROM sqlite_master WHERE type = 'table'", |row| {
            names.extend(row["name"].as_str().map(str::to_owned));
        })?;
        Ok(names)
    }

    /// The columns of a table.
    pub(crate) fn columns(&self, table: &str) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        self.each(&format!("SELECT name FROM pragma_table_info('{table}')"), |row| {
            names.extend(row["name"].as_str().map(str::to_owned));
        })?;
        Ok(names)
    }

    /// Gives each row as an object; of a blob its text, if it is one.
    pub(crate) fn each(&self, sql: &str, mut take: impl FnMut(Value)) -> Result<()> {
        self.each_with_blob(sql, |row, _| take(row))
    }

    /// The same, with the row's last blob.
    pub(crate) fn each_with_blob(
        &self,
        sql: &str,
        mut take: impl FnMut(Value, Option<Vec<u8>>),
    ) -> Result<()> {
        let failed = ImporterError::database(&self.path);
        let mut statement = self.connection.prepare(sql).map_err(&failed)?;
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let (mut record, mut blob) = (Map::new(), None);
            for (place, name) in names.iter().enumerate() {
                let value = match row.get_ref(place).map_err(&failed)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(number) => number.into(),
                    ValueRef::Real(number) => number.into(),
                    ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
                    ValueRef::Blob(bytes) => {
                        blob = Some(bytes.to_vec());
                        str::from_utf8(bytes).map_or(Value::Null, Into::into)
                    }
                };
                record.insert(name.clone(), value);
            }
            take(Value::Object(record), blob);
        }
        Ok(())
    }

    /// How many rows a query counts.
    pub(crate) fn count(&self, sql: &str) -> Result<u64> {
        let counted = self.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        counted.map(|count| count.max(0) as u64).map_err(ImporterError::database(&self.path))
    }
}

/// Copies a database and its log; again, if it changed on the way.
fn copy_with_log(path: &Path, copy: &Path) -> Result<()> {
    let failed = ImporterError::file(path);
    let log = beside(path, "-wal");
    for attempt in 1.. {
        let before = (stamp(path), stamp(&log));
        if before.0.is_some_and(|(bytes, _)| bytes > MAX_DATABASE_BYTES) {
            return Err(ImporterError::malformed(
                path,
                format!("is larger than {} GiB", MAX_DATABASE_BYTES >> 30),
            ));
        }
        fs::copy(path, copy).map_err(&failed)?;
        if log.exists() {
            fs::copy(&log, beside(copy, "-wal")).map_err(&failed)?;
        }
        // A copy keeps the permissions, and what is read-only cannot be recovered from its log.
        for file in [copy.to_owned(), beside(copy, "-wal")] {
            make_writable(&file).map_err(&failed)?;
        }
        if attempt == COPY_ATTEMPTS || before == (stamp(path), stamp(&log)) {
            break;
        }
    }
    Ok(())
}

fn make_writable(file: &Path) -> std::io::Result<()> {
    let Ok(metadata) = file.metadata() else { return Ok(()) };
    let mut permissions = metadata.permissions();
    if permissions.readonly() {
        // The copy lies in a folder that nobody else may enter.
        #[allow(clippy::permissions_set_readonly_false)]
        permissions.set_readonly(false);
        fs::set_permissions(file, permissions)?;
    }
    Ok(())
}

fn stamp(path: &Path) -> Option<(u64, std::time::SystemTime)> {
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

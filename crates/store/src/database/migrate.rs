//! Migrations: numbered texts that are never edited once they have landed. Each runs once, all of them in
//! one transaction, and a database from a newer Cairn is left untouched.

use super::{Connection, values};
use crate::{Result, StoreError};

/// The text for every database and what SQLite adds to it.
struct Migration {
    shared: &'static str,
    sqlite: &'static [&'static str],
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        shared: include_str!("../../migrations/0001_foundation.sql"),
        sqlite: &[
            include_str!("../../migrations/0001_guards.sqlite.sql"),
            include_str!("../../migrations/0001_statistics.sqlite.sql"),
        ],
    },
    Migration { shared: include_str!("../../migrations/0002_vectors.sql"), sqlite: &[] },
];

/// The newest schema this program knows.
const KNOWN: i64 = MIGRATIONS.len() as i64;

/// Brings the database to the newest schema. Many processes may try at once; one does it.
pub(crate) fn migrate(connection: &mut Connection) -> Result<()> {
    if schema(connection)? == KNOWN {
        return Ok(());
    }
    connection.write(|connection| {
        let found = schema(connection)?;
        if found > KNOWN {
            return Err(StoreError::Newer { found, known: KNOWN });
        }
        connection.script("CREATE TABLE IF NOT EXISTS migration (version BIGINT NOT NULL PRIMARY KEY)")?;
        for version in found..KNOWN {
            let Migration { shared, sqlite } = &MIGRATIONS[version as usize];
            connection.script(&for_sqlite(shared))?;
            sqlite.iter().try_for_each(|sql| connection.script(sql))?;
            connection.execute("INSERT INTO migration (version) VALUES (?1)", values![version + 1])?;
        }
        Ok(())
    })
}

/// The schema of a database; 0 when it is empty.
fn schema(connection: &mut Connection) -> Result<i64> {
    let has_any = "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migration'";
    if connection.first(has_any, &[], |row| row.int(0))? == Some(0) {
        return Ok(0);
    }
    let newest = connection.first("SELECT MAX(version) FROM migration", &[], |row| row.maybe_int(0))?;
    Ok(newest.flatten().unwrap_or(0))
}

/// Uncomments what only SQLite reads: `/* sqlite: … */`.
fn for_sqlite(sql: &str) -> String {
    sql.replace("/* sqlite:", "").replace(" */", "")
}

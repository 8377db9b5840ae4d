//! Migrations: numbered texts that are never edited once they have landed. Each runs once, all of them in
//! one transaction, and a database from a newer Cairn is left untouched.

use super::{Connection, Postgres, values};
use crate::{Result, StoreError};

/// The text for every database and what each adds to it.
struct Migration {
    shared: &'static str,
    sqlite: &'static [&'static str],
    postgres: &'static [&'static str],
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        shared: include_str!("../../migrations/0001_foundation.sql"),
        sqlite: &[
            include_str!("../../migrations/0001_guards.sqlite.sql"),
            include_str!("../../migrations/0001_statistics.sqlite.sql"),
        ],
        postgres: &[
            include_str!("../../migrations/0001_guards.postgres.sql"),
            include_str!("../../migrations/0001_keywords.postgres.sql"),
        ],
    },
    Migration {
        shared: include_str!("../../migrations/0002_vectors.sql"),
        sqlite: &[],
        postgres: &[include_str!("../../migrations/0002_vectors.postgres.sql")],
    },
    Migration {
        shared: include_str!("../../migrations/0003_memories.sql"),
        sqlite: &[include_str!("../../migrations/0003_guards.sqlite.sql")],
        postgres: &[include_str!("../../migrations/0003_guards.postgres.sql")],
    },
    Migration { shared: include_str!("../../migrations/0004_refinement.sql"), sqlite: &[], postgres: &[] },
    Migration {
        shared: "",
        sqlite: &[
            include_str!("../../migrations/0005_terms.sqlite.sql"),
            include_str!("../../migrations/0005_guards.sqlite.sql"),
        ],
        postgres: &[include_str!("../../migrations/0005_guards.postgres.sql")],
    },
    Migration {
        shared: include_str!("../../migrations/0006_rhythms.sql"),
        sqlite: &[include_str!("../../migrations/0006_guards.sqlite.sql")],
        postgres: &[include_str!("../../migrations/0006_guards.postgres.sql")],
    },
    Migration {
        shared: include_str!("../../migrations/0007_digests.sql"),
        sqlite: &[include_str!("../../migrations/0007_guards.sqlite.sql")],
        postgres: &[include_str!("../../migrations/0007_guards.postgres.sql")],
    },
    Migration { shared: include_str!("../../migrations/0008_replies.sql"), sqlite: &[], postgres: &[] },
    Migration { shared: include_str!("../../migrations/0009_together.sql"), sqlite: &[], postgres: &[] },
    Migration {
        shared: include_str!("../../migrations/0010_diary.sql"),
        sqlite: &[include_str!("../../migrations/0010_guards.sqlite.sql")],
        postgres: &[include_str!("../../migrations/0010_guards.postgres.sql")],
    },
    Migration {
        shared: include_str!("../../migrations/0011_beliefs.sql"),
        sqlite: &[include_str!("../../migrations/0011_guards.sqlite.sql")],
        postgres: &[include_str!("../../migrations/0011_guards.postgres.sql")],
    },
    Migration {
        shared: "",
        sqlite: &[include_str!("../../migrations/0012_rowids.sqlite.sql")],
        postgres: &[],
    },
    Migration {
        shared: include_str!("../../migrations/0013_operator.sql"),
        sqlite: &[include_str!("../../migrations/0013_guards.sqlite.sql")],
        postgres: &[include_str!("../../migrations/0013_guards.postgres.sql")],
    },
    Migration {
        shared: include_str!("../../migrations/0014_citations.sql"),
        sqlite: &[include_str!("../../migrations/0014_figures.sqlite.sql")],
        postgres: &[],
    },
    Migration { shared: include_str!("../../migrations/0015_consumers.sql"), sqlite: &[], postgres: &[] },
    Migration { shared: include_str!("../../migrations/0016_belief_terms.sql"), sqlite: &[], postgres: &[] },
    Migration {
        shared: "",
        sqlite: &[include_str!("../../migrations/0017_rules.sqlite.sql")],
        postgres: &[],
    },
];

/// Keeps agents apart on a server.
const WALLS: &str = include_str!("../../migrations/walls.postgres.sql");
/// Whoever migrates a database on a server holds this lock.
const LOCK: i64 = 0x6361_6972_6e00;

/// The newest schema this program knows.
pub(crate) const KNOWN: i64 = MIGRATIONS.len() as i64;

/// Every table that migrations make, in that order: those that others refer to come first. The list of agents is `agent`;
/// all others have their agent first in their key.
pub(crate) fn tables() -> impl Iterator<Item = &'static str> {
    let texts =
        MIGRATIONS.iter().flat_map(|it| std::iter::once(it.shared).chain(it.postgres.iter().copied()));
    texts
        .flat_map(|text| text.split("CREATE TABLE ").skip(1).filter_map(|rest| rest.split([' ', '(']).next()))
}

/// Brings the database to the newest schema. Many processes may try at once; one does it.
pub(crate) fn migrate(connection: &mut Connection) -> Result<()> {
    if schema(connection)? == KNOWN {
        return Ok(());
    }
    connection.write(|connection| {
        if let Some(postgres) = connection.postgres() {
            prepare(postgres)?;
        }
        let found = schema(connection)?;
        if found > KNOWN {
            return Err(StoreError::Newer { found, known: KNOWN });
        }
        connection.script("CREATE TABLE IF NOT EXISTS migration (version BIGINT NOT NULL PRIMARY KEY)")?;
        for version in found..KNOWN {
            let Migration { shared, sqlite, postgres } = &MIGRATIONS[version as usize];
            match connection.postgres() {
                None => {
                    connection.script(&for_sqlite(shared))?;
                    sqlite.iter().try_for_each(|sql| connection.script(sql))?;
                }
                Some(server) => {
                    let parts = partitions(server)?;
                    for sql in std::iter::once(shared).chain(postgres.iter()) {
                        server
                            .script(&parts.map_or_else(|| (*sql).to_owned(), |parts| in_parts(sql, parts)))?;
                    }
                }
            }
            connection.execute("INSERT INTO migration (version) VALUES (?1)", values![version + 1])?;
        }
        if let Some(postgres) = connection.postgres() {
            postgres.script(WALLS)?;
        }
        Ok(())
    })
}

/// The schema of a database; 0 when it is empty.
pub(crate) fn schema(connection: &mut Connection) -> Result<i64> {
    let has_any = match connection {
        Connection::Sqlite(_) => {
            "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migration'"
        }
        Connection::Postgres(_) => {
            "SELECT COUNT(*) FROM pg_class WHERE relname = 'migration' AND relnamespace = current_schema()::regnamespace"
        }
    };
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

/// Waits for others who migrate, and makes sure of the extension.
fn prepare(postgres: &mut Postgres) -> Result<()> {
    postgres.script(&format!("SELECT pg_advisory_xact_lock({LOCK})"))?;
    postgres.script("CREATE EXTENSION IF NOT EXISTS vector").map_err(|error| match error.server_code() {
        Some("42501") => StoreError::Refused {
            problem: "the extension `vector` is not in this database, and this user may not add it".into(),
            hint: "ask an administrator of the server to run `CREATE EXTENSION vector` in this database".into(),
        },
        Some("0A000" | "58P01") => StoreError::Refused {
            problem: "this server does not have the extension `vector`".into(),
            hint: "install pgvector 0.8 or newer on the server (most systems have it as a package), then try again".into(),
        },
        _ => error,
    })
}

/// In how many parts the tables of this database are: as those that are there already, or as was asked for.
fn partitions(postgres: &mut Postgres) -> Result<Option<u32>> {
    let mut found = None;
    let sql = "SELECT (SELECT COUNT(*) FROM pg_inherits WHERE inhparent = c.oid) FROM pg_class AS c
               WHERE c.relname = 'message' AND c.relnamespace = current_schema()::regnamespace";
    postgres.for_each(sql, &[], |row| {
        found = Some(row.int(0)? as u32);
        Ok(())
    })?;
    Ok(found.or(postgres.server().partitions()).filter(|parts| *parts > 0))
}

/// The same tables, each in parts by the hash of its agent. The list of agents itself stays whole.
fn in_parts(sql: &str, parts: u32) -> String {
    let mut rest = sql;
    let mut out = String::new();
    while let Some(begin) = rest.find("CREATE TABLE ") {
        let end = begin + rest[begin..].find(";\n").map_or(rest.len() - begin, |end| end + 1);
        let (statement, after) = (&rest[begin..end], &rest[end..]);
        out.push_str(&rest[..begin]);
        rest = after;
        let name = statement["CREATE TABLE ".len()..].split([' ', '(']).next().unwrap_or_default();
        if name == "agent" {
            out.push_str(statement);
            continue;
        }
        // A table in parts stores nothing itself, so that it has no storage parameters.
        let (columns, storage) = match statement.rsplit_once("\n) ") {
            Some((columns, storage)) if storage.starts_with("WITH") => {
                (columns, storage.trim_end_matches(';'))
            }
            Some((columns, _)) => (columns, ""),
            None => (statement.rsplit_once("\n);").map_or(statement, |(columns, _)| columns), ""),
        };
        out.extend([format!("{columns}\n) PARTITION BY HASH (agent_id);")]);
        for part in 0..parts {
            out.extend([format!(
                "\nCREATE TABLE {name}_{part} PARTITION OF {name} FOR VALUES WITH (MODULUS {parts}, REMAINDER {part}) {storage};"
            )]);
        }
    }
    out.push_str(rest);
    out
}

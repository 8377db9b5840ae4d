//! Migrations: numbered SQL files that are never edited once they have landed. Each runs once, all pending ones in one
//! transaction, and a database from a newer Cairn is left untouched.

use super::{connection::Connection, postgres::PostgresConnection, value::values};
use crate::error::{Result, StoreError};

/// The SQL for both databases, and what each of them adds to it.
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
    Migration {
        shared: include_str!("../../migrations/0018_indexes.sql"),
        sqlite: &[include_str!("../../migrations/0018_short_rows.sqlite.sql")],
        postgres: &[],
    },
    Migration {
        shared: include_str!("../../migrations/0019_handoffs.sql"),
        sqlite: &[include_str!("../../migrations/0019_figures.sqlite.sql")],
        postgres: &[],
    },
    Migration {
        shared: include_str!("../../migrations/0020_attachments.sql"),
        sqlite: &[include_str!("../../migrations/0020_figures.sqlite.sql")],
        postgres: &[],
    },
    Migration {
        shared: include_str!("../../migrations/0021_coherence.sql"),
        sqlite: &[include_str!("../../migrations/0021_figures.sqlite.sql")],
        postgres: &[],
    },
    Migration {
        shared: include_str!("../../migrations/0022_proposals.sql"),
        sqlite: &[include_str!("../../migrations/0022_figures.sqlite.sql")],
        postgres: &[],
    },
    Migration {
        shared: include_str!("../../migrations/0023_inquiries.sql"),
        sqlite: &[include_str!("../../migrations/0023_figures.sqlite.sql")],
        postgres: &[],
    },
    Migration {
        shared: include_str!("../../migrations/0024_standing.sql"),
        sqlite: &[include_str!("../../migrations/0024_figures.sqlite.sql")],
        postgres: &[],
    },
    Migration {
        shared: include_str!("../../migrations/0025_unfinished.sql"),
        sqlite: &[include_str!("../../migrations/0025_figures.sqlite.sql")],
        postgres: &[],
    },
    Migration {
        shared: include_str!("../../migrations/0026_intentions.sql"),
        sqlite: &[include_str!("../../migrations/0026_figures.sqlite.sql")],
        postgres: &[],
    },
    Migration { shared: include_str!("../../migrations/0027_scaffold.sql"), sqlite: &[], postgres: &[] },
    Migration {
        shared: include_str!("../../migrations/0028_dynamics.sql"),
        sqlite: &[include_str!("../../migrations/0028_figures.sqlite.sql")],
        postgres: &[],
    },
    // Nothing but the walls for readers, which are put up after every migration.
    Migration { shared: "", sqlite: &[], postgres: &[] },
    Migration {
        shared: "",
        sqlite: &[include_str!("../../migrations/0030_shown.sqlite.sql")],
        postgres: &[include_str!("../../migrations/0030_shown.postgres.sql")],
    },
];

/// Records which migrations a database has run.
const CREATE_MIGRATION_TABLE: &str =
    "CREATE TABLE IF NOT EXISTS migration (version BIGINT NOT NULL PRIMARY KEY)";
/// Row-level security, which keeps agents apart on a server.
pub(crate) const ROW_SECURITY: &str = include_str!("../../migrations/walls.postgres.sql");
/// Row-level security for agents that read what others share.
pub(crate) const READER_SECURITY: &str = include_str!("../../migrations/readers.postgres.sql");
/// The advisory lock held while a database on a server is migrated.
const MIGRATION_LOCK_ID: i64 = 0x6361_6972_6e00;

/// The newest schema this program knows.
pub(crate) const LATEST_SCHEMA: i64 = MIGRATIONS.len() as i64;

/// Every table that migrations create, in that order, so that referenced tables come first. Every key but that of `agent`
/// begins with the agent.
pub(crate) fn table_names() -> impl Iterator<Item = &'static str> {
    let texts =
        MIGRATIONS.iter().flat_map(|it| std::iter::once(it.shared).chain(it.postgres.iter().copied()));
    texts
        .flat_map(|text| text.split("CREATE TABLE ").skip(1).filter_map(|rest| rest.split([' ', '(']).next()))
}

/// Brings the database to the newest schema. Many processes may try at once; one of them does it.
pub(crate) fn migrate(connection: &mut Connection) -> Result<()> {
    if schema_version(connection)? == LATEST_SCHEMA {
        return Ok(());
    }
    connection.write(|connection| {
        if let Some(postgres) = connection.postgres() {
            prepare_server(postgres)?;
        }
        let found = schema_version(connection)?;
        if found > LATEST_SCHEMA {
            return Err(StoreError::Newer { found, known: LATEST_SCHEMA });
        }
        connection.script(CREATE_MIGRATION_TABLE)?;
        (found..LATEST_SCHEMA).try_for_each(|version| apply_migration(connection, version))?;
        if let Some(postgres) = connection.postgres() {
            postgres.script(ROW_SECURITY)?;
            postgres.script(READER_SECURITY)?;
        }
        Ok(())
    })
}

/// Brings a database from schema `version` to the next.
fn apply_migration(connection: &mut Connection, version: i64) -> Result<()> {
    let Migration { shared, sqlite, postgres } = &MIGRATIONS[version as usize];
    match connection.postgres() {
        None => {
            connection.script(&sqlite_sql(shared))?;
            sqlite.iter().try_for_each(|sql| connection.script(sql))?;
        }
        Some(server) => {
            let (parts, distributed) = (partition_count(server)?, is_distributed(server)?);
            if distributed {
                // What is set here is not for other machines. Guards read rows of the same agent, on the same machine.
                server.script("SET LOCAL citus.propagate_set_commands = 'none'")?;
                server.script("SET LOCAL citus.enable_unsafe_triggers = on")?;
            }
            for sql in std::iter::once(shared).chain(postgres.iter()) {
                let sql = parts.map_or_else(|| (*sql).to_owned(), |parts| partitioned_sql(sql, parts));
                server.script(&if distributed { distributed_sql(&sql) } else { sql })?;
            }
        }
    }
    connection.execute("INSERT INTO migration (version) VALUES (?1)", values![version + 1]).map(drop)
}

/// The schema version of a database; 0 when it is empty.
pub(crate) fn schema_version(connection: &mut Connection) -> Result<i64> {
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

/// Uncomments the parts for SQLite alone: `/* sqlite: … */`.
fn sqlite_sql(sql: &str) -> String {
    sql.replace("/* sqlite:", "").replace(" */", "")
}

/// Waits for other processes that migrate, and makes sure of the extension.
fn prepare_server(postgres: &mut PostgresConnection) -> Result<()> {
    postgres.script(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK_ID})"))?;
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

/// Partitions per table: as in the tables that exist already, or as configured.
fn partition_count(postgres: &mut PostgresConnection) -> Result<Option<u32>> {
    let mut found = None;
    let sql = "SELECT (SELECT COUNT(*) FROM pg_inherits WHERE inhparent = c.oid) FROM pg_class AS c
               WHERE c.relname = 'message' AND c.relnamespace = current_schema()::regnamespace";
    postgres.for_each(sql, &[], |row| {
        found = Some(row.int(0)? as u32);
        Ok(())
    })?;
    Ok(found.or(postgres.server().partitions()).filter(|parts| *parts > 0))
}

/// Whether the tables are distributed over a cluster.
fn is_distributed(postgres: &mut PostgresConnection) -> Result<bool> {
    let mut found = false;
    // The catalog of Citus is looked into only where there is one.
    let sql = "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AND to_regclass('message') IS NOT NULL";
    postgres.for_each(sql, &[], |row| {
        found = row.bool(0)?;
        Ok(())
    })?;
    if found {
        let sql = "SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'message'::regclass)";
        postgres.for_each(sql, &[], |row| {
            found = row.bool(0)?;
            Ok(())
        })?;
    }
    Ok(found)
}

/// The same tables, each distributed by its agent as soon as it is made, and only then bound to others.
fn distributed_sql(sql: &str) -> String {
    let mut rest = sql;
    let mut out = String::new();
    while let Some(begin) = rest.find("CREATE TABLE ") {
        let end = begin + rest[begin..].find(";\n").map_or(rest.len() - begin, |end| end + 2);
        let (statement, after) = (&rest[begin..end], &rest[end..]);
        out.push_str(&rest[..begin]);
        rest = after;
        let name = statement["CREATE TABLE ".len()..].split([' ', '(']).next().unwrap_or_default();
        let is_binding = |line: &&str| line.trim_start().starts_with("FOREIGN KEY");
        let lines: Vec<&str> = statement.lines().filter(|line| !is_binding(line)).collect();
        let alone = lines.join("\n").replace(" REFERENCES agent", "");
        // The last column's comma, where bindings came after it.
        out.push_str(&alone.replace(",\n)", "\n)"));
        out.extend([format!(
            "\nSELECT create_distributed_table('{name}', 'agent_id', colocate_with => 'message');\n"
        )]);
        for (at, binding) in statement.lines().filter(is_binding).enumerate() {
            let binding = binding.trim().trim_end_matches(',');
            out.extend([format!("ALTER TABLE {name} ADD CONSTRAINT {name}_binding_{at} {binding};\n")]);
        }
    }
    out.push_str(rest);
    out
}

/// The same tables, each partitioned by the hash of its agent. The table `agent` itself stays whole.
fn partitioned_sql(sql: &str, parts: u32) -> String {
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
        // A partitioned table stores nothing itself, so it takes no storage parameters.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema before rows that are hardly longer than their key moved into it.
    const BEFORE: i64 = 17;
    const ROWS: &str = "
        INSERT INTO agent VALUES (1, 'main', 0, 0);
        INSERT INTO memory (agent_id, number, memory_id, revision, form, category, status, tier, layer, mode, temporal_type,
            valid_from, recorded_at, write_source, data_source, source_confidence, privacy, pinned, immutable, flashbulb,
            importance, utility, utility_at, storage, stability, accesses, accessed_at, surfaced, valence, arousal, length,
            reasons)
            SELECT 1, value, CAST(value AS BLOB), value, 'fact', 'fact', 'new', 'episodic', 'short-term', 'chat',
            'persistent', 0, 0, 'observer', 'user_message', 1, 'open', value = 2, 0, 0, 0.5, 0.5, 0, 1, 1, value, 9, 0, 0,
            0, 1, '{}' FROM json_each('[1, 2, 3]');
        INSERT INTO statement VALUES (1, 2, 0, 'user', 'city', 'Lisbon', 0, 1, 0.8, 0, NULL),
            (1, 1, 1, 'user', 'name', 'Ada', 1, 1, 0.8, 0, x'01'), (1, 1, 0, 'user', 'pet', 'cat', 0, 0, 0.8, 1, NULL);
        INSERT INTO relation VALUES (1, 3, 1, 'related_to', 0.4, 'heuristic', 'alike', 7),
            (1, 2, 1, 'supersedes', 1.0, 'gate', 'moved', 8);
        INSERT INTO entity VALUES (1, 1, 'person', 'ada', 'Ada', 0, 2), (1, 2, 'place', 'lisbon', 'Lisbon', 0, 1);
        INSERT INTO mention VALUES (1, 2, 1), (1, 1, 2), (1, 1, 1);
        INSERT INTO cooccurrence VALUES (1, 1, 2, 5);
        INSERT INTO synaptic_tag VALUES (1, 3, 'a', 1, 2, 0), (1, 1, 'b', 1, 2, 1);
        INSERT INTO working_memory VALUES (1, 'b', 1, 0, 1, 2), (1, 'a', 3, 4, 5, 6);";
    /// Those tables, and the columns that tell their rows apart.
    const TABLES: [&str; 6] = [
        "SELECT number || place || subject || attribute || value || negated || pending FROM statement ORDER BY 1",
        "SELECT from_number || to_number || kind || confidence || made_by || reason || made_at FROM relation ORDER BY 1",
        "SELECT entity_id || '/' || number FROM mention ORDER BY 1",
        "SELECT one || '/' || other || '/' || times FROM cooccurrence ORDER BY 1",
        "SELECT number || session || tagged_at || ttl_ms || captured FROM synaptic_tag ORDER BY 1",
        "SELECT session || number || accesses || added_at || accessed_at FROM working_memory ORDER BY 1",
    ];

    fn rows(connection: &mut Connection) -> Vec<Vec<String>> {
        let rows = TABLES.iter().map(|sql| connection.query(sql, &[], |row| row.text(0)).expect("read"));
        rows.collect()
    }

    #[test]
    fn what_an_older_schema_holds_is_all_there_in_the_newest() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = Connection::open(&folder.path().join("memory.db")).expect("opened");
        connection.script(CREATE_MIGRATION_TABLE).expect("made");
        (0..BEFORE)
            .try_for_each(|version| apply_migration(&mut connection, version))
            .expect("an older schema");
        connection.script(ROWS).expect("written");
        let before = rows(&mut connection);
        migrate(&mut connection).expect("migrated");
        assert_eq!(rows(&mut connection), before);
        assert!(before.iter().all(|rows| !rows.is_empty()));
        assert_eq!(schema_version(&mut connection).expect("known"), LATEST_SCHEMA);
        let pinned = "SELECT CAST(number AS TEXT) FROM memory INDEXED BY memory_pinned WHERE agent_id = 1 AND pinned = 1";
        assert_eq!(connection.query(pinned, &[], |row| row.text(0)).expect("read"), ["2"]);
        let orphan = "INSERT INTO mention VALUES (1, 1, 4)";
        assert!(connection.execute(orphan, &[]).is_err(), "what a row speaks of must still be there");
    }
}

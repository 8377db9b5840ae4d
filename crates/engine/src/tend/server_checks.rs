//! The doctor's checks of a database server.

use crate::tend::check::{Check, Health};
use cairn_store::{ClusterReport, DatabaseServerReport, StoreError};
use std::cmp::Ordering;

/// The oldest server that will do, and what it is called.
const OLDEST: (i64, &str) = (160_000, "16");
/// The oldest extension that will do.
const OLDEST_EXTENSION: (u32, u32) = (0, 8);
/// Sorting and hashing of a search should fit into this.
const LEAST_WORK_MEM: u64 = 4 << 20;
/// An answer that takes longer than this slows every recall down.
const SLOW_MS: f64 = 5.0;

/// Everything worth knowing about a server, or why it does not answer.
pub(crate) fn checks(name: &str, report: Result<DatabaseServerReport, StoreError>) -> Vec<Check> {
    match report {
        Err(error) => vec![Check::bad("server", error.to_string(), error.hint())],
        Ok(report) => {
            let mut checks = vec![
                server(name, &report),
                extension(&report),
                schema(&report),
                indexes(&report),
                settings(&report),
                pool(&report),
                walls(&report),
            ];
            checks.extend(report.cluster.as_ref().map(cluster));
            checks
        }
    }
}

fn server(name: &str, report: &DatabaseServerReport) -> Check {
    let ms = report.latency.as_secs_f64() * 1e3;
    let detail = format!("{name} runs PostgreSQL {} and answers within {ms:.2} ms", report.version);
    if report.version_number < OLDEST.0 {
        return Check::bad("server", detail, format!("move to PostgreSQL {} or newer", OLDEST.1));
    }
    if ms > SLOW_MS {
        return Check::warning(
            "server",
            detail,
            "every recall asks several times: run Cairn nearer to its server",
        );
    }
    Check::good("server", detail)
}

fn extension(report: &DatabaseServerReport) -> Check {
    match &report.extension {
        (Some(version), _) if new_enough(version) => Check::good("extension", format!("vector {version}")),
        (Some(version), _) => {
            let fix = "install pgvector 0.8 or newer on the server, then run `ALTER EXTENSION vector UPDATE`";
            Check::bad("extension", format!("vector {version} is too old"), fix)
        }
        (None, Some(version)) => {
            let detail = format!("vector {version} is on the server and not in this database");
            Check::bad(
                "extension",
                detail,
                "run `CREATE EXTENSION vector` as an administrator of the database",
            )
        }
        (None, None) => {
            let fix = "install pgvector 0.8 or newer on the server";
            Check::bad("extension", "the server does not have `vector`", fix)
        }
    }
}

fn new_enough(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= OLDEST_EXTENSION
}

fn schema(report: &DatabaseServerReport) -> Check {
    let (found, known) = report.schema;
    let detail = format!("migration {found} of {known}");
    match found.cmp(&known) {
        Ordering::Equal => Check::good("schema", detail),
        Ordering::Less => Check::bad("schema", detail, "run `cairn init`: it brings the schema up to date"),
        Ordering::Greater => {
            Check::bad("schema", detail, "a newer cairn made this database: install the newest")
        }
    }
}

fn indexes(report: &DatabaseServerReport) -> Check {
    if let Some(name) = report.unfinished_indexes.first() {
        let fix = format!("run `DROP INDEX {name}`, then `cairn embed`: it makes the index again");
        return Check::warning("indexes", format!("{name} was never finished"), &fix);
    }
    if let Some(statement) = report.missing_indexes.first() {
        let fix = format!("`cairn embed` makes it, or the owner of the table with: {statement}");
        return Check::warning("indexes", "the vectors are many and have no index yet", &fix);
    }
    Check::good("indexes", "all there")
}

fn settings(report: &DatabaseServerReport) -> Check {
    let shown: Vec<String> =
        report.settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let detail = shown.join(", ");
    let value = |wanted: &str| {
        report.settings.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value.as_str())
    };
    for name in ["fsync", "full_page_writes"] {
        if value(name) == "off" {
            let fix = format!("set `{name} = on`: without it a power cut loses what was acknowledged");
            return Check::bad("settings", detail, fix);
        }
    }
    if value("synchronous_commit") == "off" {
        let fix = "set `synchronous_commit = on`: without it a crash loses what was acknowledged last";
        return Check::bad("settings", detail, fix);
    }
    if value("hnsw.iterative_scan") == "off" || value("hnsw.iterative_scan").is_empty() {
        let fix = "update pgvector to 0.8 or newer: filters lose hits without iterative scans";
        return Check::bad("settings", detail, fix);
    }
    if bytes(value("work_mem")).is_some_and(|bytes| bytes < LEAST_WORK_MEM) {
        return Check::warning("settings", detail, "set `work_mem` to 4MB or more");
    }
    Check::good("settings", detail)
}

/// A setting of memory, as the server writes it: `4MB`.
fn bytes(setting: &str) -> Option<u64> {
    let digits = setting.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = setting.split_at(digits);
    let unit = match unit {
        "kB" => 1 << 10,
        "MB" => 1 << 20,
        "GB" => 1 << 30,
        _ => return None,
    };
    Some(number.parse::<u64>().ok()? * unit)
}

fn pool(report: &DatabaseServerReport) -> Check {
    let (used, most) = report.connections;
    let detail = format!("{used} of {most} connections are in use");
    // One in ten is for administrators and for the next to come.
    if used * 10 > most * 9 {
        return Check::warning("pool", detail, "raise the server's max_connections, or run fewer processes");
    }
    Check::good("pool", detail)
}

fn cluster(cluster: &ClusterReport) -> Check {
    if let Some(table) = cluster.undistributed.first() {
        let fix =
            format!("distribute {table} by agent_id, colocated with the table message, on the coordinator");
        return Check::bad("cluster", format!("{table} is on the coordinator alone"), fix);
    }
    Check::good("cluster", format!("the tables are distributed over {}", cluster.machines.join(", ")))
}

fn walls(report: &DatabaseServerReport) -> Check {
    if let Some(table) = report.open_tables.first() {
        return Check::bad("walls", format!("{table} has no row-level security"), "run `cairn init`");
    }
    if report.above_walls {
        let fix = "give Cairn a role that is no superuser: see docs/scale.md";
        return Check::warning("walls", "this user is above row-level security", fix);
    }
    Check {
        name: "walls",
        health: Health::Good,
        detail: "row-level security keeps agents apart".into(),
        fix: None,
    }
}

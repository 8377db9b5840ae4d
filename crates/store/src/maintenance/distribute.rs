//! Spreading the tables over many machines with Citus: every table that begins with an agent is distributed by it, and all of
//! them are colocated, so that each statement runs on one machine. The list of agents, whose rows writers lock, stays on the
//! coordinator.

use super::inspect_server::shard_machines;
use crate::{
    database::{
        Connection, DatabaseServer, READER_SECURITY, ROW_SECURITY, WhenUnreachable, migrate, table_names,
    },
    error::{Result, StoreError},
    threads::run_on_blocking_thread,
};
use std::sync::Arc;

const BEFORE: &str = include_str!("../../migrations/before_distribution.sql");
const AFTER: &str = include_str!("../../migrations/after_distribution.sql");

/// The statements that distribute an existing schema by agent, in order, for one transaction on the coordinator.
pub fn distribution_plan() -> Vec<String> {
    let mut plan = vec![
        // What is set here is not for other machines.
        "SET LOCAL citus.propagate_set_commands = 'none'".to_owned(),
        // Guards read rows of the same agent, which are on the same machine.
        "SET LOCAL citus.enable_unsafe_triggers = on".to_owned(),
        "SET LOCAL citus.multi_shard_modify_mode = 'sequential'".to_owned(),
        "SET LOCAL client_min_messages = warning".to_owned(),
        // Rows are copied: as long as that takes.
        "SET LOCAL statement_timeout = 0".to_owned(),
        BEFORE.trim_end().trim_end_matches(';').to_owned(),
    ];
    let mut first = None;
    for table in table_names().filter(|table| *table != "agent") {
        let beside = first.get_or_insert(table);
        let beside = if *beside == table { "none" } else { beside };
        plan.push(format!(
            "SELECT create_distributed_table('{table}', 'agent_id', colocate_with => '{beside}')"
        ));
    }
    plan.extend(
        [AFTER, ROW_SECURITY, READER_SECURITY].map(|sql| sql.trim_end().trim_end_matches(';').to_owned()),
    );
    plan
}

/// Distributes the tables of a database over its cluster; the machines that hold them then. Nothing happens if they are
/// distributed already.
///
/// # Errors
/// If the server has no Citus, or its tables are in parts.
pub async fn distribute_tables(server: Arc<DatabaseServer>) -> Result<Vec<String>> {
    run_on_blocking_thread(move || {
        let mut connection = Connection::connect(&server, "", WhenUnreachable::Fail)?;
        let has_citus = "SELECT COUNT(*) FROM pg_extension WHERE extname = 'citus'";
        if connection.first(has_citus, &[], |row| row.int(0))? == Some(0) {
            return Err(StoreError::Refused {
                problem: "this database does not have the extension `citus`".into(),
                hint: "run `CREATE EXTENSION citus` in it on every machine, add the machines with `citus_add_node`, and try \
                       again"
                    .into(),
            });
        }
        migrate(&mut connection)?;
        let in_parts = "SELECT COUNT(*) FROM pg_class WHERE oid = to_regclass('message') AND relkind = 'p'";
        if connection.first(in_parts, &[], |row| row.int(0))? != Some(0) {
            return Err(StoreError::Refused {
                problem: "the tables of this database are in parts".into(),
                hint: "export the agents and import them into a database that was made without `[store] partitions`".into(),
            });
        }
        if shard_machines(&mut connection)?.is_empty() {
            let plan = distribution_plan();
            connection
                .claim(|connection| plan.iter().try_for_each(|statement| connection.script(statement)))?;
        }
        shard_machines(&mut connection)
    })
    .await
}

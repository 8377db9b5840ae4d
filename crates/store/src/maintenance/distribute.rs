//! Spreading the tables over many machines: a script for a distributed PostgreSQL.

use crate::database::table_names;

/// The statements that distribute an existing schema by agent on Citus, in order. Every table is distributed by its first key
/// column and colocated with the messages, or is a reference table that every machine has.
pub fn distribution_plan() -> Vec<String> {
    let mut plan = vec!["CREATE EXTENSION IF NOT EXISTS citus".to_owned()];
    // The triggers of the message table read one row at a time and never beyond its shard.
    plan.push("SET citus.enable_unsafe_triggers = on".to_owned());
    for reference in ["migration", "agent"] {
        plan.push(format!("SELECT create_reference_table('{reference}')"));
    }
    let distributed: Vec<&str> = table_names().filter(|table| *table != "agent").collect();
    for (at, table) in distributed.iter().enumerate() {
        let beside = if at == 0 { "default" } else { distributed[0] };
        plan.push(format!(
            "SELECT create_distributed_table('{table}', 'agent_id', colocate_with => '{beside}')"
        ));
    }
    plan
}

//! Which agents a database server has.

use crate::{
    database::{Connection, DatabaseServer, WhenUnreachable, schema_version},
    error::Result,
    record,
    threads::run_on_blocking_thread,
};
use cairn_domain::AgentName;
use std::sync::Arc;

/// Whether an agent exists on a database server.
pub async fn agent_exists_on_server(server: Arc<DatabaseServer>, agent: AgentName) -> Result<bool> {
    run_on_blocking_thread(move || {
        let mut connection = Connection::connect(&server, agent.as_str(), WhenUnreachable::Fail)?;
        Ok(schema_version(&mut connection)? > 0 && record::agent_id(&mut connection, &agent)?.is_some())
    })
    .await
}

/// The agents on a database server that a connection for `agent` may see, by name; none if the database is empty.
pub async fn list_agents_on_server(server: Arc<DatabaseServer>, agent: AgentName) -> Result<Vec<AgentName>> {
    let names = run_on_blocking_thread(move || {
        let mut connection = Connection::connect(&server, agent.as_str(), WhenUnreachable::Fail)?;
        if schema_version(&mut connection)? == 0 {
            Ok(Vec::new())
        } else {
            record::agent_names(&mut connection)
        }
    });
    Ok(names.await?.into_iter().filter_map(|name| name.parse().ok()).collect())
}

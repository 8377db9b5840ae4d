//! The agent itself.

use crate::{
    Result, StoreError,
    database::{Connection, values},
    transaction::Tx,
};
use cairn_domain::{AgentName, Time};

/// The agent's row, made if it is missing. An agent's folder holds one agent, and its folder names it:
/// copying the folder is how an agent is copied, so a differing name is taken over.
pub(crate) fn ensure_agent(connection: &mut Connection, name: &AgentName, now: Time) -> Result<i64> {
    if connection.postgres().is_some() {
        return ensure_agent_among_others(connection, name, now);
    }
    let found =
        connection.first("SELECT agent_id, name FROM agent", &[], |row| Ok((row.int(0)?, row.text(1)?)))?;
    match found {
        Some((agent_id, known)) if known == name.as_str() => Ok(agent_id),
        Some((agent_id, _)) => {
            let rename = "UPDATE agent SET name = ?2 WHERE agent_id = ?1";
            connection.execute(rename, values![agent_id, name.as_str()])?;
            Ok(agent_id)
        }
        None => {
            let insert = "INSERT INTO agent (agent_id, name, created_at, index_epoch) VALUES (1, ?1, ?2, ?3)
                          ON CONFLICT DO NOTHING";
            connection.execute(insert, values![name.as_str(), now.millis(), now.millis()])?;
            Ok(1)
        }
    }
}

/// The row of one agent of many.
fn ensure_agent_among_others(connection: &mut Connection, name: &AgentName, now: Time) -> Result<i64> {
    let insert = "INSERT INTO agent (agent_id, name, created_at, index_epoch) VALUES (nextval('agent_number'), ?1, ?2, ?2)
                  ON CONFLICT (name) DO NOTHING";
    if let Some(found) = agent_id(connection, name)? {
        return Ok(found);
    }
    connection.execute(insert, values![name.as_str(), now.millis()])?;
    agent_id(connection, name)?
        .ok_or_else(|| StoreError::damaged("no row for an agent that was just inserted", "agent"))
}

/// The number of the agent called `name`.
pub(crate) fn agent_id(connection: &mut Connection, name: &AgentName) -> Result<Option<i64>> {
    connection.first("SELECT agent_id FROM agent WHERE name = ?1", values![name.as_str()], |row| row.int(0))
}

/// The names of all agents that this connection may know of.
pub(crate) fn agent_names(connection: &mut Connection) -> Result<Vec<String>> {
    connection.query("SELECT name FROM agent ORDER BY name", &[], |row| row.text(0))
}

/// The number that derived index files must carry to be believed.
pub(crate) fn epoch(tx: &mut Tx<'_>) -> Result<i64> {
    let select = "SELECT index_epoch FROM agent WHERE agent_id = ?1";
    Ok(tx.first(select, values![tx.agent_id], |row| row.int(0))?.unwrap_or(0))
}

/// Makes every derived index file stale.
pub(crate) fn bump_epoch(tx: &mut Tx<'_>) -> Result<()> {
    let update = "UPDATE agent SET index_epoch = index_epoch + 1 WHERE agent_id = ?1";
    tx.execute(update, values![tx.agent_id])?;
    Ok(())
}

//! The agent itself.

use crate::{
    Result,
    database::{Connection, values},
};
use cairn_domain::{AgentName, Time};

/// The agent's row, made if it is missing. An agent's folder holds one agent, and its folder names it:
/// copying the folder is how an agent is copied, so a differing name is taken over.
pub(crate) fn ensure_agent(connection: &mut Connection, name: &AgentName, now: Time) -> Result<i64> {
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

/// The number that derived index files must carry to be believed.
pub(crate) fn epoch(connection: &mut Connection, agent_id: i64) -> Result<i64> {
    let select = "SELECT index_epoch FROM agent WHERE agent_id = ?1";
    Ok(connection.first(select, values![agent_id], |row| row.int(0))?.unwrap_or(0))
}

/// Makes every derived index file stale.
pub(crate) fn bump_epoch(connection: &mut Connection, agent_id: i64) -> Result<()> {
    let update = "UPDATE agent SET index_epoch = index_epoch + 1 WHERE agent_id = ?1";
    connection.execute(update, values![agent_id])?;
    Ok(())
}

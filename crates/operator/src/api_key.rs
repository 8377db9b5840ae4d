//! The API keys that an operator gives out. Nobody gives more than they have: a grant that is limited to some agents makes,
//! sees and revokes only keys with the same limit or a narrower one.

use crate::{error::Result, grant::Grant};
use cairn_domain::{AccessKey, AgentName, Scope};
use cairn_engine::{EngineError, Keys};

/// Makes a key for these agents, or for all; the key, and what it opens with, which is stored nowhere.
pub async fn add_key(
    grant: &Grant,
    keys: &Keys,
    name: &str,
    scope: Scope,
    agents: Option<Vec<AgentName>>,
) -> Result<(AccessKey, String)> {
    grant.require_all(agents.as_deref())?;
    let by = grant.authority();
    Ok(match scope {
        Scope::Agent => keys.add(name, agents, by).await?,
        Scope::Capture => keys.add_capture_key(name, agents, by).await?,
        Scope::Operator => {
            let secret = grant.secret()?;
            let seal = |key: &AccessKey, shown: &str| secret.sealed_for(key, shown);
            keys.add_operators_key(name, agents, by, seal).await?
        }
    })
}

/// The keys that a grant reaches, the newest first.
pub async fn list_keys(grant: &Grant, keys: &Keys) -> Result<Vec<AccessKey>> {
    let mut keys = keys.list().await?;
    keys.retain(|key| grant.covers(key.agents.as_deref()));
    Ok(keys)
}

/// Lets the key with this id or name open nothing any more. One that the grant does not reach is not there.
pub async fn revoke_key(grant: &Grant, keys: &Keys, key: &str) -> Result<AccessKey> {
    let found = keys.find(key).await?;
    if !grant.covers(found.agents.as_deref()) {
        return Err(EngineError::NotFound(format!("key {key}")).into());
    }
    Ok(keys.revoke_operators_key(found, grant.authority()).await?)
}

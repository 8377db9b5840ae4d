//! Erasing: the only way in which words leave a memory. Everything derived from them is deleted, too, from every table, index,
//! archive file, log and backup that Cairn manages; a tombstone stays, and a receipt without the words.

use crate::{error::Result, grant::Grant, reason::required_reason};
use cairn_domain::{AgentName, Invalid};
use cairn_engine::{Home, Missing, stored_name};
use cairn_store::protected::{self, Authority, Erasure, Words};
use std::path::PathBuf;

/// Everything that an erasure deletes or has deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erased {
    /// From the memory.
    pub erasure: Erasure,
    /// Copies of the agent in the home that may contain the words: backups, databases set aside, bundles.
    pub copies: Vec<PathBuf>,
}

/// Plans an erasure. Changes nothing.
pub async fn plan_erasure(home: &Home, agent: &AgentName, words: Words) -> Result<Erased> {
    check(&words)?;
    let words = by_stored_names(words);
    let store = home.protected_store(agent).await?;
    let (erasure, copies) = protected::plan_erasure(&store, &home.folder(agent), words).await?;
    Ok(Erased { erasure, copies })
}

/// Deletes words for good. Messages that stay and lost a memory are formed again before this returns.
pub async fn erase(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    words: Words,
    reason: &str,
) -> Result<Erased> {
    grant.require(agent)?;
    check(&words)?;
    let words = by_stored_names(words);
    let reason = required_reason(reason, "an erasure", "erased")?;
    let by = Authority { actor: grant.authority().to_owned(), reason };
    let store = home.protected_store(agent).await?;
    let (erasure, copies) = protected::erase(&store, &home.folder(agent), words, by, home.now()).await?;
    let agent = home.agent(agent, Missing::Refuse).await?;
    agent.form(&mut |_| {}).await?;
    Ok(Erased { erasure, copies })
}

/// Deletes everything that was noted of where the user stands; how many rows.
pub async fn erase_standing(grant: &Grant, home: &Home, agent: &AgentName, reason: &str) -> Result<usize> {
    grant.require(agent)?;
    let reason = required_reason(reason, "an erasure", "erased")?;
    let by = Authority { actor: grant.authority().to_owned(), reason };
    let store = home.protected_store(agent).await?;
    Ok(protected::erase_standing(&store, by, home.now()).await?)
}

/// The same words, by the names under which their session and their thread are stored.
fn by_stored_names(words: Words) -> Words {
    let stored = |name: Option<String>| name.as_deref().map(stored_name);
    Words { session: stored(words.session), thread: stored(words.thread), ..words }
}

fn check(words: &Words) -> Result<()> {
    if *words == Words::default() {
        let hint = "name refs, --before, --session, --thread or --all; nothing was erased";
        return Err(Invalid::new("erase what?", hint).into());
    }
    Ok(())
}

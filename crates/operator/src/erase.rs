//! Erasing: the only way in which words leave a memory. Everything derived from them is deleted, too, from every table, index,
//! archive file, log and backup that Cairn manages; a tombstone stays, and a receipt without the words.

use crate::{
    error::{OperatorError, Result},
    grant::Grant,
};
use cairn_domain::{AgentName, Invalid};
use cairn_engine::{Home, Missing};
use cairn_store::protected::{self, Authority, Erasure, Words};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Everything that an erasure deletes or has deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erased {
    /// From the memory.
    pub erasure: Erasure,
    /// Backups that may contain the words.
    pub backups: Vec<PathBuf>,
}

/// Plans an erasure. Changes nothing.
pub async fn plan_erasure(home: &Home, agent: &AgentName, words: Words) -> Result<Erased> {
    check(&words)?;
    let store = home.protected_store(agent).await?;
    let erasure = protected::plan_erasure(&store, words).await?;
    let backups = entries(&home.folder(agent).join("backups"))?;
    Ok(Erased { erasure, backups })
}

/// Deletes words for good. Messages that stay and lost a memory are formed again before this returns.
pub async fn erase(
    grant: &Grant,
    home: &Home,
    agent: &AgentName,
    words: Words,
    reason: &str,
) -> Result<Erased> {
    check(&words)?;
    let reason = reason.trim().to_owned();
    if reason.is_empty() {
        return Err(
            Invalid::new("an erasure needs a reason", "give it with --reason; nothing was erased").into()
        );
    }
    let by = Authority { actor: grant.authority().to_owned(), reason };
    let store = home.protected_store(agent).await?;
    let erasure = protected::erase(&store, words, by, home.now()).await?;
    let folder = home.folder(agent);
    let backups = entries(&folder.join("backups"))?;
    for path in backups.iter().chain(&entries(&folder.join("logs"))?) {
        remove(path)?;
    }
    let agent = home.agent(agent, Missing::Refuse).await?;
    agent.form(&mut |_| {}).await?;
    Ok(Erased { erasure, backups })
}

fn check(words: &Words) -> Result<()> {
    if *words == Words::default() {
        let hint = "name refs, --before, --session, --thread or --all; nothing was erased";
        return Err(Invalid::new("erase what?", hint).into());
    }
    Ok(())
}

/// The contents of a folder; empty if it is missing.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(found) => {
            let mut found: Vec<PathBuf> = found.filter_map(|entry| Some(entry.ok()?.path())).collect();
            found.sort();
            Ok(found)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(OperatorError::file("list", folder)(error)),
    }
}

fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.map_err(OperatorError::file("remove", path))
}

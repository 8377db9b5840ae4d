//! Files that an operator has put in place: whether they still say what the newest receipt about them says. An agent with a
//! shell can write any file of its user; the ledger tells that nobody signed in for it.

use crate::{
    agent::Agent, error::Result, govern::GOVERN_FILE, home::Home, home::Missing, tend::check::Check,
};
use cairn_domain::Time;
use std::{fs, path::Path};

/// The configuration of a home.
pub const CONFIG_FILE: &str = "config.toml";

/// How a receipt names the content of a file.
pub fn content_hash(text: &[u8]) -> String {
    blake3::hash(text).to_hex()[..32].to_owned()
}

/// The newest receipt about a file.
struct ReceiptedFile {
    /// The file below the home or the agent's folder.
    name: String,
    content_hash: String,
    receipt: u64,
    at: Time,
}

impl Home {
    /// Checks the configuration and the identity of an agent against the ledger.
    pub(super) async fn check_protected_files(&self, agent: &Agent) -> Result<Vec<Check>> {
        let mut checks = Vec::new();
        for file in agent.receipted_files().await? {
            let is_home_file = [CONFIG_FILE, GOVERN_FILE].contains(&file.name.as_str());
            let folder = if is_home_file { self.path() } else { agent.folder() };
            let path = folder.join(&file.name);
            if says(&path, &file) || is_home_file && self.was_configured_elsewhere(agent, &file).await? {
                continue;
            }
            let detail =
                format!("{} is not what an operator put there (receipt {})", file.name, file.receipt);
            let fix = "read it: somebody changed it by hand. `cairn operator apply` records a change that is meant, \
                       `cairn operator log` names the copy from before";
            checks.push(if file.name == CONFIG_FILE {
                // `cairn setup` writes there, too.
                Check::warning("protected", detail, fix)
            } else {
                Check::bad("protected", detail, fix)
            });
        }
        Ok(checks)
    }

    /// Whether a file of the home is what a later receipt of another agent says: it is every agent's.
    async fn was_configured_elsewhere(&self, agent: &Agent, known: &ReceiptedFile) -> Result<bool> {
        let mut later = Vec::new();
        for name in self.agents(agent.name()).await? {
            if name == *agent.name() {
                continue;
            }
            let other = self.agent(&name, Missing::Refuse).await?;
            let files = other.receipted_files().await?;
            later.extend(files.into_iter().filter(|file| file.name == known.name && file.at >= known.at));
        }
        let newest = later.iter().map(|file| file.at).max();
        let path = self.path().join(&known.name);
        Ok(later.iter().any(|file| Some(file.at) == newest && says(&path, file)))
    }
}

impl Agent {
    async fn receipted_files(&self) -> Result<Vec<ReceiptedFile>> {
        let files = self.store.read(|view| {
            let mut files = Vec::new();
            for name in view.protected_names()? {
                if ![CONFIG_FILE, GOVERN_FILE].contains(&name.as_str()) && !name.starts_with("identity/") {
                    continue;
                }
                let Some((content_hash, receipt)) = view.protected_setting(&name)? else { continue };
                let at = view.receipt(receipt)?.map_or(Time::from_millis(0), |receipt| receipt.at);
                files.push(ReceiptedFile { name, content_hash, receipt, at });
            }
            Ok(files)
        });
        Ok(files.await?)
    }
}

/// Whether the file has the content of the receipt. One that is gone has none.
fn says(path: &Path, file: &ReceiptedFile) -> bool {
    content_hash(&fs::read(path).unwrap_or_default()) == file.content_hash
}

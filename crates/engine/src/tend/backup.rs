//! Backups: folders that can be put back in the agent's place; of an agent on a server, folders with a bundle.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    tend::{bundle::Disclosure, stats::folder_bytes},
};
use cairn_domain::Invalid;
use std::{
    fs,
    io::BufWriter,
    path::{Path, PathBuf},
};

/// A backup among the agent's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupFolder {
    /// The folder, named by the time at which it was made.
    pub folder: PathBuf,
    /// Bytes of its files.
    pub bytes: u64,
}

impl Agent {
    /// The backups below the agent's own folder, the newest first.
    pub fn backups(&self) -> Result<Vec<BackupFolder>> {
        let own = self.folder.join("backups");
        if !own.exists() {
            return Ok(Vec::new());
        }
        let mut folders = folders_in(&own)?;
        folders.sort();
        let sized = |folder: PathBuf| BackupFolder { bytes: folder_bytes(&folder), folder };
        Ok(folders.into_iter().rev().map(sized).collect())
    }

    /// Copies the agent into `to`, or into a new folder below its own `backups`, of which the newest few are kept.
    pub async fn backup(&self, to: Option<PathBuf>) -> Result<PathBuf> {
        let own = self.folder.join("backups");
        let folder = to.clone().unwrap_or_else(|| self.new_backup_folder(&own));
        if folder.join("memory.db").exists() {
            let problem = format!("there is a memory in {} already", folder.display());
            return Err(Invalid::new(problem, "choose a new folder; nothing was copied").into());
        }
        if self.on_server {
            self.backup_bundle(&folder).await?;
        } else {
            self.store.backup(folder.clone()).await?;
        }
        if to.is_none() {
            remove_oldest_backups(&own, self.config.backup.keep)?;
        }
        Ok(folder)
    }
}

impl Agent {
    /// A folder named by the time; of two in the same moment the second has a number.
    fn new_backup_folder(&self, own: &Path) -> PathBuf {
        let stamp = self.now().to_string().replace(':', "-");
        let mut folder = own.join(&stamp);
        for again in 1.. {
            if !folder.exists() {
                break;
            }
            folder = own.join(format!("{stamp}.{again}"));
        }
        folder
    }

    async fn backup_bundle(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).map_err(EngineError::file("make", folder))?;
        let path = folder.join(format!("{}.cairn", self.name));
        let mut file = fs::File::create_new(&path).map_err(EngineError::file("write", &path))?;
        self.export(&mut BufWriter::new(&mut file), &path, Disclosure::Whole).await?;
        file.sync_all().map_err(EngineError::file("write", &path))
    }
}

fn folders_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = folder.read_dir().map_err(EngineError::file("list", folder))?;
    Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
}

/// Names are times, so the order of names is the order of age.
fn remove_oldest_backups(folder: &Path, keep: usize) -> Result<()> {
    let mut backups = folders_in(folder)?;
    backups.sort();
    let surplus = backups.len().saturating_sub(keep);
    for old in &backups[..surplus] {
        fs::remove_dir_all(old).map_err(EngineError::file("remove", old))?;
    }
    Ok(())
}

//! Where the agents of a home live.

use crate::error::Result;
use cairn_domain::AgentName;
use cairn_store::{DatabaseServer, Disk, StoreLocation, agent_exists_on_server};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The folder of a home's agents and, if one keeps them, the database server.
#[derive(Clone)]
pub(crate) struct AgentPlaces {
    pub(crate) folder: PathBuf,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) server: Option<Arc<DatabaseServer>>,
}

impl AgentPlaces {
    /// The folder of an agent.
    pub(crate) fn folder_of(&self, name: &AgentName) -> PathBuf {
        self.folder.join(name.as_str())
    }

    /// Where an agent's store is, or would be.
    pub(crate) fn place_of(&self, name: &AgentName) -> StoreLocation {
        match &self.server {
            Some(server) => StoreLocation::Server(Arc::clone(server)),
            None => StoreLocation::Folder { path: self.folder_of(name), disk: Arc::clone(&self.disk) },
        }
    }

    /// Whether an agent is there.
    pub(crate) async fn has(&self, name: &AgentName) -> Result<bool> {
        Ok(match &self.server {
            Some(server) => agent_exists_on_server(Arc::clone(server), name.clone()).await?,
            None => is_agent_folder(&self.folder_of(name)),
        })
    }
}

/// A folder is an agent if it holds a memory, or words from which one can be made.
pub(crate) fn is_agent_folder(folder: &Path) -> bool {
    folder.join("memory.db").exists() || folder.join("archive").exists()
}

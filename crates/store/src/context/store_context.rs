//! State that all threads of one open store share.

use super::{files::AgentFiles, notes::RepairNotes};
use crate::{
    database::{Connection, DatabaseServer, WhenUnreachable},
    error::Result,
};
use cairn_domain::AgentName;
use std::sync::{Arc, atomic::AtomicUsize};

/// The agent of an open store and where it is stored.
pub(crate) struct StoreContext {
    pub(crate) agent: AgentName,
    pub(crate) agent_id: i64,
    pub(crate) storage: Storage,
    pub(crate) notes: RepairNotes,
}

/// Where the agent is stored.
pub(crate) enum Storage {
    /// In a folder, with its files.
    Folder(Box<AgentFiles>),
    /// On a database server, without files.
    Server {
        server: Arc<DatabaseServer>,
        /// Vectors that this process added since it last checked whether an index pays.
        unindexed_vectors: AtomicUsize,
    },
}

impl StoreContext {
    /// The agent's files; a database server has none.
    pub(crate) fn files(&self) -> Option<&AgentFiles> {
        match &self.storage {
            Storage::Folder(files) => Some(files),
            Storage::Server { .. } => None,
        }
    }

    /// A new connection for reading only.
    pub(crate) fn connect_to_read(&self) -> Result<Connection> {
        let mut connection = self.connect()?;
        connection.optimize_for_reads()?;
        Ok(connection)
    }

    /// A new connection to the database.
    pub(crate) fn connect(&self) -> Result<Connection> {
        match &self.storage {
            Storage::Folder(files) => Connection::open(&files.folder.join("memory.db")),
            Storage::Server { server, .. } => {
                let mut connection = Connection::connect(server, self.agent.as_str(), WhenUnreachable::Wait)?;
                if let Some(postgres) = connection.postgres() {
                    postgres.work_for(self.agent_id);
                }
                Ok(connection)
            }
        }
    }
}

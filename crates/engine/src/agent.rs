//! The handle an agent gets. Everything it can do stands in `write`, `read` and `tend`; nothing protected is
//! reachable from it.

use crate::{Clock, Config, Result};
use cairn_domain::{AgentName, Time};
use cairn_store::{Disk, Options, Store};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicUsize},
};

/// One agent, opened. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    pub(crate) name: AgentName,
    pub(crate) folder: PathBuf,
    pub(crate) config: Config,
    pub(crate) store: Store,
    /// Messages written since the keyword index was last tended.
    pub(crate) untended: Arc<AtomicUsize>,
    /// Held by whoever in this process tends the index.
    pub(crate) tending: Arc<tokio::sync::Mutex<()>>,
    clock: Arc<dyn Clock>,
}

impl Agent {
    pub(crate) async fn open(
        folder: PathBuf,
        name: AgentName,
        config: Config,
        clock: Arc<dyn Clock>,
        disk: Arc<dyn Disk>,
    ) -> Result<Self> {
        let options = Options { folder: folder.clone(), agent: name.clone(), disk, now: clock.now() };
        let store = Store::open(options).await?;
        Ok(Self { name, folder, config, store, untended: Arc::default(), tending: Arc::default(), clock })
    }

    /// Its name.
    pub fn name(&self) -> &AgentName {
        &self.name
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was repaired since this was last asked.
    pub fn take_notes(&self) -> Vec<String> {
        self.store.take_notes()
    }

    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }
}

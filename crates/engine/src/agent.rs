//! The handle an agent gets. Everything it can do stands in `write`, `read` and `tend`; nothing protected is
//! reachable from it.

use crate::{Clock, Config, Result, embedders::Embedders};
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
    pub(crate) embedders: Arc<Embedders>,
    /// Messages written since the keyword index was last tended.
    pub(crate) untended: Arc<AtomicUsize>,
    /// Held by whoever in this process tends an index.
    pub(crate) tending: Arc<tokio::sync::Mutex<()>>,
    clock: Arc<dyn Clock>,
}

impl Agent {
    pub(crate) async fn open(
        folder: PathBuf,
        name: AgentName,
        config: Config,
        embedders: Arc<Embedders>,
        clock: Arc<dyn Clock>,
        disk: Arc<dyn Disk>,
    ) -> Result<Self> {
        let options = Options { folder: folder.clone(), agent: name.clone(), disk, now: clock.now() };
        let store = Store::open(options).await?;
        let (untended, tending) = Default::default();
        Ok(Self { name, folder, config, store, embedders, untended, tending, clock })
    }

    /// Its name.
    pub fn name(&self) -> &AgentName {
        &self.name
    }

    /// The configuration it lives by.
    pub fn config(&self) -> &Config {
        &self.config
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

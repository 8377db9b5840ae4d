//! The handle an agent gets. Everything it can do stands in `write`, `read` and `tend`; nothing protected is
//! reachable from it.

use crate::{
    Clock, Config, Result, embedders::Embedders, language::Language, oplog::OpsLog, read::Hot,
    write::Readings,
};
use cairn_domain::{AgentName, Time};
use cairn_store::{Options, Place, Store};
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
    pub(crate) language: Arc<Language>,
    /// Messages written since the keyword index was last tended.
    pub(crate) untended: Arc<AtomicUsize>,
    /// Held by whoever in this process tends an index.
    pub(crate) tending: Arc<tokio::sync::Mutex<()>>,
    /// Held by whoever in this process forms memories.
    pub(crate) forming: Arc<tokio::sync::Mutex<()>>,
    /// Held by whoever in this process asks a language model about them.
    pub(crate) refining: Arc<tokio::sync::Mutex<()>>,
    /// What was read in the texts of its memories.
    pub(crate) readings: Arc<Readings>,
    /// The memories that come with every question.
    pub(crate) hot: Arc<Hot>,
    /// What was decided, for whoever wants to know later.
    pub(crate) ops: Arc<OpsLog>,
    /// Whether a server keeps it.
    pub(crate) on_server: bool,
    clock: Arc<dyn Clock>,
}

impl Agent {
    pub(crate) async fn open(
        place: Place,
        folder: PathBuf,
        name: AgentName,
        config: Config,
        (embedders, language): (Arc<Embedders>, Arc<Language>),
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let on_server = matches!(place, Place::Server(_));
        let options = Options { place, agent: name.clone(), now: clock.now() };
        let store = Store::open(options).await?;
        let (untended, tending, forming, refining, readings, hot) = Default::default();
        let ops = Arc::new(OpsLog::new(&folder));
        Ok(Self {
            name,
            folder,
            config,
            store,
            embedders,
            language,
            untended,
            tending,
            forming,
            refining,
            readings,
            hot,
            ops,
            on_server,
            clock,
        })
    }

    /// Its name.
    pub fn name(&self) -> &AgentName {
        &self.name
    }

    /// The configuration it lives by.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Its folder. Of an agent on a server it holds the identity files and the backups.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a server keeps it, not its folder.
    pub fn is_on_server(&self) -> bool {
        self.on_server
    }

    /// Whether a language model is there to be asked.
    pub fn has_language_model(&self) -> bool {
        !self.language.is_empty()
    }

    /// What was repaired since this was last asked.
    pub fn take_notes(&self) -> Vec<String> {
        self.store.take_notes()
    }

    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }
}

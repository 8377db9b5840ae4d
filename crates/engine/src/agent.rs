//! The handle an agent gets. What it can do stands in the other rooms of this crate: `verb` for every surface, `write`, `read`,
//! `belief`, `continuity`, `growth`, `govern`, `rhythm`, `tend` and `diary`; nothing protected is reachable from it.

use crate::{
    Clock, Config, Result,
    agent_places::AgentPlaces,
    continuity::{SkillCache, TextExtractor},
    embedders::Embedders,
    growth::DynamicsLog,
    language::LanguageModels,
    ops_log::OpsLog,
    owner_stores::OwnerStores,
    peers::Peer,
    read::IdentityCache,
    write::AnalysisCache,
};
use cairn_domain::{AgentName, Time};
use cairn_store::{MemoryRecord, Store, StoreOptions};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicUsize},
};

/// The hot memories, and when they were determined.
pub(crate) type HotMemoryCache = Mutex<Option<(Time, Arc<[MemoryRecord]>)>>;

/// Everything that agents of a home share.
pub(crate) struct AgentTools {
    pub(crate) embedders: Arc<Embedders>,
    pub(crate) language: Arc<LanguageModels>,
    pub(crate) extractor: Arc<dyn TextExtractor>,
    pub(crate) peers: Arc<[Arc<Peer>]>,
}

/// One agent, opened. Cheap to clone.
#[derive(Clone)]
pub struct Agent {
    pub(crate) name: AgentName,
    pub(crate) folder: PathBuf,
    pub(crate) config: Config,
    pub(crate) store: Store,
    pub(crate) embedders: Arc<Embedders>,
    pub(crate) language: Arc<LanguageModels>,
    /// Messages written since the keyword index was last tended.
    pub(crate) untended: Arc<AtomicUsize>,
    /// Held by whoever in this process tends an index.
    pub(crate) tending: Arc<tokio::sync::Mutex<()>>,
    /// Held by whoever in this process forms memories.
    pub(crate) forming: Arc<tokio::sync::Mutex<()>>,
    /// Held by whoever in this process asks a language model about them.
    pub(crate) refining: Arc<tokio::sync::Mutex<()>>,
    /// Cache of what was parsed out of memories' texts.
    pub(crate) analysis_cache: Arc<AnalysisCache>,
    /// How work with tools went, as it was worked out last.
    pub(crate) skill_cache: Arc<SkillCache>,
    /// The memories that come with every question.
    pub(crate) hot: Arc<HotMemoryCache>,
    /// The identity files as they were last read.
    pub(crate) identity: Arc<IdentityCache>,
    /// The ops log.
    pub(crate) ops: Arc<OpsLog>,
    pub(crate) dynamics_log: Arc<DynamicsLog>,
    /// Takes text out of documents that are attached.
    pub(crate) extractor: Arc<dyn TextExtractor>,
    /// The stores of agents that share something with it.
    pub(crate) owners: Arc<OwnerStores>,
    /// Homes elsewhere that are asked, too.
    pub(crate) peers: Arc<[Arc<Peer>]>,
    /// Whether a server keeps it.
    pub(crate) on_server: bool,
    clock: Arc<dyn Clock>,
}

impl Agent {
    pub(crate) async fn open(
        places: AgentPlaces,
        name: AgentName,
        config: Config,
        AgentTools { embedders, language, extractor, peers }: AgentTools,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let (on_server, folder) = (places.server.is_some(), places.folder_of(&name));
        let options = StoreOptions { place: places.place_of(&name), agent: name.clone(), now: clock.now() };
        let store = Store::open(options).await?;
        if store.has_unfinished_erasure().await? {
            // Where nobody can write now, whoever opens it next does the rest; what was erased cannot be read any more.
            match store.finish_erasure(&folder, clock.now()).await {
                Err(error) if !error.is_unwritable() => return Err(error.into()),
                _ => {}
            }
        }
        let (untended, tending, forming, refining, analysis_cache, skill_cache, hot, identity) =
            Default::default();
        let ops = Arc::new(OpsLog::new(&folder));
        let dynamics_log = Arc::new(DynamicsLog::new(&folder));
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
            analysis_cache,
            skill_cache,
            hot,
            identity,
            ops,
            dynamics_log,
            extractor,
            owners: Arc::new(OwnerStores::new(places)),
            peers,
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

    /// Takes the notes about repairs made since the last call.
    pub fn take_notes(&self) -> Vec<String> {
        self.store.take_repair_notes()
    }

    pub(crate) fn now(&self) -> Time {
        self.clock.now()
    }
}

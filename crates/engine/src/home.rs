//! A home: the folder that holds the configuration and the agents.

use crate::{
    agent::{Agent, AgentTools},
    agent_places::{AgentPlaces, is_agent_folder},
    clock::Clock,
    config::{Config, EmbedderConfig, StoreConfig},
    continuity::{NoExtractor, TextExtractor},
    embedders::Embedders,
    error::{EngineError, Result},
    language::LanguageModels,
    peers::Peer,
    read::IdentityFile,
};
use cairn_domain::{AgentName, Invalid};
use cairn_models::{Embedder, InstallProgress, LanguageModel, ModelSource};
use cairn_store::{
    DatabaseServer, Disk, LocalDisk, Store, StoreOptions, distribute_tables, list_agents_on_server,
};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A folder of agents with its configuration.
#[derive(Clone)]
pub struct Home {
    path: PathBuf,
    config: Config,
    models: PathBuf,
    embedders: Arc<Embedders>,
    pub(crate) language: Arc<LanguageModels>,
    peers: Arc<[Arc<Peer>]>,
    clock: Arc<dyn Clock>,
    disk: Arc<dyn Disk>,
    extractor: Arc<dyn TextExtractor>,
    server: Option<Arc<DatabaseServer>>,
}

/// How to treat an agent that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Make it: for commands that write.
    Create,
    /// Say so, and who is: for commands that read.
    Refuse,
}

impl Home {
    /// The home at `path`, with the machine's file system.
    pub fn new(path: impl Into<PathBuf>, clock: Arc<dyn Clock>) -> Result<Self> {
        Self::on_disk(path, clock, Arc::new(LocalDisk))
    }

    /// The home at `path`, writing archives through `disk`.
    pub fn on_disk(path: impl Into<PathBuf>, clock: Arc<dyn Clock>, disk: Arc<dyn Disk>) -> Result<Self> {
        let path = path.into();
        let config = Config::read(&path.join("config.toml"))?;
        let models = path.join("models");
        let embedders = Arc::new(configured_embedders(&config, &models, &|_| None));
        let language = Arc::new(LanguageModels::new(&config, &path, &|_| None));
        let peers = configured_peers(&config, &|_| None);
        let server = configured_server(&config)?;
        let extractor = Arc::new(NoExtractor);
        Ok(Self { path, config, models, embedders, language, peers, clock, disk, extractor, server })
    }

    /// The same home with its agents in the database at `url`, whatever the configuration says.
    pub fn with_database(mut self, url: String) -> Result<Self> {
        self.config.store.url = url.into();
        self.server = configured_server(&self.config)?;
        Ok(self)
    }

    /// The server that keeps the agents, if one does.
    pub fn server(&self) -> Option<&Arc<DatabaseServer>> {
        self.server.as_ref()
    }

    /// The same home with its models in `folder` instead of its own, and with secrets from where `secret` finds them:
    /// it is asked for the environment variables that the configuration names.
    pub fn with_models(self, folder: PathBuf, secret: impl Fn(&str) -> Option<String>) -> Self {
        let embedders = Arc::new(configured_embedders(&self.config, &folder, &secret));
        let language = Arc::new(LanguageModels::new(&self.config, &self.path, &secret));
        let peers = configured_peers(&self.config, &secret);
        Self { embedders, language, peers, models: folder, ..self }
    }

    /// The same home without embedder, language model and peers: words are found by keywords, and what waits for models waits on.
    pub fn without_models(mut self) -> Self {
        self.config.embedder = EmbedderConfig::None;
        self.config.previous_embedder = EmbedderConfig::None;
        self.config.language_model = Vec::new();
        self.config.language = None;
        self.config.peer = Vec::new();
        let models = self.models.clone();
        self.with_models(models, |_| None)
    }

    /// A home elsewhere with the configuration, the models and the embedders of this one, and no agents: on a server it
    /// has a schema of its own, which is gone when the home is.
    pub fn elsewhere(&self, path: impl Into<PathBuf>, clock: Arc<dyn Clock>) -> Result<Self> {
        let partitions = Some(self.config.store.partitions).filter(|parts| *parts > 0);
        let server = self.server.as_ref().map(|server| server.scratch(partitions)).transpose()?.map(Arc::new);
        Ok(Self { path: path.into(), clock, server, ..self.clone() })
    }

    /// The same elsewhere, at the same time, with no language model.
    pub(crate) fn without_language_models(&self, path: &Path) -> Result<Self> {
        let config = Config { language_model: Vec::new(), language: None, ..self.config.clone() };
        let language = Arc::new(LanguageModels::new(&config, path, &|_| None));
        Ok(Self { language, ..self.elsewhere(path, Arc::clone(&self.clock))? })
    }

    /// The same home with an embedder of the caller's own.
    pub fn with_embedder(self, embedder: Arc<dyn Embedder>) -> Self {
        Self { embedders: Arc::new(Embedders::own(embedder)), ..self }
    }

    /// The same home with a language model of the caller's own.
    pub fn with_language_model(self, model: Arc<dyn LanguageModel>) -> Self {
        Self { language: Arc::new(LanguageModels::own(model, &self.config, &self.path)), ..self }
    }

    /// The same home with what takes text out of documents that are attached.
    pub fn with_extractor(self, extractor: Arc<dyn TextExtractor>) -> Self {
        Self { extractor, ..self }
    }

    /// One vector of unit length for each text, by the configured embedder.
    pub async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        Ok(self.embedders.configured().embed(texts).await?)
    }

    /// Installs the local model, if the configuration wants it and it is not there yet: from `from`, else from where it
    /// is usually found. Whether it is there now.
    pub async fn install_model(
        &self,
        from: Option<PathBuf>,
        on_progress: &(dyn Fn(InstallProgress) + Send + Sync),
    ) -> Result<bool> {
        if self.config.embedder != EmbedderConfig::Local {
            return Ok(false);
        }
        let sources = from.map_or_else(ModelSource::defaults, |file| vec![ModelSource::File(file)]);
        cairn_models::install(&self.models, &sources, on_progress).await?;
        Ok(true)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The configuration in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Makes the home, its configuration file and the agent with its identity templates. What is there stays.
    /// Returns the files that were made.
    pub async fn init(&self, name: &AgentName) -> Result<Vec<PathBuf>> {
        let identity = self.folder(name).join("identity");
        fs::create_dir_all(&identity).map_err(EngineError::file("make", &identity))?;
        let mut files = vec![(self.path.join("config.toml"), Config::template()?)];
        for file in IdentityFile::ALL {
            files.push((identity.join(file.file_name()), file.template().to_owned()));
        }
        let mut made = Vec::new();
        for (path, text) in files {
            if write_if_missing(&path, &text)? {
                made.push(path);
            }
        }
        self.agent(name, Missing::Create).await?;
        self.make_private()?;
        Ok(made)
    }

    /// Opens an agent.
    pub async fn agent(&self, name: &AgentName, missing: Missing) -> Result<Agent> {
        if missing == Missing::Refuse && !self.places().has(name).await? {
            let (known, name, home) = (self.agents(name).await?, name.clone(), self.to_string());
            return Err(EngineError::NoSuchAgent { name, home, known });
        }
        Agent::open(
            self.places(),
            name.clone(),
            self.config.clone(),
            AgentTools {
                embedders: Arc::clone(&self.embedders),
                language: Arc::clone(&self.language),
                extractor: Arc::clone(&self.extractor),
                peers: Arc::clone(&self.peers),
            },
            Arc::clone(&self.clock),
        )
        .await
    }

    /// The store of an agent that is there, for an operator: the house rules let nobody else ask for it.
    pub async fn protected_store(&self, name: &AgentName) -> Result<Store> {
        self.agent(name, Missing::Refuse).await?;
        let options =
            StoreOptions { place: self.places().place_of(name), agent: name.clone(), now: self.now() };
        Ok(Store::open(options).await?)
    }

    fn places(&self) -> AgentPlaces {
        let (folder, disk) = (self.path.join("agents"), Arc::clone(&self.disk));
        AgentPlaces { folder, disk, server: self.server.clone() }
    }

    /// The agents that live here, by name. On a server those that somebody who works for `asking` may know of.
    pub async fn agents(&self, asking: &AgentName) -> Result<Vec<AgentName>> {
        if let Some(server) = &self.server {
            return Ok(list_agents_on_server(Arc::clone(server), asking.clone()).await?);
        }
        let folder = self.path.join("agents");
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(EngineError::file("list", folder)(error)),
        };
        let agent = |entry: io::Result<fs::DirEntry>| {
            let entry = entry.ok().filter(|entry| is_agent_folder(&entry.path()))?;
            entry.file_name().to_str()?.parse().ok()
        };
        let mut agents: Vec<AgentName> = entries.filter_map(agent).collect();
        agents.sort();
        Ok(agents)
    }

    /// Distributes the tables of the database server over its cluster; the machines that hold them then.
    pub async fn distribute(&self) -> Result<Vec<String>> {
        let server = self.server.as_ref().ok_or_else(|| {
            let hint = "set CAIRN_DATABASE_URL to the address of the coordinator";
            EngineError::from(Invalid::new("the agents of this home are folders", hint))
        })?;
        Ok(distribute_tables(Arc::clone(server)).await?)
    }

    /// The present moment.
    pub fn now(&self) -> cairn_domain::Time {
        self.clock.now()
    }

    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// The folder an agent lives in.
    pub fn folder(&self, name: &AgentName) -> PathBuf {
        self.places().folder_of(name)
    }
}

/// Where the agents are.
impl fmt::Display for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.server {
            Some(server) => server.fmt(f),
            None => self.path.display().fmt(f),
        }
    }
}

fn configured_embedders(
    config: &Config,
    models: &Path,
    secret: &dyn Fn(&str) -> Option<String>,
) -> Embedders {
    Embedders::new(&config.embedder, &config.previous_embedder, models, secret)
}

fn configured_peers(config: &Config, secret: &dyn Fn(&str) -> Option<String>) -> Arc<[Arc<Peer>]> {
    config.peer.iter().map(|peer| Arc::new(Peer::new(peer, secret))).collect()
}

fn configured_server(config: &Config) -> Result<Option<Arc<DatabaseServer>>> {
    let StoreConfig { url, partitions } = &config.store;
    let partitions = Some(*partitions).filter(|parts| *parts > 0);
    let url = Some(url.reveal()).filter(|url| !url.is_empty());
    Ok(url.map(|url| DatabaseServer::new(url, partitions)).transpose()?.map(Arc::new))
}

/// Writes a file that is not there yet; whether it did.
fn write_if_missing(path: &Path, text: &str) -> Result<bool> {
    let file =
        fs::File::create_new(path).and_then(|mut file| io::Write::write_all(&mut file, text.as_bytes()));
    match file {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(EngineError::file("write", path)(error)),
    }
}

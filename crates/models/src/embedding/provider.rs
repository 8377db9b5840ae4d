//! The embedder that a process shares: loaded at its first use, freed on request.

use super::{
    embedder::Embedder,
    local::LocalEmbedder,
    query_cache::QueryVectorCache,
    remote::{RemoteEmbedder, RemoteEmbedderConfig},
    spec::{EmbedderSpec, local_spec},
};
use crate::{
    error::{ModelError, Result},
    install::files::MODEL_ID,
    mutex::locked,
};
use cairn_domain::Time;
use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::Instant;

/// How long a failure to load is remembered before the next attempt.
const RETRY_LOAD_AFTER: Duration = Duration::from_secs(30);

/// Which embedder to use.
#[derive(Clone)]
pub enum EmbedderChoice {
    /// The model on this machine.
    Local,
    /// A server.
    Http(RemoteEmbedderConfig),
    /// An embedder of the caller's own.
    Own(Arc<dyn Embedder>),
    /// Nobody.
    None,
}

impl fmt::Debug for EmbedderChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("Local"),
            Self::Http(config) => config.fmt(f),
            Self::Own(embedder) => embedder.spec().fmt(f),
            Self::None => f.write_str("None"),
        }
    }
}

/// The shared embedder. Nothing is loaded before it is needed.
#[derive(Debug)]
pub struct EmbedderProvider {
    choice: EmbedderChoice,
    models_folder: PathBuf,
    /// Held while loading, so that concurrent first uses load once.
    loading: tokio::sync::Mutex<()>,
    slot: Mutex<LoadState>,
    cache: Mutex<QueryVectorCache>,
}

/// Whether the embedder is loaded.
#[derive(Default)]
enum LoadState {
    #[default]
    Empty,
    Loaded(Arc<dyn Embedder>),
    Failed(ModelError, Instant),
}

impl fmt::Debug for LoadState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "Empty",
            Self::Loaded(_) => "Loaded",
            Self::Failed(..) => "Failed",
        })
    }
}

impl EmbedderProvider {
    /// A provider that will use this embedder; models are looked for in `models_folder`.
    pub fn new(choice: EmbedderChoice, models_folder: PathBuf) -> Self {
        let (loading, slot, cache) = Default::default();
        Self { choice, models_folder, loading, slot, cache }
    }

    /// The configured embedder's spec, if there is one. Loads nothing.
    pub fn spec(&self) -> Option<EmbedderSpec> {
        match &self.choice {
            EmbedderChoice::Local => Some(local_spec()),
            EmbedderChoice::Http(config) => Some(config.spec()),
            EmbedderChoice::Own(embedder) => Some(embedder.spec().clone()),
            EmbedderChoice::None => None,
        }
    }

    /// One vector of unit length for each text.
    pub async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        self.embedder().await?.embed(&texts).await
    }

    /// The vector of a question; the same question of the same session is embedded once.
    pub async fn embed_query(&self, session: &str, text: &str, now: Time) -> Result<Arc<[f32]>> {
        if let Some(vector) = locked(&self.cache).get(session, text, now) {
            metrics::counter!("cairn_cache_hits_total", "cache" => "question").increment(1);
            return Ok(vector);
        }
        metrics::counter!("cairn_cache_misses_total", "cache" => "question").increment(1);
        let texts = [text.to_owned()];
        let vectors = self.embedder().await?.embed(&texts).await?;
        let vector: Arc<[f32]> = vectors.into_iter().next().unwrap_or_default().into();
        locked(&self.cache).put(session, text, Arc::clone(&vector), now);
        Ok(vector)
    }

    /// Drops the cached vectors of a session that has ended.
    pub fn end_session(&self, session: &str) {
        locked(&self.cache).end_session(session);
    }

    /// Frees the memory of the model and of the cache; the next use loads again.
    pub fn free(&self) {
        *locked(&self.slot) = LoadState::Empty;
        locked(&self.cache).clear();
    }

    /// The embedder, loaded if it was not.
    pub async fn embedder(&self) -> Result<Arc<dyn Embedder>> {
        if let Some(known) = self.loaded_or_failed() {
            return known;
        }
        let _loading = self.loading.lock().await;
        if let Some(known) = self.loaded_or_failed() {
            return known;
        }
        let loaded = self.load().await;
        *locked(&self.slot) = match &loaded {
            Ok(embedder) => LoadState::Loaded(Arc::clone(embedder)),
            // Looking again costs nothing, and it may be installed at any moment.
            Err(ModelError::NotInstalled { .. }) => LoadState::Empty,
            Err(error) => LoadState::Failed(error.clone(), Instant::now()),
        };
        loaded
    }

    /// The embedder, if it is loaded. Loads nothing.
    pub fn loaded(&self) -> Option<Arc<dyn Embedder>> {
        self.loaded_or_failed()?.ok()
    }

    fn loaded_or_failed(&self) -> Option<Result<Arc<dyn Embedder>>> {
        match &*locked(&self.slot) {
            LoadState::Loaded(embedder) => Some(Ok(Arc::clone(embedder))),
            LoadState::Failed(error, at) if at.elapsed() < RETRY_LOAD_AFTER => Some(Err(error.clone())),
            LoadState::Empty | LoadState::Failed(..) => None,
        }
    }

    async fn load(&self) -> Result<Arc<dyn Embedder>> {
        match &self.choice {
            EmbedderChoice::Local => {
                let folder = self.models_folder.join(MODEL_ID);
                let loading = tokio::task::spawn_blocking(move || LocalEmbedder::load(&folder, local_spec()));
                let failed = |error: tokio::task::JoinError| ModelError::Failed {
                    id: MODEL_ID.to_owned(),
                    problem: error.to_string(),
                };
                Ok(Arc::new(loading.await.map_err(failed)??))
            }
            EmbedderChoice::Http(config) => Ok(Arc::new(RemoteEmbedder::new(config.clone())?)),
            EmbedderChoice::Own(embedder) => Ok(Arc::clone(embedder)),
            EmbedderChoice::None => Err(ModelError::NoEmbedder),
        }
    }
}

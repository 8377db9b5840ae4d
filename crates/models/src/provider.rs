//! The one embedder that a process shares: loaded at its first use, freed when told.

use crate::{
    Cache, Embedder, EmbedderSpec, Http, HttpConfig, Local, ModelError, Result, install::ID, local_spec,
};
use cairn_domain::Time;
use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// For so long a model that could not be loaded is not tried again.
const REMEMBERED: Duration = Duration::from_secs(30);

/// Who embeds.
#[derive(Clone)]
pub enum Choice {
    /// The model on this machine.
    Local,
    /// A server.
    Http(HttpConfig),
    /// An embedder of the caller's own.
    Own(Arc<dyn Embedder>),
    /// Nobody.
    None,
}

impl fmt::Debug for Choice {
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
pub struct Provider {
    choice: Choice,
    models_folder: PathBuf,
    /// Held while loading, so that two who come first load once.
    loading: tokio::sync::Mutex<()>,
    slot: Mutex<Slot>,
    cache: Mutex<Cache>,
}

/// What became of the embedder.
#[derive(Default)]
enum Slot {
    #[default]
    Empty,
    Loaded(Arc<dyn Embedder>),
    Failed(ModelError, Instant),
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "Empty",
            Self::Loaded(_) => "Loaded",
            Self::Failed(..) => "Failed",
        })
    }
}

impl Provider {
    /// A provider that will use this embedder; models are looked for in `models_folder`.
    pub fn new(choice: Choice, models_folder: PathBuf) -> Self {
        let (loading, slot, cache) = Default::default();
        Self { choice, models_folder, loading, slot, cache }
    }

    /// What is known of the embedder, if there is one. Loads nothing.
    pub fn spec(&self) -> Option<EmbedderSpec> {
        match &self.choice {
            Choice::Local => Some(local_spec()),
            Choice::Http(config) => Some(config.spec()),
            Choice::Own(embedder) => Some(embedder.spec().clone()),
            Choice::None => None,
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

    /// Forgets the vectors of a session that has ended.
    pub fn end_session(&self, session: &str) {
        locked(&self.cache).end_session(session);
    }

    /// Gives back the memory of the model and of the cache; the next use loads again.
    pub fn free(&self) {
        *locked(&self.slot) = Slot::Empty;
        locked(&self.cache).clear();
    }

    /// The embedder, loaded now if it was not.
    pub async fn embedder(&self) -> Result<Arc<dyn Embedder>> {
        if let Some(known) = self.known() {
            return known;
        }
        let _loading = self.loading.lock().await;
        if let Some(known) = self.known() {
            return known;
        }
        let loaded = self.load().await;
        *locked(&self.slot) = match &loaded {
            Ok(embedder) => Slot::Loaded(Arc::clone(embedder)),
            // Looking again costs nothing, and somebody may install it any moment.
            Err(ModelError::NotInstalled { .. }) => Slot::Empty,
            Err(error) => Slot::Failed(error.clone(), Instant::now()),
        };
        loaded
    }

    /// The embedder, if it is loaded. Loads nothing.
    pub fn loaded(&self) -> Option<Arc<dyn Embedder>> {
        self.known()?.ok()
    }

    fn known(&self) -> Option<Result<Arc<dyn Embedder>>> {
        match &*locked(&self.slot) {
            Slot::Loaded(embedder) => Some(Ok(Arc::clone(embedder))),
            Slot::Failed(error, at) if at.elapsed() < REMEMBERED => Some(Err(error.clone())),
            Slot::Empty | Slot::Failed(..) => None,
        }
    }

    async fn load(&self) -> Result<Arc<dyn Embedder>> {
        match &self.choice {
            Choice::Local => {
                let folder = self.models_folder.join(ID);
                let loading = tokio::task::spawn_blocking(move || Local::load(&folder, local_spec()));
                let failed = |error: tokio::task::JoinError| ModelError::Failed {
                    id: ID.to_owned(),
                    problem: error.to_string(),
                };
                Ok(Arc::new(loading.await.map_err(failed)??))
            }
            Choice::Http(config) => Ok(Arc::new(Http::new(config.clone())?)),
            Choice::Own(embedder) => Ok(Arc::clone(embedder)),
            Choice::None => Err(ModelError::NoEmbedder),
        }
    }
}

/// Nothing that is held here is ever left half changed, so a panic elsewhere does no harm.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

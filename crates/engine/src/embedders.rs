//! The embedders of a home: the configured one and, while a change is under way, the one whose vectors still answer.

use crate::EmbedderConfig;
use cairn_cognition::passage::PASSAGES_VERSION;
use cairn_models::{
    Embedder, EmbedderChoice, EmbedderProvider, EmbedderSpec, ModelError, RemoteEmbedderConfig, Secret,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The embedders that a home's agents share.
#[derive(Debug)]
pub(crate) struct Embedders {
    configured: EmbedderProvider,
    previous: EmbedderProvider,
}

impl Embedders {
    /// Embedders as the configuration says. Models lie in `models`; `secret` knows the value of an environment variable.
    pub(crate) fn new(
        configured: &EmbedderConfig,
        previous: &EmbedderConfig,
        models: &Path,
        secret: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let provider =
            |config: &EmbedderConfig| EmbedderProvider::new(choice(config, secret), models.to_owned());
        Self { configured: provider(configured), previous: provider(previous) }
    }

    /// An embedder of the caller's own, and nothing else.
    pub(crate) fn own(embedder: Arc<dyn Embedder>) -> Self {
        let provider = |choice| EmbedderProvider::new(choice, PathBuf::new());
        Self { configured: provider(EmbedderChoice::Own(embedder)), previous: provider(EmbedderChoice::None) }
    }

    /// The embedder that new vectors are to be made with.
    pub(crate) fn configured(&self) -> &EmbedderProvider {
        &self.configured
    }

    /// The embedder that made the vectors stored under `name`.
    pub(crate) fn named(&self, name: &str) -> Result<(&EmbedderProvider, EmbedderSpec), ModelError> {
        let providers = [&self.configured, &self.previous].into_iter();
        let mut known = providers.filter_map(|provider| Some((provider, provider.spec()?)));
        let made = known.find(|(_, spec)| stored_name(spec) == name);
        made.ok_or_else(|| ModelError::NotConfigured { name: name.to_owned() })
    }

    /// Gives back the memory of the embedder that was replaced: its vectors answer no more.
    pub(crate) fn free_previous(&self) {
        self.previous.free();
    }

    /// Forgets what was cached for a session that has ended.
    pub(crate) fn end_session(&self, session: &str) {
        self.configured.end_session(session);
        self.previous.end_session(session);
    }
}

/// The name under which vectors of an embedder are stored. Vectors are comparable only if model, dimension and passages
/// are the same.
pub(crate) fn stored_name(spec: &EmbedderSpec) -> String {
    format!("{}@{}#{PASSAGES_VERSION}", spec.id, spec.dimension)
}

fn choice(config: &EmbedderConfig, secret: &dyn Fn(&str) -> Option<String>) -> EmbedderChoice {
    match config {
        EmbedderConfig::Local => EmbedderChoice::Local,
        EmbedderConfig::None => EmbedderChoice::None,
        EmbedderConfig::Http(http) => EmbedderChoice::Http(RemoteEmbedderConfig {
            url: http.url.clone(),
            model: http.model.clone(),
            dimension: http.dimension,
            max_tokens: http.max_tokens,
            calibration: cairn_models::Calibration {
                unrelated: http.unrelated as f32,
                distance: http.distance as f32,
                sparse_distance: http.sparse_distance as f32,
            },
            key: http.key_env.as_deref().and_then(secret).map(Secret::new),
            timeout: std::time::Duration::from_secs(http.timeout_seconds),
        }),
    }
}

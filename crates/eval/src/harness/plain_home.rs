//! Homes without models, in which only rules are measured.

use cairn_engine::{Clock, Config, EmbedderConfig, EngineError, GrowthConfig, Home, StoreConfig};
use std::{path::Path, sync::Arc};

/// A home in a folder: configured like `home`, but without models, in files, and growing as told.
pub(crate) fn plain_home(
    folder: &Path,
    home: &Home,
    clock: Arc<dyn Clock>,
    growth: GrowthConfig,
) -> Result<Home, EngineError> {
    let config = Config {
        embedder: EmbedderConfig::None,
        previous_embedder: EmbedderConfig::None,
        language_model: Vec::new(),
        language: None,
        store: StoreConfig::default(),
        growth,
        ..home.config().clone()
    };
    let path = folder.join("config.toml");
    let written = std::fs::write(&path, config.to_toml()?);
    written.map_err(|source| EngineError::File { doing: "write", path, source })?;
    Home::new(folder, clock)
}

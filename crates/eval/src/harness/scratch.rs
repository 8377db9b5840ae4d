//! Folders that remove themselves.

use cairn_engine::EngineError;
use std::path::Path;
use tempfile::TempDir;

/// A folder in the home, and so on the same disk as its agents, that is removed when dropped.
pub(crate) fn scratch_folder(home: &Path) -> Result<TempDir, EngineError> {
    let failed = |source| EngineError::File { doing: "make a folder in", path: home.to_owned(), source };
    std::fs::create_dir_all(home).map_err(failed)?;
    tempfile::Builder::new().prefix(".eval-").tempdir_in(home).map_err(failed)
}

//! Names of index files, and what killed processes leave behind.

use crate::error::{Result, StoreError};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The segment files of `folder` whose names are `prefix` and `N` numbers, such as `keywords-1-2.segment`.
pub(crate) fn numbered_segment_files<const N: usize>(
    folder: &Path,
    prefix: &str,
) -> Result<Vec<([u32; N], PathBuf)>> {
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::file("list", folder)(error)),
    };
    let numbered = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_prefix(prefix)?.strip_suffix(".segment")?;
        let numbers: Option<Vec<u32>> = name.split('-').map(|number| number.parse().ok()).collect();
        Some((numbers?.try_into().ok()?, path))
    };
    Ok(entries.filter_map(|entry| numbered(entry.ok()?.path())).collect())
}

/// Removes the partial files `<prefix>….part` of processes that were killed while they wrote one.
pub(crate) fn remove_unfinished_files(folder: &Path, prefix: &str) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let is_ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
        if is_ours && path.extension().is_some_and(|end| end == "part") {
            let _ = fs::remove_file(path);
        }
    }
}

//! The cache of identity files: a file is read again when its time or its size has changed, the folder when its time has.

use crate::limits::MAX_IDENTITY_FILE_BYTES;
use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

/// The identity files as they were last read.
#[derive(Default)]
pub(crate) struct IdentityCache(Mutex<CachedIdentity>);

#[derive(Default)]
struct CachedIdentity {
    folder: Option<CachedNames>,
    texts: HashMap<PathBuf, CachedText>,
}

struct CachedNames {
    modified: SystemTime,
    names: Vec<String>,
}

struct CachedText {
    modified: SystemTime,
    bytes: u64,
    text: Arc<str>,
}

impl IdentityCache {
    /// The names of the files in the folder, in order.
    pub(super) fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let modified = folder.metadata()?.modified()?;
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cached.folder.as_ref().filter(|known| known.modified == modified) {
            return Ok(known.names.clone());
        }
        let names = file_names(folder)?;
        cached.folder = Some(CachedNames { modified, names: names.clone() });
        Ok(names)
    }

    /// The text of a file.
    pub(super) fn text(&self, path: &Path) -> io::Result<Arc<str>> {
        let metadata = path.metadata()?;
        let (bytes, modified) = (metadata.len(), metadata.modified()?);
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cached.texts.get(path).filter(|it| it.modified == modified && it.bytes == bytes)
        {
            return Ok(Arc::clone(&known.text));
        }
        let text: Arc<str> = limited_text(path)?.into();
        let known = CachedText { modified, bytes, text: Arc::clone(&text) };
        cached.texts.insert(path.to_owned(), known);
        Ok(text)
    }
}

fn file_names(folder: &Path) -> io::Result<Vec<String>> {
    let name = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        (entry.path().extension()? == "md" && entry.file_type().ok()?.is_file()).then_some(name)
    };
    let mut names: Vec<String> = folder.read_dir()?.flatten().filter_map(name).collect();
    names.sort();
    Ok(names)
}

fn limited_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    io::Read::read_to_string(&mut io::Read::take(fs::File::open(path)?, MAX_IDENTITY_FILE_BYTES), &mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-103, W-104
    #[test]
    fn what_has_not_changed_is_not_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, cache) = (folder.path().join("SOUL.md"), IdentityCache::default());
        fs::write(&path, "patient").expect("written");
        let first = cache.text(&path).expect("read");
        assert!(Arc::ptr_eq(&first, &cache.text(&path).expect("read")), "the same text, not the same words");
        assert_eq!(cache.names(folder.path()).expect("listed"), ["SOUL.md"]);
        fs::write(&path, "very patient").expect("written");
        assert_eq!(&*cache.text(&path).expect("read"), "very patient");
    }
}

//! Files that are replaced as a whole: whoever reads one, at any moment and after any crash, meets the old text or the new one.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

/// Whether a replacement is on the disk when it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceSync {
    /// It outlives a power cut.
    Durable,
    /// It outlives the process: enough for what can be made again.
    Cached,
}

/// Who may read a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceAccess<'a> {
    /// Whoever may read a new file in its folder.
    Usual,
    /// Its owner alone.
    Private,
    /// Whoever may read this file.
    Like(&'a Path),
}

/// Puts `content` in the place of the file at `path`: written beside it, under a name that begins with a dot and the name of
/// the file, then renamed.
pub fn replace_file(
    path: &Path,
    content: &[u8],
    sync: ReplaceSync,
    access: ReplaceAccess<'_>,
) -> io::Result<()> {
    static FILES_REPLACED: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (process, count) = (std::process::id(), FILES_REPLACED.fetch_add(1, Ordering::Relaxed));
    let beside = path.with_file_name(format!(".{name}.{process}-{count}"));
    let written = write_beside(&beside, content, sync, access).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write_beside(
    beside: &Path,
    content: &[u8],
    sync: ReplaceSync,
    access: ReplaceAccess<'_>,
) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(true);
    #[cfg(unix)]
    if access == ReplaceAccess::Private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(beside)?;
    file.write_all(content)?;
    if let ReplaceAccess::Like(model) = access {
        file.set_permissions(fs::metadata(model)?.permissions())?;
    }
    match sync {
        ReplaceSync::Durable => file.sync_all(),
        ReplaceSync::Cached => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_with_the_access_that_is_wanted_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state.json");
        for (content, access) in [
            ("old", ReplaceAccess::Private),
            ("new and longer", ReplaceAccess::Like(&path)),
            ("short", ReplaceAccess::Usual),
        ] {
            replace_file(&path, content.as_bytes(), ReplaceSync::Durable, access).expect("replaced");
            assert_eq!(fs::read_to_string(&path).expect("a file"), content);
            #[cfg(unix)]
            if access != ReplaceAccess::Usual {
                let mode = std::os::unix::fs::PermissionsExt::mode(
                    &fs::metadata(&path).expect("a file").permissions(),
                );
                assert_eq!(mode & 0o777, 0o600, "{content}");
            }
        }
        let gone = folder.path().join("gone");
        let refused = replace_file(&path, b"x", ReplaceSync::Cached, ReplaceAccess::Like(&gone));
        assert!(refused.is_err());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "short");
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 1);
    }
}

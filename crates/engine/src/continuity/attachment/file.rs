//! The bytes of a file: read once, whole and bounded. Pipes, devices and folders are refused before anything waits for them,
//! and so is a file that is being written.

use crate::limits::MAX_ATTACHMENT_BYTES;
use cairn_domain::Invalid;
use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read},
    os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    thread::sleep,
    time::Duration,
};

/// How often a file that changes while it is read is read again, and after how long.
const READ_ATTEMPTS: u32 = 3;
const READ_AGAIN_AFTER: Duration = Duration::from_millis(60);

/// A file that was read.
pub(super) struct ReadFile {
    /// Where it is, absolute and without links.
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) modified_ns: i64,
    /// The path that was named, if that is a link to it.
    pub(super) named: Option<PathBuf>,
}

/// Reads a file.
pub(super) fn read_file(named: &Path) -> Result<ReadFile, Invalid> {
    let path = named.canonicalize().map_err(|error| unreadable(named, &error))?;
    let is_link = fs::symlink_metadata(named).is_ok_and(|about| about.is_symlink());
    for attempt in 0..READ_ATTEMPTS {
        if attempt > 0 {
            sleep(READ_AGAIN_AFTER);
        }
        if let Some((bytes, modified_ns)) = read_unchanged(&path)? {
            return Ok(ReadFile { path, bytes, modified_ns, named: is_link.then(|| named.to_owned()) });
        }
    }
    Err(Invalid::new(
        format!("`{}` changes while it is read", path.display()),
        "attach it again once it is no longer being written",
    ))
}

/// The bytes of a file and when it was last changed; none if it was changed while it was read.
pub(super) fn read_unchanged(path: &Path) -> Result<Option<(Vec<u8>, i64)>, Invalid> {
    let (mut file, before) = open_plain_file(path)?;
    if before.len() > MAX_ATTACHMENT_BYTES {
        return Err(too_large(&path.display().to_string(), before.len()));
    }
    let mut bytes = Vec::with_capacity(before.len() as usize);
    let read = file.by_ref().take(MAX_ATTACHMENT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(path, &error))?;
    let after = file.metadata().map_err(|error| unreadable(path, &error))?;
    let there = fs::metadata(path).is_ok_and(|now| (now.dev(), now.ino()) == (after.dev(), after.ino()));
    let is_same = there && modified_ns(&before) == modified_ns(&after) && after.len() == bytes.len() as u64;
    Ok(is_same.then(|| (bytes, modified_ns(&after))))
}

/// Opens a file that holds bytes and waits for nobody.
fn open_plain_file(path: &Path) -> Result<(File, Metadata), Invalid> {
    refuse_special(path, &fs::metadata(path).map_err(|error| unreadable(path, &error))?)?;
    // Whatever has taken its place since: nothing is waited for.
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path);
    let file = opened.map_err(|error| unreadable(path, &error))?;
    let about = file.metadata().map_err(|error| unreadable(path, &error))?;
    refuse_special(path, &about)?;
    Ok((file, about))
}

fn refuse_special(path: &Path, about: &Metadata) -> Result<(), Invalid> {
    let kind = about.file_type();
    let what = if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_block_device() || kind.is_char_device() {
        "a device"
    } else {
        return Ok(());
    };
    let hint = if kind.is_dir() {
        "name its files one by one"
    } else {
        "save what it gives to a file and attach that"
    };
    Err(Invalid::new(format!("`{}` is {what}, not a file", path.display()), hint))
}

/// That a file has too many bytes.
pub(super) fn too_large(name: &str, bytes: u64) -> Invalid {
    let most = MAX_ATTACHMENT_BYTES >> 20;
    Invalid::new(
        format!(
            "`{name}` has {bytes} bytes; an attachment has at most {most} MB ({MAX_ATTACHMENT_BYTES} bytes)"
        ),
        "attach the part of it that matters, or its text",
    )
}

fn unreadable(path: &Path, error: &io::Error) -> Invalid {
    let (path, hint) = (path.display(), "check the path and who may read it");
    match error.kind() {
        io::ErrorKind::NotFound => Invalid::new(format!("`{path}` does not exist"), hint),
        io::ErrorKind::PermissionDenied => Invalid::new(format!("`{path}` may not be read"), hint),
        _ => Invalid::new(format!("`{path}` cannot be read: {error}"), hint),
    }
}

pub(super) fn modified_ns(about: &Metadata) -> i64 {
    about.mtime().saturating_mul(1_000_000_000).saturating_add(about.mtime_nsec())
}

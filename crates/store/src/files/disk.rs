//! The file operations that durability depends on, behind a trait so that a test can simulate a power cut.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::{FileExt, MetadataExt},
    path::Path,
};

/// The file system that archive files are on. The product has one implementation: [`LocalDisk`].
pub trait Disk: Send + Sync + 'static {
    /// Opens `path` for reading and writing and creates it if it is missing.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// The length of `path`, `None` if it is missing.
    fn len(&self, path: &Path) -> io::Result<Option<u64>>;
    /// Reads at most `most` bytes of `path` from `offset` on.
    fn read(&self, path: &Path, offset: u64, most: usize) -> io::Result<Vec<u8>>;
    /// The names in `folder`; none if it is missing.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;
    /// Makes created and renamed names in `folder` durable.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// An open file.
pub trait DiskFile: Send {
    /// How many bytes it has; `None` if it was removed.
    fn length(&mut self) -> io::Result<Option<u64>>;
    /// The byte at `offset`, `None` beyond the end.
    fn byte_at(&mut self, offset: u64) -> io::Result<Option<u8>>;
    /// Writes `bytes` at `offset`.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Starts writing `len` bytes from `offset` on back to the disk while the caller does something else. A hint: only
    /// [`Self::sync`] promises anything.
    fn begin_sync(&mut self, offset: u64, len: u64);
    /// Returns when everything written is on the disk.
    fn sync(&mut self) -> io::Result<()>;
    /// Cuts the file to `len` bytes.
    fn truncate(&mut self, len: u64) -> io::Result<()>;
}

/// Free bytes for this user on the file system of `path`.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(path)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

/// The machine's own file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalDisk;

impl Disk for LocalDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?))
    }

    fn len(&self, path: &Path) -> io::Result<Option<u64>> {
        match path.metadata() {
            Ok(metadata) => Ok(Some(metadata.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(&self, path: &Path, offset: u64, most: usize) -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(most as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let entries = match folder.read_dir() {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }
}

impl DiskFile for File {
    fn length(&mut self) -> io::Result<Option<u64>> {
        let (len, links) = length_and_links(self)?;
        Ok((links > 0).then_some(len))
    }

    fn byte_at(&mut self, offset: u64) -> io::Result<Option<u8>> {
        let mut byte = [0];
        Ok((self.read_at(&mut byte, offset)? == 1).then_some(byte[0]))
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn begin_sync(&mut self, offset: u64, len: u64) {
        // On Linux this advice begins to write back what is dirty; elsewhere `sync` does all of the work.
        #[cfg(target_os = "linux")]
        let _ =
            rustix::fs::fadvise(&*self, offset, std::num::NonZeroU64::new(len), rustix::fs::Advice::DontNeed);
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }
}

/// The length of a file and its number of names. Linux is asked for nothing else: once it has reported a modification time, it
/// must record the very next change too, and on a file system without a journal the next sync waits for that.
fn length_and_links(file: &File) -> io::Result<(u64, u64)> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{AtFlags, StatxFlags, statx};
        if let Ok(found) = statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::SIZE | StatxFlags::NLINK) {
            return Ok((found.stx_size, found.stx_nlink.into()));
        }
    }
    let metadata = file.metadata()?;
    Ok((metadata.len(), metadata.nlink()))
}

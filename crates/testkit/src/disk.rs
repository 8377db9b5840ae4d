//! A disk that can lose its power. What was written reads back at once, as from a page cache; what was not synced
//! when the power goes is gone, or, as the seed decides, there in part.

use cairn_store::{Disk, DiskFile};
use std::{
    collections::HashMap,
    ffi::OsString,
    io,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// An in-memory disk with a page cache.
#[derive(Clone, Default)]
pub struct LossyDisk(Arc<Mutex<LossyFiles>>);

#[derive(Default)]
struct LossyFiles {
    /// By name alone: a disk holds one archive, wherever its agent is opened.
    files: HashMap<OsString, File>,
    /// Whether `sync` does nothing: what a store would be like that forgot to call it.
    forgets_to_sync: bool,
}

#[derive(Default, Clone)]
struct File {
    /// The bytes that a read returns now.
    cached: Vec<u8>,
    /// The bytes that survive a power cut for certain.
    durable: Vec<u8>,
    /// Whether the file's name survives a power cut.
    name_is_durable: bool,
}

impl LossyDisk {
    /// A disk on which syncing does nothing. A test of durability must fail on it.
    pub fn that_forgets_to_sync() -> Self {
        let disk = Self::default();
        disk.files().forgets_to_sync = true;
        disk
    }

    /// The power goes and comes back. Of what was not synced, `random` lets some reach the disk.
    pub fn cut_power(&self, random: &mut fastrand::Rng) {
        self.files().files.retain(|_, file| {
            let survivor =
                if random.bool() { torn(&file.durable, &file.cached, random) } else { file.durable.clone() };
            file.cached.clone_from(&survivor);
            file.durable = survivor;
            file.name_is_durable
        });
    }

    fn files(&self) -> MutexGuard<'_, LossyFiles> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The durable bytes with a part of the unsynced ones: those before a random place were written back.
fn torn(durable: &[u8], cached: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let reached = random.usize(..=cached.len());
    let mut bytes = cached[..reached].to_vec();
    bytes.extend_from_slice(durable.get(reached..).unwrap_or_default());
    bytes
}

fn name_of(path: &Path) -> OsString {
    path.file_name().unwrap_or_default().to_owned()
}

impl Disk for LossyDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.files().files.entry(name_of(path)).or_default();
        Ok(Box::new(OpenFile { disk: self.clone(), name: name_of(path) }))
    }

    fn len(&self, path: &Path) -> io::Result<Option<u64>> {
        Ok(self.files().files.get(&name_of(path)).map(|file| file.cached.len() as u64))
    }

    fn read(&self, path: &Path, offset: u64, most: usize) -> io::Result<Vec<u8>> {
        let files = self.files();
        let file = files.files.get(&name_of(path)).ok_or(io::ErrorKind::NotFound)?;
        let rest = file.cached.get(offset as usize..).unwrap_or_default();
        Ok(rest[..most.min(rest.len())].to_vec())
    }

    fn names(&self, _folder: &Path) -> io::Result<Vec<String>> {
        Ok(self.files().files.keys().map(|name| name.to_string_lossy().into_owned()).collect())
    }

    fn sync_folder(&self, _folder: &Path) -> io::Result<()> {
        let mut files = self.files();
        if !files.forgets_to_sync {
            files.files.values_mut().for_each(|file| file.name_is_durable = true);
        }
        Ok(())
    }
}

struct OpenFile {
    disk: LossyDisk,
    name: OsString,
}

impl OpenFile {
    fn with<T>(&self, work: impl FnOnce(&mut File) -> T) -> T {
        work(self.disk.files().files.entry(self.name.clone()).or_default())
    }
}

impl DiskFile for OpenFile {
    fn length(&mut self) -> io::Result<Option<u64>> {
        Ok(self.disk.files().files.get(&self.name).map(|file| file.cached.len() as u64))
    }

    fn byte_at(&mut self, offset: u64) -> io::Result<Option<u8>> {
        Ok(self.with(|file| file.cached.get(offset as usize).copied()))
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let end = offset as usize + bytes.len();
        self.with(|file| {
            file.cached.resize(file.cached.len().max(end), 0);
            file.cached[offset as usize..end].copy_from_slice(bytes);
        });
        Ok(())
    }

    fn begin_sync(&mut self, _offset: u64, _len: u64) {}

    fn sync(&mut self) -> io::Result<()> {
        if !self.disk.files().forgets_to_sync {
            self.with(|file| file.durable = file.cached.clone());
        }
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.with(|file| file.cached.truncate(len as usize));
        Ok(())
    }
}

//! Memory-mapped files. One of the two places with `unsafe`: see the argument at [`MappedFile::open`].
#![allow(unsafe_code)]

use memmap2::Mmap;
use std::{fs::File, io, ops::Deref};

/// A whole file in memory, read on demand and shared between processes.
pub(crate) struct MappedFile(Mmap);

impl MappedFile {
    /// Maps a file that is never written to again.
    ///
    /// Why this is sound: mapped memory must not change or vanish while it is borrowed. Segment files are written under
    /// another name and renamed when they are whole. From then on nobody opens them for writing; merging
    /// writes a new file, and taking a file away only unlinks its name, while the mapping keeps its content. A person
    /// who overwrites or cuts a file in place while the agent runs can still end the process, as with any mapped file.
    pub(crate) fn open(file: &File) -> io::Result<Self> {
        // SAFETY: see above.
        unsafe { Mmap::map(file) }.map(Self)
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

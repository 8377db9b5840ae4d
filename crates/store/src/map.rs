//! A file as memory. One of the two places with `unsafe`: see the argument at [`Map::of`].
#![allow(unsafe_code)]

use memmap2::Mmap;
use std::{fs::File, io, ops::Deref};

/// A whole file, read as it is needed and shared between processes.
pub(crate) struct Map(Mmap);

impl Map {
    /// Maps a file that is never written to again.
    ///
    /// Why this is sound: mapped memory must not change or vanish while it is borrowed. Segment files are written under
    /// another name and renamed when they are whole. From then on nobody opens them for writing; merging
    /// writes a new file, and taking a file away only unlinks its name, while the mapping keeps its content. A person
    /// who overwrites or cuts a file in place while the agent runs can still end the process, as with any mapped file.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        // SAFETY: see above.
        unsafe { Mmap::map(file) }.map(Self)
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

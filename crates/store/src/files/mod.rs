//! Files: `disk` is what durability depends on, `mapped` reads immutable files as memory.

mod disk;
mod mapped;

pub use disk::{Disk, DiskFile, LocalDisk, free_bytes};
pub(crate) use mapped::MappedFile;

//! The archive: every message as one JSON line in the file of the day it was recorded. Append-only, on
//! disk before anything is acknowledged, and the ground truth from which the rest can be rebuilt.
//!
//! The file of the current day ends in one line of spaces: padding that later lines are written over. A line that
//! fits in it reaches the disk in one operation; a line that made the file longer would need two. Sealing a
//! finished day cuts the padding off.
//!
//! In reading order: `line` is one line and the names of files; `day_file` reads and writes the files; `seal` records the
//! hash of a finished day; `restore` writes lost lines again; `sidecar` keeps the ledger and the tombstones next to them. On a database server the message table is the archive
//! (`table`). `append::reconcile` brings database and archive together again after a crash.

mod day_file;
mod line;
mod restore;
mod seal;
mod sidecar;
pub(crate) mod table;

pub(crate) use day_file::{Archive, LeftOpenFile, OpenDay};
pub(crate) use line::{ArchiveLine, archive_line, day_name};
pub(crate) use restore::restore_missing_lines;
pub(crate) use seal::{
    archive_seals, cut_padding, day_file_sha256, has_unsealed_day, listed_seals, reseal_day,
    seal_finished_days,
};
pub(crate) use sidecar::{KeepBeside, is_kept_beside, keep_beside, restore_from_beside};

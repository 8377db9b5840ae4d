//! Figures that anyone can make again: `life` invents a conversation of any length from a seed, `perf` measures
//! speed on it (`vectors` the dense lane's, on `synthetic` ones if need be); `dataset` reads conversations with questions, `retrieval`
//! measures what is found of them, counts it in `figures` and draws it in `plot`; `coverage` measures what a prompt gets of
//! them, `capture` what of them is kept, `forming` how long that takes beside many memories, `dreaming` how long a night
//! does; `load` and `hooks` how long clients and hosts wait for a process of its own (`served`); `simulate` lives a life (of a
//! `persona`) with its nights and draws what
//! became of it (`picture`).

pub mod capture;
pub mod coverage;
pub mod dataset;
pub mod dreaming;
pub mod figures;
pub mod forming;
pub mod hooks;
pub mod life;
pub mod load;
pub mod perf;
mod persona;
mod picture;
pub mod plot;
pub mod retrieval;
mod scans;
mod served;
pub mod simulate;
mod synthetic;
mod vectors;

use cairn_domain::Time;
use cairn_engine::EngineError;
use std::{
    path::Path,
    sync::atomic::{AtomicI64, Ordering},
};
use tempfile::TempDir;

/// A clock that stands still: no figure depends on the date.
struct Still;

impl cairn_engine::Clock for Still {
    fn now(&self) -> Time {
        Time::from_millis(1_794_700_800_000)
    }
}

/// A clock that stands where it is put.
struct Moved(AtomicI64);

impl Moved {
    fn at(ms: i64) -> Self {
        Self(AtomicI64::new(ms))
    }

    fn set(&self, ms: i64) {
        self.0.store(ms, Ordering::Relaxed);
    }

    fn pass(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl cairn_engine::Clock for Moved {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::Relaxed))
    }
}

/// A folder beside the agents of a home that removes itself.
fn folder_beside(home: &Path) -> Result<TempDir, EngineError> {
    let failed = |source| EngineError::File { doing: "make a folder in", path: home.to_owned(), source };
    std::fs::create_dir_all(home).map_err(failed)?;
    tempfile::Builder::new().prefix(".eval-").tempdir_in(home).map_err(failed)
}

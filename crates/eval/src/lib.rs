//! Figures that anyone can make again: `life` invents a conversation of any length from a seed, `perf` measures
//! speed on it; `dataset` reads conversations with questions, `retrieval` measures what is found of them.

pub mod dataset;
pub mod life;
pub mod perf;
pub mod retrieval;

use cairn_domain::Time;

/// A clock that stands still: no figure depends on the date.
struct Still;

impl cairn_engine::Clock for Still {
    fn now(&self) -> Time {
        Time::from_millis(1_794_700_800_000)
    }
}

//! Figures that anyone can make again: `life` invents a conversation of any length from a seed, `perf` measures
//! speed on it.

pub mod life;
pub mod perf;

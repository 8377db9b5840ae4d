//! The engine through its handle, in homes of their own.

mod belief;
mod conformance;
mod context;
mod continuity;
mod correct;
mod current;
mod dense;
mod handoff_kill;
mod keys;
mod lanes;
mod learned_files;
mod life;
mod limits;
mod memories;
mod one_ranking;
mod power_loss;
mod properties;
mod refine;
mod rhythm;
mod rivals;
mod session_cache;
mod standing;
mod verbs;
mod worth;

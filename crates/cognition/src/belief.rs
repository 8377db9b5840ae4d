//! Beliefs: what several memories say of one thing, and how well that stands. Pure code makes the key of a claim, weighs who
//! says so, and decides what is held; no model ever does.
//!
//! In reading order: [`key`] spells what a claim is about, [`claim`] reads the claims of a text, [`root`] tells echoes from
//! sources, [`stance`] what a memory does for a claim and which claim is held, [`confidence`] how well it is supported,
//! [`freshness`] how current it is, [`summary`] how it is said, [`verification`] whether its sources still say so, [`gate`]
//! whether it may be given to a model as true.

pub mod claim;
pub mod confidence;
pub mod freshness;
pub mod gate;
pub mod key;
mod lexicon;
pub mod root;
pub mod stance;
pub mod summary;
pub mod verification;

pub use lexicon::is_relative;

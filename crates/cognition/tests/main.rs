//! Rules and judges against labeled sets of words.

mod door;
mod entities;
mod filler;
mod meaning;
mod relations;

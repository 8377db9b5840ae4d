//! Beliefs, from what was said to what is held.

mod concurrent;
mod held;
mod histories;
mod kinds;
mod model;
mod whose_word;
mod world;

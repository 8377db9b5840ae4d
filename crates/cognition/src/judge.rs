//! Judges: small models that learned from labeled cases what a list of words cannot say. Each looks at named features,
//! gives a probability to each class, and can name the features that spoke loudest.
//!
//! `cairn eval train` makes the weights under `judges/` from the labeled cases; nothing is learned while Cairn runs.

pub mod change;
pub mod linear;
pub mod worth;

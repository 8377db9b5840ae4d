//! Rhythms: what they change and what they never do, when they run, and that no interruption makes a difference.

mod dream;
mod held;
mod interrupted;
mod layers;
mod schedule;
mod themes;
mod world;

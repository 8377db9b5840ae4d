//! Rhythms: what they change and what they never do, when they run, and that no interruption makes a difference.

mod dream;
mod held;
mod interrupted;
mod layers;
mod redundancy;
mod routes;
mod schedule;
mod strength;
mod stretches;
mod themes;
mod working;
mod world;

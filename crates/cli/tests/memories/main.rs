//! Memories, seen from outside: the real binary decides what is worth keeping, says why, keeps it through kills, crowds,
//! moves and rebuilds, and lets nobody change what was said.

mod alike;
#[path = "../postgres/database.rs"]
#[allow(dead_code, reason = "the tests of PostgreSQL use the rest")]
mod database;
mod guards;
mod kill;
mod knowledge;
mod looking;
mod related;
mod secrets;
#[path = "../support/mod.rs"]
mod support;
mod verdicts;

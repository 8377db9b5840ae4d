//! Memories, seen from outside: the real binary decides what is worth keeping, says why, keeps it through kills, crowds,
//! moves and rebuilds, and lets nobody change what was said.

mod alike;
mod guards;
mod kill;
mod knowledge;
mod looking;
mod related;
mod secrets;
mod verdicts;

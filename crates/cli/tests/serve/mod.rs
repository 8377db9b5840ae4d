//! The server, seen from outside: the real `cairn serve` and a real client. What it acknowledges is kept, who may not
//! is sent away, and whatever it is sent, it says what was wrong and goes on.

mod access;
mod authority;
mod bad;
mod console;
mod events;
mod healing;
mod hooks;
mod load;
mod once;
mod peers;
mod rest;
mod restart;
mod review;
mod rhythms;
mod running;
pub(crate) mod world;

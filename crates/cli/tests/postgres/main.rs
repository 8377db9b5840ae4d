//! PostgreSQL, seen from outside: the real binary with its agents on a server, moved there and back, behind
//! walls, with processes killed on either side, in a crowd, over an encrypted way, and with everything wrong
//! that an address can have.

mod crash;
mod crowd;
mod database;
mod doctor;
mod erase;
mod held;
#[path = "../durability/home.rs"]
#[allow(dead_code, reason = "the files of an agent in a folder are looked at elsewhere")]
mod home;
mod moving;
mod serve;
#[path = "../support/mod.rs"]
mod support;
// Elsewhere the system keeps the certificates it believes, and no variable names others.
#[cfg(all(unix, not(target_vendor = "apple")))]
mod tls;
mod walls;
#[path = "../serve/world.rs"]
#[allow(dead_code, reason = "most of what a server does is looked at elsewhere")]
mod world;

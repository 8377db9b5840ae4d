//! PostgreSQL, seen from outside: the real binary with its agents on a server, moved there and back, behind
//! walls, with processes killed on either side, in a crowd, over an encrypted way, and with everything wrong
//! that an address can have.

mod cluster;
mod crash;
mod crowd;
pub(crate) mod database;
mod doctor;
mod erase;
mod held;
mod moving;
mod operator;
mod serve;
// Elsewhere the system keeps the certificates it believes, and no variable names others.
#[cfg(all(unix, not(target_vendor = "apple")))]
mod tls;
mod walls;

//! Durability, seen from outside: the real binary is killed, run many times at once and given damaged files. What it
//! acknowledged must be there afterward, once, and whatever is wrong must be said in words that help.

mod campaign;
mod damage;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(target_os = "linux")]
mod faults;
pub(crate) mod home;
mod index;
mod kill;
mod many;
mod stopped;
mod upgrade;

//! Embedding and recall by meaning, seen from outside: the real binary with the real model, with a server, with
//! neither, killed, run many times at once, and while one embedder takes another's place.

mod believed;
mod catching_up;
mod change;
mod http;
mod judges;
mod kill;
mod meaning;
mod odd;
mod outage;
mod ranks;
mod server;
mod together;
mod world;

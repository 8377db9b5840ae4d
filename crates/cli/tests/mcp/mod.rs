//! `cairn mcp` seen from outside: the real binary at the other end of a pipe, with clients that behave and clients that do
//! not. The official clients use it in `scripts/mcp-clients`.

mod client;
mod long;
mod rude;
mod tools;

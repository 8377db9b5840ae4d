//! The models as their users see them: with the real embedder, against a real server, on a real disk.

mod common;
mod guarded;
mod http;
mod install;
mod language;
mod local;
mod provider;
mod real;

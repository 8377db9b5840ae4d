//! The embedders as their users see them: with the real model, against a real server, on a real disk.

mod common;
mod http;
mod install;
mod local;
mod provider;

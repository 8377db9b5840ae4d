//! `cairn proxy`, seen from both sides: a client of our own sends raw requests, and a provider of our own, that does as it is told,
//! sees what reaches it. Whatever the provider or the memory does, the bytes are the same as without the proxy.

mod context;
mod failing;
mod passing;
mod recording;
pub(crate) mod world;

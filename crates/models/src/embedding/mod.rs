//! Embedders: what is known of one before it is loaded (`spec`), the trait (`embedder`), the two implementations (`local`,
//! `remote`), the cache of question vectors (`query_cache`) and the embedder that a process shares (`provider`).

pub(crate) mod embedder;
pub(crate) mod local;
pub(crate) mod provider;
pub(crate) mod query_cache;
pub(crate) mod remote;
pub(crate) mod spec;
pub(crate) mod vector;

//! Reading one text, before anything known is looked at: `observe_text` filters and describes it, `message` turns a message
//! into statements, `diary_entry` does so for the diary; `analysis_cache` keeps what was read in the texts of memories.
//! Apart from that cache nothing here reads or writes anything.

pub(super) mod analysis_cache;
pub(super) mod diary_entry;
pub(super) mod message;
pub(super) mod observe;

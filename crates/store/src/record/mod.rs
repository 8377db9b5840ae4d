//! The statements, one file a noun. Every statement names its agent; every column is read by position in
//! the order the statement lists them.

mod agent;
mod embedder;
mod embedding;
mod job;
mod message;
mod session;

pub(crate) use agent::{bump_epoch, ensure_agent, epoch};
pub use embedder::{Before, Embeddable, EmbedderRecord, EmbedderState};
pub(crate) use embedder::{
    Embedder, activate_embedder, active_embedder, embedders, ensure_embedder, known_embedder,
};
pub use embedding::NewVector;
pub(crate) use embedding::{
    Whole, add_vectors, drop_vectors, for_each_vector, keep_whole_vectors, renumber_vectors, settle_vectors,
    whole_vectors,
};
pub use job::Job;
pub(crate) use job::{advance, claim, release};
pub(crate) use message::{
    ArchivePlace, Indexable, NewMessage, SessionEnd, anything_is_buried, duplicate_in_window, ids_at,
    indexable_from, insert_message, is_buried, last_place, message_at, next_seq, seq_of, session_end,
};
pub use message::{Counts, MessageRecord};
pub use session::{SessionRecord, ThreadRecord};
pub(crate) use session::{give_title, session_id, thread_id};

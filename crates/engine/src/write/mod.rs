//! The way in: `capture` takes one message, `ingest` takes a whole transcript, `follow` a folder of transcripts while
//! they are being written; `embed` gives messages their vectors afterwards.

mod capture;
mod embed;
mod follow;
mod ingest;

pub use capture::Remembered;
pub use embed::{EmbedderChange, Embedding};
pub use follow::Following;
pub use ingest::{IngestEvent, IngestReport};

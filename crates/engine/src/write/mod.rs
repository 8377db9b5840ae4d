//! The way in: `capture` takes one message, `ingest` takes a whole transcript, `follow` a folder of
//! transcripts while they are being written.

mod capture;
mod follow;
mod ingest;

pub use capture::Remembered;
pub use follow::Following;
pub use ingest::{IngestEvent, IngestReport};

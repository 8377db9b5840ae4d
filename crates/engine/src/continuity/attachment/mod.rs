//! Attachments: files that are shown to an agent. A receipt is durable before a model is called; the file stays where it is.
//!
//! In reading order:
//! - `file`: the bytes of a file, read once, whole and bounded; whatever is no plain file is refused.
//! - `content`: the kind and media type of those bytes, and their text if they are text.
//! - `extractor`: where formats that take a parser are read; the engine has none of its own.
//! - `parts`: a text in parts that can be found, each with its page or lines.
//! - `receipt`: all of it together.
//! - `picture`: what a model sees in a picture, asked when its receipt is durable.
//! - `state`: how the file stands beside its receipt now.
//! - `attach`: the verbs.

mod attach;
mod content;
mod extractor;
mod file;
mod parts;
mod picture;
mod receipt;
mod state;

pub use attach::{AttachOutcome, AttachedFile, AttachmentTarget, AttachmentUpload, SeenAttachment};
pub(crate) use extractor::NoExtractor;
pub use extractor::TextExtractor;
pub(crate) use state::StateCheck;

//! Where formats that take a parser are read.

use cairn_domain::{DocumentFormat, Extraction};

/// Takes text out of documents that anybody may have made. It ends in bounded time and memory, whatever the bytes are.
pub trait TextExtractor: Send + Sync {
    /// The text of a document, or why there is none. Blocks until it is done or has been ended.
    fn extract(&self, format: DocumentFormat, bytes: &[u8]) -> Result<Extraction, String>;
}

/// For programs that brought none: documents get receipts without text.
pub(crate) struct NoExtractor;

impl TextExtractor for NoExtractor {
    fn extract(&self, format: DocumentFormat, _: &[u8]) -> Result<Extraction, String> {
        Err(format!("nothing here reads {format} files"))
    }
}

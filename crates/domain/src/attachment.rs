//! Attachments: files that were shown to an agent. What is kept of one is its receipt, the text that came out of it and the
//! turns it appeared in; the file itself stays where it is.

use crate::{AttachmentId, MessageId, Time, word::words};
use serde::{Deserialize, Serialize};

words!(
    /// The kind of a file, by its content.
    AttachmentKind, "a kind of attachment" {
        /// Plain text and Markdown.
        Text = "text",
        /// The source code of a program.
        Code = "code",
        /// Tables and records: CSV, JSON.
        Data = "data",
        /// PDF, DOCX, HTML.
        Document = "document",
        /// A picture.
        Image = "image",
        /// Anything else.
        Other = "other",
    }
);

words!(
    /// How the file of an attachment stands beside its receipt.
    AttachmentState, "a state of an attachment" {
        /// It is where it was and says the same.
        There = "there",
        /// It is where it was and says something else.
        Changed = "changed",
        /// It is not where it was; the same content is found near by.
        Moved = "moved",
        /// It is not where it was.
        Gone = "gone",
        /// It came over the network: there is no file to look at.
        Uploaded = "uploaded",
    }
);

words!(
    /// A format that takes a parser.
    DocumentFormat, "a format of documents" {
        /// A web page.
        Html = "html",
        /// Portable Document Format.
        Pdf = "pdf",
        /// A document of a word processor.
        Docx = "docx",
        /// A picture: its dimensions.
        Image = "image",
    }
);

/// The receipt of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// A function of the content.
    pub id: AttachmentId,
    /// Its kind.
    pub kind: AttachmentKind,
    /// The file's name.
    pub name: String,
    /// Its media type, by its content.
    pub mime: String,
    /// Its size.
    pub bytes: u64,
    /// The hash of its content, in hexadecimal.
    pub sha256: String,
    /// The absolute path it was read from last; none if it came over the network.
    pub source: Option<String>,
    /// When the file was last changed before it was read, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// Pages, of a document that has some.
    pub pages: u32,
    /// Width of a picture, in pixels.
    pub width: Option<u32>,
    /// Height of a picture, in pixels.
    pub height: Option<u32>,
    /// The text that came out of it.
    pub text: String,
    /// The beginning of that text.
    pub excerpt: String,
    /// How its text was made: `text`, `pdf`, `docx`, `html`, `image` for dimensions alone, or `none`.
    pub route: String,
    /// A remark about it, if there is one.
    pub note: String,
    /// When it was attached first.
    pub attached_at: Time,
}

/// A turn that an attachment appeared in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentTurn {
    /// The attachment.
    pub attachment: AttachmentId,
    /// The run.
    pub session: Option<String>,
    /// The lasting project.
    pub thread: Option<String>,
    /// The message that was said last in that run then.
    pub message: Option<MessageId>,
    /// When.
    pub at: Time,
}

/// A stretch of an attachment's text that can be found by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentPart {
    /// Where it stands: `p2.1` for the first part of the second page, `L3-L9` for lines of the text.
    pub place: String,
    /// The words.
    pub text: String,
}

impl AttachmentPart {
    /// Its place in words: `page 2`, `lines 3-9`.
    pub fn place_in_words(&self) -> String {
        match self.place.strip_prefix('p') {
            Some(page) => format!("page {}", page.split('.').next().unwrap_or_default()),
            None => match self.place.replace('L', "").split_once('-') {
                Some((first, last)) if first == last => format!("line {first}"),
                Some((first, last)) => format!("lines {first}-{last}"),
                None => self.place.clone(),
            },
        }
    }
}

/// Everything that a parser made of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Extraction {
    /// The text of each page, or all of it as one.
    pub pages: Vec<String>,
    /// Whether those are the pages of the document.
    pub paged: bool,
    /// Whether there was more text than is taken.
    pub cut: bool,
    /// Width and height of a picture, in pixels.
    pub pixels: Option<[u32; 2]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_in_words() {
        for (place, told) in [("p2.1", "page 2"), ("L3-L9", "lines 3-9"), ("L3-L3", "line 3")] {
            let part = AttachmentPart { place: place.to_owned(), text: String::new() };
            assert_eq!(part.place_in_words(), told);
        }
    }
}

//! The receipt of a file, with the parts of its text.

use super::{
    content::{FileContent, TextRoute, text_of},
    extractor::TextExtractor,
    parts::{parts_by_line, parts_by_page},
};
use crate::{
    limits::{MAX_ATTACHMENT_PARTS, MAX_ATTACHMENT_TEXT_BYTES},
    quote::beginning,
};
use cairn_cognition::secret::mask;
use cairn_domain::{Attachment, AttachmentId, AttachmentPart, DocumentFormat, Extraction, Time, to_hex};
use sha2::{Digest, Sha256};

/// Characters of the excerpt that later turns are shown.
const EXCERPT_CHARS: usize = 400;

/// The bytes of a file with what they came with.
pub(super) struct NamedBytes {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// Where they were read; none if they came over the network.
    pub(super) source: Option<String>,
    pub(super) modified_ns: i64,
    pub(super) note: Option<String>,
}

/// The hash of a content, and the id that is its beginning.
pub(super) fn hash_of(bytes: &[u8]) -> (AttachmentId, String) {
    let hash: [u8; 32] = Sha256::digest(bytes).into();
    (AttachmentId::of(&hash), to_hex(&hash))
}

/// The receipt of a file. Blocks while a parser reads it.
pub(super) fn receipt(
    file: NamedBytes,
    extractor: &dyn TextExtractor,
    now: Time,
) -> (Attachment, Vec<AttachmentPart>) {
    let NamedBytes { name, bytes, source, modified_ns, note } = file;
    let content = FileContent::of(&name, &bytes);
    let (id, sha256) = hash_of(&bytes);
    let mut notes: Vec<String> = note.into_iter().collect();
    let (mut route, extraction) = match content.route {
        TextRoute::Plain => ("text", text_of(&bytes).map(|text| plain(&text))),
        TextRoute::Document(format) => match extractor.extract(format, &bytes) {
            Ok(extraction) => (format.as_str(), Some(extraction)),
            Err(problem) => {
                notes.push(format!("no text could be taken out of it: {problem}"));
                ("none", None)
            }
        },
        TextRoute::None => {
            notes.push(format!("there is no text to be taken out of {}", content.mime));
            ("none", None)
        }
    };
    let extraction = extraction.map(masked).unwrap_or_default();
    let text = extraction.pages.iter().map(|page| page.trim()).collect::<Vec<_>>().join("\n\n");
    let mut parts = if extraction.paged {
        parts_by_page(&extraction.pages)
    } else {
        parts_by_line(&extraction.pages.concat())
    };
    if extraction.cut || parts.len() > MAX_ATTACHMENT_PARTS {
        parts.truncate(MAX_ATTACHMENT_PARTS);
        notes.push("it has more text than is kept; the rest can be read in the file only".to_owned());
    }
    if parts.is_empty() && notes.is_empty() && content.route != TextRoute::Document(DocumentFormat::Image) {
        notes.push("it holds no words".to_owned());
        route = "none";
    }
    let [width, height] = extraction.pixels.map_or([None, None], |pixels| pixels.map(Some));
    let attachment = Attachment {
        id,
        kind: content.kind,
        name: mask(&name).text.into_owned(),
        mime: content.mime.into_owned(),
        bytes: bytes.len() as u64,
        sha256,
        source,
        modified_ns,
        pages: if extraction.paged { extraction.pages.len() as u32 } else { 0 },
        width,
        height,
        excerpt: if parts.is_empty() { String::new() } else { beginning(&text, EXCERPT_CHARS) },
        text: if parts.is_empty() { String::new() } else { text },
        route: route.to_owned(),
        note: notes.join("; "),
        attached_at: now,
    };
    (attachment, parts)
}

fn plain(text: &str) -> Extraction {
    let end = text.floor_char_boundary(MAX_ATTACHMENT_TEXT_BYTES);
    Extraction { pages: vec![text[..end].to_owned()], cut: end < text.len(), ..Extraction::default() }
}

/// The same without secrets, and without characters that no database keeps.
fn masked(extraction: Extraction) -> Extraction {
    let clean = |page: String| mask(&page.replace('\0', "\u{fffd}")).text.into_owned();
    Extraction { pages: extraction.pages.into_iter().map(clean).collect(), ..extraction }
}

//! Text out of documents: web pages, PDF, DOCX, and the dimensions of pictures. Pure functions over the bytes of a file that
//! anybody may have made: parsers may be slow, greedy or panic on it, so whoever calls them does it in a process of its own
//! that can be ended (`cairn extract-text`). Never reads a file, never decides what is kept.

mod docx;
mod html;
mod pdf;

use cairn_domain::{DocumentFormat, Extraction};

/// Bytes of text taken out of one file; the rest is left out and told.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// Takes the text out of a file, or says why that cannot be done.
pub fn extract(format: DocumentFormat, bytes: &[u8]) -> Result<Extraction, String> {
    let extraction = match format {
        DocumentFormat::Html => html::text(bytes)?,
        DocumentFormat::Pdf => pdf::text(bytes)?,
        DocumentFormat::Docx => docx::text(bytes)?,
        DocumentFormat::Image => {
            let size = imagesize::blob_size(bytes)
                .map_err(|error| format!("its dimensions are unreadable: {error}"))?;
            let pixels = [u32::try_from(size.width), u32::try_from(size.height)];
            let [Ok(width), Ok(height)] = pixels else {
                return Err("its dimensions are no dimensions".to_owned());
            };
            return Ok(Extraction { pixels: Some([width, height]), ..Extraction::default() });
        }
    };
    Ok(bounded(extraction))
}

/// The same with no more text than is taken.
fn bounded(mut extraction: Extraction) -> Extraction {
    let mut room = MAX_TEXT_BYTES;
    for page in &mut extraction.pages {
        if page.len() > room {
            page.truncate(page.floor_char_boundary(room));
            extraction.cut = true;
        }
        room -= page.len();
    }
    extraction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-62
    #[test]
    fn no_more_text_is_taken_than_is_bounded() {
        let pages = vec!["é".repeat(MAX_TEXT_BYTES / 2 - 1), "é".repeat(9), "more".to_owned()];
        let cut = bounded(Extraction { pages, paged: true, ..Extraction::default() });
        assert_eq!(cut.pages.iter().map(String::len).collect::<Vec<_>>(), [MAX_TEXT_BYTES - 2, 2, 0]);
        assert!(cut.cut);
    }
}

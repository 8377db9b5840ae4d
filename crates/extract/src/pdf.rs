//! PDF: the text of every page.

use cairn_domain::Extraction;

pub(crate) fn text(bytes: &[u8]) -> Result<Extraction, String> {
    let pages = pdf_extract::extract_text_from_mem_by_pages(bytes)
        .map_err(|error| format!("it cannot be read as a PDF: {error}"))?;
    Ok(Extraction { pages, paged: true, ..Extraction::default() })
}

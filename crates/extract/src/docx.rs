//! DOCX: the paragraphs of the body, a line each. A document that unpacks to more than a bound is refused.

use cairn_domain::Extraction;
use quick_xml::{Reader, events::Event};
use std::io::{Cursor, Read};

/// Bytes that the body of a document may unpack to.
const MAX_UNPACKED_BYTES: u64 = 32 << 20;
/// Entries that a document may have.
const MAX_ENTRIES: usize = 10_000;

pub(crate) fn text(bytes: &[u8]) -> Result<Extraction, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| format!("it cannot be read as a DOCX: {error}"))?;
    if archive.len() > MAX_ENTRIES {
        return Err(format!("it has {} entries, and a document has at most {MAX_ENTRIES}", archive.len()));
    }
    let body = archive.by_name("word/document.xml").map_err(|_| "it holds no document".to_owned())?;
    let mut xml = Vec::new();
    let read = body.take(MAX_UNPACKED_BYTES + 1).read_to_end(&mut xml);
    read.map_err(|error| format!("it cannot be unpacked: {error}"))?;
    if xml.len() as u64 > MAX_UNPACKED_BYTES {
        return Err(format!("it unpacks to more than {} MB", MAX_UNPACKED_BYTES >> 20));
    }
    Ok(Extraction { pages: vec![paragraphs(&xml)?], ..Extraction::default() })
}

/// The text of a document's body: its runs, one line a paragraph.
fn paragraphs(xml: &[u8]) -> Result<String, String> {
    let (mut reader, mut text, mut in_run) = (Reader::from_reader(xml), String::new(), false);
    loop {
        let event = reader.read_event().map_err(|error| format!("its body is broken: {error}"))?;
        match event {
            Event::Start(tag) if tag.local_name().as_ref() == "t" => in_run = true,
            Event::End(tag) => match tag.local_name().as_ref() {
                "t" => in_run = false,
                "p" => text.push('\n'),
                "tc" => text.push('\t'),
                _ => {}
            },
            Event::Empty(tag) => match tag.local_name().as_ref() {
                "tab" => text.push('\t'),
                "br" | "cr" => text.push('\n'),
                _ => {}
            },
            Event::Text(words) if in_run => text.push_str(&words),
            Event::GeneralRef(name) if in_run => {
                let named = match name.as_ref() {
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "amp" => Some('&'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => name.resolve_char_ref().ok().flatten(),
                };
                text.extend(named);
            }
            Event::Eof => return Ok(text),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_joined_and_paragraphs_are_lines() {
        let xml = "<w:document><w:body><w:p><w:r><w:t>The kiln</w:t></w:r><w:r><w:t xml:space=\"preserve\"> &amp; the \
                   gl&#228;ze</w:t></w:r></w:p><w:p><w:r><w:t>Second</w:t><w:br/></w:r></w:p></w:body></w:document>";
        assert_eq!(paragraphs(xml.as_bytes()).expect("a text"), "The kiln & the gläze\nSecond\n\n");
    }

    #[test]
    fn what_is_no_document_is_refused() {
        assert!(text(b"PK\x03\x04 and nothing else").is_err());
        assert!(text(b"").is_err());
    }
}

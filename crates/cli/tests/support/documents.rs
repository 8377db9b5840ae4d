//! Documents made by hand: as small as they can be and still be what they are.

use flate2::{Compression, Crc, write::DeflateEncoder};
use std::io::Write;

/// A PDF with a page for each text.
pub(crate) fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (page, text) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            5 + 2 * page
        ));
        let stream = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
        objects.push(format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()));
    }
    let (mut file, mut places) = (b"%PDF-1.4\n".to_vec(), Vec::new());
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", number + 1).bytes());
    }
    let xref = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        file.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let end = format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{xref}\n%%EOF\n", objects.len() + 1);
    file.extend(end.bytes());
    file
}

/// A DOCX with a paragraph for each text.
pub(crate) fn docx(paragraphs: &[&str]) -> Vec<u8> {
    let paragraph = |text: &&str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let paragraphs = paragraphs.iter().map(paragraph).collect::<Vec<_>>().concat();
    docx_of(
        format!("<?xml version=\"1.0\"?><w:document><w:body>{paragraphs}</w:body></w:document>").as_bytes(),
    )
}

/// A DOCX whose body is this.
pub(crate) fn docx_of(body: &[u8]) -> Vec<u8> {
    let types = b"<?xml version=\"1.0\"?><Types></Types>";
    zip(&[("[Content_Types].xml", types), ("word/document.xml", body)])
}

/// A ZIP file.
fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in entries {
        let place = file.len() as u32;
        let mut crc = Crc::new();
        crc.update(bytes);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("packed");
        let packed = encoder.finish().expect("packed");
        let mut about = Vec::new();
        for short in [20_u16, 0, 8, 0, 0] {
            about.extend(short.to_le_bytes());
        }
        for long in [crc.sum(), packed.len() as u32, bytes.len() as u32] {
            about.extend(long.to_le_bytes());
        }
        about.extend((name.len() as u16).to_le_bytes());
        about.extend(0_u16.to_le_bytes());
        file.extend(b"PK\x03\x04");
        file.extend(&about);
        file.extend(name.bytes());
        file.extend(&packed);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&about);
        directory.extend([0; 10]);
        directory.extend(place.to_le_bytes());
        directory.extend(name.bytes());
    }
    let (start, size, count) = (file.len() as u32, directory.len() as u32, entries.len() as u16);
    file.extend(directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend(count.to_le_bytes());
    file.extend(count.to_le_bytes());
    file.extend(size.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0, 0]);
    file
}

/// The beginning of a PNG of 3 by 2 pixels.
pub(crate) fn png() -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    file.extend([0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
    file.extend([0; 4]);
    file
}

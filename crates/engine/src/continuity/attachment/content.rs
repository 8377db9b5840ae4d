//! The kind of a file, by its bytes; its name only tells apart what is text.

use cairn_domain::{AttachmentKind, DocumentFormat};
use std::{borrow::Cow, path::Path};

/// Endings of the names of source code, and what they are.
const CODE: &[(&str, &[&str])] = &[
    ("rust", &["rs"]),
    ("python", &["py", "pyi"]),
    ("javascript", &["js", "mjs", "cjs", "jsx"]),
    ("typescript", &["ts", "tsx"]),
    ("c", &["c", "h"]),
    ("c++", &["cc", "cpp", "cxx", "hpp", "hh"]),
    ("csharp", &["cs"]),
    ("go", &["go"]),
    ("java", &["java"]),
    ("kotlin", &["kt", "kts"]),
    ("swift", &["swift"]),
    ("ruby", &["rb"]),
    ("php", &["php"]),
    ("shellscript", &["sh", "bash", "zsh"]),
    ("sql", &["sql"]),
    ("lua", &["lua"]),
    ("scala", &["scala"]),
    ("css", &["css", "scss"]),
    ("toml", &["toml"]),
    ("yaml", &["yaml", "yml"]),
];

/// How the text of a file is had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextRoute {
    /// It is text.
    Plain,
    /// A parser takes it out.
    Document(DocumentFormat),
    /// There is none.
    None,
}

/// The kind of a file, with how its text is had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileContent {
    pub(super) kind: AttachmentKind,
    pub(super) mime: Cow<'static, str>,
    pub(super) route: TextRoute,
}

impl FileContent {
    pub(super) fn of(name: &str, bytes: &[u8]) -> Self {
        let ending =
            Path::new(name).extension().and_then(|it| it.to_str()).unwrap_or_default().to_lowercase();
        let found = infer::get(bytes).map_or("", |it| it.mime_type());
        match found {
            "application/pdf" => Self::document(found, DocumentFormat::Pdf),
            DOCX => Self::document(DOCX, DocumentFormat::Docx),
            "application/zip" if ending == "docx" => Self::document(DOCX, DocumentFormat::Docx),
            "text/html" => Self::document(found, DocumentFormat::Html),
            image if image.starts_with("image/") => {
                let route = TextRoute::Document(DocumentFormat::Image);
                Self { kind: AttachmentKind::Image, mime: Cow::Borrowed(image), route }
            }
            "" | "text/xml" | "text/x-shellscript" if text_of(bytes).is_some() => {
                Self::text(&ending, bytes, found)
            }
            other => {
                let mime = if other.is_empty() { "application/octet-stream" } else { other };
                Self { kind: AttachmentKind::Other, mime: Cow::Borrowed(mime), route: TextRoute::None }
            }
        }
    }

    fn document(mime: &'static str, format: DocumentFormat) -> Self {
        let route = TextRoute::Document(format);
        Self { kind: AttachmentKind::Document, mime: Cow::Borrowed(mime), route }
    }

    fn text(ending: &str, bytes: &[u8], found: &'static str) -> Self {
        let plain =
            |kind, mime: &'static str| Self { kind, mime: Cow::Borrowed(mime), route: TextRoute::Plain };
        let is_json = || serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
        match ending {
            "md" | "markdown" => plain(AttachmentKind::Text, "text/markdown"),
            "csv" => plain(AttachmentKind::Data, "text/csv"),
            "tsv" => plain(AttachmentKind::Data, "text/tab-separated-values"),
            "json" if is_json() => plain(AttachmentKind::Data, "application/json"),
            "html" | "htm" => Self::document("text/html", DocumentFormat::Html),
            _ => match CODE.iter().find(|(_, endings)| endings.contains(&ending)) {
                Some((language, _)) => Self {
                    kind: AttachmentKind::Code,
                    mime: Cow::Owned(format!("text/x-{language}")),
                    route: TextRoute::Plain,
                },
                None if !found.is_empty() => plain(AttachmentKind::Code, found),
                None => plain(AttachmentKind::Text, "text/plain"),
            },
        }
    }
}

const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/// The text that bytes are: UTF-8, UTF-16 with a mark, or Latin letters of one byte each without control characters.
pub(super) fn text_of(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let wide = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16(&units).ok().map(Cow::Owned)
    };
    match bytes {
        [0xff, 0xfe, ..] => return wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => return wide(u16::from_be_bytes),
        _ => {}
    }
    if bytes.contains(&0) {
        return None;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some(Cow::Borrowed(text.trim_start_matches('\u{feff}')));
    }
    let is_text = |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c);
    let letters = bytes.iter().all(|byte| is_text(byte) && !(0x80..0xa0).contains(byte));
    letters.then(|| Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-39
    #[test]
    fn bytes_say_what_they_are_and_names_only_tell_texts_apart() {
        for (name, bytes, mime) in [
            ("a.txt", &b"%PDF-1.4 words"[..], "application/pdf"),
            ("a.pdf", b"just words", "text/plain"),
            ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
            ("notes.md", b"# Kiln", "text/markdown"),
            ("t.csv", b"a,b\n1,2\n", "text/csv"),
            ("t.json", b"{\"a\":1}", "application/json"),
            ("t.json", b"{\"a\":", "text/plain"),
            ("main.rs", b"fn main() {}", "text/x-rust"),
            ("page", b"<!DOCTYPE html><html></html>", "text/html"),
            ("x.bin", b"\x00\x01\x02", "application/octet-stream"),
            ("old.txt", b"caf\xe9", "text/plain"),
            ("wide.txt", b"\xff\xfea\0b\0", "text/plain"),
        ] {
            assert_eq!(FileContent::of(name, bytes).mime, mime, "{name}");
        }
        assert_eq!(text_of(b"caf\xe9").as_deref(), Some("café"));
        assert_eq!(text_of(b"\xff\xfea\0b\0").as_deref(), Some("ab"));
    }
}

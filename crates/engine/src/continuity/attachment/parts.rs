//! A text in parts that can be found, each with its page or its lines.

use cairn_domain::AttachmentPart;

/// Characters of a part.
const PART_CHARS: usize = 600;
/// From this many characters on, a part ends with its paragraph.
const PARAGRAPH_CHARS: usize = 120;

/// The parts of a text whose lines are its places.
pub(super) fn parts_by_line(text: &str) -> Vec<AttachmentPart> {
    let mut parts = Vec::new();
    let mut open = OpenPart::default();
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        let line = line.trim_end();
        if line.trim().is_empty() {
            if open.chars >= PARAGRAPH_CHARS {
                open.close(&mut parts);
            }
            continue;
        }
        for piece in pieces(line) {
            if open.chars > 0 && open.chars + piece.chars().count() > PART_CHARS {
                open.close(&mut parts);
            }
            open.add(number, piece);
        }
    }
    open.close(&mut parts);
    parts
}

/// The parts of pages, each place a page.
pub(super) fn parts_by_page(pages: &[String]) -> Vec<AttachmentPart> {
    let part = |(at, page): (usize, &String)| {
        let parts = parts_by_line(page).into_iter().enumerate();
        parts.map(move |(nth, part)| AttachmentPart { place: format!("p{}.{}", at + 1, nth + 1), ..part })
    };
    pages.iter().enumerate().flat_map(part).collect()
}

/// A part while lines are added to it.
#[derive(Default)]
struct OpenPart {
    text: String,
    chars: usize,
    lines: Option<(usize, usize)>,
}

impl OpenPart {
    fn add(&mut self, line: usize, piece: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(piece);
        self.chars += piece.chars().count() + 1;
        self.lines = Some((self.lines.map_or(line, |(first, _)| first), line));
    }

    /// Ends the part, unless it says nothing.
    fn close(&mut self, parts: &mut Vec<AttachmentPart>) {
        let Self { text, lines, .. } = std::mem::take(self);
        if let Some((first, last)) = lines.filter(|_| text.chars().any(char::is_alphanumeric)) {
            parts.push(AttachmentPart { place: format!("L{first}-L{last}"), text });
        }
    }
}

/// A line in pieces of at most the characters of a part, between words where there are some.
fn pieces(mut line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while let Some((end, _)) = line.char_indices().nth(PART_CHARS) {
        let cut = line[..end].rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(end);
        pieces.push(&line[..cut]);
        line = line[cut..].trim_start();
    }
    if !line.is_empty() {
        pieces.push(line);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_stands_in_one_part_with_its_lines() {
        let long = format!("{}end", "word ".repeat(300));
        let text = format!("# Kiln\n\n{}\n\n---\n\nlast line\n{long}\n", "The glaze cracked. ".repeat(10));
        let parts = parts_by_line(&text);
        let places: Vec<&str> = parts.iter().map(|part| part.place.as_str()).collect();
        assert_eq!(places, ["L1-L3", "L5-L7", "L8-L8", "L8-L8", "L8-L8"]);
        assert!(parts.iter().all(|part| part.text.chars().count() <= PART_CHARS + 1));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let told: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        let told = told.join("\n");
        assert_eq!(words(&told), words(&text));
        assert_eq!(parts_by_line("---\n\n***\n"), []);
        assert_eq!(pieces(&"x".repeat(1_500)).iter().map(|it| it.len()).collect::<Vec<_>>(), [600, 600, 300]);
    }

    #[test]
    fn pages_are_places() {
        let places = parts_by_page(&["one".to_owned(), String::new(), "three".to_owned()]);
        assert_eq!(places.iter().map(|it| it.place.as_str()).collect::<Vec<_>>(), ["p1.1", "p3.1"]);
    }
}

//! Cuts an input into records, lines or the elements of one JSON array, holding one record at a time and
//! never more than a limit of it. It knows brackets and strings but nothing of what a record means.

use std::io::{self, BufRead, Read};

const LINE_BYTES: usize = 32 << 20;
const ELEMENT_BYTES: usize = 256 << 20;

/// The records of `input`, and the place reached in it.
#[derive(Debug)]
pub struct Records<R> {
    input: R,
    layout: RecordLayout,
    limit_bytes: usize,
    record: Vec<u8>,
    number: u64,
    bytes_read: u64,
}

/// How records follow one another.
#[derive(Debug, Clone, Copy)]
enum RecordLayout {
    Lines,
    /// `opened`: the bracket of the array itself has been read.
    Elements {
        opened: bool,
    },
}

/// One record as it stands in the input.
#[derive(Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// It was read past, not held.
    TooLong {
        /// The limit that it is longer than.
        limit_bytes: usize,
    },
}

impl<R: BufRead> Records<R> {
    /// The lines of `input` that are not blank; the last one needs no newline.
    pub fn lines(input: R) -> Self {
        Self::new(input, RecordLayout::Lines, LINE_BYTES)
    }

    /// The elements of the JSON array that `input` is, or the one JSON object that it is.
    pub fn elements(input: R) -> Self {
        Self::new(input, RecordLayout::Elements { opened: false }, ELEMENT_BYTES)
    }

    fn new(input: R, layout: RecordLayout, limit_bytes: usize) -> Self {
        Self { input, layout, limit_bytes, record: Vec::new(), number: 0, bytes_read: 0 }
    }

    /// How much of the input has been read, in bytes.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// The next record and its number: that of its line, blank ones counted, or that of the element.
    pub fn next_record(&mut self) -> io::Result<Option<(u64, Record<'_>)>> {
        self.record.clear();
        let length_bytes = match self.layout {
            RecordLayout::Lines => self.next_line()?,
            RecordLayout::Elements { opened } => self.next_element(opened)?,
        };
        Ok(length_bytes.map(|length| {
            let limit_bytes = self.limit_bytes;
            let whole = length <= limit_bytes as u64;
            (self.number, if whole { Record::Whole(&self.record) } else { Record::TooLong { limit_bytes } })
        }))
    }

    /// Reads up to the end of the next line with anything on it: its length, or `None` at the end.
    fn next_line(&mut self) -> io::Result<Option<u64>> {
        loop {
            self.record.clear();
            let held =
                self.input.by_ref().take(self.limit_bytes as u64 + 1).read_until(b'\n', &mut self.record)?;
            let is_cut_off = held > self.limit_bytes && !self.record.ends_with(b"\n");
            let skipped = if is_cut_off { self.input.skip_until(b'\n')? } else { 0 };
            self.bytes_read += (held + skipped) as u64;
            if held == 0 {
                return Ok(None);
            }
            self.number += 1;
            if is_cut_off {
                return Ok(Some((held + skipped) as u64));
            }
            let line = self.record.trim_ascii_end().len();
            self.record.truncate(line);
            if !without_bom(&self.record).trim_ascii().is_empty() {
                return Ok(Some(line as u64));
            }
        }
    }

    /// Reads up to the end of the next element: its length, or `None` if there is no other.
    fn next_element(&mut self, mut opened: bool) -> io::Result<Option<u64>> {
        let mut element = Element::default();
        let mut length_bytes = 0;
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let at_end = chunk.is_empty();
            let start = if length_bytes == 0 { gap(chunk, &mut opened) } else { 0 };
            let end =
                chunk[start..].iter().position(|byte| element.ends_with(*byte)).map(|at| start + at + 1);
            let part = &chunk[start..end.unwrap_or(chunk.len())];
            length_bytes += part.len() as u64;
            if length_bytes <= self.limit_bytes as u64 {
                self.record.extend_from_slice(part);
            }
            let used = start + part.len();
            self.input.consume(used);
            self.bytes_read += used as u64;
            if end.is_some() || at_end {
                break;
            }
        }
        self.layout = RecordLayout::Elements { opened };
        self.number += u64::from(length_bytes > 0);
        Ok((length_bytes > 0).then_some(length_bytes))
    }
}

/// How many bytes of `chunk` stand before the next element: space, commas, the brackets of the array
/// itself and the bytes of a byte order mark.
fn gap(chunk: &[u8], opened: &mut bool) -> usize {
    let mut is_gap = |byte: &u8| match byte {
        b'[' => !std::mem::replace(opened, true),
        b',' | b']' | 0xEF | 0xBB | 0xBF => true,
        _ => byte.is_ascii_whitespace(),
    };
    chunk.iter().take_while(|byte| is_gap(byte)).count()
}

/// How deep inside of an element the reading stands.
#[derive(Default)]
struct Element {
    depth: u64,
    in_string: bool,
    escaped: bool,
}

impl Element {
    /// Takes one more byte of the element and says whether the element ends with it. Brackets are not
    /// matched by kind: whatever is cut out wrongly fails to parse as a whole.
    fn ends_with(&mut self, byte: u8) -> bool {
        if self.in_string {
            self.in_string = self.escaped || byte != b'"';
            self.escaped = byte == b'\\' && !self.escaped;
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.depth == 0 && matches!(byte, b'}' | b']' | b',')
    }
}

/// `bytes` without the mark that some editors put before UTF-8.
pub(super) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// The records as text, `…` for one that is too long, read through a buffer of `chunk` bytes.
    fn cut(input: &str, layout: RecordLayout, chunk: usize) -> Vec<(u64, String)> {
        let mut records = Records::new(BufReader::with_capacity(chunk, input.as_bytes()), layout, 20);
        let mut found = Vec::new();
        while let Some((number, record)) = records.next_record().expect("memory does not fail") {
            found.push((
                number,
                match record {
                    Record::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                    Record::TooLong { limit_bytes: _ } => "…".to_owned(),
                },
            ));
        }
        assert_eq!(records.bytes_read(), input.len() as u64, "{input}");
        found
    }

    fn check(layout: RecordLayout, table: &[(&str, &[(u64, &str)])]) {
        for (input, expected) in table {
            for chunk in [1, 2, 3, 7, 64] {
                let found = cut(input, layout, chunk);
                let found: Vec<(u64, &str)> =
                    found.iter().map(|(number, text)| (*number, text.as_str())).collect();
                assert_eq!(found, *expected, "{input:?} in chunks of {chunk}");
            }
        }
    }

    #[test]
    fn lines_are_cut_and_counted_whatever_ends_them() {
        check(
            RecordLayout::Lines,
            &[
                ("", &[]),
                ("\n \r\n\t", &[]),
                ("one", &[(1, "one")]),
                ("one\r\n\r\ntwo\n", &[(1, "one"), (3, "two")]),
                ("12345678901234567890\nx", &[(1, "12345678901234567890"), (2, "x")]),
                ("1234567890123456789012345\nx\n", &[(1, "…"), (2, "x")]),
                ("1234567890123456789012345", &[(1, "…")]),
            ],
        );
    }

    #[test]
    fn elements_are_cut_by_their_brackets_outside_of_strings() {
        check(
            RecordLayout::Elements { opened: false },
            &[
                ("", &[]),
                ("[]", &[]),
                ("\u{feff}[ {} ,\n{\"a\":[1]} ]\n", &[(1, "{}"), (2, "{\"a\":[1]}")]),
                ("{\"a\":{}}", &[(1, "{\"a\":{}}")]),
                (r#"[{"a":"}\"]{"},{}]"#, &[(1, r#"{"a":"}\"]{"}"#), (2, "{}")]),
                (r#"[{"a":"\\"},{}]"#, &[(1, r#"{"a":"\\"}"#), (2, "{}")]),
                (r#"[{"a":"1234567890123456"},{}]"#, &[(1, "…"), (2, "{}")]),
                ("[1,\"a,b\",[2],{}]", &[(1, "1,"), (2, "\"a,b\","), (3, "[2]"), (4, "{}")]),
                ("[{\"a\":", &[(1, "{\"a\":")]),
                ("[}{}]", &[(1, "}"), (2, "{}")]),
            ],
        );
    }
}

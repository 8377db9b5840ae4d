//! One line of an archive file, and the names of the files.

use crate::error::{Result, StoreError};
use cairn_domain::{Day, Message};

/// A line of an archive file, as it was read.
pub(crate) enum ArchiveLine {
    /// A message.
    Message(Box<Message>),
    /// A finished line that is not a message.
    Unreadable(String),
    /// The end of the file, cut off in the middle of a line.
    Torn,
}

/// The date of a day; its number if that is no date.
pub(crate) fn day_name(day: i64) -> String {
    Day::from_number(day).map_or_else(|| day.to_string(), |day| day.to_string())
}

/// The name of a day's file.
pub(super) fn day_file_name(day: i64) -> String {
    format!("{}.jsonl", day_name(day))
}

/// The day of a file with this name.
pub(super) fn day_of_file(name: &str) -> Option<i64> {
    name.strip_suffix(".jsonl")?.parse::<Day>().ok().map(Day::number)
}

/// A message as its archive line, end included. The same message always gives the same bytes.
pub(crate) fn archive_line(message: &Message) -> Result<Vec<u8>> {
    json_line(message).map_err(|error| {
        StoreError::damaged(format!("a message that cannot be written: {error}"), message.id)
    })
}

/// A value as one line of JSON. A value that cannot be serialized is an error, never an empty line.
fn json_line(value: &impl serde::Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// Whether a line is the padding at the end of the current day's file.
pub(super) fn is_padding(line: &[u8]) -> bool {
    line.iter().all(|byte| *byte == b' ')
}

pub(super) fn parse_line(line: &[u8]) -> ArchiveLine {
    match serde_json::from_slice::<Message>(line) {
        Ok(message) => ArchiveLine::Message(Box::new(message)),
        Err(error) => ArchiveLine::Unreadable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::json_line;
    use serde::ser::{Error, Serialize, Serializer};

    struct Unserializable;

    impl Serialize for Unserializable {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(S::Error::custom("not today"))
        }
    }

    #[test]
    fn a_line_that_cannot_be_serialized_is_an_error_and_never_an_empty_line() {
        assert_eq!(json_line(&"hello").expect("a line"), b"\"hello\"\n");
        assert!(json_line(&Unserializable).is_err());
    }
}

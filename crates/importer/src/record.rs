//! Records of a text: the lines of it, or the elements of the list that it is. One record is held at a time; what is cut
//! off or broken costs itself.

use cairn_engine::transcript::{Record, Records, parse_json};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read};

/// Gives each line that holds JSON; how many do not is returned.
pub(crate) fn each_line(input: impl Read, take: impl FnMut(Value)) -> io::Result<u64> {
    each(Records::lines(BufReader::new(input)), take)
}

/// Gives each element of the list, or the one object, that the input is; how many cannot be read is returned.
pub(crate) fn each_element(input: impl Read, take: impl FnMut(Value)) -> io::Result<u64> {
    each(Records::elements(BufReader::new(input)), take)
}

fn each(mut records: Records<impl BufRead>, mut take: impl FnMut(Value)) -> io::Result<u64> {
    let mut broken = 0;
    while let Some((_, record)) = records.next_record()? {
        match record {
            Record::Whole(bytes) => match parse_json(bytes) {
                Ok(value) => take(value),
                Err(_) => broken += 1,
            },
            Record::TooLong { .. } => broken += 1,
        }
    }
    Ok(broken)
}

/// JSON as a whole; a text that holds JSON is opened until it holds none.
pub(crate) fn whole(bytes: &[u8]) -> Result<Value, String> {
    let mut value = parse_json(bytes)?;
    for _ in 0..4 {
        let Value::String(text) = &value else { break };
        value = parse_json(text.as_bytes())?;
    }
    Ok(value)
}

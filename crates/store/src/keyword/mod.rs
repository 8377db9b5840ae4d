//! The keyword index: which messages hold a term, and the few facts about each message that filters and
//! ranking need. Derived from the database and thrown away without regret.
//!
//! The bulk lies in immutable files (`segment`), what came after them is read from the database into memory
//! (`index`) before every answer, so a message is found the moment it is committed, by every process.
//!
//! On a server the index is a table (`table`), and an answer takes the part that matters to its question out of it.

mod index;
mod segment;
pub(crate) mod table;

pub use index::KeywordIndex;
pub(crate) use index::Keywords;

use cairn_domain::{Mode, Role, Time};

/// What the index knows about a message without asking the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    /// Its place in the order of recording.
    pub seq: u32,
    /// When it was said.
    pub said_at: Time,
    /// The number of its session.
    pub session: u32,
    /// The number of its thread.
    pub thread: Option<u32>,
    /// The message before it in its session.
    pub previous: Option<u32>,
    /// Its length in terms.
    pub length: u32,
    /// Who spoke.
    pub role: Role,
    /// In which posture.
    pub mode: Mode,
}

/// Seven bits a byte, low bits first.
fn write_varint(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn read_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

//! Ids and Refs. An id is a pure function of what it names, so the same words get the same id in every
//! home, after every rebuild and after every import; it prints its kind (`msg_…`, `ex_…`).

use crate::{
    Invalid,
    inquiry::InquirySource,
    proposal::{IdentityEdit, ProposalOrigin},
    word::words,
};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Crockford's alphabet in lower case: no `i l o u`, so an id can be read aloud.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// 128 bits as 26 letters.
fn encode(bytes: [u8; 16]) -> String {
    let bits = u128::from_be_bytes(bytes);
    (0..26).rev().map(|i| ALPHABET[(bits >> (i * 5)) as usize & 31] as char).collect()
}

fn decode(text: &str) -> Option<[u8; 16]> {
    if text.len() != 26 {
        return None;
    }
    let mut bits: u128 = 0;
    for (i, letter) in text.bytes().enumerate() {
        let value = ALPHABET.iter().position(|a| *a == letter.to_ascii_lowercase())?;
        if i == 0 && value > 7 {
            return None;
        }
        bits = bits << 5 | value as u128;
    }
    Some(bits.to_be_bytes())
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[derive(schemars::JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(!try_from, !into, with = "String", extend("pattern" = concat!("^", $prefix, "[0-9a-z]{26}$")))]
        pub struct $name([u8; 16]);

        impl $name {
            /// The id as stored.
            pub fn bytes(&self) -> &[u8; 16] {
                &self.0
            }

            /// The id that [`Self::bytes`] gave.
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), encode(self.0))
            }
        }

        impl FromStr for $name {
            type Err = Invalid;

            fn from_str(text: &str) -> Result<Self, Invalid> {
                text.strip_prefix($prefix).and_then(decode).map(Self).ok_or_else(|| not_a_ref(text))
            }
        }

        impl TryFrom<String> for $name {
            type Error = Invalid;
            fn try_from(text: String) -> Result<Self, Invalid> {
                text.parse()
            }
        }

        impl From<[u8; 16]> for $name {
            fn from(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    };
}

id!(
    /// One verbatim message. A function of the caller's id and the words, or of session, sender, time and
    /// words where the caller gave none; survives rebuild, export and import.
    MessageId,
    "msg_"
);
id!(
    /// One exchange: named after the message that opens it, and survives whatever that message survives.
    ExchangeId,
    "ex_"
);

id!(
    /// One memory: a function of what it was first formed from, and which of the statements in it it is.
    MemoryId,
    "mem_"
);

id!(
    /// One belief: a function of its key, of what it says and of the belief that stood before it under that key.
    BeliefId,
    "blf_"
);

id!(
    /// One digest, in all its versions: a function of what it condenses, what it is about and when that began.
    DigestId,
    "dig_"
);

id!(
    /// One attachment: the beginning of the hash of its content, so that a file is recognized wherever it stands.
    AttachmentId,
    "att_"
);

id!(
    /// One entry of a diary. By chance, so that it tells nothing about the words.
    EntryId,
    "dia_"
);

id!(
    /// One proposal: a function of the change, of who proposes it and of when.
    ProposalId,
    "prp_"
);

id!(
    /// One inquiry: a function of why it was opened and of the two records that do not fit.
    InquiryId,
    "inq_"
);

/// Hashes `parts`, each with its length, so that no two lists of parts run together.
fn hash(parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    let mut id = [0; 16];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    id
}

impl MessageId {
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
        Self(hash(parts))
    }
}

impl MemoryId {
    /// The memory first formed as statement `place` of `source`: a ref, or a ref and the hash of what stood there.
    pub fn of(source: &str, place: usize) -> Self {
        Self(hash(&[b"memory", source.as_bytes(), &(place as u64).to_le_bytes()]))
    }
}

impl BeliefId {
    /// The belief under `key` that says `value` after `before` did.
    pub fn of(key: &str, value: &str, before: Option<Self>) -> Self {
        let before = before.map_or([0; 16], |before| before.0);
        Self(hash(&[b"belief", key.as_bytes(), value.as_bytes(), &before]))
    }
}

impl DigestId {
    /// The digest of this kind about `scope`, beginning at `from`.
    pub fn of(kind: &str, scope: &str, from: crate::Time) -> Self {
        Self(hash(&[b"digest", kind.as_bytes(), scope.as_bytes(), &from.millis().to_le_bytes()]))
    }
}

impl AttachmentId {
    /// The attachment whose content has this SHA-256.
    pub fn of(sha256: &[u8; 32]) -> Self {
        let mut id = [0; 16];
        id.copy_from_slice(&sha256[..16]);
        Self(id)
    }
}

impl ProposalId {
    /// The change of `edit` that `origin` proposes at this time.
    pub fn of(edit: &IdentityEdit, origin: ProposalOrigin, at: crate::Time) -> Self {
        let replaces = edit.replaces.as_deref().unwrap_or_default();
        let parts = [b"proposal", edit.file.as_bytes(), replaces.as_bytes(), edit.text.as_bytes()];
        Self(hash(&[&parts[..], &[origin.as_str().as_bytes(), &at.millis().to_le_bytes()]].concat()))
    }
}

impl InquiryId {
    /// The inquiry that was opened because `after` does not fit `before`.
    pub fn of(source: InquirySource, after: &str, before: &str) -> Self {
        Self(hash(&[b"inquiry", source.as_str().as_bytes(), after.as_bytes(), before.as_bytes()]))
    }
}

impl From<MessageId> for ExchangeId {
    /// The exchange that `opening` opens.
    fn from(opening: MessageId) -> Self {
        Self(opening.0)
    }
}

impl From<ExchangeId> for MessageId {
    /// The message that opens the exchange.
    fn from(exchange: ExchangeId) -> Self {
        Self(exchange.0)
    }
}

words!(
    /// The kind of a record, by which questions can be limited.
    RecordKind, "a kind of record" {
        /// A conclusion from something that was said.
        Memory = "memory",
        /// Words as they were said, verbatim.
        Exchange = "exchange",
        /// Something held true: verified by an operator, and only while that is enforced.
        Belief = "belief",
        /// A summary of other records: a day, a week, a month, a subject.
        Digest = "digest",
        /// A stretch of a file that was attached.
        Attachment = "attachment",
    }
);

/// The typed address of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ref {
    /// `msg_…`
    Message(MessageId),
    /// `ex_…`
    Exchange(ExchangeId),
    /// `mem_…`
    Memory(MemoryId),
    /// `blf_…`
    Belief(BeliefId),
    /// `dig_…`
    Digest(DigestId),
    /// `att_…`
    Attachment(AttachmentId),
}

impl FromStr for Ref {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        if text.starts_with("ex_") {
            text.parse().map(Self::Exchange)
        } else if text.starts_with("mem_") {
            text.parse().map(Self::Memory)
        } else if text.starts_with("blf_") {
            text.parse().map(Self::Belief)
        } else if text.starts_with("dig_") {
            text.parse().map(Self::Digest)
        } else if text.starts_with("att_") {
            // A place in it may stand behind it: `att_…#L3-L9`.
            text.split('#').next().unwrap_or_default().parse().map(Self::Attachment)
        } else {
            text.parse().map(Self::Message)
        }
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(id) => id.fmt(f),
            Self::Exchange(id) => id.fmt(f),
            Self::Memory(id) => id.fmt(f),
            Self::Belief(id) => id.fmt(f),
            Self::Digest(id) => id.fmt(f),
            Self::Attachment(id) => id.fmt(f),
        }
    }
}

/// The letters of an id that a short ref has.
const SHORT_LETTERS: usize = 8;
/// The fewest that somebody may write.
const LEAST_LETTERS: usize = 6;

impl Ref {
    /// The beginning of the ref: enough to open it, and a quarter of the tokens.
    pub fn short(&self) -> String {
        let mut whole = self.to_string();
        let letters = whole.find('_').map_or(0, |at| at + 1);
        whole.truncate(letters + SHORT_LETTERS);
        whole
    }
}

/// The beginning of a ref, as [`Ref::short`] gives it or longer: everything from the one to the other is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortRef {
    /// The first ref that begins so.
    pub from: Ref,
    /// The last.
    pub to: Ref,
}

impl FromStr for ShortRef {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        let letters = text.split_once('_').map_or(0, |(_, letters)| letters.len());
        if !(LEAST_LETTERS..26).contains(&letters) {
            return Err(not_a_ref(text));
        }
        let filled = |with: &str| format!("{text}{}", with.repeat(26 - letters)).parse();
        Ok(Self { from: filled("0")?, to: filled("z")? })
    }
}

fn not_a_ref(text: &str) -> Invalid {
    Invalid::new(
        format!("`{}` is not a ref", text.chars().take(60).collect::<String>().escape_debug()),
        "a ref is msg_, ex_, mem_, blf_, dig_ or att_ and 26 letters, as printed by `cairn recall`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_prints_its_kind_and_reads_back() {
        let id = MessageId::of(&[b"a", b"b"]);
        let text = id.to_string();
        assert!(text.starts_with("msg_") && text.len() == 30, "{text}");
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(text.to_uppercase().replace("MSG_", "msg_").parse(), Ok(id));
        assert_eq!(text.parse(), Ok(Ref::Message(id)));
        assert_eq!(ExchangeId::from(id).to_string().parse(), Ok(Ref::Exchange(ExchangeId::from(id))));
    }

    #[test]
    fn a_short_ref_stands_for_all_that_begin_so() {
        let id = MessageId::of(&[b"a", b"b"]);
        let digest = DigestId::of("day", "", crate::Time::from_millis(0));
        for whole in [
            Ref::Message(id),
            Ref::Exchange(id.into()),
            Ref::Memory(MemoryId::of("a", 1)),
            Ref::Digest(digest),
        ] {
            let short = whole.short();
            assert!(whole.to_string().starts_with(&short) && short.len() <= 12, "{short}");
            let ShortRef { from, to } = short.parse().expect("a beginning");
            assert!(from.to_string() <= whole.to_string() && whole.to_string() <= to.to_string());
            assert!(from.to_string().starts_with(&short) && to.to_string().starts_with(&short));
        }
        for bad in ["", "msg", "msg_", "msg_12345", "msg_12345l", "dia_12345678", "msg_zzzzzzzz", "ex_ğğğğğğ"]
        {
            assert!(bad.parse::<ShortRef>().is_err(), "{bad}");
        }
    }

    #[test]
    fn parts_never_run_together() {
        assert_ne!(MessageId::of(&[b"ab", b"c"]), MessageId::of(&[b"a", b"bc"]));
        assert_eq!(MessageId::of(&[b"ab"]), MessageId::of(&[b"ab"]));
    }

    #[test]
    fn what_is_not_a_ref_is_refused() {
        for bad in [
            "",
            "msg_",
            "msg_0",
            "dia_00000000000000000000000000",
            "msg_z0000000000000000000000000",
            "msg_ilou",
        ] {
            assert!(bad.parse::<Ref>().is_err(), "{bad}");
        }
    }
}

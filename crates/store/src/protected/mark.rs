//! Marks: how something erased is known again without its words. A mark is a hash under a key of the agent's own, so that
//! nobody who has the marks alone can guess what was said.

use crate::{Result, StoreError, database::values, transaction::Tx};
use cairn_domain::{Message, MessageId};
use std::collections::HashSet;

/// A text with fewer words or letters than these is something that people say again and mean anew: it is known by the
/// moment it was said as well.
const TELLING_WORDS: usize = 4;
const TELLING_CHARS: usize = 20;

/// A mark.
pub(crate) type Mark = [u8; 32];

/// The key that marks are made with.
#[derive(Clone)]
pub(crate) struct Marks([u8; 32]);

impl Marks {
    /// The agent's key; none if nothing was ever erased.
    pub(crate) fn read(tx: &mut Tx<'_>) -> Result<Option<Self>> {
        let sql = "SELECT secret FROM erasure_key WHERE agent_id = ?1";
        let secret = tx.first(sql, values![tx.agent_id], |row| row.bytes(0).map(<[u8]>::to_vec))?;
        Ok(secret.and_then(|secret| secret.try_into().ok()).map(Self))
    }

    /// The agent's key, made by chance if there is none.
    pub(super) fn read_or_make(tx: &mut Tx<'_>) -> Result<Self> {
        if let Some(marks) = Self::read(tx)? {
            return Ok(marks);
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|error| StoreError::Refused {
            problem: format!("the system has no random numbers: {error}"),
            hint: "try again; nothing was changed".into(),
        })?;
        let sql = "INSERT INTO erasure_key (agent_id, secret) VALUES (?1, ?2)";
        tx.execute(sql, values![tx.agent_id, secret.as_slice()])?;
        Ok(Self(secret))
    }

    /// Of a message's id.
    pub(crate) fn of_id(&self, id: MessageId) -> Mark {
        self.of(b"id", &[id.bytes()])
    }

    /// Of a message's words, whoever says them in whatever session: case and spaces do not count.
    pub(crate) fn of_words(&self, message: &Message) -> Mark {
        let (text, is_telling) = words_of(&message.text);
        if is_telling {
            return self.of(b"words", &[text.as_bytes()]);
        }
        self.of(b"said", &[text.as_bytes(), &message.at.millis().to_le_bytes()])
    }

    /// Of a paragraph of a file, by the hash that its memory knows it by.
    pub(crate) fn of_source(&self, source_hash: &str) -> Mark {
        self.of(b"source", &[source_hash.as_bytes()])
    }

    /// Of what a receipt tells.
    pub(crate) fn of_receipt(&self, number: u64) -> Mark {
        self.of(b"receipt", &[&number.to_le_bytes()])
    }

    /// The ids of all messages that were erased, as far as they can be told; none if nothing was.
    pub(super) fn buried_ids(tx: &mut Tx<'_>) -> Result<Option<BuriedIds>> {
        let Some(marks) = Self::read(tx)? else { return Ok(None) };
        let sql = "SELECT mark FROM tombstone WHERE agent_id = ?1";
        let found = tx.query(sql, values![tx.agent_id], |row| row.byte_array(0, "tombstone.mark"))?;
        Ok(Some(BuriedIds { marks, tombstones: found.into_iter().collect() }))
    }

    fn of(&self, kind: &[u8], parts: &[&[u8]]) -> Mark {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in [kind].iter().chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        *hasher.finalize().as_bytes()
    }

    /// Whether this message was erased.
    pub(crate) fn has_buried(&self, tx: &mut Tx<'_>, id: MessageId) -> Result<bool> {
        is_marked(tx, &self.of_id(id))
    }

    /// Whether these words were erased, whoever says them now.
    pub(crate) fn has_buried_words(&self, tx: &mut Tx<'_>, message: &Message) -> Result<bool> {
        is_marked(tx, &self.of_words(message))
    }
}

/// All tombstones, to ask about many messages.
pub(super) struct BuriedIds {
    marks: Marks,
    tombstones: HashSet<Mark>,
}

impl BuriedIds {
    /// Whether this message was erased.
    pub(super) fn contains(&self, id: MessageId) -> bool {
        self.tombstones.contains(&self.marks.of_id(id))
    }
}

/// A text without what does not count, and whether it is known by its words alone.
pub(super) fn words_of(text: &str) -> (String, bool) {
    let words: Vec<String> = text.split_whitespace().map(folded).collect();
    let text = words.join(" ");
    let is_telling = words.len() >= TELLING_WORDS && text.chars().count() >= TELLING_CHARS;
    (text, is_telling)
}

/// A word in which capitals do not count, in any language: `STRASSE` is `straße`, and all four Turkish letters i are one.
fn folded(word: &str) -> String {
    let capitals = word.to_uppercase();
    let small = capitals.chars().flat_map(char::to_lowercase);
    small.filter(|letter| *letter != '\u{307}').collect()
}

/// Whether there is a tombstone with this mark.
pub(crate) fn is_marked(tx: &mut Tx<'_>, mark: &Mark) -> Result<bool> {
    let sql = "SELECT 1 FROM tombstone WHERE agent_id = ?1 AND mark = ?2";
    Ok(tx.first(sql, values![tx.agent_id, mark.as_slice()], |_| Ok(()))?.is_some())
}

impl Tx<'_> {
    /// Of these hashes of paragraphs, those whose words were erased.
    pub fn erased_sources(&mut self, hashes: &[String]) -> Result<Vec<String>> {
        let Some(marks) = Marks::read(self)? else { return Ok(Vec::new()) };
        let mut erased = Vec::new();
        for hash in hashes {
            if is_marked(self, &marks.of_source(hash))? {
                erased.push(hash.clone());
            }
        }
        Ok(erased)
    }

    /// Whether what a receipt tells was erased by an operator.
    pub(crate) fn receipt_was_erased(&mut self, number: u64) -> Result<bool> {
        let Some(marks) = Marks::read(self)? else { return Ok(false) };
        is_marked(self, &marks.of_receipt(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_domain::{Draft, MessageLimits, Role, Time};

    fn said(text: &str, session: &str, at: i64) -> Message {
        let draft = Draft { session: Some(session.to_owned()), ..Draft::new(Role::User, text) };
        draft.into_message(Time::from_millis(at), &MessageLimits::default()).expect("a message")
    }

    /// covers: X-P5
    #[test]
    fn words_are_known_again_wherever_they_are_said_and_short_ones_only_where_they_were() {
        let marks = Marks([7; 32]);
        let long = "My sister Ece lives in Ankara.";
        let mark = marks.of_words(&said(long, "a", 1));
        assert_eq!(marks.of_words(&said("  my sister  Ece lives\nin Ankara. ", "b", 2)), mark);
        assert_ne!(marks.of_words(&said("My sister Ece lives in Izmir.", "a", 1)), mark);
        let spelled = [
            ("My sister Ece lives in Ankara.", "MY SISTER ECE LIVES IN ANKARA."),
            (
                "Kız kardeşim Iğdır'da, dedem İzmir'de oturuyor.",
                "KIZ KARDEŞİM IĞDIR'DA, DEDEM İZMİR'DE OTURUYOR.",
            ),
            ("Die Straße ist heute Morgen gesperrt.", "DIE STRASSE IST HEUTE MORGEN GESPERRT."),
            ("Ο δρόμος είναι κλειστός σήμερα εδώ.", "Ο ΔΡΌΜΟΣ ΕΊΝΑΙ ΚΛΕΙΣΤΌΣ ΣΉΜΕΡΑ ΕΔΏ."),
        ];
        for (small, capitals) in spelled {
            let (small, capitals) = (said(small, "a", 1), said(capitals, "b", 2));
            assert_eq!(marks.of_words(&small), marks.of_words(&capitals), "{}", small.text);
        }
        assert_ne!(
            marks.of_words(&said("yes, please", "a", 1)),
            marks.of_words(&said("yes, please", "a", 2))
        );
        assert_eq!(
            marks.of_words(&said("yes, please", "a", 1)),
            marks.of_words(&said("Yes,  please", "b", 1))
        );
        assert_ne!(Marks([8; 32]).of_words(&said(long, "a", 1)), mark, "nothing is told without the key");
    }
}

//! The keyword index as tables on a server. A GIN index over the terms brings candidates; what is known of each message
//! comes with it, so that the same code scores them as in embedded mode.

use super::{Document, KeywordIndex, index::CorpusTotals};
use crate::{
    Result, StoreError,
    database::{Connection, Row, Value, values},
    index::query::MessageFilter,
    record::Indexable,
    transaction::Tx,
};
use cairn_domain::{Mode, Role, Time};
use std::collections::{BTreeMap, HashMap, btree_map::Entry};

/// Messages that the rare words of a question may bring.
const BUDGET: u64 = 3_000;
/// Words of which two must stand in a message: as many as the statement has room for.
const PAIRED: usize = 3;
/// Messages that pairs of them may be expected to bring.
const PAIRS: f64 = 400.0;
/// Messages that rarer words must have brought before others stop bringing more …
const ENOUGH_MESSAGES: usize = 400;
/// … and before words stop that stand in more than this share of all messages, which ranking takes for common too.
const FEW_MESSAGES: usize = 100;
const COMMON_SHARE: f64 = 0.05;
/// Messages analyzed at a time when the index is made anew.
const BATCH: u32 = 1_024;

/// The key of a term: a hash of it and of the agent, so that no list of the index holds two agents.
fn hash(agent_id: i64, term: &str) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&agent_id.to_le_bytes()).update(term.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    i64::from_le_bytes(bytes)
}

/// The half of a hash that the GIN index goes by. A message's document carries the other half, so that two terms which
/// share this one are still told apart.
fn key(hash: i64) -> i32 {
    (hash >> 32) as i32
}

/// Adds messages to the index, in the transaction that adds the messages themselves.
pub(crate) fn add(tx: &mut Tx<'_>, messages: impl Iterator<Item = Indexable>) -> Result<()> {
    let mut holding: BTreeMap<i64, i64> = BTreeMap::new();
    let (mut count, mut length) = (0_i64, 0_i64);
    let entry = |Indexable { document, terms }: Indexable| {
        let mut terms: Vec<(i64, u32)> =
            terms.iter().map(|(term, frequency)| (hash(tx.agent_id, term), *frequency)).collect();
        terms.sort_unstable();
        for (term, _) in &terms {
            *holding.entry(*term).or_default() += 1;
        }
        count += 1;
        length += i64::from(document.length);
        let keys: Vec<i32> = terms.iter().map(|(term, _)| key(*term)).collect();
        (document, keys, pack(&document, &terms))
    };
    let entries: Vec<(Document, Vec<i32>, Vec<u8>)> = messages.map(entry).collect();
    let rows: Vec<Vec<Value<'_>>> = entries
        .iter()
        .map(|(document, terms, packed)| {
            values![
                tx.agent_id,
                i64::from(document.seq),
                i64::from(document.session),
                document.thread.map(i64::from),
                document.mode.as_str(),
                document.role.as_str(),
                document.said_at.millis(),
                terms.as_slice(),
                packed.as_slice(),
            ]
            .to_vec()
        })
        .collect();
    let insert =
        "INSERT INTO keyword (agent_id, seq, session_id, thread_id, mode, role, said_at, terms, document)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    tx.execute_each(insert, &rows)?;
    // In the order of terms, so that nobody waits in a circle.
    let (terms, counts): (Vec<i64>, Vec<i64>) = holding.into_iter().unzip();
    let upsert = "INSERT INTO term (agent_id, term, messages) SELECT ?1, added.term, added.messages
                  FROM unnest(?2, ?3) AS added (term, messages)
                  ON CONFLICT (agent_id, term) DO UPDATE SET messages = term.messages + excluded.messages";
    tx.execute(upsert, values![tx.agent_id, terms.as_slice(), counts.as_slice()])?;
    let total = "INSERT INTO corpus (agent_id, messages, length) VALUES (?1, ?2, ?3)
                 ON CONFLICT (agent_id) DO UPDATE SET messages = corpus.messages + excluded.messages,
                 length = corpus.length + excluded.length";
    tx.execute(total, values![tx.agent_id, count, length])?;
    Ok(())
}

/// Rebuilds the index from the messages.
pub(crate) fn rebuild(tx: &mut Tx<'_>) -> Result<()> {
    for table in ["keyword", "term", "corpus"] {
        tx.execute(&format!("DELETE FROM {table} WHERE agent_id = ?1"), values![tx.agent_id])?;
    }
    let mut next = 0;
    loop {
        let batch = crate::record::indexable_from(tx, next, BATCH)?;
        let Some(last) = batch.last() else { return Ok(()) };
        next = last.document.seq + 1;
        add(tx, batch.into_iter())?;
    }
}

/// How many messages the index knows.
pub(crate) fn messages(tx: &mut Tx<'_>) -> Result<u64> {
    let sql = "SELECT COUNT(*) FROM keyword WHERE agent_id = ?1";
    Ok(tx.first(sql, values![tx.agent_id], |row| row.int(0))?.unwrap_or(0) as u64)
}

/// Puts what was added lately where it is found fastest.
pub(crate) fn tend(connection: &mut Connection) -> Result<()> {
    let sql = "SELECT gin_clean_pending_list(c.oid) FROM pg_class AS c WHERE c.relkind = 'i'
               AND c.relnamespace = current_schema()::regnamespace
               AND c.oid IN (SELECT i.indexrelid FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid
               JOIN pg_am AS a ON a.amname = 'gin' WHERE c.relam = a.oid AND t.relname LIKE 'keyword%')";
    match connection.query(sql, &[], |_| Ok(())) {
        // Who may not do that leaves it to the server's own housekeeping.
        Err(error) if error.server_code() == Some("42501") => Ok(()),
        done => done.map(drop),
    }
}

/// The part of the index that matters to one question.
pub(crate) struct IndexSlice {
    /// The terms of the question with the half of their hash that messages carry, in the order of those.
    terms: Vec<(u32, String)>,
    messages: u64,
    length: u64,
    holding: HashMap<String, u64>,
    /// The messages found so far, by seq.
    found: BTreeMap<u32, Brought>,
}

/// Messages that are to be brought: those that hold one of some terms, or terms of several of the `next` words, of as many
/// as must stand `together`; the newest `most` of them.
struct Bring<'a> {
    any_of: Vec<i32>,
    next: Vec<&'a [i32]>,
    together: Option<Together>,
    most: Option<usize>,
}

/// Which of the next words must stand together.
#[derive(Clone, Copy)]
enum Together {
    /// Any two.
    Two,
    /// The first and another.
    First,
    /// All three.
    Three,
}

impl Together {
    /// As `keyword_hits` calls it.
    fn as_str(self) -> &'static str {
        match self {
            Self::Two => "two",
            Self::First => "first",
            Self::Three => "three",
        }
    }
}

impl Bring<'_> {
    /// Some that hold a word which many hold.
    fn newest(terms: &[i32]) -> Self {
        Self { any_of: terms.to_vec(), next: Vec::new(), together: None, most: Some(ENOUGH_MESSAGES) }
    }
}

/// Which of the next words must stand together, so that not too many messages are brought if words had nothing to do with
/// each other; `None` if all of them together still stand everywhere.
fn together(next: &[(u64, Vec<i32>)], messages: u64) -> Option<Together> {
    let holding = |at: usize| next.get(at).map_or(0.0, |(holding, _)| *holding as f64 / messages as f64);
    let (a, b, c) = (holding(0), holding(1), holding(2));
    let few = |share: f64| share * messages as f64 <= PAIRS;
    match next.len() {
        0 | 1 => None,
        _ if few(a * b + a * c + b * c) => Some(Together::Two),
        _ if few(a * b + a * c) => Some(Together::First),
        3.. if few(a * b * c) => Some(Together::Three),
        _ => None,
    }
}

fn terms_of(words: &[(u64, Vec<i32>)]) -> Vec<i32> {
    words.iter().flat_map(|(_, terms)| terms).copied().collect()
}

/// A message, and how often it holds which of the question's terms.
struct Brought {
    document: Document,
    terms: Vec<(usize, u32)>,
}

impl IndexSlice {
    /// The messages that the rarest of `words` bring, and then those of others until there are enough. `named` are terms
    /// that bring nothing and are still looked for in what is brought.
    pub(crate) fn new(
        tx: &mut Tx<'_>,
        words: &[Vec<String>],
        named: &[String],
        filter: &MessageFilter,
    ) -> Result<Self> {
        let hashes: HashMap<String, i64> =
            words.iter().flatten().chain(named).map(|term| (term.clone(), hash(tx.agent_id, term))).collect();
        let mut terms: Vec<(u32, String)> =
            hashes.iter().map(|(term, hash)| (*hash as u32, term.clone())).collect();
        terms.sort_unstable();
        let total = "SELECT messages, length FROM corpus WHERE agent_id = ?1";
        let total =
            tx.first(total, values![tx.agent_id], |row| Ok((row.int(0)? as u64, row.int(1)? as u64)))?;
        let (messages, length) = total.unwrap_or_default();
        let wanted: Vec<i64> = hashes.values().copied().collect();
        let held = "SELECT term, messages FROM term WHERE agent_id = ?1 AND term = ANY(?2)";
        let held: HashMap<i64, u64> = tx
            .query(held, values![tx.agent_id, wanted.as_slice()], |row| {
                Ok((row.int(0)?, row.int(1)? as u64))
            })?
            .into_iter()
            .collect();
        let holding = |hash: &i64| held.get(hash).copied().unwrap_or(0);
        let mut words: Vec<(u64, Vec<i32>)> = words
            .iter()
            .map(|word| {
                let word: Vec<i64> = word.iter().filter_map(|term| hashes.get(term).copied()).collect();
                (word.iter().map(holding).sum(), word.into_iter().map(key).collect())
            })
            .filter(|(holding, _)| *holding > 0)
            .collect();
        words.sort();
        let holding = hashes.iter().map(|(term, hash)| (term.clone(), holding(hash))).collect();
        let mut excerpt = Self { terms, messages, length, holding, found: BTreeMap::new() };
        excerpt.find(tx, &words, filter)?;
        Ok(excerpt)
    }

    /// A message that holds none of the rare words is only in the running if it holds two of the next, or more of them if two
    /// stand together too often. If all of these are not enough, one more word at a time brings its newest messages;
    /// words that stand everywhere only if there are few. What the asker may know of counts here, not what may be a hit: the
    /// best of all is what others are measured by. If too few of those may be a hit, more are brought that may.
    fn find(&mut self, tx: &mut Tx<'_>, words: &[(u64, Vec<i32>)], filter: &MessageFilter) -> Result<()> {
        let visible = MessageFilter { as_of: filter.as_of, mode: filter.mode, ..MessageFilter::default() };
        let mut brought = 0;
        let fits = |(holding, _): &&(u64, Vec<i32>)| {
            brought += holding;
            brought <= BUDGET
        };
        let messages = self.messages.max(1);
        let is_common = |holding: u64| holding as f64 > COMMON_SHARE * messages as f64;
        let (rare, rest) = words.split_at(words.iter().take_while(fits).count());
        let together = together(rest, messages);
        if !rare.is_empty() || together.is_some() {
            let paired = if together.is_some() { &rest[..rest.len().min(PAIRED)] } else { &[] };
            let next = paired.iter().map(|(_, terms)| terms.as_slice()).collect();
            let any_of = terms_of(rare);
            self.bring(tx, &Bring { any_of, next, together, most: None }, &visible)?;
        }
        let enough = |holding: u64| if is_common(holding) { FEW_MESSAGES } else { ENOUGH_MESSAGES };
        for (holding, terms) in rest {
            if self.found.len() < enough(*holding) {
                self.bring(tx, &Bring::newest(terms), &visible)?;
            }
        }
        if *filter == visible {
            return Ok(());
        }
        let (telling, common) =
            words.split_at(words.iter().filter(|(holding, _)| !is_common(*holding)).count());
        if self.may_be_hits(filter) < FEW_MESSAGES && !telling.is_empty() {
            let wanted = Bring { any_of: terms_of(telling), next: Vec::new(), together: None, most: None };
            self.bring(tx, &wanted, filter)?;
        }
        for (_, terms) in common {
            if self.may_be_hits(filter) < FEW_MESSAGES {
                self.bring(tx, &Bring::newest(terms), filter)?;
            }
        }
        Ok(())
    }

    /// How many of the messages brought so far may be a hit.
    fn may_be_hits(&self, filter: &MessageFilter) -> usize {
        self.found.values().filter(|brought| filter.admits(&brought.document)).count()
    }

    fn bring(&mut self, tx: &mut Tx<'_>, wanted: &Bring<'_>, filter: &MessageFilter) -> Result<()> {
        let Bring { any_of, next, together, most } = wanted;
        let modes = filter.modes().map(|modes| format!("{{{}}}", modes.join(",")));
        let sql = "SELECT seq, document FROM keyword_hits(?1, ?2, ?3, ?4, ?5, ?6, ?7, CAST(CAST(?8 AS TEXT) AS TEXT[]), ?9,
                   ?10, ?11, ?12)";
        let values = values![
            tx.agent_id,
            any_of.as_slice(),
            next.first().copied(),
            next.get(1).copied(),
            next.get(2).copied(),
            together.map(Together::as_str),
            filter.as_of.map(Time::millis),
            modes.as_deref(),
            filter.session.map(i64::from),
            filter.thread.map(i64::from),
            filter.sender.map(Role::as_str),
            most.map(|most| most as i64),
        ];
        self.take(tx, sql, values)
    }

    /// Brings messages by their seq, unless they are here already.
    pub(crate) fn bring_messages(&mut self, tx: &mut Tx<'_>, seqs: impl Iterator<Item = u32>) -> Result<()> {
        let missing: Vec<i64> = seqs.filter(|seq| !self.found.contains_key(seq)).map(i64::from).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let sql = "SELECT seq, document FROM keyword WHERE agent_id = ?1 AND seq = ANY(?2)";
        self.take(tx, sql, values![tx.agent_id, missing.as_slice()])
    }

    /// Brings the two messages before and after each of these in its session.
    pub(crate) fn bring_neighbours(&mut self, tx: &mut Tx<'_>, of: &[Document]) -> Result<()> {
        let (sessions, seqs): (Vec<i64>, Vec<i64>) =
            of.iter().map(|document| (i64::from(document.session), i64::from(document.seq))).unzip();
        if seqs.is_empty() {
            return Ok(());
        }
        let sql = "SELECT near.seq, near.document FROM unnest(?2, ?3) AS wanted (session_id, seq)
                   CROSS JOIN LATERAL (
                     (SELECT k.seq, k.document FROM keyword AS k WHERE k.agent_id = ?1
                      AND k.session_id = wanted.session_id AND k.seq > wanted.seq ORDER BY k.seq LIMIT 2)
                     UNION ALL
                     (SELECT k.seq, k.document FROM keyword AS k WHERE k.agent_id = ?1
                      AND k.session_id = wanted.session_id AND k.seq < wanted.seq ORDER BY k.seq DESC LIMIT 2)
                   ) AS near";
        self.take(tx, sql, values![tx.agent_id, sessions.as_slice(), seqs.as_slice()])
    }

    fn take(&mut self, tx: &mut Tx<'_>, sql: &str, values: &[Value<'_>]) -> Result<()> {
        let read = |row: &Row<'_>| {
            let seq = row.int(0)? as u32;
            if let Entry::Vacant(free) = self.found.entry(seq) {
                free.insert(unpack(row.bytes(1)?, &self.terms).ok_or_else(unreadable)?);
            }
            Ok(())
        };
        tx.query(sql, values, read).map(drop)
    }

    /// The messages found, as an index.
    pub(crate) fn index(&self) -> KeywordIndex {
        let whole =
            CorpusTotals { messages: self.messages, length: self.length, holding: self.holding.clone() };
        let mut postings = vec![Vec::new(); self.terms.len()];
        for (place, brought) in (0..).zip(self.found.values()) {
            for (term, frequency) in &brought.terms {
                postings[*term].push((place, *frequency));
            }
        }
        let terms = self.terms.iter().map(|(_, term)| term.clone());
        let documents = self.found.values().map(|brought| brought.document);
        KeywordIndex::excerpt(whole, documents, terms.zip(postings).collect())
    }
}

fn unreadable() -> StoreError {
    StoreError::Damaged {
        problem: "the keyword index holds what it should not".into(),
        hint: "run `cairn rebuild`".into(),
    }
}

/// Numbers that may be missing are stored one higher. After the document comes the number of its terms, then the terms, each
/// as half of its hash and its frequency, in the order of those halves, and at the end the frequencies that do not fit into a
/// byte, in the same order.
fn pack(document: &Document, terms: &[(i64, u32)]) -> Vec<u8> {
    let Document { seq, said_at, session, thread, previous, length, role, mode } = document;
    let maybe = |number: &Option<u32>| number.map_or(0, |number| number + 1);
    let mut bytes = Vec::with_capacity(34 + TERM_BYTES * terms.len());
    bytes.extend(said_at.millis().to_le_bytes());
    for number in [*seq, *session, maybe(thread), maybe(previous), *length] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([place_in(&Role::ALL, role), place_in(&Mode::ALL, mode)]);
    let mut terms: Vec<(u32, u32)> =
        terms.iter().map(|(term, frequency)| (*term as u32, *frequency)).collect();
    terms.sort_unstable();
    bytes.extend((terms.len() as u32).to_le_bytes());
    for (term, frequency) in &terms {
        bytes.extend(term.to_le_bytes());
        bytes.push(u8::try_from(*frequency).unwrap_or(OFTEN));
    }
    for (_, frequency) in terms.iter().filter(|(_, frequency)| *frequency >= u32::from(OFTEN)) {
        bytes.extend(frequency.to_le_bytes());
    }
    bytes
}

/// Bytes that a term takes: half of its hash and how often it stands there.
const TERM_BYTES: usize = 5;
/// Terms that stand there this often or more have their frequency at the end.
const OFTEN: u8 = u8::MAX;

/// Reverses [`pack`], for those terms that are `wanted`.
fn unpack(bytes: &[u8], wanted: &[(u32, String)]) -> Option<Brought> {
    let (said_at, bytes) = bytes.split_first_chunk::<8>()?;
    let (numbers, bytes) = bytes.split_first_chunk::<20>()?;
    let ([role, mode], terms) = bytes.split_first_chunk::<2>()?;
    let number = |at: usize| u32::from_le_bytes(numbers.as_chunks::<4>().0[at]);
    let document = Document {
        seq: number(0),
        said_at: Time::from_millis(i64::from_le_bytes(*said_at)),
        session: number(1),
        thread: number(2).checked_sub(1),
        previous: number(3).checked_sub(1),
        length: number(4),
        role: *Role::ALL.get(usize::from(*role))?,
        mode: *Mode::ALL.get(usize::from(*mode))?,
    };
    let (count, terms) = terms.split_first_chunk::<4>()?;
    let (held, often) = terms.split_at_checked(TERM_BYTES * u32::from_le_bytes(*count) as usize)?;
    let (held, often) = (held.as_chunks::<TERM_BYTES>().0, often.as_chunks::<4>().0);
    let half = |[a, b, c, d, _]: &[u8; TERM_BYTES]| u32::from_le_bytes([*a, *b, *c, *d]);
    let frequency = |(place, (wanted, _)): (usize, &(u32, String))| {
        let at = held.binary_search_by_key(wanted, half).ok()?;
        let frequency = held[at][4];
        if frequency < OFTEN {
            return Some((place, u32::from(frequency)));
        }
        let before = held[..at].iter().filter(|term| term[4] == OFTEN).count();
        Some((place, u32::from_le_bytes(*often.get(before)?)))
    };
    Some(Brought { document, terms: wanted.iter().enumerate().filter_map(frequency).collect() })
}

fn place_in<T: PartialEq>(all: &[T], one: &T) -> u8 {
    all.iter().position(|other| other == one).unwrap_or(0) as u8
}

//! The neighbourhood of a statement: what is known that is like it, that is about the same thing, or that its session has
//! in mind. One read of the store; everything after it is computed.

use super::readings::{Reading, Readings, words};
use cairn_cognition::{prediction_error::FAMILIAR, statement::Statement};
use cairn_domain::{Mode, Status, Time};
use cairn_store::{MemoryFilter, MemoryRecord, Result, View, WorkingRecord};
use std::{collections::BTreeMap, sync::Arc};

/// A word that no more memories hold than these is a rare one.
const FEW: u32 = 4;
/// Two texts that share so much of their words may be about the same: less than what means the same shares.
const FAMILIAR_BY_WORDS: f64 = 0.5;
/// Memories that are compared by meaning.
const NEAREST: usize = 8;
/// Statements about one thing that are looked at.
const ABOUT: u32 = 8;
/// Rare words by which memories are found where there are no vectors …
const RARE_WORDS: usize = 4;
/// … and memories looked at for each.
const HOLDING: u32 = 24;
/// What a session has just made tells what it is about.
const RECENT: u32 = 8;

/// A memory near a statement.
#[derive(Debug, Clone)]
pub(super) struct Neighbour {
    pub(super) record: MemoryRecord,
    /// The cosine, or, without vectors, the share of words in common.
    pub(super) similarity: f64,
    /// The slugs of its entities, sorted.
    pub(super) entities: Vec<String>,
    reading: Arc<Reading>,
    /// Whether it is about the same, or like enough to be compared.
    pub(super) compared: bool,
}

impl Neighbour {
    /// A memory that was named, however unlike it is.
    pub(super) fn named(record: MemoryRecord, readings: &Readings) -> Self {
        let reading = readings.of(record.revision);
        Self { record, similarity: 0.0, entities: Vec::new(), reading, compared: false }
    }

    /// What it says of whom; nothing where it is not to be compared.
    pub(super) fn statements(&self) -> &[Statement] {
        if self.compared { self.reading.statements(&self.record.memory.text) } else { &[] }
    }

    /// Its terms that carry content.
    pub(super) fn content(&self) -> &[String] {
        self.reading.content(&self.record.memory.text)
    }

    /// Whether it says something of the same attribute of the same subject as one of these.
    pub(super) fn shares_slot(&self, statements: &[Statement]) -> bool {
        let same = |known: &Statement| {
            statements.iter().any(|new| (&new.subject, &new.attribute) == (&known.subject, &known.attribute))
        };
        self.statements().iter().any(same)
    }
}

/// What is known around a statement.
#[derive(Debug, Clone, Default)]
pub(super) struct Neighbourhood {
    /// The most like it first. Only what holds.
    pub(super) near: Vec<Neighbour>,
    /// Whether similarities are those of words.
    pub(super) by_words: bool,
    /// How like what its session has just made it is, on average; `None` if that is nothing.
    pub(super) attention: Option<f64>,
}

/// What is going on in a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Session {
    /// What it has just made, with what was read in it.
    recent: Vec<(MemoryRecord, Arc<Reading>)>,
    /// What it has in mind.
    pub(super) working: Vec<(WorkingRecord, MemoryRecord)>,
}

/// What is looked for.
pub(super) struct Around<'a> {
    pub(super) text: &'a str,
    pub(super) vector: Option<&'a [f32]>,
    pub(super) statements: &'a [Statement],
    pub(super) session: Option<&'a Session>,
    pub(super) readings: &'a Readings,
    pub(super) mode: Mode,
    /// When it was said.
    pub(super) at: Time,
}

impl Session {
    pub(super) fn read(view: &mut View<'_>, session: &str, readings: &Readings) -> Result<Self> {
        let filter = MemoryFilter { session: Some(session), ..MemoryFilter::default() };
        let recent = view.memories(filter, u32::MAX, RECENT)?;
        let items = view.working(session)?;
        // Most of what a session has in mind it has just made.
        let is_recent = |number: &u32| recent.iter().any(|record| record.number == *number);
        let older: Vec<u32> = items.iter().map(|item| item.number).filter(|it| !is_recent(it)).collect();
        let older = view.memories_at(&older)?;
        let record = |number: u32| recent.iter().chain(&older).find(|record| record.number == number);
        let mut working = Vec::with_capacity(items.len());
        for item in items {
            working.extend(record(item.number).map(|record| (item.clone(), record.clone())));
        }
        let read = |record: MemoryRecord| {
            let reading = readings.of(record.revision);
            (record, reading)
        };
        Ok(Self { recent: recent.into_iter().map(read).collect(), working })
    }
}

impl Neighbourhood {
    pub(super) fn read(view: &mut View<'_>, around: &Around<'_>) -> Result<Self> {
        let own = words(around.text);
        let mut likeness: BTreeMap<u32, f64> = BTreeMap::new();
        let nearest = match around.vector {
            Some(vector) => view.memories_near(vector, NEAREST)?,
            None => Vec::new(),
        };
        let by_words = nearest.is_empty();
        likeness.extend(nearest.iter().map(|(record, cosine)| (record.number, f64::from(*cosine))));
        if by_words {
            likeness.extend(alike_in_words(view, &own, around.readings)?);
        }
        let mut shares = Vec::new();
        for statement in around.statements {
            for number in view.numbers_about(&statement.subject, &statement.attribute, ABOUT)? {
                likeness.entry(number).or_insert(f64::NAN);
                shares.push(number);
            }
        }
        let familiar = if by_words { FAMILIAR_BY_WORDS } else { FAMILIAR };
        let mut records: Vec<MemoryRecord> = nearest.into_iter().map(|(record, _)| record).collect();
        let is_read = |number: &u32| records.iter().any(|record| record.number == *number);
        let others: Vec<u32> = likeness.keys().copied().filter(|number| !is_read(number)).collect();
        records.extend(view.memories_at(&others)?);
        let mut near = Vec::with_capacity(records.len());
        for record in records {
            let known = &record.memory;
            let stands =
                known.status != Status::Superseded && known.valid_until.is_none_or(|until| until > around.at);
            if stands && known.mode.shares_with(around.mode) {
                let reading = around.readings.of(record.revision);
                let similarity = likeness[&record.number];
                // What was found by its subject alone is as near as its words.
                let about = similarity.is_nan();
                let similarity = if about { overlap(&own, reading.words(&known.text)) } else { similarity };
                let compared = about || similarity >= familiar || shares.contains(&record.number);
                near.push(Neighbour { record, similarity, entities: Vec::new(), reading, compared });
            }
        }
        read_entities(view, &mut near)?;
        near.sort_by(|a, b| {
            b.similarity.total_cmp(&a.similarity).then(a.record.number.cmp(&b.record.number))
        });
        let attention = around.session.and_then(|session| attention(&near, &own, session));
        Ok(Self { near, by_words, attention })
    }
}

/// Reads which entities neighbours name, as far as that was not read before.
fn read_entities(view: &mut View<'_>, near: &mut [Neighbour]) -> Result<()> {
    let unread: Vec<&Neighbour> = near.iter().filter(|near| near.reading.slugs().is_none()).collect();
    let numbers: Vec<u32> = unread.iter().map(|near| near.record.number).collect();
    for (near, slugs) in unread.into_iter().zip(view.slugs_of_each(&numbers)?) {
        near.reading.set_slugs(slugs);
    }
    for near in near {
        near.entities = near.reading.slugs().unwrap_or_default().to_vec();
    }
    Ok(())
}

/// How like what its session has just made a text is, on average.
fn attention(near: &[Neighbour], own: &[String], session: &Session) -> Option<f64> {
    let like = session.recent.iter().map(|(record, reading)| {
        let near = near.iter().find(|near| near.record.number == record.number);
        near.map_or_else(|| overlap(own, reading.words(&record.memory.text)), |near| near.similarity)
    });
    (!session.recent.is_empty()).then(|| like.sum::<f64>() / session.recent.len() as f64)
}

/// Memories that share rare words with a text: number and share of words in common.
fn alike_in_words(view: &mut View<'_>, own: &[String], readings: &Readings) -> Result<Vec<(u32, f64)>> {
    let (holding, _) = view.memory_terms(own)?;
    let mut rare: Vec<(u32, &String)> =
        holding.into_iter().zip(own).filter(|(holding, _)| *holding > 0).collect();
    rare.sort_unstable();
    let (mut candidates, mut few) = (Vec::new(), Vec::new());
    for (holding, term) in rare.into_iter().take(RARE_WORDS) {
        let found = view.memories_holding(&[term], HOLDING)?;
        if holding <= FEW {
            few.extend_from_slice(&found);
        }
        candidates.extend(found);
    }
    candidates.sort_unstable();
    candidates.dedup();
    let records = view.memories_at(&candidates)?;
    let like = |record: &MemoryRecord| overlap(own, readings.of(record.revision).words(&record.memory.text));
    let mut alike: Vec<(u32, f64)> = records.iter().map(|record| (record.number, like(record))).collect();
    // What shares a word that hardly any other has is compared, however much others share of the rest.
    let shares_rare = |number: u32| few.contains(&number);
    alike.sort_by(|a, b| {
        let (a, b) = ((shares_rare(a.0), a.1, a.0), (shares_rare(b.0), b.1, b.0));
        b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2))
    });
    alike.truncate(NEAREST);
    Ok(alike)
}

/// The share of the terms of two texts that both have: 2·|A ∩ B| / (|A| + |B|).
fn overlap(one: &[String], other: &[String]) -> f64 {
    let (mut both, mut rest) = (0, other.iter().peekable());
    for term in one {
        while rest.next_if(|other| *other < term).is_some() {}
        both += usize::from(rest.next_if_eq(&term).is_some());
    }
    let all = one.len() + other.len();
    if all == 0 { 0.0 } else { 2.0 * both as f64 / all as f64 }
}

/// The same of the texts themselves.
pub(super) fn word_overlap(one: &str, other: &str) -> f64 {
    overlap(&words(one), &words(other))
}

//! The neighbourhood of a statement: what is known that is like it, that is about the same thing, or that its session has
//! in mind. One read of the store; everything after it is computed.

use cairn_cognition::{
    keywords::terms,
    prediction_error::FAMILIAR,
    statement::{Statement, statements},
};
use cairn_domain::{Mode, Status, Time};
use cairn_store::{MemoryFilter, MemoryRecord, Result, View, WorkingRecord};
use std::collections::BTreeMap;

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

/// Whom a first person in a memory would mean: memories speak in the third.
const SPEAKER: &str = "user";

/// A memory near a statement.
#[derive(Debug, Clone)]
pub(super) struct Neighbour {
    pub(super) record: MemoryRecord,
    /// The cosine, or, without vectors, the share of words in common.
    pub(super) similarity: f64,
    /// What it says of whom; only read where it is about the same, or like enough to be compared.
    pub(super) statements: Vec<Statement>,
    /// The slugs of its entities, sorted.
    pub(super) entities: Vec<String>,
}

impl Neighbour {
    /// Whether it says something of the same attribute of the same subject as one of these.
    pub(super) fn shares_slot(&self, statements: &[Statement]) -> bool {
        let same = |known: &Statement| {
            statements.iter().any(|new| (&new.subject, &new.attribute) == (&known.subject, &known.attribute))
        };
        self.statements.iter().any(same)
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
    /// What its session has in mind.
    pub(super) working: Vec<(WorkingRecord, MemoryRecord)>,
}

/// What is looked for.
pub(super) struct Around<'a> {
    pub(super) text: &'a str,
    pub(super) vector: Option<&'a [f32]>,
    pub(super) statements: &'a [Statement],
    pub(super) session: Option<&'a str>,
    pub(super) mode: Mode,
    /// When it was said.
    pub(super) at: Time,
}

impl Neighbourhood {
    pub(super) fn read(view: &mut View<'_>, around: &Around<'_>) -> Result<Self> {
        let own = words(around.text);
        let mut likeness: BTreeMap<u32, f64> = BTreeMap::new();
        let near = match around.vector {
            Some(vector) => view.nearest_memories(vector, NEAREST)?,
            None => Vec::new(),
        };
        let by_words = near.is_empty();
        likeness.extend(near.iter().map(|(number, cosine)| (*number, f64::from(*cosine))));
        if by_words {
            likeness.extend(alike_in_words(view, &own)?);
        }
        let mut shares = Vec::new();
        for statement in around.statements {
            for about in view.statements_about(&statement.subject, &statement.attribute, ABOUT)? {
                likeness.entry(about.number).or_insert(f64::NAN);
                shares.push(about.number);
            }
        }
        let numbers: Vec<u32> = likeness.keys().copied().collect();
        let mut near = Vec::with_capacity(numbers.len());
        for record in view.memories_at(&numbers)? {
            let known = &record.memory;
            let stands =
                known.status != Status::Superseded && known.valid_until.is_none_or(|until| until > around.at);
            if stands && known.mode.shares_with(around.mode) {
                let similarity = likeness[&record.number];
                // What was found by its subject alone is as near as its words.
                let about = similarity.is_nan();
                let similarity = if about { overlap(&own, &words(&known.text)) } else { similarity };
                let compared = about || similarity >= FAMILIAR || shares.contains(&record.number);
                let statements = if compared { statements(&known.text, SPEAKER) } else { Vec::new() };
                let entities =
                    view.entities_of(record.number)?.into_iter().map(|entity| entity.slug).collect();
                near.push(Neighbour { record, similarity, statements, entities });
            }
        }
        near.sort_by(|a, b| {
            b.similarity.total_cmp(&a.similarity).then(a.record.number.cmp(&b.record.number))
        });
        let mut neighbourhood = Self { near, by_words, ..Self::default() };
        if let Some(session) = around.session {
            neighbourhood.read_session(view, &own, session)?;
        }
        Ok(neighbourhood)
    }

    fn read_session(&mut self, view: &mut View<'_>, own: &[String], session: &str) -> Result<()> {
        let filter = MemoryFilter { session: Some(session), ..MemoryFilter::default() };
        let recent = view.memories(filter, u32::MAX, RECENT)?;
        let like = recent.iter().map(|record| {
            let near = self.near.iter().find(|near| near.record.number == record.number);
            near.map_or_else(|| overlap(own, &words(&record.memory.text)), |near| near.similarity)
        });
        self.attention = (!recent.is_empty()).then(|| like.sum::<f64>() / recent.len() as f64);
        let items = view.working(session)?;
        let numbers: Vec<u32> = items.iter().map(|item| item.number).collect();
        self.working = items.into_iter().zip(view.memories_at(&numbers)?).collect();
        Ok(())
    }
}

/// Memories that share rare words with a text: number and share of words in common.
fn alike_in_words(view: &mut View<'_>, own: &[String]) -> Result<Vec<(u32, f64)>> {
    let (holding, _) = view.memory_terms(own)?;
    let mut rare: Vec<(u32, &String)> =
        holding.into_iter().zip(own).filter(|(holding, _)| *holding > 0).collect();
    rare.sort_unstable();
    let mut candidates = Vec::new();
    for (_, term) in rare.into_iter().take(RARE_WORDS) {
        candidates.extend(view.memories_holding(term, HOLDING)?.into_iter().map(|(number, ..)| number));
    }
    candidates.sort_unstable();
    candidates.dedup();
    let records = view.memories_at(&candidates)?;
    let mut alike: Vec<(u32, f64)> =
        records.iter().map(|record| (record.number, overlap(own, &words(&record.memory.text)))).collect();
    alike.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    alike.truncate(NEAREST);
    Ok(alike)
}

/// The terms of a text, each once, sorted.
fn words(text: &str) -> Vec<String> {
    terms(text).counts.into_iter().map(|(term, _)| term).collect()
}

/// The share of the terms of two texts that both have: 2·|A ∩ B| / (|A| + |B|).
fn overlap(one: &[String], other: &[String]) -> f64 {
    let both = one.iter().filter(|term| other.binary_search(term).is_ok()).count();
    let all = one.len() + other.len();
    if all == 0 { 0.0 } else { 2.0 * both as f64 / all as f64 }
}

/// The same of the texts themselves.
pub(super) fn word_overlap(one: &str, other: &str) -> f64 {
    overlap(&words(one), &words(other))
}

//! One question's view of the indexes. In embedded mode they are in this process and whole; on a server the part that
//! matters to the question is brought here, so that the same code ranks it.

use crate::{
    Document, KeywordIndex, Result, StoreError, VectorIndex, View,
    database::{Connection, Value},
    keyword::table::Excerpt,
    record::{Embedder, active_embedder},
    store::Files,
    vector::table,
};
use cairn_domain::{Mode, Role, Time};
use std::sync::{Mutex, PoisonError, RwLockReadGuard};

/// What may be found. A thread or session that nobody has is one with no messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only this thread.
    pub thread: Option<u32>,
    /// Only this session.
    pub session: Option<u32>,
    /// Only what this role said.
    pub sender: Option<Role>,
    /// Only what was said in modes that share with this one.
    pub mode: Option<Mode>,
    /// Only what had been said by then.
    pub as_of: Option<Time>,
    /// Only what was recorded before this seq: in embedded mode the index may be further than the view that asks it.
    pub before: Option<u32>,
}

impl Filter {
    /// Whether the asker may know of this message at all. What is not visible lends nothing to its neighbours.
    pub fn sees(&self, document: &Document) -> bool {
        self.as_of.is_none_or(|as_of| document.said_at <= as_of)
            && self.before.is_none_or(|before| document.seq < before)
            && self.mode.is_none_or(|mode| document.mode.shares_with(mode))
    }

    /// Whether this message may be a hit.
    pub fn admits(&self, document: &Document) -> bool {
        self.sees(document)
            && self.sender.is_none_or(|sender| document.role == sender)
            && self.session.is_none_or(|session| session == document.session)
            && (self.thread.is_none() || document.thread == self.thread)
    }

    /// The names of the modes that share with the asker's; `None` if every mode may be found.
    pub(crate) fn modes(&self) -> Option<Vec<&'static str>> {
        let mode = self.mode?;
        Some(Mode::ALL.into_iter().filter(|other| other.shares_with(mode)).map(Mode::as_str).collect())
    }

    /// Whether anything is hidden from the asker.
    pub fn hides(&self) -> bool {
        self.as_of.is_some() || self.mode.is_some() || self.before.is_some()
    }

    /// Whether anything could be left out at all.
    pub fn filters(&self) -> bool {
        *self != Self::default()
    }
}

/// Conditions of a statement, with their parameters.
pub(crate) struct Clauses<'a> {
    table: &'static str,
    sql: String,
    values: Vec<Value<'a>>,
}

impl<'a> Clauses<'a> {
    /// Begins with the agent, as every statement does.
    pub(crate) fn new(table: &'static str, agent_id: i64) -> Self {
        Self { table, sql: format!("{table}.agent_id = ?1"), values: vec![Value::Int(agent_id)] }
    }

    /// `condition` ends where its parameter goes.
    pub(crate) fn add(&mut self, condition: &str, value: Value<'a>) {
        self.values.push(value);
        self.sql.extend([format!(" AND {}.{condition}?{}", self.table, self.values.len())]);
    }

    /// A parameter that is used elsewhere in the statement: the next number is its.
    pub(crate) fn also(&mut self, value: Value<'a>) {
        self.values.push(value);
    }

    pub(crate) fn only(&mut self, condition: Option<(&str, i64)>) {
        if let Some((condition, value)) = condition {
            self.add(condition, Value::Int(value));
        }
    }

    /// What may be a hit.
    pub(crate) fn admit(&mut self, filter: &Filter) {
        self.only(filter.as_of.map(|as_of| ("said_at <= ", as_of.millis())));
        if let Some(modes) = filter.modes() {
            self.sql.extend([format!(" AND {}.mode IN ('{}')", self.table, modes.join("', '"))]);
        }
        self.only(filter.session.map(|session| ("session_id = ", i64::from(session))));
        self.only(filter.thread.map(|thread| ("thread_id = ", i64::from(thread))));
        if let Some(sender) = filter.sender {
            self.add("role = ", Value::Text(sender.as_str()));
        }
    }

    pub(crate) fn finish(self) -> (String, Vec<Value<'a>>) {
        (self.sql, self.values)
    }
}

/// A question, as the indexes need to know it.
pub struct Wanted<'a> {
    /// Its words, each with the terms it may stand as.
    pub words: &'a [Vec<String>],
    /// Terms that bring no messages and are still looked for in those that are brought.
    pub named: &'a [String],
    /// Messages that are wanted whatever they say, by seq.
    pub also: &'a [u32],
    /// What may be found.
    pub filter: Filter,
    /// What it means, and how that is compared.
    pub near: Option<Near<'a>>,
    /// Which documents of an index are the best by their words, so that their neighbours are worth bringing.
    pub best: &'a (dyn Fn(&KeywordIndex) -> Vec<u32> + Sync),
}

impl<'a> Wanted<'a> {
    /// Nothing but what is near, whoever said it.
    pub fn near(near: Near<'a>) -> Self {
        Self { near: Some(near), ..Self::said_by(&[]) }
    }

    /// Nothing but how many messages have speakers of these terms.
    pub fn said_by(named: &'a [String]) -> Self {
        Self { words: &[], named, also: &[], filter: Filter::default(), near: None, best: &|_| Vec::new() }
    }
}

/// A meaning to be near to.
#[derive(Clone, Copy)]
pub struct Near<'a> {
    /// A vector of length 1.
    pub vector: &'a [f32],
    /// How many messages are wanted.
    pub n: usize,
    /// How much less a part of a message after the first counts.
    pub later_part_penalty: f32,
}

/// The indexes, ready for one question.
pub struct Search<'a>(Where<'a>);

enum Where<'a> {
    Here(Here<'a>),
    There(Box<There<'a>>),
}

/// In this process.
struct Here<'a> {
    keywords: RwLockReadGuard<'a, KeywordIndex>,
    vectors: Option<RwLockReadGuard<'a, VectorIndex>>,
}

/// On a server.
struct There<'a> {
    connection: Mutex<&'a mut Connection>,
    agent_id: i64,
    keywords: KeywordIndex,
    embedder: Option<Embedder>,
    nearest: Vec<(u32, f32)>,
}

impl<'a> View<'a> {
    /// The indexes with everything this view holds that matters to a question.
    pub fn search(&mut self, wanted: &Wanted<'_>) -> Result<Search<'_>> {
        if let Some(here) = self.here()? {
            return Ok(Search(Where::Here(here)));
        }
        There::search(self.connection, self.agent_id, wanted).map(Box::new).map(Where::There).map(Search)
    }

    /// The whole indexes, to be searched while the view tells something else; `None` on a server, where it is the view that
    /// searches. Until they are dropped nobody may ask this view for them again.
    pub fn whole(&mut self) -> Result<Option<Search<'a>>> {
        Ok(self.here()?.map(|here| Search(Where::Here(here))))
    }

    fn here(&mut self) -> Result<Option<Here<'a>>> {
        let Some(Files { keywords, vectors, .. }) = self.shared.files() else { return Ok(None) };
        // What is found among vectors stands among keywords.
        let keywords = keywords.caught_up(self.connection, self.agent_id)?;
        let vectors = vectors.caught_up(self.connection, self.agent_id)?;
        Ok(Some(Here { keywords, vectors }))
    }
}

impl Search<'_> {
    /// The messages that matter to the question: all of them, in embedded mode.
    pub fn keywords(&self) -> &KeywordIndex {
        match &self.0 {
            Where::Here(here) => &here.keywords,
            Where::There(there) => &there.keywords,
        }
    }

    /// Every message before this one has its vectors.
    pub fn reached(&self) -> u32 {
        match &self.0 {
            Where::Here(here) => here.vectors.as_ref().map_or(0, |vectors| vectors.reached()),
            Where::There(there) => there.embedder.as_ref().map_or(0, |embedder| embedder.record.reached),
        }
    }

    /// How many numbers the vectors have that answer; `None` if there is none.
    pub fn dimension(&self) -> Option<usize> {
        match &self.0 {
            Where::Here(here) => here.vectors.as_ref().map(|vectors| vectors.dimension()),
            Where::There(there) => there.embedder.as_ref().map(|embedder| embedder.record.dimension),
        }
    }

    /// The index in this process, to be looked into or measured.
    pub fn vectors(&self) -> Option<&VectorIndex> {
        match &self.0 {
            Where::Here(here) => here.vectors.as_deref(),
            Where::There(_) => None,
        }
    }

    /// The messages nearest to what the question means, best first, by their place among the documents, with their
    /// cosine.
    pub fn nearest(&self, wanted: &Wanted<'_>) -> Vec<(u32, f32)> {
        let (Some(near), Where::Here(Here { keywords, vectors: Some(vectors) })) = (wanted.near, &self.0)
        else {
            return if let Where::There(there) = &self.0 { there.nearest.clone() } else { Vec::new() };
        };
        let documents = keywords.documents();
        let admits = |seq: u32| documents.get(seq as usize).is_some_and(|it| wanted.filter.admits(it));
        let filtered: Option<&dyn Fn(u32) -> bool> =
            if wanted.filter.filters() { Some(&admits) } else { None };
        let mut nearest = vectors.nearest(near.vector, near.n, near.later_part_penalty, filtered);
        // A newer view of another thread may have brought the vectors further than the keywords.
        nearest.retain(|(seq, _)| (*seq as usize) < documents.len());
        nearest
    }

    /// The seqs of the messages nearest to what the question means, whoever said them, by comparing every vector in full:
    /// slow, for measurements and tests.
    pub fn nearest_exact(&self, near: Near<'_>) -> Result<Vec<u32>> {
        let nearest = match &self.0 {
            Where::Here(here) => here.vectors.as_ref().map_or_else(Vec::new, |vectors| {
                vectors.nearest_exact(near.vector, near.n, near.later_part_penalty, None)
            }),
            Where::There(there) => there.nearest_exact(near)?,
        };
        Ok(nearest.into_iter().map(|(seq, _)| seq).collect())
    }

    /// How alike what is meant and some documents are; `None` for those that have no vector yet.
    pub fn cosines(&self, near: Near<'_>, places: &[u32]) -> Result<Vec<Option<f32>>> {
        match &self.0 {
            Where::Here(Here { vectors: None, .. }) => Ok(vec![None; places.len()]),
            Where::Here(Here { vectors: Some(vectors), .. }) => {
                let cosine = |seq: &u32| vectors.similarity(near.vector, *seq, near.later_part_penalty);
                Ok(places.iter().map(cosine).collect())
            }
            Where::There(there) => there.cosines(near, places),
        }
    }
}

impl<'a> There<'a> {
    fn search(connection: &'a mut Connection, agent_id: i64, wanted: &Wanted<'_>) -> Result<Self> {
        let embedder = active_embedder(connection, agent_id)?.filter(|embedder| embedder.record.vectors > 0);
        let mut excerpt = Excerpt::new(connection, agent_id, wanted.words, wanted.named, &wanted.filter)?;
        let mut nearest = Vec::new();
        if let (Some(embedder), Some(near)) = (&embedder, wanted.near)
            && embedder.record.dimension == near.vector.len()
        {
            nearest = table::nearest(connection, agent_id, &embedder.record, near, &wanted.filter)?;
            excerpt.bring_messages(connection, nearest.iter().map(|(seq, _)| *seq))?;
        }
        excerpt.bring_messages(connection, wanted.also.iter().copied())?;
        let found = excerpt.index();
        let best: Vec<Document> =
            (wanted.best)(&found).into_iter().map(|place| found.documents()[place as usize]).collect();
        excerpt.bring_neighbours(connection, &best)?;
        let keywords = excerpt.index();
        let place = |(seq, cosine): (u32, f32)| Some((keywords.place_of(seq)?, cosine));
        let nearest = nearest.into_iter().filter_map(place).collect();
        Ok(Self { connection: Mutex::new(connection), agent_id, keywords, embedder, nearest })
    }

    fn nearest_exact(&self, near: Near<'_>) -> Result<Vec<(u32, f32)>> {
        let Some(embedder) = &self.embedder else { return Ok(Vec::new()) };
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        table::nearest_exact(&mut connection, self.agent_id, &embedder.record, near, &Filter::default())
    }

    fn cosines(&self, near: Near<'_>, places: &[u32]) -> Result<Vec<Option<f32>>> {
        let Some(embedder) = &self.embedder else { return Ok(vec![None; places.len()]) };
        if embedder.record.dimension != near.vector.len() {
            return Ok(vec![None; places.len()]);
        }
        let seqs: Vec<u32> =
            places.iter().map(|place| self.keywords.documents()[*place as usize].seq).collect();
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let cosines = table::cosines(&mut connection, self.agent_id, &embedder.record, near, &seqs)?;
        Ok(seqs.iter().map(|seq| cosines.get(seq).copied()).collect())
    }
}

/// A question's vector that cannot be compared.
pub(crate) fn not_finite() -> StoreError {
    StoreError::Refused {
        problem: "the question's vector holds what is no finite number".into(),
        hint: "check the model that made it".into(),
    }
}

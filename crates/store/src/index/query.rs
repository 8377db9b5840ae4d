//! Questions as the indexes understand them: filters, conditions and queries.

use super::keyword::{Document, KeywordIndex};
use crate::{database::Value, error::StoreError};
use cairn_domain::{Mode, Role, Time};

/// Which messages may be found. A thread or session that does not exist has no messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MessageFilter {
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

impl MessageFilter {
    /// Whether the asker may know of this message at all. An invisible one lends nothing to its neighbors.
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

/// A WHERE clause with its parameters.
pub(crate) struct WhereClause<'a> {
    table: &'static str,
    sql: String,
    values: Vec<Value<'a>>,
}

impl<'a> WhereClause<'a> {
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

    /// Adds the conditions of a filter.
    pub(crate) fn admit(&mut self, filter: &MessageFilter) {
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

/// A question to both indexes.
pub struct IndexQuery<'a> {
    /// Its words, each with the terms that may stand for it.
    pub words: &'a [Vec<String>],
    /// Terms that add no messages and are still counted in those that are found.
    pub named: &'a [String],
    /// Messages to include whatever they say, by seq.
    pub also: &'a [u32],
    /// Which messages may be found.
    pub filter: MessageFilter,
    /// Its meaning, and how to compare it.
    pub near: Option<NearestQuery<'a>>,
    /// The best documents of an index by their words, whose neighbors are fetched as well.
    pub best: &'a (dyn Fn(&KeywordIndex) -> Vec<u32> + Sync),
}

impl<'a> IndexQuery<'a> {
    /// Only the nearest messages, whoever said them.
    pub fn near(near: NearestQuery<'a>) -> Self {
        Self { near: Some(near), ..Self::said_by(&[]) }
    }

    /// Only the counts of messages whose speakers have these terms.
    pub fn said_by(named: &'a [String]) -> Self {
        Self {
            words: &[],
            named,
            also: &[],
            filter: MessageFilter::default(),
            near: None,
            best: &|_| Vec::new(),
        }
    }
}

/// A vector to search the neighbors of.
#[derive(Clone, Copy)]
pub struct NearestQuery<'a> {
    /// A vector of length 1.
    pub vector: &'a [f32],
    /// The number of messages wanted.
    pub n: usize,
    /// How much less the parts of a message after the first count.
    pub later_part_penalty: f32,
}

/// A question's vector that cannot be compared.
pub(crate) fn not_finite() -> StoreError {
    StoreError::Refused {
        problem: "the question's vector holds what is no finite number".into(),
        hint: "check the model that made it".into(),
    }
}

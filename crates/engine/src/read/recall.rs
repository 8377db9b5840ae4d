//! Recall: from a question to hits that say why they are there.

use super::{
    Question,
    lexical::{Lexical, QueryWord},
    question::Filter,
};
use crate::{Agent, Result};
use cairn_cognition::keywords::query_words;
use cairn_store::{KeywordIndex, MessageRecord, View};
use std::{cmp::Ordering, collections::HashMap, time::Instant};

/// The answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// What was asked.
    pub query: String,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Why there are none.
    pub empty: Option<Empty>,
    /// The terms that were searched for.
    pub terms: Vec<String>,
    /// Whether only keywords were searched, because no embedder answered.
    pub lexical_only: bool,
    /// How long it took.
    pub elapsed_ms: f64,
}

/// Why an answer is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Empty {
    /// Nothing is stored yet.
    NothingStored,
    /// There is nothing to search for in the question.
    NoWords,
    /// Messages match, and every one was left out by a filter.
    FilteredOut,
    /// No message matches.
    NoMatch,
}

/// A message that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The message.
    pub record: MessageRecord,
    /// How well it fits: 0 not at all; 1 is as well as words can, before a thread's boost.
    pub score: f64,
    /// What the score is made of.
    pub explanation: Explanation,
}

/// What a score is made of: (own + neighbours) · thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Where the keyword lane had it.
    pub lexical: Lane,
    /// The share of its own words.
    pub own: f64,
    /// The share that its neighbours in the session lend.
    pub neighbours: f64,
    /// What the thread multiplies with.
    pub thread: f64,
    /// Its own share, term by term, if that was asked for.
    pub terms: Vec<TermShare>,
}

/// A lane's opinion of a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lane {
    /// Its rank there, from 1.
    pub rank: usize,
    /// Its raw score there.
    pub score: f64,
}

/// What one term brings to a hit.
#[derive(Debug, Clone, PartialEq)]
pub struct TermShare {
    /// The term.
    pub term: String,
    /// How many messages hold it.
    pub holding: u64,
    /// How rare that makes it.
    pub idf: f64,
    /// What it adds to the score.
    pub share: f64,
}

impl Agent {
    /// Finds what answers a question.
    pub async fn recall(&self, question: Question) -> Result<Recall> {
        let begun = Instant::now();
        let mut recall = self.store.read(move |view| recall(view, &question)).await?;
        recall.elapsed_ms = begun.elapsed().as_secs_f64() * 1e3;
        Ok(recall)
    }
}

/// A message in the running.
struct Candidate {
    seq: u32,
    total: f32,
    thread: f64,
}

fn recall(view: &mut View<'_>, question: &Question) -> cairn_store::Result<Recall> {
    let filter = Filter::of(question, view)?;
    let words = query_words(&question.text);
    let terms: Vec<String> = words.iter().flatten().cloned().collect();
    let mut found = Vec::new();
    let empty = {
        let index = view.keywords()?;
        let lexical = Lexical::score(&index, words, &question.profile, &filter);
        let candidates = best(&index, &lexical, question, &filter);
        for (rank, candidate) in candidates.iter().enumerate() {
            found.push((candidate.seq, explain(&lexical, candidate, rank + 1)));
        }
        if question.explain {
            share_out(&index, &lexical, question, &mut found);
        }
        found.is_empty().then(|| why_empty(&index, &terms, &lexical, &filter))
    };
    let mut hits = Vec::with_capacity(found.len());
    for (seq, (score, explanation)) in found {
        hits.extend(view.message_at(seq)?.map(|record| Hit { record, score, explanation }));
    }
    let query = question.text.clone();
    Ok(Recall { query, hits, empty, terms, lexical_only: true, elapsed_ms: 0.0 })
}

/// The `k` best candidates in order. Equal scores: what was said later comes first.
fn best(index: &KeywordIndex, lexical: &Lexical, question: &Question, filter: &Filter) -> Vec<Candidate> {
    let (documents, profile) = (index.documents(), &question.profile);
    let candidate = |seq: u32| Candidate {
        seq,
        total: lexical.total(index, profile, seq),
        thread: filter.boost(&documents[seq as usize], profile),
    };
    let running = lexical.candidates(index, question.k, profile, filter);
    let mut candidates: Vec<Candidate> =
        running.into_iter().map(candidate).filter(|it| it.total > 0.0).collect();
    let order = |a: &Candidate, b: &Candidate| -> Ordering {
        let score = |c: &Candidate| f64::from(c.total) * c.thread;
        let said_at = |c: &Candidate| documents[c.seq as usize].said_at;
        score(b)
            .total_cmp(&score(a))
            .then_with(|| said_at(b).cmp(&said_at(a)))
            .then_with(|| b.seq.cmp(&a.seq))
    };
    if question.k < candidates.len() {
        candidates.select_nth_unstable_by(question.k, order);
        candidates.truncate(question.k);
    }
    candidates.sort_unstable_by(order);
    candidates
}

fn explain(lexical: &Lexical, candidate: &Candidate, rank: usize) -> (f64, Explanation) {
    let ceiling = lexical.ceiling.max(f64::MIN_POSITIVE);
    let (own, total) = (f64::from(lexical.own[candidate.seq as usize]), f64::from(candidate.total));
    let explanation = Explanation {
        lexical: Lane { rank, score: total },
        own: own / ceiling,
        neighbours: (total - own) / ceiling,
        thread: candidate.thread,
        terms: Vec::new(),
    };
    (total / ceiling * candidate.thread, explanation)
}

/// Adds to each hit what each word brought: one more walk through the postings for all of them.
fn share_out(
    index: &KeywordIndex,
    lexical: &Lexical,
    question: &Question,
    found: &mut [(u32, (f64, Explanation))],
) {
    let ceiling = lexical.ceiling.max(f64::MIN_POSITIVE);
    for word in &lexical.words {
        let mut worth = HashMap::new();
        word.for_each(index, &question.profile, |seq, brings| {
            if found.iter().any(|(hit, _)| *hit == seq) {
                worth.insert(seq, f64::from(brings));
            }
        });
        let QueryWord { terms, holding, idf } = word;
        for (seq, (_, explanation)) in found.iter_mut() {
            let share = worth.get(seq).map_or(0.0, |worth| worth / ceiling);
            explanation.terms.push(TermShare { term: terms[0].clone(), holding: *holding, idf: *idf, share });
        }
    }
}

fn why_empty(index: &KeywordIndex, terms: &[String], lexical: &Lexical, filter: &Filter) -> Empty {
    if index.documents().is_empty() {
        Empty::NothingStored
    } else if terms.is_empty() {
        Empty::NoWords
    } else if filter.filters() && lexical.words.iter().any(|word| word.holding > 0) {
        Empty::FilteredOut
    } else {
        Empty::NoMatch
    }
}

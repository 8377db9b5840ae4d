//! The keyword lane: BM25 over the messages, and what a message's neighbours in its session add to it. A turn is
//! understood with the turns around it: the answer often stands beside the words that were asked for.

use super::{Profile, question::Filter};
use cairn_cognition::bm25::idf;
use cairn_store::KeywordIndex;

/// A term of the question as the index knows it.
pub(super) struct QueryTerm {
    pub(super) term: String,
    pub(super) holding: u64,
    pub(super) idf: f64,
}

/// The lane's scores: one for every message, zero for most.
pub(super) struct Lexical {
    pub(super) terms: Vec<QueryTerm>,
    /// What each message scores by itself.
    pub(super) own: Vec<f32>,
    /// With what its neighbours lend it.
    pub(super) total: Vec<f32>,
    /// The messages whose total is not zero.
    pub(super) touched: Vec<u32>,
    /// The most that any message could score: what makes scores comparable between questions.
    pub(super) ceiling: f64,
}

impl Lexical {
    /// Scores every visible message for the terms of a question.
    pub(super) fn score(index: &KeywordIndex, terms: Vec<String>, profile: &Profile, filter: &Filter) -> Self {
        let documents = index.documents();
        let average = index.average_length();
        let mut own = vec![0.0_f32; documents.len()];
        let mut touched = Vec::new();
        let mut query_terms = Vec::with_capacity(terms.len());
        for term in terms {
            let holding = index.holding(&term);
            let idf = idf(documents.len() as u64, holding);
            index.for_each(&term, |seq, frequency| {
                let document = &documents[seq as usize];
                if !filter.sees(document) {
                    return;
                }
                let weight = profile.bm25.weight(f64::from(frequency), f64::from(document.length), average);
                let score = &mut own[seq as usize];
                if *score == 0.0 {
                    touched.push(seq);
                }
                *score += (idf * weight) as f32;
            });
            query_terms.push(QueryTerm { term, holding, idf });
        }
        let lend = 2.0 * (profile.neighbour + profile.second_neighbour);
        let most: f64 = query_terms.iter().map(|term| term.idf).sum::<f64>() * profile.bm25.ceiling();
        let mut lexical = Self { terms: query_terms, total: own.clone(), own, touched, ceiling: most * (1.0 + lend) };
        lexical.lend_to_neighbours(index, profile, filter);
        lexical
    }

    fn lend_to_neighbours(&mut self, index: &KeywordIndex, profile: &Profile, filter: &Filter) {
        if profile.neighbour == 0.0 && profile.second_neighbour == 0.0 {
            return;
        }
        let previous = |seq: u32| index.documents()[seq as usize].previous;
        let next = |seq: u32| index.next(seq);
        for i in 0..self.touched.len() {
            let seq = self.touched[i];
            let score = self.own[seq as usize];
            for (first, second) in [
                (previous(seq), previous(seq).and_then(previous)),
                (next(seq), next(seq).and_then(next)),
            ] {
                for (neighbour, weight) in [(first, profile.neighbour), (second, profile.second_neighbour)] {
                    if let Some(neighbour) = neighbour
                        && filter.sees(&index.documents()[neighbour as usize])
                    {
                        self.lend(neighbour, score * weight as f32);
                    }
                }
            }
        }
    }

    fn lend(&mut self, to: u32, score: f32) {
        let total = &mut self.total[to as usize];
        if *total == 0.0 {
            self.touched.push(to);
        }
        *total += score;
    }
}

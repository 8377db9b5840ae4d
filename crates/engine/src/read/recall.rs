//! Recall: from a question to hits that say why they are there.

use super::{
    Empty, LexicalOnly, Question, Recall, TermShare,
    answer::Hit,
    dense::{Dense, Meaning, near},
    lexical::{Lexical, QueryWord},
    question::Scope,
    rank::{Ranked, Ranking},
};
use crate::{Agent, Result};
use cairn_cognition::{
    keywords::{query_words, speaker_term},
    subject::subject,
};
use cairn_domain::Time;
use cairn_models::ModelError;
use cairn_store::{Filter, KeywordIndex, View, Wanted};
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// A question is embedded within this time, or it is asked by its words alone.
const PATIENCE: Duration = Duration::from_secs(5);
/// From this many messages on, the lanes are worth a thread each.
const SIDE_BY_SIDE: usize = 20_000;

impl Agent {
    /// Finds what answers a question.
    pub async fn recall(&self, question: Question) -> Result<Recall> {
        let (begun, now) = (Instant::now(), self.now());
        let (meaning, lexical_only) = match self.meaning_of(&question).await? {
            Ok(meaning) => (Some(meaning), None),
            Err(why) => (None, Some(why)),
        };
        let mut recall = self.store.read(|view| recall(view, &question, meaning.as_ref(), now)).await?;
        // Without any vector, everything waits for one, unless none is wanted.
        if lexical_only == Some(LexicalOnly::NotWanted) {
            recall.pending = 0;
        }
        recall.lexical_only = lexical_only;
        recall.elapsed_ms = begun.elapsed().as_secs_f64() * 1e3;
        Ok(recall)
    }

    /// What a question means to the embedder that made this agent's vectors.
    pub(super) async fn meaning_of(
        &self,
        question: &Question,
    ) -> Result<std::result::Result<Meaning, LexicalOnly>> {
        let Some(active) = self.active_embedder().await? else { return Ok(Err(self.why_no_vectors())) };
        let session = question.session.as_deref().unwrap_or_default();
        let answered = match self.embedders.named(&active.name) {
            Ok((embedder, spec)) => {
                let answer = embedder.embed_query(session, &question.text, self.now());
                let vector = tokio::time::timeout(PATIENCE, answer).await;
                let vector = vector.unwrap_or_else(|_| Err(too_slow(&active.name)));
                vector.map(|vector| Meaning { vector, calibration: spec.calibration })
            }
            Err(error) => Err(error),
        };
        let hint = |error: &ModelError| error.hint().to_owned();
        Ok(answered
            .map_err(|error| LexicalOnly::NoEmbedder { problem: error.to_string(), hint: hint(&error) }))
    }
}

fn too_slow(embedder: &str) -> ModelError {
    ModelError::Unreachable {
        server: embedder.to_owned(),
        problem: format!("nothing came within {} s", PATIENCE.as_secs()),
    }
}

fn recall(
    view: &mut View<'_>,
    question: &Question,
    meaning: Option<&Meaning>,
    now: Time,
) -> cairn_store::Result<Recall> {
    let scope = Scope::of(question, view)?;
    let (words, subject) = (query_words(&question.text), subject(&question.text));
    let terms: Vec<String> = words.iter().flatten().cloned().collect();
    let named: Vec<String> = subject.names.iter().map(|name| speaker_term(name)).collect();
    let by_words =
        |index: &KeywordIndex| Lexical::score(index, words.clone(), &question.profile, &scope.filter);
    let wanted = Wanted {
        words: &words,
        named: &named,
        filter: scope.filter,
        near: near(meaning, question),
        best: &|index| by_words(index).best_for(index, question.k, &question.profile, &scope, false),
    };
    let (found, pending, empty) = {
        let search = view.search(&wanted)?;
        let index = search.keywords();
        let pending = (index.messages() as u32).saturating_sub(search.reached());
        let dense = || Dense::search(&search, &wanted, meaning);
        let (lexical, dense) = if index.documents().len() < SIDE_BY_SIDE {
            (by_words(index), dense())
        } else {
            let (lexical, dense) = side_by_side(|| by_words(index), dense);
            (lexical, dense.flatten())
        };
        let ranking = Ranking {
            index,
            question,
            scope: &scope,
            lexical: &lexical,
            dense: dense.as_ref(),
            subject: &subject,
            now,
        };
        let mut found = ranking.best()?;
        give_ranks(&mut found, dense.as_ref());
        if question.explain {
            share_out(index, &lexical, question, &mut found);
        }
        let empty =
            found.is_empty().then(|| why_empty(index, &terms, &lexical, dense.is_some(), &scope.filter));
        let seq = |found: Ranked| (index.documents()[found.place as usize].seq, found);
        (found.into_iter().map(seq).collect::<Vec<_>>(), pending, empty)
    };
    let seqs: Vec<u32> = found.iter().map(|(seq, _)| *seq).collect();
    let mut records = view.messages_at(&seqs)?.into_iter().peekable();
    let hit = |(seq, Ranked { score, explanation, .. })| {
        let record = records.next_if(|record| record.seq == seq)?;
        Some(Hit { record, score, explanation })
    };
    let hits = found.into_iter().filter_map(hit).collect();
    let query = question.text.clone();
    Ok(Recall { query, hits, empty, terms, lexical_only: None, pending, elapsed_ms: 0.0 })
}

/// Runs one here and one on a thread that is kept for such work.
fn side_by_side<A, B: Send>(here: impl FnOnce() -> A, there: impl FnOnce() -> B + Send) -> (A, Option<B>) {
    let mut answer = None;
    let here = rayon::in_place_scope(|scope| {
        scope.spawn(|_| answer = Some(there()));
        here()
    });
    (here, answer)
}

/// Says where each lane had a hit, among all hits of the answer or of the lane.
fn give_ranks(found: &mut [Ranked], dense: Option<&Dense<'_>>) {
    let rank = |place: u32| dense?.nearest.iter().position(|(near, _)| *near == place);
    let scores: Vec<f64> = found.iter().filter_map(|hit| Some(hit.explanation.lexical_lane?.score)).collect();
    for hit in found {
        if let Some(lane) = hit.explanation.lexical_lane.as_mut().filter(|lane| lane.rank == 0) {
            lane.rank = 1 + scores.iter().filter(|score| **score > lane.score).count();
        }
        if let Some(lane) = hit.explanation.dense_lane.as_mut().filter(|lane| lane.rank == 0) {
            lane.rank = 1 + rank(hit.place).unwrap_or_else(|| dense.map_or(0, |dense| dense.nearest.len()));
        }
    }
}

/// Adds to each hit what each word brought: one more walk through the postings for all of them.
fn share_out(index: &KeywordIndex, lexical: &Lexical, question: &Question, found: &mut [Ranked]) {
    for word in &lexical.words {
        let mut worth = HashMap::new();
        word.for_each(index, &question.profile, |place, brings| {
            if found.iter().any(|hit| hit.place == place) {
                worth.insert(place, f64::from(brings));
            }
        });
        let QueryWord { terms, holding, idf } = word;
        for Ranked { place, explanation, .. } in found.iter_mut() {
            let own = f64::from(lexical.own[*place as usize]).max(f64::MIN_POSITIVE);
            let share = worth.get(place).map_or(0.0, |worth| explanation.own * worth / own);
            explanation.terms.push(TermShare { term: terms[0].clone(), holding: *holding, idf: *idf, share });
        }
    }
}

fn why_empty(
    index: &KeywordIndex,
    terms: &[String],
    lexical: &Lexical,
    by_meaning: bool,
    filter: &Filter,
) -> Empty {
    if index.messages() == 0 {
        Empty::NothingStored
    } else if terms.is_empty() && !by_meaning {
        Empty::NoWords
    } else if filter.filters() && (by_meaning || lexical.words.iter().any(|word| word.holding > 0)) {
        Empty::FilteredOut
    } else {
        Empty::NoMatch
    }
}

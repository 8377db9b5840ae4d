//! Recall: from a question to hits that say why they are there.

use super::{
    Empty, Explanation, Found, Hit, LexicalOnly, Question, Recall, TermShare,
    asked::Asked,
    believed::{Believed, Believing},
    condensed::{Condensed, Condensing, most_digests},
    dense::{self, Dense, Meaning},
    kept::{Kept, Near},
    lexical::{Lexical, QueryWord},
    question::Scope,
    rank::{Measure, Ranked, Ranking},
    running::Running,
    session::Sessions,
};
use crate::{
    Agent, BeliefConfig, Result,
    meter::{Stages, fallback},
};
use cairn_cognition::{
    aid::{Line, Quote, aids},
    decompose::decompose,
    fusion::{RRF_K, reciprocal_rank},
    hyde::centroid,
    intent::Intent,
    keywords::{query_words, speaker_term},
    score::Score,
    trivial::trivial,
};
use cairn_domain::{RecordKind, Time};
use cairn_models::ModelError;
use cairn_store::{Filter, KeywordIndex, Search, View, Wanted};
use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

/// A question is embedded within this time, or it is asked by its words alone.
const PATIENCE: Duration = Duration::from_secs(5);
/// From this many messages on, the lanes are worth a thread each.
const SIDE_BY_SIDE: usize = 20_000;

impl Agent {
    /// Finds what answers a question.
    pub async fn recall(&self, question: Question) -> Result<Recall> {
        let (mut stages, now) = (Stages::of_recall(), self.now());
        if let Some(nothing) = nothing_asked(&question) {
            return Ok(nothing);
        }
        let mut recall = self.recall_whole(&question, now, &mut stages).await?;
        let parts = if question.profile.decompose { decompose(&question.text) } else { Vec::new() };
        if parts.len() > 1 {
            let mut answers = Vec::with_capacity(parts.len());
            for text in parts {
                let part = Question { text, ..question.clone() };
                answers.push(self.recall_whole(&part, now, &mut stages).await?.hits);
            }
            recall.hits = merged(std::mem::take(&mut recall.hits), answers, &question);
        }
        recall.elapsed_ms = stages.all("total").as_secs_f64() * 1e3;
        Ok(recall)
    }

    /// Finds what answers a question as a whole.
    async fn recall_whole(&self, question: &Question, now: Time, stages: &mut Stages) -> Result<Recall> {
        let asked = self.asked(question, now).await?;
        let (meaning, lexical_only) = match self.meaning_of(question, &asked).await? {
            Ok(meaning) => (Some(meaning), None),
            Err(why) => (None, Some(why)),
        };
        stages.done("embed");
        let (meaning, beliefs) = (meaning.as_ref(), &self.config.beliefs);
        let searching = Searching { question, asked: &asked, meaning, beliefs, now };
        let mut recall = self.store.read(|view| searching.recall(view, stages)).await?;
        // Without any vector, everything waits for one, unless none is wanted.
        if lexical_only == Some(LexicalOnly::NotWanted) {
            recall.pending = 0;
        }
        if lexical_only.is_some() {
            fallback("lexical_only");
        }
        recall.lexical_only = lexical_only;
        Ok(recall)
    }

    /// What a question means to the embedder that made this agent's vectors.
    pub(super) async fn meaning_of(
        &self,
        question: &Question,
        asked: &Asked,
    ) -> Result<std::result::Result<Meaning, LexicalOnly>> {
        let Some(active) = self.active_embedder().await? else { return Ok(Err(self.why_no_vectors())) };
        let session = question.session.as_deref().unwrap_or_default();
        let answered = match self.embedders.named(&active.name) {
            Ok((embedder, spec)) => {
                let vector = async {
                    let vector = embedder.embed_query(session, &asked.text, self.now()).await?;
                    let answers = asked.hypothetical_answers(&question.profile);
                    if answers.is_empty() {
                        return Ok(vector);
                    }
                    let answers = embedder.embed(answers).await?;
                    let all = std::iter::once(&*vector).chain(answers.iter().map(Vec::as_slice));
                    Ok(centroid(&all.map(|vector| (1.0, vector)).collect::<Vec<_>>()).into())
                };
                let vector = tokio::time::timeout(PATIENCE, vector).await;
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

/// The answer to what is no question: a greeting, a confirmation, a command.
fn nothing_asked(question: &Question) -> Option<Recall> {
    let says_nothing = trivial(&question.text).is_some_and(|why| why.0 != "empty");
    says_nothing.then(|| Recall {
        query: question.text.clone(),
        intent: Intent::default(),
        hits: Vec::new(),
        aids: Vec::new(),
        empty: Some(Empty::Trivial),
        terms: Vec::new(),
        lexical_only: None,
        pending: 0,
        elapsed_ms: 0.0,
    })
}

/// One answer out of that to a whole question and those to its parts: each hit once, by its ranks in all of them. The best
/// scores what it scored at best.
fn merged(whole: Vec<Hit>, parts: Vec<Vec<Hit>>, question: &Question) -> Vec<Hit> {
    let best = whole.iter().chain(parts.iter().flatten()).map(|hit| hit.score).fold(0.0, f64::max);
    let mut merged: Vec<(f64, Hit)> = Vec::new();
    for hits in std::iter::once(whole).chain(parts) {
        for (i, hit) in hits.into_iter().enumerate() {
            let worth = reciprocal_rank(RRF_K, i + 1);
            match merged.iter_mut().find(|(_, known)| known.found.reference() == hit.found.reference()) {
                Some((sum, _)) => *sum += worth,
                None => merged.push((worth, hit)),
            }
        }
    }
    // Stable: of equals the one that the whole question found first.
    merged.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut digests = 0;
    merged.retain(|(_, hit)| {
        digests += usize::from(matches!(hit.found, Found::Digest(..)));
        !matches!(hit.found, Found::Digest(..)) || digests <= most_digests(question)
    });
    let most = merged.first().map_or(1.0, |(sum, _)| *sum);
    let scored = |(sum, mut hit): (f64, Hit)| {
        let mut score = Score::default();
        score.add("parts", best * sum / most);
        hit.explanation = Explanation { score, terms: Vec::new(), ..hit.explanation };
        Hit { score: best * sum / most, confidence: (best * sum / most).clamp(0.0, 1.0), ..hit }
    };
    merged.into_iter().take(question.k).map(scored).collect()
}

/// Why there is nothing of the kinds that were asked for.
fn of_kind(question: &Question, empty: Empty) -> Empty {
    let first_hand = question.wants(RecordKind::Exchange) || question.wants(RecordKind::Memory);
    match empty {
        Empty::NoMatch | Empty::FilteredOut if !first_hand => Empty::NoneOfKind,
        empty => empty,
    }
}

fn too_slow(embedder: &str) -> ModelError {
    ModelError::Unreachable {
        server: embedder.to_owned(),
        problem: format!("nothing came within {} s", PATIENCE.as_secs()),
    }
}

/// What recall works with besides the view.
struct Searching<'a> {
    question: &'a Question,
    asked: &'a Asked,
    meaning: Option<&'a Meaning>,
    beliefs: &'a BeliefConfig,
    now: Time,
}

impl Searching<'_> {
    fn recall(&self, view: &mut View<'_>, stages: &mut Stages) -> cairn_store::Result<Recall> {
        let question = self.question;
        let scope = Scope::of(question, view)?;
        let words = query_words(&self.asked.text);
        let (near, Searched { ranked, measure, pending, empty }) = self.search(view, &scope, &words)?;
        stages.done("search");
        let at = question.as_of.unwrap_or(self.now);
        let seqs: Vec<u32> = ranked.iter().map(|(seq, _)| *seq).collect();
        let mut kept = Kept::read(view, near, &seqs, question, at)?;
        kept.calibrate(&measure);
        let (beliefs, digests) = self.beside(view, (&scope, &measure), &kept, &seqs)?;
        stages.done("beside");
        let mut running = Running::new((question, &scope), &measure, &mut kept, at);
        match (question.wants(RecordKind::Exchange), question.wants(RecordKind::Memory)) {
            (true, with_memories) => {
                running.messages(ranked);
                if with_memories {
                    running.without_message();
                }
            }
            (false, true) => running.memories(),
            (false, false) => {}
        }
        running.beliefs(beliefs);
        running.digests(digests);
        let hits = running.finish(view)?;
        let empty = if hits.is_empty() { empty.map(|empty| of_kind(question, empty)) } else { None };
        let aids = self.aids(&hits);
        stages.done("finish");
        let (query, intent) = (question.text.clone(), self.asked.intent.clone());
        let terms = words.into_iter().flatten().collect();
        Ok(Recall { query, intent, hits, aids, empty, terms, lexical_only: None, pending, elapsed_ms: 0.0 })
    }

    /// What is held true and what was condensed that answers.
    fn beside(
        &self,
        view: &mut View<'_>,
        (scope, measure): (&Scope, &Measure),
        kept: &Kept,
        seqs: &[u32],
    ) -> cairn_store::Result<(Vec<Believed>, Vec<Condensed>)> {
        let (question, asked, now, config) = (self.question, self.asked, self.now, self.beliefs);
        let beliefs = if question.wants(RecordKind::Belief) {
            Believing { question, scope, kept, measure, config, now }.search(view)?
        } else {
            Vec::new()
        };
        let digests = if question.wants(RecordKind::Digest) {
            Condensing { question, asked, scope, kept, measure, seqs }.search(view)?
        } else {
            Vec::new()
        };
        Ok((beliefs, digests))
    }

    /// What can be worked out from what was said and remembered among the hits.
    fn aids(&self, hits: &[Hit]) -> Vec<Line> {
        let first_hand = |hit: &&Hit| match hit.found {
            Found::Message(_) | Found::Memory(..) => true,
            Found::Belief(_) | Found::Digest(..) => false,
        };
        let hits: Vec<&Hit> = hits.iter().filter(first_hand).collect();
        let refs: Vec<String> = hits.iter().map(|hit| hit.found.reference().to_string()).collect();
        let current = hits.iter().zip(&refs).filter(|(hit, _)| hit.replaced_by.is_none());
        let quotes: Vec<Quote<'_>> = current
            .map(|(hit, source)| Quote { text: hit.found.text(), at: hit.found.at(), source })
            .collect();
        aids(self.asked.intent.shape, &quotes, self.question.as_of.unwrap_or(self.now))
    }

    /// The memories that come up, and the messages in the running, by seq, best first. Where the indexes are here, what
    /// messages mean is compared while memories are looked for.
    fn search(
        &self,
        view: &mut View<'_>,
        scope: &Scope,
        words: &[Vec<String>],
    ) -> cairn_store::Result<(Near, Searched)> {
        let (question, meaning, whole) = (self.question, self.meaning, view.whole()?);
        let scope = &match &whole {
            Some(whole) => scope.seen_by(view, whole.keywords())?,
            None => *scope,
        };
        let named: Vec<String> = self.asked.subject.names.iter().map(|name| speaker_term(name)).collect();
        let by_words =
            |index: &KeywordIndex| Lexical::score(index, words.to_vec(), &question.profile, &scope.filter);
        let by_words_and_sessions = |index: &KeywordIndex| {
            let lexical = by_words(index);
            let sessions = if question.profile.session > 0.0 {
                Sessions::score(index, &lexical.words, &scope.filter)
            } else {
                Sessions::default()
            };
            (lexical, sessions)
        };
        let mut wanted = Wanted {
            words,
            named: &named,
            also: &[],
            filter: scope.filter,
            near: dense::near(meaning, question),
            best: &|index| by_words(index).best_for(index, question.k, &question.profile, scope, false),
        };
        let Some(whole) = whole else {
            let (near, also) = self.brought(view, None, words)?;
            wanted.also = &also;
            let search = view.search(&wanted)?;
            let (lexical, sessions) = by_words_and_sessions(search.keywords());
            let dense = Dense::search(&search, &wanted, meaning);
            let lanes = Lanes { near: &near, also: &also, lexical, sessions, dense };
            let searched = self.rank(scope, &search, words, lanes)?;
            return Ok((near, searched));
        };
        let by_meaning = || Dense::search(&whole, &wanted, meaning);
        let index = whole.keywords();
        let mut by_all_else = || (self.brought(view, Some(index), words), by_words_and_sessions(index));
        let ((brought, (lexical, sessions)), dense) = if index.documents().len() < SIDE_BY_SIDE {
            (by_all_else(), by_meaning())
        } else {
            let (found, dense) = side_by_side(by_all_else, by_meaning);
            (found, dense.flatten())
        };
        let (near, also) = brought?;
        let lanes = Lanes { near: &near, also: &also, lexical, sessions, dense };
        let searched = self.rank(scope, &whole, words, lanes)?;
        Ok((near, searched))
    }

    /// The memories that come up, and the messages they rest on or that were said when the question speaks of, by seq. The
    /// index is asked for them if it is here.
    fn brought(
        &self,
        view: &mut View<'_>,
        index: Option<&KeywordIndex>,
        words: &[Vec<String>],
    ) -> cairn_store::Result<(Near, Vec<u32>)> {
        let terms: Vec<String> = words.iter().flatten().cloned().collect();
        let near = Near::search(view, self.question, self.meaning, &terms)?;
        let mut also: Vec<u32> = near.messages().collect();
        also.extend(self.asked.in_time(&self.question.profile, |from, to, k| match index {
            Some(index) => Ok(index.newest_within(from, to, k)),
            None => view.newest_within(from, to, k),
        })?);
        Ok((near, also))
    }

    /// Puts what the lanes found in order.
    fn rank(
        &self,
        scope: &Scope,
        search: &Search<'_>,
        words: &[Vec<String>],
        Lanes { near, also, lexical, sessions, dense }: Lanes<'_>,
    ) -> cairn_store::Result<Searched> {
        let (question, Asked { subject, windows, .. }) = (self.question, self.asked);
        let index = search.keywords();
        let pending = (index.messages() as u32).saturating_sub(search.reached());
        let led_to: HashSet<u32> = near.led_to().filter_map(|seq| index.place_of(seq)).collect();
        let brought: Vec<u32> = also.iter().filter_map(|seq| index.place_of(*seq)).collect();
        let ranking = Ranking {
            index,
            question,
            scope,
            lexical: &lexical,
            dense: dense.as_ref(),
            sessions: &sessions,
            subject,
            windows,
            brought: &brought,
            led_to: &led_to,
            now: self.now,
        };
        let mut ranked = ranking.best()?;
        give_ranks(&mut ranked, dense.as_ref());
        if question.explain {
            share_out(index, &lexical, question, &mut ranked);
        }
        let empty = why_empty(index, words, &lexical, dense.is_some(), &scope.filter);
        let measure = ranking.measure();
        let seq = |ranked: Ranked| (index.documents()[ranked.place as usize].seq, ranked);
        Ok(Searched { ranked: ranked.into_iter().map(seq).collect(), measure, pending, empty: Some(empty) })
    }
}

/// What each lane found.
struct Lanes<'a> {
    near: &'a Near,
    also: &'a [u32],
    lexical: Lexical,
    sessions: Sessions,
    dense: Option<Dense<'a>>,
}

/// What the lanes over messages found.
struct Searched {
    ranked: Vec<(u32, Ranked)>,
    measure: Measure,
    pending: u32,
    /// Why there is nothing, if there is nothing.
    empty: Option<Empty>,
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
    let mut places: Vec<u32> = found.iter().map(|hit| hit.place).collect();
    places.sort_unstable();
    for word in &lexical.words {
        let (mut worth, mut wanted) = (HashMap::new(), &places[..]);
        // Both ascend.
        word.for_each(index, &question.profile, |place, brings| {
            while let [before, rest @ ..] = wanted
                && *before < place
            {
                wanted = rest;
            }
            if wanted.first() == Some(&place) {
                worth.insert(place, f64::from(brings));
            }
        });
        let QueryWord { terms, holding, idf } = word;
        for Ranked { place, explanation, .. } in found.iter_mut() {
            let own = f64::from(lexical.own[*place as usize]).max(f64::MIN_POSITIVE);
            let words = explanation.score.part("words");
            let share = worth.get(place).map_or(0.0, |worth| words * worth / own);
            explanation.terms.push(TermShare { term: terms[0].clone(), holding: *holding, idf: *idf, share });
        }
    }
}

fn why_empty(
    index: &KeywordIndex,
    words: &[Vec<String>],
    lexical: &Lexical,
    by_meaning: bool,
    filter: &Filter,
) -> Empty {
    if index.messages() == 0 {
        Empty::NothingStored
    } else if words.is_empty() && !by_meaning {
        Empty::NoWords
    } else if filter.filters() && (by_meaning || lexical.words.iter().any(|word| word.holding > 0)) {
        Empty::FilteredOut
    } else {
        Empty::NoMatch
    }
}

//! A question led through all lanes, and their findings through ranking, to hits.

use super::{
    explain::{add_term_shares, assign_lane_ranks},
    hits::HitSelection,
    inputs::RankingInputs,
    messages::{HEAD_MESSAGES, RankedMessage},
    routed::RoutedMemories,
    run::raise_steps,
};
use crate::{
    BeliefConfig,
    meter::Stages,
    read::{
        lane::{
            AttachmentMatch, AttachmentSearch, BeliefMatch, BeliefSearch, DenseFindings, DigestMatch,
            DigestSearch, KeywordFindings, MemoryFindings, NearestMemories, Neighbors, QuestionVector,
            RecordScorer, SessionFindings, SharedCandidate, nearest_wanted, shared_matches,
        },
        question::{Empty, Found, Hit, Question, Recall, SearchScope, UnderstoodQuestion},
    },
};
use cairn_cognition::{
    aid::{AidLine, Quote, aids},
    keywords::speaker_term,
    temporal::{Window, told},
};
use cairn_domain::{MILLIS_PER_DAY, Message, RecordKind, Time};
use cairn_models::Embedder;
use cairn_store::{IndexQuery, IndexSearcher, KeywordIndex, MessageFilter, View};
use std::collections::HashSet;

/// From this many messages on, the lanes are worth a thread each.
const MIN_MESSAGES_FOR_THREADS: usize = 20_000;

/// How long before a message may have told of a time that is asked about, and how many messages are read for it.
const MAX_DAYS_FORETOLD: i64 = 90;
const MAX_MESSAGES_FORETELLING: usize = 300;

/// A question with everything its search needs besides the view.
pub(crate) struct QuestionSearch<'a> {
    pub(crate) question: &'a Question,
    pub(crate) asked: &'a UnderstoodQuestion,
    pub(crate) meaning: Option<&'a QuestionVector>,
    /// Reads statements together with the question, if the model that made the vectors can.
    pub(crate) reader: Option<&'a dyn Embedder>,
    pub(crate) beliefs: &'a BeliefConfig,
    /// Memories that other agents share.
    pub(crate) shared: &'a [SharedCandidate],
    pub(crate) now: Time,
}

impl QuestionSearch<'_> {
    pub(crate) fn find_hits(&self, view: &mut View<'_>, stages: &mut Stages) -> cairn_store::Result<Recall> {
        let question = self.question;
        let scope = SearchScope::of(question, view)?;
        let words = self.asked.searched_terms(&question.profile);
        let (near, SearchedMessages { mut ranked, measure, pending, empty }) =
            self.search_messages(view, &scope, &words)?;
        let older_states = raise_steps(view, question, &scope, &mut ranked)?;
        stages.done("search");
        let at = question.as_of.unwrap_or(self.now);
        let seqs: Vec<u32> = ranked.iter().map(|(seq, _)| *seq).collect();
        let (head, tail) = seqs.split_at(seqs.len().min(HEAD_MESSAGES));
        let mut memory_findings = MemoryFindings::read_for_messages(view, near, head, question, at)?;
        memory_findings.set_best_likeness(&measure);
        let RecordsBeside { beliefs, digests, attachments } =
            self.search_beside_messages(view, &scope, &measure, &memory_findings, head)?;
        if !tail.is_empty() {
            memory_findings.read_more_messages(view, tail, question)?;
        }
        let routed = RoutedMemories::read(view, question, &measure, &mut memory_findings)?;
        stages.done("beside");
        let mut running =
            HitSelection::new(question, self.asked, &scope, &measure, &mut memory_findings, at, routed);
        match (question.wants(RecordKind::Exchange), question.wants(RecordKind::Memory)) {
            (true, with_memories) => {
                running.add_messages(ranked, older_states);
                if with_memories {
                    running.add_memories_without_message();
                }
            }
            (false, true) => running.add_memories(ranked),
            (false, false) => {}
        }
        running.add_beliefs(beliefs);
        running.add_digests(digests);
        running.add_attachments(attachments);
        running.add_shared(shared_matches(self.shared, question, &measure));
        let hits = running.into_hits(view, self.reader)?;
        let empty = if hits.is_empty() { empty.map(|empty| empty_for_kinds(question, empty)) } else { None };
        let aids = self.computed_aids(&hits);
        stages.done("finish");
        let (query, intent) = (question.text.clone(), self.asked.intent.clone());
        let terms = words.into_iter().flatten().collect();
        Ok(Recall {
            query,
            intent,
            hits,
            aids,
            intentions: Vec::new(),
            procedures: Vec::new(),
            empty,
            terms,
            lexical_only: None,
            pending,
            away: Vec::new(),
            elapsed_ms: 0.0,
        })
    }

    /// Searches beliefs, digests and attachments.
    fn search_beside_messages(
        &self,
        view: &mut View<'_>,
        scope: &SearchScope,
        measure: &RecordScorer,
        memory_findings: &MemoryFindings,
        seqs: &[u32],
    ) -> cairn_store::Result<RecordsBeside> {
        let (question, asked, now, config) = (self.question, self.asked, self.now, self.beliefs);
        let meaning = self.meaning;
        let beliefs = if question.wants(RecordKind::Belief) {
            BeliefSearch { question, scope, memory_findings, measure, config, meaning, now }
                .matching_beliefs(view)?
        } else {
            Vec::new()
        };
        let digests = if question.wants(RecordKind::Digest) {
            DigestSearch { question, asked, scope, memory_findings, measure, meaning, seqs }
                .matching_digests(view)?
        } else {
            Vec::new()
        };
        let attachments = if question.wants(RecordKind::Attachment) {
            AttachmentSearch { question, scope, measure, meaning }.matching_parts(view)?
        } else {
            Vec::new()
        };
        Ok(RecordsBeside { beliefs, digests, attachments })
    }

    /// Lines computed from the messages and memories among the hits.
    fn computed_aids(&self, hits: &[Hit]) -> Vec<AidLine> {
        let first_hand = |hit: &&Hit| match hit.found {
            Found::Message(_) | Found::Memory(..) => true,
            Found::Belief(_) | Found::Digest(..) | Found::Attachment(_) | Found::Shared(_) => false,
        };
        let hits: Vec<&Hit> = hits.iter().filter(first_hand).collect();
        let refs: Vec<String> = hits.iter().map(|hit| hit.found.reference().to_string()).collect();
        let current = hits.iter().zip(&refs).filter(|(hit, _)| hit.replaced_by.is_none());
        let quotes: Vec<Quote<'_>> = current
            .map(|(hit, source)| Quote { text: hit.found.text(), at: hit.found.at(), source })
            .collect();
        aids(self.asked.intent.shape, &self.question.text, &quotes, self.question.as_of.unwrap_or(self.now))
    }

    /// The memories that come up, and the messages in the running, by seq, best first. Where the indexes are here, what
    /// messages mean is compared while memories are looked for.
    fn search_messages(
        &self,
        view: &mut View<'_>,
        scope: &SearchScope,
        words: &[Vec<String>],
    ) -> cairn_store::Result<(NearestMemories, SearchedMessages)> {
        let (question, meaning, whole) = (self.question, self.meaning, view.whole_indexes()?);
        let scope = &match &whole {
            Some(whole) => scope.seen_by(view, whole.keywords())?,
            None => *scope,
        };
        let named: Vec<String> = self.asked.subject.names.iter().map(|name| speaker_term(name)).collect();
        let by_words = |index: &KeywordIndex| {
            KeywordFindings::score_messages(index, words.to_vec(), &question.profile, &scope.filter)
        };
        let by_words_and_sessions = |index: &KeywordIndex| {
            let lexical = by_words(index);
            let sessions = if question.profile.session > 0.0 {
                SessionFindings::score_sessions(index, &lexical.words, &scope.filter)
            } else {
                SessionFindings::default()
            };
            (lexical, sessions)
        };
        let mut wanted = IndexQuery {
            words,
            named: &named,
            also: &[],
            filter: scope.filter,
            near: nearest_wanted(meaning, question),
            best: &|index| {
                by_words(index).best_for(index, question.k, &question.profile, scope, Neighbors::OnServer)
            },
        };
        let Some(whole) = whole else {
            let (near, also, foretelling) = self.messages_brought_in(view, None, words)?;
            wanted.also = &also;
            let search = view.search(&wanted)?;
            let (lexical, sessions) = by_words_and_sessions(search.keywords());
            let dense = DenseFindings::search(&search, &wanted, meaning);
            let lanes = LaneFindings {
                near: &near,
                also: &also,
                foretelling: &foretelling,
                lexical,
                sessions,
                dense,
            };
            let searched = self.rank_messages(scope, &search, words, lanes)?;
            return Ok((near, searched));
        };
        let by_meaning = || DenseFindings::search(&whole, &wanted, meaning);
        let index = whole.keywords();
        let mut by_all_else =
            || (self.messages_brought_in(view, Some(index), words), by_words_and_sessions(index));
        let ((brought, (lexical, sessions)), dense) = if index.documents().len() < MIN_MESSAGES_FOR_THREADS {
            (by_all_else(), by_meaning())
        } else {
            let (found, dense) = run_in_parallel(by_all_else, by_meaning);
            (found, dense.flatten())
        };
        let (near, also, foretelling) = brought?;
        let lanes =
            LaneFindings { near: &near, also: &also, foretelling: &foretelling, lexical, sessions, dense };
        let searched = self.rank_messages(scope, &whole, words, lanes)?;
        Ok((near, searched))
    }

    /// The memories that come up, and the messages they rest on, that were said when the question speaks of or that tell of a
    /// time to come it speaks of, by seq; then these last alone. The index is asked for them if it is here.
    fn messages_brought_in(
        &self,
        view: &mut View<'_>,
        index: Option<&KeywordIndex>,
        words: &[Vec<String>],
    ) -> cairn_store::Result<(NearestMemories, Vec<u32>, Vec<u32>)> {
        let terms: Vec<String> = words.iter().flatten().cloned().collect();
        let near = NearestMemories::search(view, self.question, self.meaning, &terms)?;
        let mut also: Vec<u32> = near.supporting_messages().collect();
        also.extend(self.asked.messages_in_windows(&self.question.profile, |from, to, k| match index {
            Some(index) => Ok(index.newest_within(from, to, k)),
            None => view.newest_within(from, to, k),
        })?);
        let foretelling = self.messages_foretelling(view, index)?;
        also.extend(&foretelling);
        Ok((near, also, foretelling))
    }

    /// Messages of the last months that tell of a time that is still to come and asked about, by seq.
    fn messages_foretelling(
        &self,
        view: &mut View<'_>,
        index: Option<&KeywordIndex>,
    ) -> cairn_store::Result<Vec<u32>> {
        let now = self.question.as_of.unwrap_or(self.now);
        let windows = self.asked.windows.iter();
        let ahead: Vec<&Window> = windows.filter(|window| window.to.is_none_or(|to| to > now)).collect();
        if ahead.is_empty() || self.question.profile.time == 0.0 {
            return Ok(Vec::new());
        }
        let from = Time::from_millis(now.millis() - MAX_DAYS_FORETOLD * MILLIS_PER_DAY);
        let (from, to) = (Some(from), Some(Time::from_millis(now.millis() + 1)));
        let seqs = match index {
            Some(index) => index.newest_within(from, to, MAX_MESSAGES_FORETELLING),
            None => view.newest_within(from, to, MAX_MESSAGES_FORETELLING)?,
        };
        let foretells = |message: &Message| {
            let told = told(&message.text, message.at);
            told.iter().any(|told| ahead.iter().any(|window| window.touches(told.span)))
        };
        let messages = view.messages_at(&seqs)?.into_iter();
        Ok(messages.filter(|record| foretells(&record.message)).map(|record| record.seq).collect())
    }

    /// Puts what the lanes found in order.
    fn rank_messages(
        &self,
        scope: &SearchScope,
        search: &IndexSearcher<'_>,
        words: &[Vec<String>],
        LaneFindings { near, also, foretelling, lexical, sessions, dense }: LaneFindings<'_>,
    ) -> cairn_store::Result<SearchedMessages> {
        let (question, UnderstoodQuestion { subject, windows, .. }) = (self.question, self.asked);
        let index = search.keywords();
        let pending = (index.messages() as u32).saturating_sub(search.reached());
        let noise = self.meaning.map_or(f32::INFINITY, |meaning| meaning.calibration.noise());
        let staying = near.messages_reached_by_graph().chain(near.messages_meant(noise));
        let led_to: HashSet<u32> = staying.filter_map(|seq| index.place_of(seq)).collect();
        let foretelling: HashSet<u32> = foretelling.iter().filter_map(|seq| index.place_of(*seq)).collect();
        let brought: Vec<u32> = also.iter().filter_map(|seq| index.place_of(*seq)).collect();
        let ranking = RankingInputs {
            index,
            question,
            scope,
            lexical: &lexical,
            dense: dense.as_ref(),
            sessions: &sessions,
            subject,
            windows,
            foretelling: &foretelling,
            brought: &brought,
            led_to: &led_to,
            now: self.now,
        };
        let mut ranked = ranking.best_messages()?;
        assign_lane_ranks(&mut ranked, dense.as_ref());
        if question.explain {
            add_term_shares(index, &lexical, question, &mut ranked);
        }
        let empty = empty_reason(index, words, &lexical, dense.as_ref(), &scope.filter);
        let measure = ranking.record_scorer();
        let seq = |ranked: RankedMessage| (index.documents()[ranked.place as usize].seq, ranked);
        Ok(SearchedMessages {
            ranked: ranked.into_iter().map(seq).collect(),
            measure,
            pending,
            empty: Some(empty),
        })
    }
}

/// Findings that are neither messages nor memories.
struct RecordsBeside {
    beliefs: Vec<BeliefMatch>,
    digests: Vec<DigestMatch>,
    attachments: Vec<AttachmentMatch>,
}

/// The findings of each lane.
struct LaneFindings<'a> {
    near: &'a NearestMemories,
    also: &'a [u32],
    foretelling: &'a [u32],
    lexical: KeywordFindings,
    sessions: SessionFindings,
    dense: Option<DenseFindings<'a>>,
}

/// The ranked messages, and how to score other records beside them.
struct SearchedMessages {
    ranked: Vec<(u32, RankedMessage)>,
    measure: RecordScorer,
    pending: u32,
    /// Why there is nothing, if there is nothing.
    empty: Option<Empty>,
}

/// Runs one here and one on a thread that is kept for such work.
fn run_in_parallel<A, B: Send>(here: impl FnOnce() -> A, there: impl FnOnce() -> B + Send) -> (A, Option<B>) {
    let mut answer = None;
    let here = rayon::in_place_scope(|scope| {
        scope.spawn(|_| answer = Some(there()));
        here()
    });
    (here, answer)
}

fn empty_reason(
    index: &KeywordIndex,
    words: &[Vec<String>],
    lexical: &KeywordFindings,
    dense: Option<&DenseFindings<'_>>,
    filter: &MessageFilter,
) -> Empty {
    if index.messages() == 0 {
        Empty::NothingStored
    } else if words.is_empty() {
        Empty::NoWords
    } else if filter.filters()
        && (lexical.words.iter().any(|word| word.holding > 0) || dense.is_some_and(DenseFindings::is_empty))
    {
        Empty::FilteredOut
    } else {
        Empty::NoMatch
    }
}

/// Why there is nothing of the kinds that were asked for.
fn empty_for_kinds(question: &Question, empty: Empty) -> Empty {
    let first_hand = question.wants(RecordKind::Exchange) || question.wants(RecordKind::Memory);
    match empty {
        Empty::NoMatch | Empty::FilteredOut if !first_hand => Empty::NoneOfKind,
        empty => empty,
    }
}

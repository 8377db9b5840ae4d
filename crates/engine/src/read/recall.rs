//! Recall: from a question to hits that say why they are there.

use super::{
    lane::{PeerFindings, SharedFindings},
    question::{Empty, LexicalOnly, Question, Recall},
    rank::{QuestionSearch, merge_answers, plan_of},
};
use crate::{
    Agent, Result,
    meter::{Stages, fallback},
};
use cairn_cognition::{decompose::sub_questions, intent::Intent, route::HitOrder, trivial::trivial_reason};
use cairn_domain::Time;
use std::cmp::Reverse;

/// Hits of a question and of each of its parts out of which one answer is made.
const MERGED_HITS: usize = 60;

impl Agent {
    /// Finds what answers a question here.
    pub(crate) async fn recall(&self, question: Question) -> Result<Recall> {
        self.recall_with(question, PeerFindings::default()).await
    }

    /// Finds what answers a question, with what peers gave.
    pub(crate) async fn recall_with(&self, question: Question, peers: PeerFindings) -> Result<Recall> {
        let (mut stages, now) = (Stages::of_recall(), self.now());
        let plan = plan_of(&question);
        let question = match plan {
            Some(plan) => Question {
                k: question.k.min(plan.limit),
                timeline: question.timeline || plan.superseded,
                ..question
            },
            None => question,
        };
        if let Some(nothing) = answer_to_no_question(&question) {
            return Ok(nothing);
        }
        let parts = if question.profile.decompose { sub_questions(&question.text) } else { Vec::new() };
        let mut recall = if parts.len() > 1 {
            // However many hits are asked for, the first come out of the same ones.
            let long = Question { k: question.k.max(MERGED_HITS), ..question.clone() };
            let mut recall = self.recall_undivided(&long, &peers, now, &mut stages).await?;
            let mut answers = Vec::with_capacity(parts.len());
            for text in parts {
                let part = Question { text, ..long.clone() };
                answers.push(self.recall_undivided(&part, &peers, now, &mut stages).await?.hits);
            }
            recall.hits = merge_answers(std::mem::take(&mut recall.hits), answers, &question);
            recall
        } else {
            self.recall_undivided(&question, &peers, now, &mut stages).await?
        };
        if plan.is_some_and(|plan| plan.order == HitOrder::Newest) {
            recall.hits.sort_by_key(|hit| Reverse(hit.found.at()));
        }
        recall.away.extend(peers.away);
        recall.elapsed_ms = stages.all("total").as_secs_f64() * 1e3;
        Ok(recall)
    }

    /// Finds what answers a question as a whole.
    async fn recall_undivided(
        &self,
        question: &Question,
        peers: &PeerFindings,
        now: Time,
        stages: &mut Stages,
    ) -> Result<Recall> {
        let asked = self.understand_question(question, now).await?;
        let (meaning, lexical_only) = match self.question_vector(question, &asked).await? {
            Ok(meaning) => (Some(meaning), None),
            Err(why) => (None, Some(why)),
        };
        stages.done("embed");
        let (meaning, beliefs) = (meaning.as_ref(), &self.config.beliefs);
        let SharedFindings { mut shared, away } = self.search_shared(question, &asked, meaning, now).await?;
        shared.extend(peers.candidates(meaning));
        let reader = meaning.and_then(|meaning| self.embedders.named(&meaning.embedder).ok()?.0.loaded());
        let reader = reader.as_deref();
        let searching =
            QuestionSearch { question, asked: &asked, meaning, reader, beliefs, shared: &shared, now };
        let mut recall = self.store.read(|view| searching.find_hits(view, stages)).await?;
        // Without any vector, everything waits for one, unless none is wanted.
        if lexical_only == Some(LexicalOnly::NotWanted) {
            recall.pending = 0;
        }
        if lexical_only.is_some() {
            fallback("lexical_only");
        }
        (recall.lexical_only, recall.away) = (lexical_only, away);
        Ok(recall)
    }
}

/// The answer to what is no question: a greeting, a confirmation, a command.
fn answer_to_no_question(question: &Question) -> Option<Recall> {
    let says_nothing = trivial_reason(&question.text).is_some_and(|why| why.0 != "empty");
    says_nothing.then(|| Recall {
        query: question.text.clone(),
        intent: Intent::default(),
        hits: Vec::new(),
        aids: Vec::new(),
        intentions: Vec::new(),
        procedures: Vec::new(),
        empty: Some(Empty::Trivial),
        terms: Vec::new(),
        lexical_only: None,
        pending: 0,
        away: Vec::new(),
        elapsed_ms: 0.0,
    })
}

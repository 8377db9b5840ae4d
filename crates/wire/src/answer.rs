//! The answer to a question.

use crate::message::source_ids;
use cairn_domain::{MessageId, Role, Time};
use cairn_engine::{Empty, LexicalOnly};
use schemars::JsonSchema;
use serde::Serialize;

/// The answer to a question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Recall {
    /// What was asked.
    pub query: String,
    /// Whether only keywords were searched.
    pub lexical_only: bool,
    /// Why, if that was not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lexical_only_because: Option<Because>,
    /// Messages that can be found by their words only, because their vectors are not made yet.
    pub pending_embeddings: u32,
    /// How long it took.
    pub elapsed_ms: f64,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty: Option<EmptyAnswer>,
}

/// What was wrong, and what to do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Because {
    /// What was wrong.
    pub problem: String,
    /// What to do.
    pub hint: String,
}

/// Why an answer is empty.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EmptyAnswer {
    /// `nothing_stored`, `no_words`, `filtered_out` or `no_match`.
    pub reason: &'static str,
    /// What to do.
    pub hint: &'static str,
}

/// Something that answers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hit {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: MessageId,
    /// What it is: `exchange` for a message.
    pub kind: &'static str,
    /// The words.
    pub text: String,
    /// How well it fits beside the other hits of the same question.
    pub score: f64,
    /// When it was said.
    pub at: Time,
    /// Who spoke, by their part.
    pub role: Role,
    /// Who spoke, by name.
    pub speaker: String,
    /// The run it was said in.
    pub session: String,
    /// The lasting project it belongs to.
    pub thread: Option<String>,
    /// The caller's own ids of the messages it stands on.
    pub source_ids: Vec<String>,
    /// What its score is made of.
    pub why: HitWhy,
}

/// What a score is made of.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HitWhy {
    /// Where each lane had it.
    pub lanes: Lanes,
    /// What was added to, and multiplied with, what it says itself.
    pub boosts: Boosts,
    /// The share of what it means; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dense: Option<f64>,
    /// The share of its own words; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<f64>,
    /// That share, term by term; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<Vec<TermShare>>,
    /// How the parts make the score; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sum: Option<&'static str>,
}

/// The lanes that found a hit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Lanes {
    /// By meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dense: Option<LaneRank>,
    /// By words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lexical: Option<LaneRank>,
}

/// A lane's opinion of a hit.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct LaneRank {
    /// Its rank there, from 1.
    pub rank: usize,
    /// Its raw score there.
    pub score: f64,
}

/// What was added to, and multiplied with, what a hit says itself.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Boosts {
    /// The share that its neighbours in the session lend.
    pub neighbours: f64,
    /// The share for being said by the one whose words are asked for.
    pub subject: f64,
    /// What the thread multiplies with.
    pub thread: f64,
    /// What being recent multiplies with.
    pub recency: f64,
}

/// What one term brings to a hit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
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

/// How the parts make the score.
const SUM: &str = "(dense + own + neighbours + subject) * thread * recency = score";

impl Recall {
    /// The engine's answer; `explain` adds the terms.
    pub fn new(recall: &cairn_engine::Recall, explain: bool) -> Self {
        let because = |why: &LexicalOnly| match why {
            LexicalOnly::NoEmbedder { problem, hint } => {
                Some(Because { problem: problem.clone(), hint: hint.clone() })
            }
            LexicalOnly::NoVectors | LexicalOnly::NotWanted => None,
        };
        Self {
            query: recall.query.clone(),
            lexical_only: recall.lexical_only.is_some(),
            lexical_only_because: recall.lexical_only.as_ref().and_then(because),
            pending_embeddings: recall.pending,
            elapsed_ms: recall.elapsed_ms,
            hits: recall.hits.iter().map(|hit| Hit::new(hit, explain)).collect(),
            empty: recall.empty.map(|empty| EmptyAnswer { reason: name(empty), hint: empty_hint(empty) }),
        }
    }
}

impl Hit {
    /// A hit; `explain` adds the terms.
    pub fn new(hit: &cairn_engine::Hit, explain: bool) -> Self {
        let message = &hit.record.message;
        Self {
            reference: message.id,
            kind: "exchange",
            text: message.text.clone(),
            score: hit.score,
            at: message.at,
            role: message.role,
            speaker: message.speaker.clone(),
            session: message.session.clone(),
            thread: message.thread.clone(),
            source_ids: source_ids(&hit.record),
            why: HitWhy::new(&hit.explanation, explain),
        }
    }
}

impl HitWhy {
    fn new(why: &cairn_engine::Explanation, explain: bool) -> Self {
        let lane = |lane: cairn_engine::Lane| LaneRank { rank: lane.rank, score: lane.score };
        let term = |term: &cairn_engine::TermShare| TermShare {
            term: term.term.clone(),
            holding: term.holding,
            idf: term.idf,
            share: term.share,
        };
        Self {
            lanes: Lanes { dense: why.dense_lane.map(lane), lexical: why.lexical_lane.map(lane) },
            boosts: Boosts {
                neighbours: why.neighbours,
                subject: why.subject,
                thread: why.thread,
                recency: why.recency,
            },
            dense: explain.then_some(why.dense),
            own: explain.then_some(why.own),
            terms: explain.then(|| why.terms.iter().map(term).collect()),
            sum: explain.then_some(SUM),
        }
    }
}

fn name(empty: Empty) -> &'static str {
    match empty {
        Empty::NothingStored => "nothing_stored",
        Empty::NoWords => "no_words",
        Empty::FilteredOut => "filtered_out",
        Empty::NoMatch => "no_match",
    }
}

/// What to do about an empty answer.
pub fn empty_hint(empty: Empty) -> &'static str {
    match empty {
        Empty::NothingStored => "`cairn remember TEXT` or `cairn ingest FILE` puts something in",
        Empty::NoWords => "ask with at least one word, number or emoji",
        Empty::FilteredOut => "ask again without --session, --sender, --within-thread, --mode or --as-of",
        Empty::NoMatch => "try other words; `cairn timeline` shows what was said last",
    }
}

//! The answer to a question.

use crate::{intention::Intention, message::source_ids, skill::SkillProcedure};
use cairn_domain::{AgentName, MemoryId, MessageId, Role, Time};
use cairn_engine::{Empty, Found, LexicalOnly};
use cairn_store::MemoryRecord;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// How much an answer says of how it came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Only the answer.
    Brief,
    /// Every step that led to it: terms of a score, reasons of a decision.
    Explained,
}

impl Detail {
    /// Explained if the flag `explain` is set.
    pub fn asked(explain: bool) -> Self {
        if explain { Self::Explained } else { Self::Brief }
    }
}

/// The answer to a question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Recall {
    /// The question, as it was asked.
    pub query: String,
    /// How it was searched for: `factual`, `temporal`, `causal`, `entity_profile`, `preference` or `general`.
    pub intent: &'static str,
    /// Shape of the answer: `when`, `how_long`, `how_many`, `order`, `yes_no`, `list`, `current` or `other`.
    pub shape: &'static str,
    /// Whether only keywords were searched.
    pub lexical_only: bool,
    /// Why, if that was not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lexical_only_because: Option<Because>,
    /// Messages that can be found by their words only, because their vectors are not made yet.
    pub pending_embeddings: u32,
    /// Agents that share something and could not be asked now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub away: Vec<AgentName>,
    /// How long it took.
    pub elapsed_ms: f64,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Dates, lengths of time, orders and counts worked out from the hits, with the records that each rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub computed: Vec<Computed>,
    /// Intentions that the question calls for: due and about the same, or waiting for what it names; each once a session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intentions: Vec<Intention>,
    /// Procedures that worked with tools for such requests and have not failed since, if the question asks how something is done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub procedures: Vec<SkillProcedure>,
    /// Why there are no hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty: Option<EmptyAnswer>,
}

/// Something that was worked out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Computed {
    /// The result, as a sentence.
    pub text: String,
    /// The records it rests on.
    pub refs: Vec<String>,
}

/// A problem and the way out of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Because {
    /// The problem, for people.
    pub problem: String,
    /// The next step, for people.
    pub hint: String,
}

/// Why an answer is empty.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EmptyAnswer {
    /// `nothing_stored`, `no_words`, `trivial`, `filtered_out`, `no_match` or `none_of_kind`.
    pub reason: &'static str,
    /// The next step, for people.
    pub hint: &'static str,
}

/// Something that answers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hit {
    /// Its ref; of a stretch of an attachment with its place: `att_…#L3-L9`, of a memory that another agent shares with its
    /// owner: `scout/mem_…`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// `exchange` for a message, `memory` for something remembered of one, `belief` for something held true, `digest` for a
    /// summary of other records, `attachment` for a stretch of a file.
    pub kind: &'static str,
    /// The words.
    pub text: String,
    /// How well it fits beside the other hits of the same question.
    pub score: f64,
    /// How sure it is that this answers, 0 to 1.
    pub confidence: f64,
    /// When it was said, began to hold, was last supported, or ended.
    pub at: Time,
    /// Who spoke, by their part; of what is no message nobody did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Who spoke, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The run it was said in.
    pub session: Option<String>,
    /// The lasting project it belongs to.
    pub thread: Option<String>,
    /// The caller's own ids of the messages it stands on.
    pub source_ids: Vec<String>,
    /// Of a stretch of an attachment, the file it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<HitFile>,
    /// Of a memory that another agent shares, whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vicarious: Option<Vicarious>,
    /// The memories that rest on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<HitMemory>,
    /// Whether it no longer holds: something newer replaced it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub superseded: bool,
    /// The memory that holds instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<HitMemory>,
    /// Newer memories that may have changed it, and were not sure enough to replace it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub may_have_changed: Vec<HitDoubt>,
    /// Of a result of a tool that shows an older state of something, the message that shows the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_state: Option<MessageId>,
    /// The parts of its score.
    pub why: HitWhy,
}

/// Whose memory a hit is, if it is another agent's.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Vicarious {
    /// The agent that shares it.
    pub owner: AgentName,
    /// How far that agent is trusted, 0 to 1.
    pub trust: f64,
}

/// The file that a hit stands in.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HitFile {
    /// Its name.
    pub name: String,
    /// The place in it: `page 2`, `lines 3-9`.
    pub place: String,
    /// The absolute path it was read from; none if it was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A newer memory that may have changed a hit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HitDoubt {
    /// The newer memory.
    #[serde(flatten)]
    pub memory: HitMemory,
    /// Why it may have changed it.
    pub reason: String,
}

/// A memory of a hit, in short.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HitMemory {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: MemoryId,
    /// The statement.
    pub text: String,
    /// Where it stands in its life.
    pub status: &'static str,
    /// Since when it holds.
    pub valid_from: Time,
    /// Until when it held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Time>,
}

impl HitDoubt {
    fn new(doubt: &cairn_engine::Doubt) -> Self {
        Self { memory: HitMemory::new(&doubt.memory), reason: doubt.reason.clone() }
    }
}

impl HitMemory {
    fn new(record: &MemoryRecord) -> Self {
        let memory = &record.memory;
        Self {
            reference: memory.id,
            text: memory.text.clone(),
            status: memory.standing(),
            valid_from: memory.valid_from,
            valid_until: memory.valid_until,
        }
    }
}

/// The parts of a score.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HitWhy {
    /// Where each lane had it.
    pub lanes: Lanes,
    /// The points that each factor adds; their sum is the score.
    pub boosts: BTreeMap<&'static str, f64>,
    /// The share of its own words, term by term; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<Vec<TermShare>>,
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
    /// By the meaning of what was remembered of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<LaneRank>,
}

/// A lane's opinion of a hit.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct LaneRank {
    /// Its rank there, from 1.
    pub rank: usize,
    /// Its raw score there.
    pub score: f64,
}

/// One term's part in the score of a hit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TermShare {
    /// The term.
    pub term: String,
    /// How many messages hold it.
    pub holding: u64,
    /// How rare that makes it.
    pub idf: f64,
    /// The points it adds to the score.
    pub share: f64,
}

impl Recall {
    /// The engine's answer.
    pub fn new(recall: &cairn_engine::Recall, detail: Detail) -> Self {
        let because = |why: &LexicalOnly| match why {
            LexicalOnly::NoEmbedder { problem, hint } => {
                Some(Because { problem: problem.clone(), hint: hint.clone() })
            }
            LexicalOnly::NoVectors | LexicalOnly::NotWanted => None,
        };
        Self {
            query: recall.query.clone(),
            intent: recall.intent.route.as_str(),
            shape: recall.intent.shape.as_str(),
            lexical_only: recall.lexical_only.is_some(),
            lexical_only_because: recall.lexical_only.as_ref().and_then(because),
            pending_embeddings: recall.pending,
            away: recall.away.clone(),
            elapsed_ms: recall.elapsed_ms,
            hits: recall.hits.iter().map(|hit| Hit::new(hit, detail)).collect(),
            computed: recall
                .aids
                .iter()
                .map(|aid| Computed { text: aid.text.clone(), refs: aid.refs.clone() })
                .collect(),
            intentions: recall.intentions.iter().map(Intention::from).collect(),
            procedures: recall.procedures.iter().map(SkillProcedure::from).collect(),
            empty: recall.empty.map(|empty| EmptyAnswer { reason: name(empty), hint: empty_hint(empty) }),
        }
    }
}

impl Hit {
    /// A hit.
    pub fn new(hit: &cairn_engine::Hit, detail: Detail) -> Self {
        let (role, speaker, session, thread) = match &hit.found {
            Found::Message(record) => {
                let message = &record.message;
                let session = Some(message.session.clone());
                (Some(message.role), Some(message.speaker.clone()), session, message.thread.clone())
            }
            Found::Memory(record, _) => {
                (None, None, record.memory.session.clone(), record.memory.thread.clone())
            }
            Found::Belief(_) | Found::Digest(..) | Found::Attachment(_) | Found::Shared(_) => {
                (None, None, None, None)
            }
        };
        let superseded = match &hit.found {
            Found::Message(_) | Found::Memory(..) => hit.replaced_by.is_some(),
            Found::Belief(_) | Found::Digest(..) | Found::Attachment(_) | Found::Shared(_) => false,
        };
        Self {
            reference: hit.found.address(),
            kind: match &hit.found {
                Found::Message(_) => "exchange",
                Found::Memory(..) | Found::Shared(_) => "memory",
                Found::Belief(_) => "belief",
                Found::Digest(..) => "digest",
                Found::Attachment(_) => "attachment",
            },
            text: hit.found.text().to_owned(),
            score: hit.score,
            confidence: hit.confidence,
            at: hit.found.at(),
            role,
            speaker,
            session,
            thread,
            source_ids: match &hit.found {
                Found::Message(record) => source_ids(record),
                Found::Memory(_, sources) | Found::Digest(_, sources) => {
                    sources.iter().flat_map(source_ids).collect()
                }
                Found::Belief(_) | Found::Attachment(_) | Found::Shared(_) => Vec::new(),
            },
            file: match &hit.found {
                Found::Attachment(record) => Some(HitFile {
                    name: record.receipt.name.clone(),
                    place: record.part.place_in_words(),
                    source: record.receipt.source.clone(),
                }),
                Found::Message(_)
                | Found::Memory(..)
                | Found::Belief(_)
                | Found::Digest(..)
                | Found::Shared(_) => None,
            },
            vicarious: match &hit.found {
                Found::Shared(shared) => Some(Vicarious { owner: shared.owner.clone(), trust: shared.trust }),
                Found::Message(_)
                | Found::Memory(..)
                | Found::Belief(_)
                | Found::Digest(..)
                | Found::Attachment(_) => None,
            },
            memories: hit.memories.iter().map(HitMemory::new).collect(),
            superseded,
            superseded_by: hit.replaced_by.as_deref().map(HitMemory::new),
            may_have_changed: hit.doubts.iter().map(HitDoubt::new).collect(),
            last_state: hit.last_state,
            why: HitWhy::new(&hit.explanation, detail),
        }
    }
}

impl HitWhy {
    fn new(why: &cairn_engine::Explanation, detail: Detail) -> Self {
        let lane = |lane: cairn_engine::Lane| LaneRank { rank: lane.rank, score: lane.score };
        let term = |term: &cairn_engine::TermShare| TermShare {
            term: term.term.clone(),
            holding: term.holding,
            idf: term.idf,
            share: term.share,
        };
        Self {
            lanes: Lanes {
                dense: why.dense_lane.map(lane),
                lexical: why.lexical_lane.map(lane),
                memory: why.memory_lane.map(lane),
            },
            boosts: why.score.parts.iter().map(|part| (part.name.as_str(), part.adds)).collect(),
            terms: match detail {
                Detail::Explained => Some(why.terms.iter().map(term).collect()),
                Detail::Brief => None,
            },
        }
    }
}

fn name(empty: Empty) -> &'static str {
    match empty {
        Empty::NothingStored => "nothing_stored",
        Empty::NoWords => "no_words",
        Empty::Trivial => "trivial",
        Empty::FilteredOut => "filtered_out",
        Empty::NoMatch => "no_match",
        Empty::NoneOfKind => "none_of_kind",
    }
}

/// The next step after an empty answer.
pub fn empty_hint(empty: Empty) -> &'static str {
    match empty {
        Empty::NothingStored => "`cairn remember TEXT` or `cairn ingest FILE` puts something in",
        Empty::NoWords => "ask with at least one word, number or emoji",
        Empty::Trivial => "ask for something: a greeting, a confirmation or a command needs no memory",
        Empty::FilteredOut => "ask again without --session, --sender, --within-thread, --mode or --as-of",
        Empty::NoMatch => "try other words; `cairn timeline` shows what was said last",
        Empty::NoneOfKind => {
            "ask for other kinds, too; `cairn digests` lists what was condensed, `cairn operator status` whether beliefs are given"
        }
    }
}

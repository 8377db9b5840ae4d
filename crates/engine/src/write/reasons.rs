//! Reasons: every step that led to a memory, as it is stored with it and shown years later.

use cairn_domain::{Category, Ekman, MemoryId, Time, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of one statement of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// What was done.
    pub verdict: Verdict,
    /// Why, in one line.
    pub reason: String,
    /// The memory it became, or strengthened.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryId>,
    /// The memory that holds no longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<MemoryId>,
}

impl Decision {
    pub(crate) fn skip(reason: impl Into<String>) -> Self {
        Self { verdict: Verdict::Skip, reason: reason.into(), memory: None, supersedes: None }
    }
}

/// Every step that led to a memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Reasons {
    /// What the filters said of each segment of the message.
    pub filters: Vec<Filtered>,
    /// What kinds of thing it seemed to say, the surest first.
    pub classes: Vec<Classed>,
    /// The names in it.
    pub entities: Vec<String>,
    /// How it felt.
    pub emotion: Felt,
    /// How much it said.
    pub density: Counted,
    /// What it says of whom.
    pub statements: Vec<Said>,
    /// Until when it holds, and by which words.
    pub foresight: Option<Foreseen>,
    /// The memory it was most like.
    pub nearest: Option<NearestMemory>,
    /// The memory it could not stand beside.
    pub contradiction: Option<Contradicted>,
    /// How much it matters.
    pub importance: Weighed,
    /// How unexpected it was.
    pub prediction_error: f64,
    /// What the gate decided.
    pub verdict: Option<Verdict>,
    /// Why.
    pub reason: String,
    /// The language model that worded it, if rules did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worded_by: Option<String>,
}

/// What the filters said of a segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Filtered {
    /// How it begins.
    pub segment: String,
    /// The filter that stopped it; `None` if it passed.
    pub stopped_by: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A class that fits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Classed {
    /// Which.
    pub category: Category,
    /// How surely.
    pub confidence: f64,
    /// By which words.
    pub because: String,
}

/// How something felt.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Felt {
    /// -1 to 1.
    pub valence: f64,
    /// 0 to 1.
    pub arousal: f64,
    /// How urgent it sounded, 0 to 1.
    pub urgency: f64,
    /// As what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emotion: Option<Ekman>,
}

/// How much something said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Counted {
    /// Names.
    pub entities: usize,
    /// Clauses with a subject and a value.
    pub facts: usize,
    /// Times.
    pub temporal: usize,
    /// Corrections.
    pub corrections: usize,
}

/// Who has which value of what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// Whom or what it is about.
    pub subject: String,
    /// What of it.
    pub attribute: String,
    /// Its value.
    pub value: String,
    /// Whether that is what it is not.
    pub negated: bool,
}

/// A plan, and until when it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Foreseen {
    /// The words that say so.
    pub words: String,
    /// Until when.
    pub until: Time,
}

/// The memory that something was most like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearestMemory {
    /// Which.
    #[serde(rename = "ref")]
    pub memory: MemoryId,
    /// How like.
    pub similarity: f64,
    /// Whether the similarity is that of words, for want of vectors.
    pub by_words: bool,
    /// Whether both are about the same attribute of the same subject.
    pub same_matter: bool,
    /// Whether both say the same.
    pub same_proposition: bool,
}

/// The memory that something could not stand beside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contradicted {
    /// Which.
    #[serde(rename = "ref")]
    pub memory: MemoryId,
    /// Why not.
    pub why: String,
    /// What it said.
    pub old: String,
    /// What is said now.
    pub new: String,
}

/// How much something matters, channel by channel.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Weighed {
    /// New against what is known.
    pub novelty: f64,
    /// Urgency.
    pub arousal: f64,
    /// Usefulness of what is like it.
    pub reward: f64,
    /// Relevance to what is under way.
    pub attention: f64,
    /// What the sum was multiplied by.
    pub boost: f64,
    /// The result.
    pub importance: f64,
    /// In a word.
    pub priority: String,
}

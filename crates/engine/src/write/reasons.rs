//! Reasons: every step that led to a memory, as it is stored with it and shown years later.

use cairn_domain::{Category, Ekman, MemoryId, Time, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict on one statement of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// The verdict.
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
    /// The filters' result for each segment of the message.
    pub filters: Vec<Filtered>,
    /// The kinds of statement it seemed to make, the most certain first.
    pub classes: Vec<Classed>,
    /// The names in it.
    pub entities: Vec<String>,
    /// How it felt.
    pub emotion: Felt,
    /// How much it said.
    pub density: Counted,
    /// Its statements.
    pub statements: Vec<Said>,
    /// The day until which it holds, and the words that say so.
    pub foresight: Option<Foreseen>,
    /// The memory it was most like.
    pub nearest: Option<NearestMemory>,
    /// The memory it could not stand beside.
    pub contradiction: Option<Contradicted>,
    /// How much it matters.
    pub importance: Weighed,
    /// How unexpected it was.
    pub prediction_error: f64,
    /// The gate's verdict.
    pub verdict: Option<Verdict>,
    /// Why.
    pub reason: String,
    /// The language model that worded it, if rules did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worded_by: Option<String>,
}

/// The filters' result for a segment.
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
    /// The category.
    pub category: Category,
    /// How certain, 0 to 1.
    pub confidence: f64,
    /// The words it was recognized by.
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
    /// The basic emotion, if one stood out.
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

/// A subject, an attribute and the value it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// The person or thing it is about.
    pub subject: String,
    /// The attribute of the subject.
    pub attribute: String,
    /// Its value.
    pub value: String,
    /// Whether it says that this is not so.
    pub negated: bool,
}

/// A plan, and until when it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Foreseen {
    /// The words that say so.
    pub words: String,
    /// The day until which it holds.
    pub until: Time,
}

/// The memory that something was most like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearestMemory {
    /// The memory.
    #[serde(rename = "ref")]
    pub memory: MemoryId,
    /// How similar, 0 to 1.
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
    /// The memory.
    #[serde(rename = "ref")]
    pub memory: MemoryId,
    /// Why not.
    pub why: String,
    /// The earlier value.
    pub old: String,
    /// The new value.
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
    /// The factor applied to the sum.
    pub boost: f64,
    /// The result.
    pub importance: f64,
    /// In a word.
    pub priority: String,
}

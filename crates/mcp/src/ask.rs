//! What each tool is asked. The comments are read by the model that calls.

use cairn_domain::RecordKind;
use schemars::JsonSchema;
use serde::Deserialize;

/// Hits that are returned if nobody says how many.
const HITS: usize = 8;
/// Tokens of a context if nobody says how many.
const TOKENS: usize = 600;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Remember {
    /// What to keep: one or a few plain sentences that can be understood without this conversation. Write in the third
    /// person and with names and dates: "The user moved to Porto in May 2026."
    pub(crate) text: String,
    /// The run it belongs to, if you have an id for it. Leave it out otherwise.
    #[serde(default)]
    pub(crate) session: Option<String>,
    /// The lasting project it belongs to, such as a repository's name.
    #[serde(default)]
    pub(crate) thread: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recall {
    /// The question, in words. Names and specific words help; no operators are needed.
    pub(crate) query: String,
    /// How many hits at most, 1 to 50.
    #[serde(default = "hits")]
    #[schemars(range(min = 1, max = 50))]
    pub(crate) k: usize,
    /// Prefer what belongs to this project.
    #[serde(default)]
    pub(crate) thread: Option<String>,
    /// Only these kinds of record: "memory" (what was concluded), "exchange" (what was said, verbatim), "belief" (what an
    /// operator has verified as true), "digest" (a day, a week, a month or a subject, condensed). All if not said.
    #[serde(default)]
    pub(crate) kinds: Option<Vec<RecordKind>>,
    /// Only what had been said by then, as 2026-11-15 or 2026-11-15T10:00:00Z: what was known at that time.
    #[serde(default)]
    pub(crate) as_of: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Context {
    /// What the task or the conversation is about. Without it, the newest memories are returned.
    #[serde(default)]
    pub(crate) query: Option<String>,
    /// The lasting project, such as a repository's name.
    #[serde(default)]
    pub(crate) thread: Option<String>,
    /// The running session, if you have an id for it: what it said itself is left out.
    #[serde(default)]
    pub(crate) session: Option<String>,
    /// How many tokens it may have, 50 to 4000.
    #[serde(default = "tokens")]
    #[schemars(range(min = 50, max = 4000))]
    pub(crate) budget: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Open {
    /// Refs as recall, timeline and why return them (msg_…, ex_…, mem_…, blf_…, dig_…), 20 at most.
    #[schemars(length(min = 1, max = 20))]
    pub(crate) refs: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Timeline {
    /// What it is about, in words. Give this or `ref`; with neither, the newest messages are returned.
    #[serde(default)]
    pub(crate) query: Option<String>,
    /// A record: what was said around it in its session.
    #[serde(default, rename = "ref")]
    pub(crate) reference: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Why {
    /// The record to be explained (mem_…, msg_…, ex_…, blf_…, dig_…).
    #[serde(rename = "ref")]
    pub(crate) reference: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Correct {
    /// The memory that is wrong (mem_…), or the message that says something wrong (msg_…).
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    /// What is right, as a whole sentence in the third person: "The user lives in Porto."
    pub(crate) text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Feedback {
    /// The memory (mem_…), or a message that memories rest on.
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    /// Whether it helped. False if it was beside the point or misled.
    pub(crate) helpful: bool,
}

fn tokens() -> usize {
    TOKENS
}

fn hits() -> usize {
    HITS
}

//! The arguments of each tool. The comments are read by the model that calls.

use cairn_domain::{Invalid, RecordKind, Time};
use cairn_engine::{
    ActionDraft, DraftPath, PathAccess,
    limits::{
        DEFAULT_CONTEXT_TOKENS, DEFAULT_TOOL_HITS, MAX_CONTEXT_TOKENS, MAX_HITS, MAX_OPENED_REFS,
        MIN_CONTEXT_TOKENS,
    },
};
use cairn_wire::{ContextRequest, CorrectRequest, FeedbackRequest, RecallRequest, TimelineRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Remember")]
pub(crate) struct RememberArguments {
    /// The text to keep: one or a few plain sentences that can be understood without this conversation. Write in the third
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
#[schemars(rename = "Recall")]
pub(crate) struct RecallArguments {
    /// The question, in words. Names and specific words help; no operators are needed.
    pub(crate) query: String,
    /// The question asked just before in this conversation, if this one leans on it: "And since when?"
    #[serde(default)]
    pub(crate) after: Option<String>,
    /// How many hits at most, 1 to 1000.
    #[serde(default = "hits")]
    #[schemars(range(min = 1, max = MAX_HITS))]
    pub(crate) k: usize,
    /// Prefer what belongs to this project.
    #[serde(default)]
    pub(crate) thread: Option<String>,
    /// Only these kinds of record: "memory" (what was concluded), "exchange" (what was said, verbatim), "belief" (what an
    /// operator has verified as true), "digest" (a day, a week, a month or a subject, condensed), "attachment" (what stands in files
    /// that were attached). All if not said.
    #[serde(default)]
    pub(crate) kinds: Option<Vec<RecordKind>>,
    /// Only what had been said by then, as 2026-11-15 or 2026-11-15T10:00:00Z: what was known at that time.
    #[serde(default)]
    pub(crate) as_of: Option<String>,
}

impl RecallArguments {
    pub(crate) fn request(self) -> Result<RecallRequest, Invalid> {
        let as_of = self.as_of.as_deref().map(str::parse::<Time>).transpose()?;
        let Self { query, after, k, thread, kinds, .. } = self;
        let kinds = kinds.unwrap_or_default();
        Ok(RecallRequest { query, after, k: Some(k), thread, kinds, as_of, ..RecallRequest::default() })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Context")]
pub(crate) struct ContextArguments {
    /// Topic of the task or the conversation. Without it, the newest memories are returned.
    #[serde(default)]
    pub(crate) query: Option<String>,
    /// The lasting project, such as a repository's name.
    #[serde(default)]
    pub(crate) thread: Option<String>,
    /// The running session, if you have an id for it: what it said itself is left out.
    #[serde(default)]
    pub(crate) session: Option<String>,
    /// How many tokens it may have, 50 to 20000.
    #[serde(default = "tokens")]
    #[schemars(range(min = MIN_CONTEXT_TOKENS, max = MAX_CONTEXT_TOKENS))]
    pub(crate) budget: usize,
}

impl ContextArguments {
    pub(crate) fn request(self) -> ContextRequest {
        let Self { query, thread, session, budget } = self;
        ContextRequest { query, thread, session, budget: Some(budget), ..ContextRequest::default() }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Open")]
pub(crate) struct OpenArguments {
    /// Refs as recall, timeline and why return them (msg_…, ex_…, mem_…, blf_…, dig_…), 100 at most.
    #[schemars(length(min = 1, max = MAX_OPENED_REFS))]
    pub(crate) refs: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Timeline")]
pub(crate) struct TimelineArguments {
    /// The topic, in words. Give this or `ref`; with neither, the newest messages are returned.
    #[serde(default)]
    pub(crate) query: Option<String>,
    /// A record: what was said around it in its session.
    #[serde(default, rename = "ref")]
    pub(crate) reference: Option<String>,
}

impl TimelineArguments {
    pub(crate) fn request(self) -> TimelineRequest {
        TimelineRequest { query: self.query, reference: self.reference, ..TimelineRequest::default() }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Why")]
pub(crate) struct WhyArguments {
    /// The record to be explained (mem_…, msg_…, ex_…, blf_…, dig_…).
    #[serde(rename = "ref")]
    pub(crate) reference: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Correct")]
pub(crate) struct CorrectArguments {
    /// The memory that is wrong (mem_…), or the message that says something wrong (msg_…).
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    /// The right statement, as a whole sentence in the third person: "The user lives in Porto."
    pub(crate) text: String,
}

impl CorrectArguments {
    pub(crate) fn request(self) -> CorrectRequest {
        CorrectRequest { reference: self.reference, text: self.text }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Feedback")]
pub(crate) struct FeedbackArguments {
    /// The memory (mem_…), or a message that memories rest on.
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    /// Whether it helped. False if it was beside the point or misled.
    pub(crate) helpful: bool,
}

impl FeedbackArguments {
    pub(crate) fn request(self) -> FeedbackRequest {
        FeedbackRequest { reference: self.reference, helpful: self.helpful }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MayI")]
pub(crate) struct MayIArguments {
    /// The tool that would be used, such as Bash or Write.
    tool: String,
    /// The command line that it would run.
    #[serde(default)]
    command: Option<String>,
    /// Paths that it would change.
    #[serde(default)]
    writes: Vec<String>,
    /// Paths that it would read.
    #[serde(default)]
    reads: Vec<String>,
    /// The folder it would work in, as an absolute path.
    #[serde(default)]
    folder: Option<String>,
}

impl MayIArguments {
    /// The action that is asked about; `user_home` is what `~` stands for.
    pub(crate) fn action(self, user_home: Option<PathBuf>) -> ActionDraft {
        let path = |access| move |text| DraftPath { text, access };
        let writes = self.writes.into_iter().map(path(PathAccess::Write));
        ActionDraft {
            tool: self.tool,
            command: self.command,
            paths: writes.chain(self.reads.into_iter().map(path(PathAccess::Read))).collect(),
            folder: self.folder.map_or_else(|| PathBuf::from("/"), PathBuf::from),
            user_home,
        }
    }
}

fn tokens() -> usize {
    DEFAULT_CONTEXT_TOKENS
}

fn hits() -> usize {
    DEFAULT_TOOL_HITS
}

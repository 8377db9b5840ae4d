//! Every bound that a user can meet, in one place. `cairn config limits` prints this table, and `docs/LIMITS.md` is made of
//! it. A bound that can be changed is a key of `config.toml`; the others are constants.

use crate::{Config, peers};
use cairn_domain::Invalid;
use std::{
    fmt::{Display, Write},
    time::Duration,
};

/// A bound with what it applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The name of the constant in lower case, or the key in `config.toml`.
    pub name: String,
    /// How much.
    pub value: u64,
    /// Its unit.
    pub unit: LimitUnit,
    /// A sentence that says what it bounds.
    pub about: String,
    /// Whether `config.toml` can change it.
    pub changeable: bool,
}

/// The unit of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitUnit {
    /// Bytes.
    Bytes,
    /// Characters.
    Characters,
    /// Things, which the sentence names.
    Items,
    /// Milliseconds.
    Milliseconds,
    /// Tokens of a model.
    Tokens,
}

impl LimitUnit {
    /// The word it is written with.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Characters => "characters",
            Self::Items => "items",
            Self::Milliseconds => "milliseconds",
            Self::Tokens => "tokens",
        }
    }
}

/// A constant as a number for the table.
trait LimitValue {
    fn number(self) -> u64;
}

impl LimitValue for usize {
    fn number(self) -> u64 {
        self as u64
    }
}

impl LimitValue for u32 {
    fn number(self) -> u64 {
        u64::from(self)
    }
}

impl LimitValue for u64 {
    fn number(self) -> u64 {
        self
    }
}

impl LimitValue for Duration {
    fn number(self) -> u64 {
        self.as_millis() as u64
    }
}

/// Declares each limit once: as a constant, and as a row of the table.
macro_rules! limits {
    ($($(#[doc = $about:literal])+ $name:ident: $type:ty = $value:expr, $unit:ident;)+) => {
        $($(#[doc = $about])+ pub const $name: $type = $value;)+

        fn constants() -> Vec<Limit> {
            vec![$(Limit {
                name: stringify!($name).to_lowercase(),
                value: LimitValue::number($name),
                unit: LimitUnit::$unit,
                about: concat!($($about),+).trim().to_owned(),
                changeable: false,
            }),+]
        }
    };
}

limits! {
    /// Hits of one recall, and messages of one timeline, at most: on the command line, over REST and over MCP.
    MAX_HITS: usize = 1_000, Items;
    /// Hits of a recall on the command line and over REST if the caller names no number.
    DEFAULT_HITS: usize = 10, Items;
    /// Hits of a recall over MCP if the model names no number.
    DEFAULT_TOOL_HITS: usize = 8, Items;
    /// Digests among the hits of a recall that asks for anything else, too.
    MAX_DIGESTS_AMONG_HITS: usize = 2, Items;
    /// Memories of one answer that are strengthened, the best first.
    MAX_STRENGTHENED_MEMORIES: usize = 15, Items;
    /// Time to embed a question; after it, the question is answered by its words alone.
    QUERY_EMBED_TIMEOUT: Duration = Duration::from_secs(5), Milliseconds;
    /// Time that `cairn recall` spends on messages that have no vectors yet before it answers.
    RECALL_CATCH_UP: Duration = Duration::from_millis(1_500), Milliseconds;
    /// Messages of a timeline if the caller names no number.
    DEFAULT_TIMELINE_MESSAGES: usize = 20, Items;
    /// Messages that a timeline shows on each side of a record.
    TIMELINE_MESSAGES_AROUND: u32 = 8, Items;

    /// Tokens of a context, at least.
    MIN_CONTEXT_TOKENS: usize = 50, Tokens;
    /// Tokens of a context, at most: on the command line, over REST and over MCP.
    MAX_CONTEXT_TOKENS: usize = 20_000, Tokens;
    /// Tokens of a context over REST and MCP if the caller names no number.
    DEFAULT_CONTEXT_TOKENS: usize = 600, Tokens;
    /// Tokens of `cairn context` if the caller names no number.
    DEFAULT_TERMINAL_CONTEXT_TOKENS: usize = 2_000, Tokens;
    /// Characters of a question that a context searches for; the rest of a longer one is not looked at.
    MAX_CONTEXT_QUERY_CHARS: usize = 2_000, Characters;
    /// Tokens that a hook puts before the model at the start of a session.
    HOOK_START_TOKENS: usize = 600, Tokens;
    /// Tokens of what is told of a thread, or of the last session, to whoever comes back to it.
    HANDOFF_TOKENS: usize = 400, Tokens;
    /// Tokens that a hook puts before the model at a prompt.
    HOOK_PROMPT_TOKENS: usize = 400, Tokens;
    /// Characters of a line that quotes a record in short.
    MAX_QUOTED_LINE_CHARS: usize = 200, Characters;

    /// Characters of a proposal's text, of the passage it replaces and of its reason, each.
    MAX_PROPOSAL_CHARS: usize = 2_000, Characters;
    /// Proposals that wait at once for an operator, of one agent.
    MAX_PENDING_PROPOSALS: usize = cairn_domain::MAX_PENDING_PROPOSALS, Items;
    /// Refs that a proposal gives as evidence.
    MAX_PROPOSAL_EVIDENCE: usize = 20, Items;

    /// Characters of an intention that is set.
    MAX_INTENTION_CHARS: usize = 500, Characters;
    /// Characters of a reflection that an agent hands in.
    MAX_REFLECTION_CHARS: usize = 500, Characters;
    /// Records that a reflection names.
    MAX_REFLECTION_REFS: usize = 20, Items;
    /// Open intentions that are looked at, the newest; and as many of those that are done or dropped.
    MAX_OPEN_INTENTIONS: u32 = 500, Items;
    /// Intentions told in one context.
    MAX_CONTEXT_INTENTIONS: usize = 5, Items;
    /// Intentions told with the answer to one question.
    MAX_ANSWER_INTENTIONS: usize = 3, Items;
    /// Messages of tools from which skills are read, the newest.
    MAX_SKILL_MESSAGES: u32 = 10_000, Items;
    /// Messages of tools from which skills are read for a context or an answer, the newest.
    MAX_ASKED_SKILL_MESSAGES: u32 = 2_000, Items;
    /// Procedures that fit, and tools that are named and have failed, told in one context or answer, each.
    MAX_TOLD_PROCEDURES: usize = 2, Items;
    /// Frictions in work with tools told in one context.
    MAX_TOLD_FRICTIONS: usize = 3, Items;

    /// Entities of one graph, those with the most mentions.
    MAX_GRAPH_ENTITIES: u32 = 5_000, Items;
    /// Edges of one graph, the closest first.
    MAX_GRAPH_EDGES: u32 = 20_000, Items;
    /// Refs opened at once: on the command line, over REST and over MCP.
    MAX_OPENED_REFS: usize = 100, Items;
    /// Characters of one record that the MCP tool `open` returns.
    MAX_TOOL_RECORD_CHARS: usize = 16_000, Characters;
    /// Bytes of text after which the MCP tool `open` names the remaining refs instead of opening them.
    MAX_TOOL_OPEN_BYTES: usize = 64_000, Bytes;
    /// Records that the MCP tool `why` names of those a digest stands on.
    MAX_TOOL_CITED_RECORDS: usize = 20, Items;
    /// Bytes of a file of a folder that is read as knowledge; larger ones are left out, with a word about it.
    MAX_KNOWLEDGE_FILE_BYTES: u64 = 4 << 20, Bytes;
    /// Files that are read as knowledge from one folder, in the order of their names; further ones are left out, with a word about it.
    MAX_KNOWLEDGE_FILES: usize = 10_000, Items;
    /// Bytes read of an identity file.
    MAX_IDENTITY_FILE_BYTES: u64 = 1 << 20, Bytes;

    /// Keys of one home or database server, revoked ones included.
    MAX_KEYS: usize = 1_000, Items;
    /// Characters of the name of a key.
    MAX_KEY_NAME_CHARS: usize = 100, Characters;
    /// Bytes of a file that an operator puts in place of another.
    MAX_REPLACEMENT_FILE_BYTES: u64 = 1 << 20, Bytes;
    /// Peers of one home.
    MAX_PEERS: usize = peers::MAX_PEERS, Items;
    /// Time that an answer waits for a peer, at most: `within_ms` of the peer.
    MAX_PEER_WAIT_MS: u64 = peers::MAX_WAIT_MS, Milliseconds;

    /// Items of one page of a list over REST if the caller names no number.
    DEFAULT_PAGE_ITEMS: u32 = 50, Items;
    /// Items of one page of a list over REST, at most.
    MAX_PAGE_ITEMS: u32 = 500, Items;

    /// Bytes of one diary entry.
    MAX_DIARY_ENTRY_BYTES: usize = 64 << 10, Bytes;
    /// Diary entries that are searched, the newest first.
    MAX_DIARY_ENTRIES_SEARCHED: u32 = 20_000, Items;

    /// Bytes of a file that is attached.
    MAX_ATTACHMENT_BYTES: u64 = 15 << 20, Bytes;
    /// Files attached at once.
    MAX_ATTACHED_FILES: usize = 100, Items;
    /// Bytes of text that are kept of an attachment.
    MAX_ATTACHMENT_TEXT_BYTES: usize = 1 << 20, Bytes;
    /// Parts of the text of an attachment that can be found.
    MAX_ATTACHMENT_PARTS: usize = 2_000, Items;
    /// Attachments shown in a context, the last to appear.
    MAX_CONTEXT_ATTACHMENTS: u32 = 6, Items;

    /// Bytes of one request to MCP over HTTP.
    MAX_TOOL_REQUEST_BYTES: usize = 4 << 20, Bytes;
    /// Bytes of one line to MCP on standard input: a message of the largest size, escaped.
    MAX_TOOL_LINE_BYTES: usize = 40 << 20, Bytes;
    /// Calls to MCP on standard input that run at once; the next is read when one of them is answered.
    MAX_CONCURRENT_TOOL_CALLS: usize = 32, Items;
    /// Time that one call to MCP may take.
    TOOL_CALL_TIMEOUT: Duration = Duration::from_mins(2), Milliseconds;
    /// Bytes of what a host tells a hook.
    MAX_HOOK_INPUT_BYTES: usize = 16 << 20, Bytes;
    /// Bytes that a hook reads of a server's answer.
    MAX_HOOK_REPLY_BYTES: u64 = 1 << 20, Bytes;
    /// Records per session that hooks remember having shown.
    MAX_HOOK_SHOWN_REFS: usize = 400, Items;
    /// Sessions of which hooks remember how far they came.
    MAX_HOOK_SESSIONS: usize = 256, Items;
    /// Hooks whose words wait in a file because there was no time to keep them; what is told beyond that is lost, with a word on stderr.
    MAX_SPOOLED_WORDS: usize = 1_000, Items;
    /// Of those, how many the next hook keeps.
    MAX_SPOOLED_KEPT_BY_HOOK: usize = 16, Items;

    /// Exchanges that wait to be recorded behind `cairn proxy`; further ones pass unrecorded and are counted.
    MAX_PROXY_WAITING_EXCHANGES: usize = 1_024, Items;
    /// Bytes that `cairn proxy` holds of exchanges that are under way or wait to be recorded.
    MAX_PROXY_HELD_BYTES: usize = 256 << 20, Bytes;
    /// Agents that `cairn proxy` keeps open; beyond it the one used longest ago is closed.
    MAX_PROXY_AGENTS: usize = 64, Items;

    /// Bytes of an operator's rules, `govern.toml`.
    MAX_GOVERN_FILE_BYTES: u64 = 256 << 10, Bytes;
    /// Rules in it.
    MAX_GOVERN_RULES: usize = 256, Items;
    /// Characters of an action or an effect that the ledger keeps.
    MAX_GOVERN_ACTION_CHARS: usize = 2_000, Characters;

    /// Bytes of the ops log after which a new file begins.
    MAX_OPS_LOG_BYTES: u64 = 10 << 20, Bytes;
    /// Earlier files of the ops log that are kept.
    MAX_OPS_LOG_FILES: usize = 20, Items;

    /// Bytes of the log of turns' numbers after which a new file begins.
    MAX_DYNAMICS_LOG_BYTES: u64 = 4 << 20, Bytes;
    /// Earlier files of the log of turns' numbers that are kept.
    MAX_DYNAMICS_LOG_FILES: usize = 4, Items;
}

/// The bounds that `config.toml` sets, with their values in force.
fn configured(config: &Config) -> Vec<Limit> {
    let limit = |name: &str, value: u64, unit: LimitUnit, about: &str| Limit {
        name: name.to_owned(),
        value,
        unit,
        about: about.to_owned(),
        changeable: true,
    };
    let (capture, serve) = (&config.capture, &config.serve);
    vec![
        limit("capture.text_bytes", capture.text_bytes.number(), LimitUnit::Bytes, "Text of one message."),
        limit(
            "capture.metadata_bytes",
            capture.metadata_bytes.number(),
            LimitUnit::Bytes,
            "Metadata of one message, as JSON.",
        ),
        limit(
            "capture.name_bytes",
            capture.name_bytes.number(),
            LimitUnit::Bytes,
            "Each name of a message: the caller's id, session, thread, speaker.",
        ),
        limit(
            "serve.requests_per_second",
            serve.requests_per_second.number(),
            LimitUnit::Items,
            "Requests per second of one key, or of this machine where there is none.",
        ),
        limit("serve.body_bytes", serve.body_bytes.number(), LimitUnit::Bytes, "Body of one request."),
        limit("serve.import_bytes", serve.import_bytes, LimitUnit::Bytes, "Body of one import."),
        limit(
            "proxy.body_bytes",
            config.proxy.body_bytes.number(),
            LimitUnit::Bytes,
            "A request, or an answer, through `cairn proxy` that is recorded; larger ones only pass.",
        ),
        limit(
            "proxy.context_ms",
            config.proxy.context_ms,
            LimitUnit::Milliseconds,
            "Time that a request to `cairn proxy` waits for its context; after it, it goes on without.",
        ),
        limit(
            "language_budget.calls_per_day",
            config.language_budget.calls_per_day,
            LimitUnit::Items,
            "Calls to language models per day (UTC), of all models together.",
        ),
        limit(
            "language_budget.tokens_per_day",
            config.language_budget.tokens_per_day,
            LimitUnit::Tokens,
            "Tokens of language models per day (UTC), questions and answers together.",
        ),
        limit(
            "backup.keep",
            config.backup.keep.number(),
            LimitUnit::Items,
            "Backups kept per agent, the newest.",
        ),
    ]
}

/// Every limit: first those that can be changed, with their values in force.
pub fn limits(config: &Config) -> Vec<Limit> {
    let mut all = configured(config);
    all.extend(constants());
    all
}

/// `docs/LIMITS.md`: the table with the values of a home whose `config.toml` changes nothing.
pub fn limits_document() -> String {
    let mut document = "# Limits\n\nGenerated from `crates/engine/src/limits.rs`; `cairn config limits` prints the values in force \
        in a home.\nTo write this file again: `CAIRN_UPDATE=1 cargo test -p cairn-engine --test engine limits`.\n\n\
        | limit | value | unit | config.toml | bounds |\n|---|---|---|---|---|\n"
        .to_owned();
    for Limit { name, value, unit, about, changeable } in limits(&Config::default()) {
        let key = if changeable { "yes" } else { "" };
        let _ = writeln!(document, "| `{name}` | {value} | {} | {key} | {about} |", unit.as_str());
    }
    document
}

/// Fails if the number of hits is out of bounds.
pub fn check_hit_count(hits: usize) -> Result<(), Invalid> {
    if (1..=MAX_HITS).contains(&hits) { Ok(()) } else { Err(invalid_hit_count(hits)) }
}

/// The error about a number of hits that is out of bounds, or no number.
pub fn invalid_hit_count(told: impl Display) -> Invalid {
    let hint = format!("give a number from 1 to {MAX_HITS}");
    Invalid::new(format!("`{told}` is not a valid number of hits"), hint)
}

/// Fails if the token budget of a context is out of bounds.
pub(crate) fn check_context_tokens(tokens: usize) -> Result<(), Invalid> {
    if (MIN_CONTEXT_TOKENS..=MAX_CONTEXT_TOKENS).contains(&tokens) {
        return Ok(());
    }
    let hint = format!("give a number from {MIN_CONTEXT_TOKENS} to {MAX_CONTEXT_TOKENS}");
    Err(Invalid::new(format!("{tokens} tokens is not a valid budget"), hint))
}

/// Fails if the number of refs to open is out of bounds.
pub(crate) fn check_ref_count(refs: usize) -> Result<(), Invalid> {
    if (1..=MAX_OPENED_REFS).contains(&refs) {
        return Ok(());
    }
    let problem = format!("{refs} refs cannot be opened at once");
    Err(Invalid::new(problem, format!("name 1 to {MAX_OPENED_REFS}")))
}

/// The size of a page of a list that was asked for, or the usual one; fails if it is out of bounds.
pub fn page_size(asked: Option<u32>) -> Result<u32, Invalid> {
    match asked.unwrap_or(DEFAULT_PAGE_ITEMS) {
        limit @ 1..=MAX_PAGE_ITEMS => Ok(limit),
        limit => Err(Invalid::new(
            format!("{limit} is not a valid limit"),
            format!("give a number from 1 to {MAX_PAGE_ITEMS}"),
        )),
    }
}

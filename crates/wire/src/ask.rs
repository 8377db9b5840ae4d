//! Requests: the questions and the writes that programs send.

use cairn_domain::{AgentName, Draft, Invalid, Metadata, Mode, RecordKind, Role, Time};
use cairn_engine::{
    Briefing, Config, ContextOccasion, CorrectedBy, CorrectionDraft, Effects, FormMemories, Framing,
    Question, TimelineQuery, TimelineSubject, UseOutcome,
    limits::{
        DEFAULT_CONTEXT_TOKENS, DEFAULT_HITS, DEFAULT_TIMELINE_MESSAGES, MAX_CONTEXT_TOKENS, MAX_HITS,
        MAX_OPENED_REFS, MIN_CONTEXT_TOKENS,
    },
};
use schemars::JsonSchema;
use serde::Deserialize;

/// Keeps one message.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberRequest {
    /// The words.
    pub text: String,
    /// Who said it. Without it the user or, with an agent's key, the agent, who tells what it learned of the user. An agent's
    /// key may not say `user`.
    pub role: Option<Role>,
    /// The speaker's name; without one the role's. An agent's key may not give one.
    pub speaker: Option<String>,
    /// The run it was said in; without one it belongs to its day.
    pub session: Option<String>,
    /// The lasting project it belongs to.
    pub thread: Option<String>,
    /// The posture it was said in.
    pub mode: Option<Mode>,
    /// When it was said; without it, now.
    pub at: Option<Time>,
    /// Your own id for it: the same id with the same words is kept once.
    pub id: Option<String>,
    /// Anything else to keep beside the words.
    #[serde(default)]
    pub metadata: Metadata,
    /// The agent into whose memory it is written, if an operator lets this one: as an agent's word, never as the user's.
    #[serde(default)]
    pub into: Option<AgentName>,
    /// Answer once it is durable, without waiting for what is made of it.
    #[serde(default)]
    pub no_wait: bool,
    /// Say every step that led to what was decided.
    #[serde(default)]
    pub explain: bool,
}

impl RememberRequest {
    /// The message as it is handed in.
    pub fn draft(self) -> Draft {
        Draft {
            source_id: self.id,
            session: self.session,
            thread: self.thread,
            mode: self.mode,
            role: self.role.unwrap_or_default(),
            speaker: self.speaker,
            at: self.at,
            text: self.text,
            metadata: self.metadata,
        }
    }
}

impl RememberRequest {
    /// Whether it says what the user or somebody with a name said.
    pub fn names_another_speaker(&self) -> bool {
        self.role == Some(Role::User) || self.speaker.is_some()
    }

    /// When memories are made of it.
    pub fn form_memories(&self) -> FormMemories {
        if self.no_wait { FormMemories::Later } else { FormMemories::Now }
    }
}

/// Finds what answers a question.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallRequest {
    /// The question; any characters are welcome.
    pub query: String,
    /// The question asked just before in the same conversation, if this one leans on it.
    pub after: Option<String>,
    /// How many hits, at most; 10 if not said.
    #[schemars(range(min = 1, max = MAX_HITS))]
    pub k: Option<usize>,
    /// Prefer this thread.
    pub thread: Option<String>,
    /// Search only that thread.
    #[serde(default)]
    pub within_thread: bool,
    /// Search only this session.
    pub session: Option<String>,
    /// Search only what this role said.
    pub sender: Option<Role>,
    /// Search only modes that share with this one.
    pub mode: Option<Mode>,
    /// Kinds of records to search, of `memory`, `exchange`, `belief` and `digest`; all of them if empty.
    #[serde(default)]
    pub kinds: Vec<RecordKind>,
    /// Only what had been said by then.
    pub as_of: Option<Time>,
    /// Say what each score is made of.
    #[serde(default)]
    pub explain: bool,
    /// The ranking profile: `default`, `seed`, or one that the home has a file for.
    pub profile: Option<String>,
    /// Hits in the order in which they were said.
    #[serde(default)]
    pub timeline: bool,
    /// Strengthen nothing.
    #[serde(default)]
    pub read_only: bool,
    /// Ask no other home: one home asks another so.
    #[serde(default)]
    pub no_peers: bool,
}

impl RecallRequest {
    /// The question as it is put to an agent that lives by `config`.
    pub fn question(&self, config: &Config) -> Result<Question, Invalid> {
        let profile = self.profile.as_deref().unwrap_or("default");
        Ok(Question {
            text: self.query.clone(),
            after: self.after.clone(),
            k: self.k.unwrap_or(DEFAULT_HITS),
            thread: self.thread.clone(),
            within_thread: self.within_thread,
            session: self.session.clone(),
            sender: self.sender,
            mode: self.mode,
            as_of: self.as_of,
            kinds: self.kinds.clone(),
            timeline: self.timeline,
            verbatim: false,
            no_peers: self.no_peers,
            explain: self.explain,
            profile: config.ranking_profile(profile)?,
        })
    }

    /// Whether answering strengthens anything.
    pub fn effects(&self) -> Effects {
        if self.read_only { Effects::None } else { Effects::Strengthen }
    }
}

/// Opens records in full.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenRequest {
    /// Refs as recall names them, at most 100.
    #[schemars(
        length(min = 1, max = MAX_OPENED_REFS),
        inner(regex(pattern = "^(msg|ex|mem|blf|dig)_[0-7][0-9a-hjkmnp-tv-z]{25}$"))
    )]
    pub refs: Vec<String>,
}

/// Asks for messages in the order they were said: about a query, around a ref, or the newest.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TimelineRequest {
    /// About this.
    pub query: Option<String>,
    /// Around this record.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// How many, at most; 20 if not said.
    #[schemars(range(min = 1, max = MAX_HITS))]
    pub k: Option<usize>,
    /// Only what had been said by then.
    pub as_of: Option<Time>,
}

impl TimelineRequest {
    /// The timeline as it is asked of an agent.
    pub fn timeline(self) -> Result<TimelineQuery, Invalid> {
        let subject = match (self.query, self.reference) {
            (Some(_), Some(_)) => {
                let hint = "leave `query` or `ref` out";
                return Err(Invalid::new("a timeline is about a query or a ref", hint));
            }
            (None, Some(reference)) => TimelineSubject::Record(reference),
            (Some(query), None) => TimelineSubject::Query(query),
            (None, None) => TimelineSubject::Newest,
        };
        Ok(TimelineQuery { subject, k: self.k.unwrap_or(DEFAULT_TIMELINE_MESSAGES), as_of: self.as_of })
    }
}

/// Asks for a prompt's context: records that answer a question, or the newest that are known.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContextRequest {
    /// Topic of the task or the conversation.
    pub query: Option<String>,
    /// The lasting project.
    pub thread: Option<String>,
    /// The running session: what it said itself is left out.
    pub session: Option<String>,
    /// How many tokens it may have, 50 to 20000; 600 if not said.
    #[schemars(range(min = MIN_CONTEXT_TOKENS, max = MAX_CONTEXT_TOKENS))]
    pub budget: Option<usize>,
    /// The last exchanges of `session`, word for word, for a host that has lost its transcript.
    pub resume: bool,
    /// Whose the blocks are: `first_person` or `system`; as the configuration says if not said.
    pub framing: Option<Framing>,
    /// Whether to tell what became of each section.
    pub explain: bool,
    /// Strengthen nothing: nobody is told.
    pub read_only: bool,
}

impl ContextRequest {
    /// Whether answering strengthens anything.
    pub fn effects(&self) -> Effects {
        if self.read_only { Effects::None } else { Effects::Strengthen }
    }

    /// The request as the engine takes it, with the default budget if none is given.
    pub fn briefing(self) -> Briefing {
        let Self { query, thread, session, budget, resume, framing, explain: _, read_only: _ } = self;
        let tokens = budget.unwrap_or(DEFAULT_CONTEXT_TOKENS);
        let occasion = if resume { ContextOccasion::Resume } else { ContextOccasion::Ongoing };
        Briefing { query, thread, session, tokens, occasion, framing, ..Briefing::default() }
    }
}

/// Says what a memory should say instead.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectRequest {
    /// The memory, `mem_…`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The right statement, as a sentence.
    pub text: String,
}

impl CorrectRequest {
    /// The correction as an agent says it; `at` is when, if that is not now.
    pub fn by_agent(self, at: Option<Time>) -> CorrectionDraft {
        CorrectionDraft { text: self.text, by: CorrectedBy::Agent, at }
    }
}

/// Says whether something recalled was of use.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackRequest {
    /// The memory, `mem_…`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Whether it was.
    pub helpful: bool,
}

impl FeedbackRequest {
    /// How the memory served.
    pub fn outcome(&self) -> UseOutcome {
        if self.helpful { UseOutcome::Success } else { UseOutcome::Failure }
    }
}

//! What is asked.

use cairn_domain::{Draft, Invalid, Metadata, Mode, RecordKind, Role, Time};
use cairn_engine::{ASKED, Briefing, Config, Profile, Question, Timeline};
use schemars::JsonSchema;
use serde::Deserialize;

/// The most hits, entries or rows of one answer.
pub(crate) const MOST: usize = 1_000;
/// Tokens of a context.
const USUAL_TOKENS: usize = 600;
const LEAST_TOKENS: usize = 50;
const MOST_TOKENS: usize = 20_000;
/// The most refs that are opened at once.
pub const MOST_REFS: usize = 100;

/// Keeps one message.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberRequest {
    /// The words.
    pub text: String,
    /// Who said it.
    #[serde(default)]
    pub role: Role,
    /// The speaker's name; without one the role's.
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
    /// Answer once it is durable, without waiting for what is made of it.
    #[serde(default)]
    pub no_wait: bool,
    /// Say every step that led to what was decided.
    #[serde(default)]
    pub explain: bool,
}

impl RememberRequest {
    /// The message as it is handed in: somebody asked that it be remembered.
    pub fn draft(self) -> Draft {
        let mut metadata = self.metadata;
        metadata.insert(ASKED.to_owned(), true.into());
        Draft {
            source_id: self.id,
            session: self.session,
            thread: self.thread,
            mode: self.mode,
            role: self.role,
            speaker: self.speaker,
            at: self.at,
            text: self.text,
            metadata,
        }
    }
}

/// Finds what answers a question.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallRequest {
    /// The question; any characters are welcome.
    pub query: String,
    /// How many hits, at most; 10 if not said.
    #[schemars(range(min = 1, max = 1000))]
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
    /// What may be found, of `memory`, `exchange`, `belief` and `digest`; all of it if not said.
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
}

impl RecallRequest {
    /// The question as it is put to an agent that lives by `config`.
    pub fn question(&self, config: &Config) -> Result<Question, Invalid> {
        let profile = self.profile.as_deref().unwrap_or("default");
        Ok(Question {
            text: self.query.clone(),
            k: count(self.k, 10)?,
            thread: self.thread.clone(),
            within_thread: self.within_thread,
            session: self.session.clone(),
            sender: self.sender,
            mode: self.mode,
            as_of: self.as_of,
            kinds: self.kinds.clone(),
            timeline: self.timeline,
            explain: self.explain,
            profile: Profile::named(profile, config)?,
        })
    }
}

/// Opens records in full.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenRequest {
    /// Refs as recall names them, at most 100.
    #[schemars(
        length(min = 1, max = 100),
        inner(regex(pattern = "^(msg|ex|mem|blf|dig)_[0-7][0-9a-hjkmnp-tv-z]{25}$"))
    )]
    pub refs: Vec<String>,
}

impl OpenRequest {
    /// The refs.
    pub fn refs(&self) -> Result<Vec<cairn_domain::Ref>, Invalid> {
        if self.refs.is_empty() || self.refs.len() > MOST_REFS {
            let problem = format!("{} refs cannot be opened at once", self.refs.len());
            return Err(Invalid::new(problem, format!("name 1 to {MOST_REFS}")));
        }
        self.refs.iter().map(|text| text.parse()).collect()
    }
}

/// What was said in the order it was said: about a query, around a ref, or the newest.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TimelineRequest {
    /// About this.
    pub query: Option<String>,
    /// Around this record.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// How many, at most; 20 if not said.
    #[schemars(range(min = 1, max = 1000))]
    pub k: Option<usize>,
    /// Only what had been said by then.
    pub as_of: Option<Time>,
}

impl TimelineRequest {
    /// The timeline as it is asked of an agent that lives by `config`.
    pub fn timeline(&self, config: &Config) -> Result<Timeline, Invalid> {
        let (k, as_of) = (count(self.k, 20)?, self.as_of);
        match (&self.query, &self.reference) {
            (Some(_), Some(_)) => {
                Err(Invalid::new("a timeline is about a query or a ref", "leave `query` or `ref` out"))
            }
            (None, Some(reference)) => Ok(Timeline::Around(reference.parse()?)),
            (Some(query), None) => {
                let profile = config.recall;
                Ok(Timeline::Question(Box::new(Question { k, as_of, profile, ..Question::new(query) })))
            }
            (None, None) => Ok(Timeline::Newest { k, as_of }),
        }
    }
}

/// What belongs into a prompt: what answers a question, or the newest that is known.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContextRequest {
    /// What the task or the conversation is about.
    pub query: Option<String>,
    /// The lasting project.
    pub thread: Option<String>,
    /// The running session: what it said itself is left out.
    pub session: Option<String>,
    /// How many tokens it may have, 50 to 20000; 600 if not said.
    #[schemars(range(min = 50, max = 20000))]
    pub budget: Option<usize>,
}

impl ContextRequest {
    /// What the brief is about.
    pub fn briefing(&self) -> Result<Briefing, Invalid> {
        let tokens = self.budget.unwrap_or(USUAL_TOKENS);
        if !(LEAST_TOKENS..=MOST_TOKENS).contains(&tokens) {
            let hint = format!("give a number from {LEAST_TOKENS} to {MOST_TOKENS}");
            return Err(Invalid::new(format!("{tokens} tokens are no budget"), hint));
        }
        let Self { query, thread, session, .. } = self.clone();
        Ok(Briefing { query, thread, session, tokens, ..Briefing::default() })
    }
}

/// Says what a memory should say instead.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectRequest {
    /// The memory, `mem_…`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What is right.
    pub text: String,
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

/// How many are wanted, held to what one answer can hold.
fn count(asked: Option<usize>, otherwise: usize) -> Result<usize, Invalid> {
    match asked.unwrap_or(otherwise) {
        k @ 1..=MOST => Ok(k),
        k => Err(Invalid::new(
            format!("{k} is not a number of hits"),
            format!("give a number from 1 to {MOST}"),
        )),
    }
}

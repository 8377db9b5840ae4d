//! Before an action: how much friction stands before it, who may authorize it, and the decision that is told and kept.

use crate::{ConsumerKind, Invalid, RecordState, Time, word::words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

words!(
    /// How an action goes on, from the least restrictive to the most.
    #[derive(Default)]
    Friction, "a mode of the governor" {
        /// It is done.
        #[default]
        Proceed = "proceed",
        /// It is done, and its effect is checked afterwards.
        Verify = "verify",
        /// Whoever may say so is asked, once.
        Ask = "ask",
        /// It is put off, or tried without effect first.
        Defer = "defer",
        /// An operator has to approve it first: a lease.
        Approve = "approve",
        /// It is not done; something safe is named instead.
        Refuse = "refuse",
        /// Nothing goes on until somebody has looked.
        Pause = "pause",
    }
);

words!(
    /// Something that an action may be said to stand on.
    AuthorityKind, "a kind of authority" {
        /// An operator's lease that covers the action, is not over and not spent.
        Lease = "lease",
        /// A tool that can be called.
        VisibleTool = "visible_tool",
        /// That it went well before.
        PastSuccess = "past_success",
        /// Words that a session left for the next.
        Handoff = "handoff",
        /// Words that were found again.
        RetrievedMemory = "retrieved_memory",
        /// A belief that nobody has verified.
        Candidate = "candidate",
        /// A verified belief: it says what is so, not what may be done.
        VerifiedBelief = "verified_belief",
        /// Something that was put before a model.
        ContextDelivery = "context_delivery",
        /// Nothing that is known.
        Unknown = "unknown",
    }
);

impl AuthorityKind {
    /// Whether it can authorize anything at all: only what the contract of tool execution takes.
    pub fn can_authorize(self) -> bool {
        let state = match self {
            Self::Lease => RecordState::Lease,
            Self::Handoff => RecordState::Handoff,
            Self::RetrievedMemory => RecordState::Memory,
            Self::Candidate => RecordState::Candidate,
            Self::VerifiedBelief => RecordState::Verified,
            // These are no records at all.
            Self::VisibleTool | Self::PastSuccess | Self::ContextDelivery | Self::Unknown => return false,
        };
        ConsumerKind::ToolExecution.contract().accepts(state)
    }

    /// Why it authorizes nothing, or on which condition it does.
    pub fn limit(self) -> &'static str {
        match self {
            Self::Lease => "an operator gave it, within its scope, its time and its budget",
            Self::VisibleTool => "that a tool can be called is no permission to call it",
            Self::PastSuccess => "that it went well before widens nothing",
            Self::Handoff => "a handoff tells what was going on and authorizes nothing",
            Self::RetrievedMemory => "what was found again is what somebody said, not what is so now",
            Self::Candidate => "a candidate is no update until an operator has verified it",
            Self::VerifiedBelief => "a belief says what is so, not what may be done",
            Self::ContextDelivery => "what stood in a prompt was shown and not promoted",
            Self::Unknown => "nothing is known under this ref",
        }
    }
}

/// The governor's answer about one action: how it goes on, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GovernorDecision {
    /// The action as it was proposed: the tool, and the command or path in its words.
    pub action: String,
    /// The class of the action: `command`, `path` or `tool`.
    pub action_class: String,
    /// How it goes on.
    pub mode: Friction,
    /// Everything that asks for friction, the strongest first; empty if nothing does.
    pub reasons: Vec<DecisionReason>,
    /// Everything it was said to stand on, and whether that counts.
    pub authority: Vec<AuthorityStanding>,
    /// Checks that whoever acts owes, in sentences.
    pub required_checks: Vec<String>,
    /// A safe thing to do instead, if it is not done.
    pub instead: Option<String>,
    /// How its effect is taken back, if the rule says so.
    pub rollback_plan: Option<String>,
    /// When it was decided.
    pub at: Time,
}

/// One thing that asks for friction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionReason {
    /// Where it stands: `govern.toml#no-push`, `self_state#repeats`, `session#asked`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The least friction that it asks for.
    pub minimum: Friction,
    /// Why.
    pub reason: String,
    /// The lease that lowered it, if one did.
    pub lease: Option<String>,
}

/// Something that an action was said to stand on, as it was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuthorityStanding {
    /// As it was named: `lease/deploy`, `mem_…`, `handoff/pottery`, `tool/Bash`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its kind.
    pub kind: AuthorityKind,
    /// Whether it counts.
    pub authorizes: bool,
    /// Why, or why not.
    pub why: String,
}

/// An operator's permission for one purpose, with its limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResponsibilityLease {
    /// Who holds it: the agent.
    pub owner: String,
    /// Purpose, in a sentence.
    pub objective: String,
    /// Patterns of the commands that it covers, as in `govern.toml`.
    pub commands: Vec<String>,
    /// Patterns of the tools that it covers.
    pub tools: Vec<String>,
    /// When it is over.
    pub expires_at: Time,
    /// How many actions it is for.
    pub max_actions: u32,
    /// Outcomes that end it before that: `failed`, `failed=CLASS` or `effect=WORDS`.
    pub stop_conditions: Vec<StopCondition>,
    /// Who is told when it has ended, if anybody.
    pub notify: Option<LeaseAudience>,
}

words!(
    /// Who is told that a lease has ended.
    LeaseAudience, "somebody who is told about a lease" {
        /// The agent, where its next session begins.
        Agent = "agent",
        /// The operator, by `cairn doctor`.
        Operator = "operator",
        /// Both of them.
        Both = "both",
    }
);

/// An outcome that ends a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum StopCondition {
    /// `failed`: an action under it failed.
    Failed,
    /// `failed=CLASS`: an action under it failed in this way.
    FailureClass(String),
    /// `effect=WORDS`: the effect that was seen has these words, whatever their case.
    EffectWords(String),
}

impl StopCondition {
    /// Whether an outcome meets it.
    pub fn is_met_by(&self, outcome: &OutcomeEvent) -> bool {
        let failed = outcome.failure_class.is_some() || outcome.verification == OutcomeVerification::Failed;
        match self {
            Self::Failed => failed,
            Self::FailureClass(class) => outcome.failure_class.as_ref() == Some(class),
            Self::EffectWords(words) => {
                outcome.observed_effect.to_lowercase().contains(&words.to_lowercase())
            }
        }
    }
}

impl FromStr for StopCondition {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        match text.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
            None if text.trim() == "failed" => Ok(Self::Failed),
            Some(("failed", class)) if !class.is_empty() => Ok(Self::FailureClass(class.to_owned())),
            Some(("effect", words)) if !words.is_empty() => Ok(Self::EffectWords(words.to_owned())),
            _ => Err(Invalid::new(
                format!("`{}` is not an outcome that can end a lease", text.escape_debug()),
                "use failed, failed=CLASS (failed=interrupted) or effect=WORDS (effect=rolled back)",
            )),
        }
    }
}

impl TryFrom<String> for StopCondition {
    type Error = Invalid;

    fn try_from(text: String) -> Result<Self, Invalid> {
        text.parse()
    }
}

impl From<StopCondition> for String {
    fn from(condition: StopCondition) -> Self {
        condition.to_string()
    }
}

impl fmt::Display for StopCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed => f.write_str("failed"),
            Self::FailureClass(class) => write!(f, "failed={class}"),
            Self::EffectWords(words) => write!(f, "effect={words}"),
        }
    }
}

/// An observation after an action that the governor had decided about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeEvent {
    /// The action as it was proposed.
    pub intent: String,
    /// The receipt of the decision that it was done under.
    pub decision: u64,
    /// The refs that authorized it then.
    pub authority_snapshot: Vec<String>,
    /// The observed effect, in short.
    pub observed_effect: String,
    /// How it was verified.
    pub verification: OutcomeVerification,
    /// How it failed; none if it did not.
    pub failure_class: Option<String>,
    /// The risk that is left, in a sentence.
    pub residual_risk: Option<String>,
    /// When it was seen.
    pub at: Time,
}

words!(
    /// How the effect of an action was verified.
    OutcomeVerification, "a verification of an outcome" {
        /// Nobody looked.
        Unverified = "unverified",
        /// The tool itself reported success.
        Reported = "reported",
        /// The tool itself reported a failure.
        Failed = "failed",
        /// Somebody checked it.
        Checked = "checked",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-187, W-188, W-189, W-190, W-191, W-192, W-193, W-194, X-W15
    #[test]
    fn modes_stand_in_the_order_of_their_friction() {
        let words: Vec<&str> = Friction::ALL.iter().map(|mode| mode.as_str()).collect();
        assert_eq!(words.join(" < "), "proceed < verify < ask < defer < approve < refuse < pause");
        assert!(Friction::ALL.is_sorted());
    }
}

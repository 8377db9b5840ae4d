//! Arguments of `cairn govern`, and of the operator's leases.

use super::limit::LimitArgs;
use cairn_domain::{
    AgentName, LeaseAudience, OutcomeVerification, SharedRef, StopCondition, Time, TrustVerdict,
};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum GovernCommand {
    /// List who may be given which records, what each has to check, and what it never accepts
    #[command(after_help = "Example:\n  cairn govern consumers")]
    Consumers,
    /// Ask what the operator's rules say about an action; records the answer and does nothing else
    #[command(
        after_help = "Examples:\n  cairn govern decide --command \"git push origin main\"\n  cairn govern decide --tool Write --path /etc/hosts\n  cairn govern decide --command \"make deploy\" --authority mem_0123456789abcdefghjkmnpqrs"
    )]
    Decide(GovernDecideArgs),
    /// Show decisions, or one of them with its reasons and its basis
    #[command(after_help = "Examples:\n  cairn govern explain\n  cairn govern explain 17")]
    Explain {
        /// The number of its receipt; without one, the newest decisions
        receipt: Option<u64>,
        #[command(flatten)]
        limit: LimitArgs,
    },
    /// List what an operator permits this agent for now, and how much of it is left
    #[command(after_help = "Example:\n  cairn govern leases")]
    Leases,
    /// List what this agent shares with others, and they with it, and who may write into its memory
    #[command(after_help = "Examples:\n  cairn govern sharing\n  cairn govern sharing --from scout")]
    Sharing(GovernSharingArgs),
    /// Say that a memory of another agent was confirmed or contradicted: that agent is trusted more or less
    #[command(
        after_help = "Examples:\n  cairn govern trust scout/mem_0123456789abcdefghjkmnpqrs confirmed\n  cairn govern trust scout/mem_0123456789abcdefghjkmnpqrs contradicted"
    )]
    Trust {
        /// The memory, as `cairn recall` gives it
        #[arg(value_name = "REF")]
        reference: SharedRef,
        /// confirmed or contradicted
        verdict: TrustVerdict,
    },
    /// Show where what may shape behavior comes from, how it stands, and who may use and change it
    #[command(
        after_help = "Examples:\n  cairn govern record\n  cairn govern record mem_0123456789abcdefghjkmnpqrs\n  cairn govern record handoff/pottery\n  cairn govern record identity/SOUL.md"
    )]
    Record {
        /// A belief, memory or proposal, handoff/THREAD, identity/FILE or skill/…; without one, some of each kind
        #[arg(value_name = "REF")]
        reference: Option<String>,
        #[command(flatten)]
        limit: LimitArgs,
    },
    /// List candidates for a change with their evidence, and what applying them would do; changes nothing
    #[command(after_help = "Example:\n  cairn govern candidates")]
    Candidates(LimitArgs),
    /// Print the JSON schemas of what the governor reads and writes: state records, leases, decisions, outcomes, candidates
    #[command(after_help = "Example:\n  cairn govern schemas | jq .governor_decision")]
    Schemas,
    /// List the outcomes of actions that were decided on, or record one
    #[command(
        after_help = "Examples:\n  cairn govern outcomes\n  cairn govern outcomes --record 17 --effect \"3 files deployed\" --verification checked"
    )]
    Outcomes(GovernOutcomesArgs),
}

#[derive(Args)]
pub(crate) struct GovernSharingArgs {
    /// List the memories that this agent shares, quarantined ones too
    #[arg(long, value_name = "AGENT")]
    pub(crate) from: Option<AgentName>,
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
}

#[derive(Args)]
pub(crate) struct GovernDecideArgs {
    /// The tool [default: Bash if --command is given]
    #[arg(long, value_name = "NAME", required_unless_present = "command")]
    pub(crate) tool: Option<String>,
    /// The command line that it would run
    #[arg(long, value_name = "LINE")]
    pub(crate) command: Option<String>,
    /// A path that it would change
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Vec<String>,
    /// The folder it works in [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Something it claims to rest on: a ref, tool/NAME, handoff/THREAD, outcome/NUMBER, lease/NAME
    #[arg(long, value_name = "REF")]
    pub(crate) authority: Vec<String>,
}

#[derive(Args)]
pub(crate) struct GovernOutcomesArgs {
    /// Record the outcome of the decision with this receipt
    #[arg(long, value_name = "RECEIPT", requires = "effect")]
    pub(crate) record: Option<u64>,
    /// The observed effect
    #[arg(long, value_name = "TEXT", requires = "record")]
    pub(crate) effect: Option<String>,
    /// unverified, reported, failed or checked
    #[arg(long, default_value = "unverified", requires = "record")]
    pub(crate) verification: OutcomeVerification,
    /// How it failed, in a word
    #[arg(long, value_name = "CLASS", requires = "record")]
    pub(crate) failure: Option<String>,
    /// The risk that is left
    #[arg(long, value_name = "TEXT", requires = "record")]
    pub(crate) risk: Option<String>,
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
}

#[derive(Args)]
pub(crate) struct LeaseArgs {
    /// Its name
    pub(crate) name: String,
    /// Purpose, in a sentence
    #[arg(long, value_name = "TEXT", required_unless_present = "end")]
    pub(crate) objective: Option<String>,
    /// Pattern of commands that it covers, as in govern.toml
    #[arg(long, value_name = "PATTERN")]
    pub(crate) command: Vec<String>,
    /// Pattern of tools that it covers
    #[arg(long, value_name = "PATTERN")]
    pub(crate) tool: Vec<String>,
    /// When it expires
    #[arg(long, value_name = "TIME", required_unless_present = "end")]
    pub(crate) until: Option<Time>,
    /// Maximum number of actions
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) actions: u32,
    /// An outcome that ends it early: failed, failed=CLASS or effect=WORDS
    #[arg(long, value_name = "OUTCOME")]
    pub(crate) stop: Vec<StopCondition>,
    /// Who is told when it has ended: agent (where a session begins), operator (cairn doctor) or both
    #[arg(long, value_name = "WHOM")]
    pub(crate) notify: Option<LeaseAudience>,
    /// End it
    #[arg(long, conflicts_with_all = ["objective", "command", "tool", "until"])]
    pub(crate) end: bool,
    /// The reason, for the ledger
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Confirm; without this flag, shows what would change
    #[arg(long, requires = "reason")]
    pub(crate) yes: bool,
}

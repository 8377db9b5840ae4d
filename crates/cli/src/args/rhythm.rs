//! Arguments of `cairn dream`, `consolidate`, `digests`, `simulate` and `rhythms`.

use cairn_domain::{DigestKind, MemoryId};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct DreamArgs {
    /// Show what would change; change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show what background jobs did to this memory, and why
    #[arg(long, value_name = "REF", conflicts_with = "dry_run")]
    pub(crate) explain: Option<MemoryId>,
}

#[derive(Args)]
pub(crate) struct ConsolidateArgs {
    /// Only this layer; by default, form new memories, consolidate every layer, write digests and update beliefs
    #[arg(long)]
    pub(crate) layer: Option<String>,
    /// Show what would change; change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args)]
pub(crate) struct DigestsArgs {
    /// day, week, month, retrospective, current, future, profile, category or stretch
    #[arg(default_value = "day")]
    pub(crate) kind: DigestKind,
    /// Only digests about this: `thread:NAME`, `session:NAME`, a layer, an entity, a category
    #[arg(long)]
    pub(crate) about: Option<String>,
    /// Maximum number of digests
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: u32,
}

#[derive(Args)]
pub(crate) struct SimulateArgs {
    /// Number of days
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=3_650))]
    pub(crate) days: u32,
    /// Seed of the simulated life
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Exchanges per day
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) exchanges: u32,
    /// Questions per day about what was said
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub(crate) questions: u32,
    /// Simulate without background jobs
    #[arg(long)]
    pub(crate) no_rhythms: bool,
    /// Simulate a second time without background jobs, and show both
    #[arg(long, conflicts_with = "no_rhythms")]
    pub(crate) compare: bool,
    /// Write an HTML report with charts
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum RhythmsCommand {
    /// Run what is due, or one rhythm now
    #[command(after_help = "Examples:\n  cairn rhythms run --due\n  cairn rhythms run rehearsal --dry-run")]
    Run {
        /// The rhythm; `cairn rhythms` lists them
        #[arg(required_unless_present = "due", conflicts_with = "due")]
        name: Option<String>,
        /// Run everything that is due or was interrupted
        #[arg(long)]
        due: bool,
        /// Show what would change; change nothing
        #[arg(long, conflicts_with = "due")]
        dry_run: bool,
    },
    /// Pause a rhythm
    #[command(after_help = "Example:\n  cairn rhythms pause dream")]
    Pause {
        /// The rhythm
        name: String,
    },
    /// Resume a rhythm; missed runs are made up for by one run
    #[command(after_help = "Example:\n  cairn rhythms resume dream")]
    Resume {
        /// The rhythm
        name: String,
    },
}

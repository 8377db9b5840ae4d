//! What the commands about rhythms are told.

use cairn_domain::{DigestKind, MemoryId};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Dream {
    /// Show what would change; nothing does
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Tell what rhythms did to this memory, and why
    #[arg(long, value_name = "REF", conflicts_with = "dry_run")]
    pub(crate) explain: Option<MemoryId>,
}

#[derive(Args)]
pub(crate) struct Consolidate {
    /// Only this layer; without one what was said is taken in, every layer is consolidated, digests are written and what
    /// is held true is brought up to date
    #[arg(long)]
    pub(crate) layer: Option<String>,
    /// Show what would change; nothing does
    #[arg(long, requires = "layer")]
    pub(crate) dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Digests {
    /// day, week, month, retrospective, current, future, profile, category or stretch
    #[arg(default_value = "day")]
    pub(crate) kind: DigestKind,
    /// Only those about this: `thread:NAME`, `session:NAME`, a layer, the slug of an entity, a category
    #[arg(long)]
    pub(crate) about: Option<String>,
    /// How many, at most
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: u32,
}

#[derive(Args)]
pub(crate) struct Simulate {
    /// How many days
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=3_650))]
    pub(crate) days: u32,
    /// Another seed is another life
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How often somebody speaks to the agent in a day
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) exchanges: u32,
    /// How often in a day somebody wants to know something that was said
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub(crate) questions: u32,
    /// The same life without rhythms
    #[arg(long)]
    pub(crate) no_rhythms: bool,
    /// Live it a second time without rhythms, and show both
    #[arg(long, conflicts_with = "no_rhythms")]
    pub(crate) compare: bool,
    /// Write what happened as a page with pictures
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum RhythmsCommand {
    /// Carry out what is due, or one rhythm now
    #[command(after_help = "Examples:\n  cairn rhythms run --due\n  cairn rhythms run rehearsal --dry-run")]
    Run {
        /// Which; `cairn rhythms` lists them
        #[arg(required_unless_present = "due", conflicts_with = "due")]
        name: Option<String>,
        /// Whatever is due by its schedule, and what was interrupted
        #[arg(long)]
        due: bool,
        /// Show what would change; nothing does
        #[arg(long, conflicts_with = "due")]
        dry_run: bool,
    },
    /// Let a rhythm rest
    #[command(after_help = "Example:\n  cairn rhythms pause dream")]
    Pause {
        /// Which
        name: String,
    },
    /// Let a rhythm go on; what it missed is caught up once
    #[command(after_help = "Example:\n  cairn rhythms resume dream")]
    Resume {
        /// Which
        name: String,
    },
}

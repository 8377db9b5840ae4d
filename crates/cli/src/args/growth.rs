//! Arguments of the commands that show what an agent is becoming.

use super::limit::LimitArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct CoherenceArgs {
    /// Only this session
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Show instead how far each turn was from what was expected
    #[arg(long, conflicts_with = "session")]
    pub(crate) surprise: bool,
    /// Write the numbers of turns to a new file, without time, place or words; `[dynamics] export = true` allows it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["session", "surprise"])]
    pub(crate) export: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
}

#[derive(Args)]
pub(crate) struct StandingArgs {
    /// Number of weighed days to show for each dimension
    #[arg(long, default_value_t = 7)]
    pub(crate) days: u32,
    /// Delete every pattern and every score for good; needs the operator's passphrase
    #[arg(long)]
    pub(crate) erase: bool,
    /// The reason, for the ledger
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Erase; without this flag, nothing is changed
    #[arg(long, requires = "reason")]
    pub(crate) yes: bool,
}

#[derive(Args)]
pub(crate) struct GrowthArgs {
    /// The question to answer
    #[arg(long, value_enum)]
    pub(crate) question: GrowthQuestion,
    /// Labeled messages, one JSON object a line, gzipped or not, for the question of entropy; what was collected, for those that
    /// need people or models
    #[arg(value_name = "FILE", required_if_eq("question", "entropy"))]
    pub(crate) data: Option<PathBuf>,
    /// Seed of the simulated year, or of the transcripts; for the questions of standing, dynamics and friction
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Days that are lived; for the questions of spacing, the gate and the year
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3_650))]
    pub(crate) days: u32,
    /// Tokens of a context; for the question of compaction
    #[arg(long, default_value_t = 800)]
    pub(crate) tokens: usize,
    /// Write a picture to this file; for the question of the year
    #[arg(long, value_name = "SVG")]
    pub(crate) plot: Option<PathBuf>,
}

/// A question about growth that figures can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrowthQuestion {
    /// Does entropy find the moments that a careful reader marked, better than length does?
    Entropy,
    /// Do the dimensions of standing measure different things?
    Standing,
    /// Is a break in a month of work a surprise, and does the prediction get better?
    Dynamics,
    /// Is friction found that was planted in made-up transcripts, and nothing where none was?
    Friction,
    /// How long does growth take at the end of an exchange?
    Cost,
    /// Do inquiries come to better vectors when their passes are spaced?
    Spacing,
    /// Does a person at the last gate keep anything out, beside a gate that always says yes?
    Gate,
    /// A year of growth three times over, with a picture
    Year,
    /// After how many compactions does what is kept tell more than the end of the conversation?
    Compaction,
    /// Does a change of the model change what an agent answers? Needs answers of models
    Swap,
    /// Does first-person framing change how a model speaks of itself? Needs answers of models
    Framing,
}

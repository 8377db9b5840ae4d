//! Arguments of the commands that show what an agent is becoming.

use super::limit::LimitArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct CoherenceArgs {
    /// Only this session
    #[arg(long)]
    pub(crate) session: Option<String>,
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
    /// Labeled messages, one JSON object a line, gzipped or not; for the question of entropy
    #[arg(value_name = "FILE", required_if_eq("question", "entropy"))]
    pub(crate) data: Option<PathBuf>,
    /// Seed of the simulated year, or of the transcripts; for the questions of standing and of friction
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// A question about growth that figures can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrowthQuestion {
    /// Does entropy find the moments that a careful reader marked, better than length does?
    Entropy,
    /// Do the dimensions of standing measure different things?
    Standing,
    /// Is friction found that was planted in made-up transcripts, and nothing where none was?
    Friction,
}

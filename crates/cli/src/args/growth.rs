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
pub(crate) struct GrowthArgs {
    /// The question to answer
    #[arg(long, value_enum)]
    pub(crate) question: GrowthQuestion,
    /// Labeled messages, one JSON object a line, gzipped or not
    #[arg(value_name = "FILE")]
    pub(crate) data: PathBuf,
}

/// A question about growth that figures can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrowthQuestion {
    /// Does entropy find the moments that a careful reader marked, better than length does?
    Entropy,
}

//! Arguments of `cairn skills`.

use super::limit::LimitArgs;
use clap::Args;

#[derive(Args)]
pub(crate) struct SkillsArgs {
    /// Only this thread; a coding agent's is named after its folder
    #[arg(long)]
    pub(crate) thread: Option<String>,
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
}

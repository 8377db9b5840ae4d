//! Arguments of `cairn intentions`.

use super::limit::LimitArgs;
use clap::Args;

#[derive(Args)]
pub(crate) struct IntentionsArgs {
    /// Only what is due
    #[arg(long)]
    pub(crate) due: bool,
    /// Print open intentions that are for a day as an iCalendar file (.ics)
    #[arg(long)]
    pub(crate) calendar: bool,
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
}

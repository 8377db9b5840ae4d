//! What `cairn diary` is told.

use super::hits;
use cairn_domain::EntryId;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum DiaryCommand {
    /// Write an entry
    Write {
        /// The words; - reads them from standard input
        text: String,
    },
    /// List entries, closed: when they were written and how much came of them
    List(super::Limit),
    /// Open an entry
    Show {
        /// An entry as `list` prints it
        entry: EntryId,
    },
    /// Find entries
    Recall {
        /// What to look for
        query: String,
        /// How many, at most
        #[arg(short, default_value_t = 10, value_parser = hits)]
        k: usize,
    },
}

//! What `cairn diary` is told.

use super::hits;
use cairn_domain::EntryId;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum DiaryCommand {
    /// Write an entry
    #[command(after_help = "Example:\n  cairn diary write \"I was too quick to answer today.\"")]
    Write {
        /// The words; - reads them from standard input
        text: String,
    },
    /// List entries, closed: when they were written and how much came of them
    #[command(after_help = "Example:\n  cairn diary list")]
    List(super::Limit),
    /// Open an entry
    #[command(after_help = "Example:\n  cairn diary show dia_0123456789abcdefghjkmnpqrs")]
    Show {
        /// An entry as `list` prints it
        entry: EntryId,
    },
    /// Find entries
    #[command(after_help = "Example:\n  cairn diary recall \"too quick\"")]
    Recall {
        /// What to look for
        query: String,
        /// How many, at most
        #[arg(short, default_value_t = 10, value_parser = hits)]
        k: usize,
    },
}

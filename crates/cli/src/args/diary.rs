//! Arguments of `cairn diary`.

use super::limit::{LimitArgs, hits};
use cairn_domain::EntryId;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum DiaryCommand {
    /// Write an entry
    #[command(after_help = "Example:\n  cairn diary write \"I was too quick to answer today.\"")]
    Write {
        /// The text; - reads it from standard input
        text: String,
    },
    /// List entries without opening them: dates, and how many memories came of each
    #[command(after_help = "Example:\n  cairn diary list")]
    List(LimitArgs),
    /// Open an entry
    #[command(after_help = "Example:\n  cairn diary show dia_0123456789abcdefghjkmnpqrs")]
    Show {
        /// An entry as printed by `list`
        entry: EntryId,
    },
    /// Search entries
    #[command(after_help = "Example:\n  cairn diary recall \"too quick\"")]
    Recall {
        /// Words to search for
        query: String,
        /// Maximum number of entries
        #[arg(short, default_value_t = 10, value_parser = hits)]
        k: usize,
    },
}

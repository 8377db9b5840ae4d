//! Arguments of `cairn propose`.

use clap::Args;

#[derive(Args)]
pub(crate) struct ProposeArgs {
    /// The identity file: SOUL.md, AGENTS.md, ANCHOR.md, TOOLS.md or MEMORY.md
    pub(crate) file: String,
    /// The new passage; `-` reads it from standard input
    #[arg(allow_hyphen_values = true)]
    pub(crate) text: String,
    /// The reason, for whoever decides
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// The passage that it replaces, word for word [default: added at the end of the file]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) replaces: Option<String>,
    /// Records that support it
    #[arg(long, value_name = "REF", value_delimiter = ',', num_args = 1..)]
    pub(crate) evidence: Vec<String>,
}

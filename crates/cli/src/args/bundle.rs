//! Arguments of the commands that move an agent.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct ExportArgs {
    /// The file to write; - is standard output
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// Mask personal data; the file is for reading and cannot be imported
    #[arg(long)]
    pub(crate) redact: bool,
    /// Replace the file if there is one
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The bundle
    pub(crate) file: PathBuf,
    /// Also import its operator's decisions: verified beliefs, the mode; requires signing in
    #[arg(long, requires = "reason")]
    pub(crate) as_operator: bool,
    /// The reason, for the ledger
    #[arg(long, value_name = "TEXT", requires = "as_operator")]
    pub(crate) reason: Option<String>,
}

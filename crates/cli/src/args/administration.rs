//! Commands about the archive, the database and the configuration.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum ArchiveCommand {
    /// Write one JSON Lines file per day, with their hashes in SEALS
    #[command(
        after_help = "Example:\n  cairn archive export archive-of-main && cd archive-of-main && sha256sum -c SEALS"
    )]
    Export {
        /// A new or empty folder
        folder: PathBuf,
    },
}

#[derive(Subcommand)]
pub(crate) enum AdminCommand {
    /// Distribute the tables of a PostgreSQL database over a Citus cluster, by agent
    #[command(
        after_help = "Examples:\n  cairn admin distribute --plan    # look first\n  cairn admin distribute\n\nRun it as the owner of the tables, with the address of the coordinator, while no other process writes."
    )]
    Distribute {
        /// Print the statements; change nothing
        #[arg(long)]
        plan: bool,
    },
}

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print it
    #[command(after_help = "Examples:\n  cairn config show\n  cairn config show > config.toml")]
    Show,
    /// Print every limit in force, and which of them config.toml can change
    #[command(after_help = "Examples:\n  cairn config limits\n  cairn --json config limits")]
    Limits,
}

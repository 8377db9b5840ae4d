//! Arguments of `cairn operator share` and `cairn sharing`.

use cairn_domain::{AgentName, Category, Time};
use clap::Args;

#[derive(Args)]
pub(crate) struct ShareArgs {
    /// The agent whose memories they are
    #[arg(value_name = "FROM")]
    pub(crate) owner: AgentName,
    /// The agent that may read them, or write
    #[arg(long, value_name = "AGENT")]
    pub(crate) to: AgentName,
    /// Every memory, but for private ones
    #[arg(long)]
    pub(crate) all: bool,
    /// Memories of this thread
    #[arg(long, value_name = "NAME")]
    pub(crate) thread: Vec<String>,
    /// Memories of this category: preference, fact, decision, correction, plan, entity, pattern, procedure or other
    #[arg(long)]
    pub(crate) category: Vec<Category>,
    /// Memories that name this entity; `cairn entities` lists them
    #[arg(long, value_name = "NAME")]
    pub(crate) entity: Vec<String>,
    /// Highest trust that the owner's memories get, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = parse_share)]
    pub(crate) trust_at_most: f64,
    /// Let it write into this memory instead of reading: as an agent, never as the user
    #[arg(long, conflicts_with_all = ["all", "thread", "category", "entity", "trust_at_most"])]
    pub(crate) write: bool,
    /// When it expires
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<Time>,
    /// Take it back
    #[arg(long, conflicts_with_all = ["all", "thread", "category", "entity", "trust_at_most", "until"])]
    pub(crate) end: bool,
    /// The reason, for the ledger
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Confirm; without this flag, shows what would change
    #[arg(long, requires = "reason")]
    pub(crate) yes: bool,
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "use a number from 0 to 1".to_owned())
}

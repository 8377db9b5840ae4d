//! The text put before a model: `assemble` puts the `block`s of each `section` on a `page` within a budget of tokens, for the
//! `situation` that a `briefing` describes. Hits are quoted by a plan (`quoting`), and marked where they are `disputed`; a
//! `verifier` looks at what a prompt invites claims about; a `report` says what came of each section; `hot` memories come with
//! every question; `identity` reads who the agent is.

mod assemble;
mod block;
mod briefing;
mod disputed;
mod framing;
mod hot;
mod identity;
mod identity_cache;
mod identity_file;
mod lines;
mod page;
mod quoting;
mod report;
mod section;
mod situation;
mod verifier;

pub use briefing::{Brief, Briefing};
pub use framing::{ContextConfig, Framing};
pub(crate) use identity_cache::IdentityCache;
pub use identity_file::{IdentityAudience, IdentityFile, SessionKind};
pub use report::{SectionOutcome, SectionReport};

//! The way back, in reading order: `question` is what is asked and answered; each `lane` searches one kind of thing; `rank` makes
//! hits of what the lanes found; `recall` leads a question through all of them; `prompt` puts what was found before a model;
//! `show` opens and explains records. Nothing here changes a record: what an answer strengthens is written in `write`.

mod lane;
mod prompt;
mod question;
mod rank;
mod recall;
mod show;

pub(crate) use prompt::IdentityCache;
pub use prompt::{
    Brief, Briefing, ContextConfig, Framing, IdentityAudience, IdentityFile, SectionOutcome, SectionReport,
    SessionKind,
};
pub use question::{
    Doubt, Empty, Explanation, Found, Fusion, Hit, Lane, LexicalOnly, Profile, Question, Recall,
    SharedMemory, TermShare, past_plan,
};
pub use show::{
    CheckedSource, Cited, EntityEdge, EntityGraph, Hub, MemoryListing, Reached, Related, Why, WhyDigest,
    WhyMemory,
};
pub(crate) use show::{Timeline, generated, source};

//! The way back: `question` is what is asked, `asked` how it is understood, `profile` how it is ranked; `lexical` finds by keywords, `dense` by
//! meaning, `session` by what a whole conversation is about, `kept` by what was remembered, `walk` by names and relations,
//! `believed` by what is held true, `condensed` by what was condensed; `rank` makes one ranking of the
//! messages, `running` puts everything else beside them and takes the hits, `recall` puts the `answer` together; `open`, `why`,
//! `digest` and `timeline` show what stands behind it; `memories` lists, explains and looks after what was worth keeping, `graph`
//! follows names and relations; `identity` reads who the agent is; how `sure` a hit is decides what of it is shown; a `brief` is
//! what a model is shown of it all, written on a `page`, with what is `standing` or `hot`; what was `given` is strengthened.

mod answer;
mod asked;
mod believed;
mod brief;
mod condensed;
mod dense;
mod digest;
mod disputed;
mod given;
mod graph;
mod held;
mod hot;
mod identity;
mod kept;
mod lexical;
mod memories;
mod open;
mod page;
mod profile;
mod question;
mod rank;
mod recall;
mod running;
mod session;
mod standing;
mod sure;
mod timeline;
mod walk;
mod why;

pub use answer::{Empty, Explanation, Found, Hit, Lane, LexicalOnly, Recall, TermShare};
pub use brief::{Brief, Briefing};
pub(crate) use digest::generated;
pub use digest::{Cited, WhyDigest};
pub use graph::{Hub, Reached};
pub(crate) use hot::Hot;
pub(crate) use memories::source;
pub use memories::{Related, Source, WhyMemory};
pub use profile::{Fusion, Profile};
pub use question::Question;
pub use timeline::Timeline;
pub use why::Why;

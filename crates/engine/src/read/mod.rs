//! The way back: `question` is what is asked, `profile` how it is ranked, `lexical` finds by keywords, `recall`
//! puts the answer together; `open`, `why` and `timeline` show what stands behind it.

mod lexical;
mod open;
mod profile;
mod question;
mod recall;
mod timeline;
mod why;

pub use profile::Profile;
pub use question::Question;
pub use recall::{Empty, Explanation, Hit, Lane, Recall, TermShare};
pub use timeline::Timeline;
pub use why::Why;

//! Questions and answers as data: `query` is the question as a caller puts it, `profile` how its hits are ranked,
//! `understood` what the question asks, `answer` the hits with their reasons.

mod answer;
mod profile;
mod query;
mod understood;

pub use answer::{
    Doubt, Empty, Explanation, Found, Hit, Lane, LexicalOnly, Recall, SharedMemory, TermShare, past_plan,
};
pub use profile::{Fusion, Profile};
pub use query::Question;
pub(super) use query::SearchScope;
pub(super) use understood::UnderstoodQuestion;

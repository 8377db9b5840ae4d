//! Refine: what rules have formed, said more clearly by a language model, where there is one. Behind everything else, in
//! bounded runs; a message is asked about until an answer was taken or refused, a few times at most, and whatever a model
//! does, what rules have formed stands.
//!
//! `worker` runs it, `material` is what is sent, `question` how it is asked, `faithful` and `accepted_answer` hold the answer against the words it
//! was made of. The model decides nothing: what of its words becomes a memory goes through the same gate as all else.

pub(super) mod accept;
mod faithful;
mod material;
pub(super) mod question;
pub(super) mod worker;

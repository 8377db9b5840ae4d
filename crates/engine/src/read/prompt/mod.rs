//! The text put before a model: a `brief`, written on a `page` within a budget of tokens, with what an operator has `verified`,
//! wishes that are `standing`, where somebody had `left_off`, memories that are `hot`, and quotations that are `disputed`; `identity` reads who the agent is.

mod brief;
mod briefing;
mod disputed;
mod hot;
mod identity;
mod left_off;
mod page;
mod quoting;
mod standing;
mod verified;

pub use briefing::{Brief, Briefing};

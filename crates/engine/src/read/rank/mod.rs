//! From what the lanes found to hits: `search` leads a question through the lanes; `messages` makes one ranking of the messages out
//! of its `inputs`, by a `weighted_sum` or by ranks; `hits` puts everything else beside them as a `contender`, memories by their
//! `memory_score` and what the route of the question says (`routed`), and all in order: the steps of a `run` that answer first, what
//! may have changed by `doubt`, and of two that fit the one that answers now (`rivals`); `answer_hits` takes the best, `confidence`
//! says how sure it is that a hit answers, `explain` what brought it there; `merge` makes one answer of several.

mod answer_hits;
mod confidence;
mod contender;
mod doubt;
mod explain;
mod hits;
mod inputs;
mod memory_score;
mod merge;
mod messages;
mod rivals;
mod routed;
mod run;
mod search;
mod weighted_sum;

pub(super) use merge::merge_answers;
pub(super) use routed::plan_of;
pub(super) use search::QuestionSearch;

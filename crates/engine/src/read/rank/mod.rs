//! From what the lanes found to hits: `search` leads a question through the lanes; `messages` makes one ranking of the messages out
//! of its `inputs`, by a `weighted_sum` or by ranks; `hits` puts everything else beside them and takes the best, `confidence`
//! says how sure it is that a hit answers, `explain` what brought it there; `merge` makes one answer of several.

mod confidence;
mod explain;
mod hits;
mod inputs;
mod merge;
mod messages;
mod search;
mod weighted_sum;

pub(super) use merge::merge_answers;
pub(super) use search::QuestionSearch;

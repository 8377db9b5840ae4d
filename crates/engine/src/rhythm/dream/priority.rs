//! The order in which memories are rehearsed and replayed.

use crate::write::Reasons;
use cairn_cognition::rehearsal::rehearsal_priority;
use cairn_store::{MemoryRecord, Result, View};

/// How early a memory is rehearsed and replayed.
pub(super) fn replay_priority(view: &mut View<'_>, record: &MemoryRecord) -> Result<f64> {
    let reasons = view.reasons(record.number)?;
    let reasons = reasons.and_then(|reasons| serde_json::from_str::<Reasons>(&reasons).ok());
    let surprise = reasons.map_or(0.5, |reasons| reasons.prediction_error);
    Ok(rehearsal_priority(surprise, record.memory.utility, record.memory.importance))
}

//! Outdate: a statement that replaces one memory replaces all that say the same as that one in other words. "User moved to
//! Madrid" and "User lives in Madrid" both end with "User lives in Dublin now".

use crate::write::decide::{gate::GateCandidate, neighborhood::Neighborhood};
use cairn_cognition::contradiction::{Saying, contradiction};
use cairn_store::MemoryRecord;

/// What cannot hold beside a statement and may be replaced by it, apart from the memory at `first` that it replaces
/// anyway, and why.
pub(crate) fn other_outdated<'a>(
    candidate: &'a GateCandidate<'_>,
    around: &'a Neighborhood,
    first: usize,
) -> impl Iterator<Item = (&'a MemoryRecord, String)> {
    let others = around.near.iter().enumerate().filter(move |(at, _)| *at != first).map(|(_, near)| near);
    others
        .filter(|near| candidate.may_replace(&near.record.memory) && near.shares_slot(candidate.statements))
        .filter_map(|near| {
            let known = Saying { text: &near.record.memory.text, statements: near.statements() };
            let saying = Saying { text: candidate.text, statements: candidate.statements };
            Some((&near.record, contradiction(&known, &saying)?.why))
        })
}

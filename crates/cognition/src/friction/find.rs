//! All detectors in their order: a failure is told once, as the first kind that it fits.

use super::{failing, kind::Friction, retried, told, work::Work};
use std::collections::BTreeSet;

/// All friction in the work of one project, the most often seen first.
pub fn frictions(work: &Work<'_>) -> Vec<Friction> {
    let mut claimed = BTreeSet::new();
    let mut found = retried::detours(work, &mut claimed);
    found.extend(failing::missing(work, &mut claimed));
    found.extend(failing::missed_edits(work, &mut claimed));
    found.extend(failing::timeouts(work, &mut claimed));
    found.extend(retried::blind_retries(work, &mut claimed));
    found.extend(failing::repeated_failures(work, &mut claimed));
    found.extend(retried::call_loops(work, &claimed));
    found.extend(told::refused_calls(work));
    found.extend(told::corrected_habits(work));
    found.extend(told::unsolved(work));
    found.sort_by(|a, b| b.times.cmp(&a.times).then(a.kind.cmp(&b.kind)).then_with(|| a.key.cmp(&b.key)));
    found
}

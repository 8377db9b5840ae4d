//! Watermarks: up to which memory, or until when, each step has come. Their names are stored, so they never change.

use cairn_domain::{MILLIS_PER_HOUR, Time};
use cairn_store::{Result, View};

/// Up to which memory `intake` has assigned layers.
pub(crate) const INTAKE: &str = "intake";
/// Up to which memory beliefs were consolidated.
pub(crate) const BELIEFS: &str = "beliefs";
/// Until when stability was decayed.
pub(crate) const TIER_DECAY: &str = "dream/tier decay";
/// Up to which memory emotions were consolidated.
pub(crate) const EMOTION: &str = "dream/emotion";
/// Until when uses were replayed.
pub(crate) const REPLAY: &str = "dream/replay";
/// Until when utility was decayed.
pub(crate) const UTILITY_DECAY: &str = "dream/utility decay";
/// When themes were last made.
pub(crate) const CONSOLIDATION: &str = "dream/consolidation";
/// Up to which revision memories were compared for redundancy.
pub(crate) const REDUNDANCY: &str = "dream/redundancy";
/// When redundancy was last looked for to the end.
pub(crate) const REDUNDANCY_DONE_AT: &str = "dream/redundancy done at";
/// When patterns were last made.
pub(crate) const ABSTRACTION: &str = "dream/abstraction";
/// Up to which memory lessons were drawn.
pub(crate) const LESSONS: &str = "digests/lessons";
/// Up to which memory was reflected on.
pub(crate) const REFLECTIONS: &str = "digests/reflections";
/// When old conversations were last condensed.
pub(crate) const STRETCHES: &str = "digests/stretches";

/// Steps that go with the passing of time do nothing if so little of it has passed since the last time.
const MIN_INTERVAL_MS: i64 = MILLIS_PER_HOUR;

/// How far a step that goes with time has come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Applied {
    /// Until when it was applied; `None` if it never was.
    pub(crate) until: Option<Time>,
    /// Whether enough time has passed to apply it again.
    pub(crate) is_due: bool,
}

/// Until when a step that goes with time was applied, and whether it is due again.
pub(crate) fn applied(view: &mut View<'_>, watermark: &str, now: Time) -> Result<Applied> {
    let until = view.watermark(watermark)?.map(Time::from_millis);
    let is_due = until.is_none_or(|until| now.millis() - until.millis() >= MIN_INTERVAL_MS);
    Ok(Applied { until, is_due })
}

/// Why a step does nothing this time.
pub(crate) const TOO_SOON: &str = "less than an hour has passed since the last time";

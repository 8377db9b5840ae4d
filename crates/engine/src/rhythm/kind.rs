//! The kinds of rhythms.

/// The kind of a rhythm, which decides its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RhythmKind {
    /// The nightly dream.
    Dream,
    /// Recall of memories that are about to fade.
    Rehearsal,
    /// New messages become memories.
    Intake,
    /// The review of a layer.
    Consolidation,
    /// Digests are written.
    Digests,
    /// Disk space is freed.
    Compaction,
    /// Memories become beliefs.
    Beliefs,
    /// Beliefs that are due are checked again.
    Revalidation,
    /// Whatever did not fit is thought about.
    Contemplation,
    /// Days are weighed for where the user stands.
    Standing,
    /// Friction in work with tools is proposed to be taken away.
    Evolution,
}

impl RhythmKind {
    /// Whether it belongs to the night shift: only in its hours, and not while somebody is speaking.
    pub(crate) fn is_night_shift(self) -> bool {
        match self {
            Self::Dream | Self::Rehearsal | Self::Compaction | Self::Standing | Self::Evolution => true,
            Self::Intake
            | Self::Consolidation
            | Self::Digests
            | Self::Beliefs
            | Self::Revalidation
            | Self::Contemplation => false,
        }
    }

    /// The word by which it is configured and routed.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Dream => "dream",
            Self::Rehearsal => "rehearsal",
            Self::Intake => "intake",
            Self::Consolidation => "consolidation",
            Self::Digests => "digests",
            Self::Compaction => "compaction",
            Self::Beliefs => "beliefs",
            Self::Revalidation => "revalidation",
            Self::Contemplation => "contemplation",
            Self::Standing => "standing",
            Self::Evolution => "evolution",
        }
    }
}

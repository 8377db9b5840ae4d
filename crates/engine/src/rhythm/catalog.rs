//! Every rhythm there is: its kind, its schedule and its steps in order.

use crate::{
    config::Config,
    rhythm::{config::Schedules, schedule::Schedule},
};

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
}

/// A rhythm: when, and what.
#[derive(Debug, Clone)]
pub(crate) struct Rhythm {
    pub(crate) name: String,
    pub(crate) tag: RhythmKind,
    pub(crate) schedule: Schedule,
    /// The layer it belongs to, if it does to one.
    pub(crate) layer: Option<String>,
    pub(crate) steps: Vec<RhythmStep>,
}

/// A step of a rhythm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RhythmStep {
    /// Memories lose stability, each tier in its own time.
    TierDecay,
    /// Feelings make memories last.
    Emotion,
    /// Memories used together are linked more strongly.
    Replay,
    /// Episodes become knowledge, useless knowledge goes to rest.
    Promotion,
    /// Utility drifts back to the middle.
    Utility,
    /// Memories about to fade are rehearsed.
    Rehearsal,
    /// Plans whose time is over expire.
    Foresight,
    /// Contradicted, useless and surplus memories go dormant.
    Forgetting,
    /// Groups of related memories are found.
    Clustering,
    /// Fading memories of one cluster become a theme.
    Consolidation,
    /// Of two that say the same the less useful goes to rest.
    Redundancy,
    /// Repeated events become a pattern.
    Abstraction,
    /// New messages become memories, each in its layer.
    Intake,
    /// The memories of a layer are promoted, demoted or left.
    Review,
    /// The retrospective, current and future digests of a layer are rewritten.
    Perspectives,
    /// Days are condensed.
    Days,
    /// Weeks are condensed.
    Weeks,
    /// Months are condensed.
    Months,
    /// Entities get digests, and their parents are inferred.
    Profiles,
    /// Categories get digests.
    Categories,
    /// Lessons are drawn, and what happened is looked back on.
    Reflection,
    /// Stretches of conversation that are old and hardly opened are condensed.
    Stretches,
    /// Indexes are written together, and room is given back.
    Space,
    /// Memories that agree become beliefs.
    Beliefs,
    /// Beliefs that are due are looked at again.
    Revalidation,
    /// Whatever did not fit becomes an inquiry.
    Inquiries,
    /// The passes that are due are made.
    Contemplation,
    /// Vectors that say the same become proposals.
    Crystallization,
    /// Finished days move where the user stands.
    Standing,
}

/// The night, in its order.
const DREAM: [RhythmStep; 12] = [
    RhythmStep::TierDecay,
    RhythmStep::Emotion,
    RhythmStep::Replay,
    RhythmStep::Promotion,
    RhythmStep::Utility,
    RhythmStep::Rehearsal,
    RhythmStep::Foresight,
    RhythmStep::Forgetting,
    RhythmStep::Clustering,
    RhythmStep::Consolidation,
    RhythmStep::Redundancy,
    RhythmStep::Abstraction,
];

/// The steps of a layer's consolidation.
const CONSOLIDATION: [RhythmStep; 2] = [RhythmStep::Review, RhythmStep::Perspectives];

/// The steps that write digests.
const DIGESTS: [RhythmStep; 7] = [
    RhythmStep::Days,
    RhythmStep::Weeks,
    RhythmStep::Months,
    RhythmStep::Profiles,
    RhythmStep::Categories,
    RhythmStep::Reflection,
    RhythmStep::Stretches,
];

/// The steps that free disk space.
const COMPACTION: [RhythmStep; 2] = [RhythmStep::Redundancy, RhythmStep::Space];

/// From what did not fit to what is proposed.
const CONTEMPLATION: [RhythmStep; 3] =
    [RhythmStep::Inquiries, RhythmStep::Contemplation, RhythmStep::Crystallization];

impl RhythmStep {
    /// Its name in logs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::TierDecay => "tier decay",
            Self::Emotion => "emotion",
            Self::Replay => "replay",
            Self::Promotion => "promotion",
            Self::Utility => "utility decay",
            Self::Rehearsal => "rehearsal",
            Self::Foresight => "foresight",
            Self::Forgetting => "forgetting",
            Self::Clustering => "clustering",
            Self::Consolidation => "consolidation",
            Self::Redundancy => "redundancy",
            Self::Abstraction => "abstraction",
            Self::Intake => "intake",
            Self::Review => "review",
            Self::Perspectives => "perspectives",
            Self::Days => "days",
            Self::Weeks => "weeks",
            Self::Months => "months",
            Self::Profiles => "profiles",
            Self::Categories => "categories",
            Self::Reflection => "reflection",
            Self::Stretches => "stretches",
            Self::Space => "space",
            Self::Beliefs => "beliefs",
            Self::Revalidation => "revalidation",
            Self::Inquiries => "inquiries",
            Self::Contemplation => "contemplation",
            Self::Crystallization => "crystallization",
            Self::Standing => "standing",
        }
    }
}

/// The rhythms that a configuration names, in the order in which they are carried out when several are due.
pub(crate) fn configured_rhythms(config: &Config) -> Vec<Rhythm> {
    let rhythm = |name: String, tag: RhythmKind, cron: &str, layer: Option<&str>| {
        // The configuration was checked when it was read.
        let schedule = Schedule::new(cron, &config.rhythms.time_zone).ok()?;
        Some(Rhythm { name, tag, schedule, layer: layer.map(str::to_owned), steps: tag.steps() })
    };
    let Schedules {
        intake,
        dream,
        rehearsal,
        digests,
        compaction,
        beliefs,
        revalidation,
        contemplation,
        standing,
    } = &config.rhythms.schedule;
    let mut all = vec![rhythm("intake".to_owned(), RhythmKind::Intake, intake, None)];
    for (layer, config) in &config.layers.0 {
        let name = format!("consolidation:{layer}");
        all.push(rhythm(name, RhythmKind::Consolidation, &config.consolidation_interval, Some(layer)));
    }
    all.push(rhythm("dream".to_owned(), RhythmKind::Dream, dream, None));
    all.push(rhythm("rehearsal".to_owned(), RhythmKind::Rehearsal, rehearsal, None));
    all.push(rhythm("digests".to_owned(), RhythmKind::Digests, digests, None));
    all.push(rhythm("compaction".to_owned(), RhythmKind::Compaction, compaction, None));
    all.push(rhythm("beliefs".to_owned(), RhythmKind::Beliefs, beliefs, None));
    all.push(rhythm("revalidation".to_owned(), RhythmKind::Revalidation, revalidation, None));
    all.push(rhythm("contemplation".to_owned(), RhythmKind::Contemplation, contemplation, None));
    all.push(rhythm("standing".to_owned(), RhythmKind::Standing, standing, None));
    all.into_iter().flatten().collect()
}

impl RhythmKind {
    /// The steps of each rhythm, in order.
    fn steps(self) -> Vec<RhythmStep> {
        match self {
            Self::Intake => vec![RhythmStep::Intake],
            Self::Consolidation => CONSOLIDATION.to_vec(),
            Self::Dream => DREAM.to_vec(),
            Self::Rehearsal => vec![RhythmStep::Rehearsal],
            Self::Digests => DIGESTS.to_vec(),
            Self::Compaction => COMPACTION.to_vec(),
            Self::Beliefs => vec![RhythmStep::Beliefs],
            // What came in since counts first.
            Self::Revalidation => vec![RhythmStep::Beliefs, RhythmStep::Revalidation],
            Self::Contemplation => CONTEMPLATION.to_vec(),
            Self::Standing => vec![RhythmStep::Standing],
        }
    }

    /// Whether it belongs to the night shift: only in its hours, and not while somebody is speaking.
    pub(crate) fn is_night_shift(self) -> bool {
        match self {
            Self::Dream | Self::Rehearsal | Self::Compaction | Self::Standing => true,
            Self::Intake
            | Self::Consolidation
            | Self::Digests
            | Self::Beliefs
            | Self::Revalidation
            | Self::Contemplation => false,
        }
    }

    /// The word by which it is routed.
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
        }
    }
}
